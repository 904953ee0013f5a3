/* catalog.c -- see catalog.h. */
#include "report/catalog.h"

#include "core/params.h"
#include "learn/kernels/kernel_expr.h"
#include "learn/target.h"
#include "metric/metric.h"

#include <string.h>

static void add_param(const smr_make_param *p, smr_json *list)
{
    static const char *const types[] = {"real", "int", "reals"};
    smr_json *row = smr_json_add_object(list, NULL);
    smr_json_add_string(row, "name", p->name);
    smr_json_add_string(row, "type", types[p->type]);
    if (p->type != SMR_MAKE_LIST)
        smr_json_add_number(row, "default", p->def);
    else if (p->def_list)
        smr_json_add_string(row, "default", p->def_list);
    smr_json_add_number(row, "min", p->min);
    smr_json_add_number(row, "max", p->max);
    smr_json_add_string(row, "doc", p->doc);
}

void smr_report_generator(const smr_generator *generator, smr_json *into)
{
    smr_json_add_string(into, "name", generator->name);
    smr_json_add_string(into, "title", generator->title);
    smr_json_add_string(into, "doc", generator->doc);
    smr_json_add_string(into, "task", smr_task_name(generator->task));
    smr_json *params = smr_json_add_array(into, "params");
    for (int64_t k = 0; k < generator->n_params; k++) add_param(&generator->params[k], params);
}

void smr_report_generators(smr_json *into)
{
    int64_t n;
    const smr_generator *const *all = smr_generators(&n);
    smr_json *list = smr_json_add_array(into, "generators");
    for (int64_t i = 0; i < n; i++) smr_report_generator(all[i], smr_json_add_object(list, NULL));
}

void smr_report_measures(smr_json *into)
{
    int64_t n;
    const smr_measure *all = smr_measures(&n);
    smr_json *list = smr_json_add_array(into, "measures");
    for (int64_t i = 0; i < n; i++) {
        smr_json *row = smr_json_add_object(list, NULL);
        smr_json_add_string(row, "name", all[i].name);
        smr_json_add_string(row, "title", all[i].title);
        smr_json_add_string(row, "formula", all[i].formula);
        smr_json_add_string(row, "doc", all[i].doc);
        smr_json_add_string(row, "task", smr_task_name(all[i].task));
        smr_json_add_bool(row, "higher_is_better", all[i].higher_is_better);
    }
}

void smr_report_generator_names(smr_text *out)
{
    int64_t n;
    const smr_generator *const *all = smr_generators(&n);
    for (int64_t i = 0; i < n; i++)
        smr_text_printf(out, "  %-15s %s%s\n", all[i]->name, all[i]->title,
                        strcmp(all[i]->name, "friedman1") == 0 ? " (also: friedman)" : "");
}

/* The name, the formula, and the settings with their ranges. */
void smr_report_kernel_names(smr_text *out)
{
    for (int k = 0; k < SMR_KERNEL_KINDS; k++) {
        const smr_word *word = smr_kernel_word((smr_kernel_kind)k);
        smr_text_printf(out, "  %-15s ", word->name);
        smr_text_wrap(out, word->objective, 18, 18, 96);
        for (int64_t i = 0; i < word->n_params; i++) {
            const smr_param *p = &word->params[i];
            smr_text_printf(out, "\n%20s%-10s", "", p->name);
            smr_param_write_range(p, out);
            smr_text_add(out, ", default ");
            smr_param_write_default(p, out);
        }
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "\nTogether\n"
                      "  c*K   K + K   K - K   K*K   K^n   exp(K)   and f(x) K(x, x') f(x'):\n"
                      "  normalize(K)    f = 1/sqrt(K(x, x))\n"
                      "  soften(K)       f = 1/sqrt(1 + K(x, x))\n"
                      "  damp(K)         f = exp(-K(x, x)/2)\n");
}

void smr_report_measure_names(smr_task task, smr_text *out)
{
    int64_t n;
    const smr_measure *all = smr_measures(&n);
    for (int64_t i = 0; i < n; i++)
        if (all[i].task == task)
            smr_text_printf(out, "  %-18s %s; %s is better\n", all[i].name, all[i].title,
                            all[i].higher_is_better ? "higher" : "lower");
}

void smr_report_generator_help(const smr_generator *g, smr_text *out)
{
    smr_text_printf(out, "make %s - %s\n\n  %s\n\nParameters\n", g->name, g->title, g->doc);
    for (int64_t k = 0; k < g->n_params; k++) {
        const smr_make_param *p = &g->params[k];
        smr_text_printf(out, "  %-14s[", p->name);
        smr_text_number(out, p->min);
        smr_text_add(out, ", ");
        smr_text_number(out, p->max);
        smr_text_add(out, "], default ");
        if (p->type == SMR_MAKE_LIST)
            smr_text_add(out, p->def_list ? p->def_list : "chosen at random");
        else
            smr_text_number(out, p->def);
        smr_text_printf(out, "\n%16s%s\n", "", p->doc);
    }
    smr_text_printf(out, "\nExample\n  samara make %s -o %s.csv\n", g->name, g->name);
}
