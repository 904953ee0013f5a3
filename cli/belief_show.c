/* belief_show.c -- see belief_show.h. */
#include "belief_show.h"

#include "report/render.h"

#include <math.h>

void belief_show_query(const smr_json *root, int64_t most, smr_text *out)
{
    double log_evidence = smr_json_get_number(root, "log_evidence", NAN);
    smr_text_printf(out, "%s, %s", smr_json_get_string(root, "query", ""),
                    smr_json_get_string(root, "method", ""));
    if (smr_json_get(root, "samples")) {
        smr_text_add(out, ": ");
        smr_text_number(out, smr_json_get_number(root, "samples", 0));
        smr_text_add(out, " samples, worth ");
        smr_text_rounded(out, smr_json_get_number(root, "effective_samples", 0), 4);
    }
    smr_text_add(out, "\n");
    if (!isnan(log_evidence)) {
        smr_text_add(out, "log P(evidence) ");
        smr_text_rounded(out, log_evidence, 6);
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "\n");
    smr_render_table(smr_json_get(root, "probabilities"), 2, most, out);
}

void belief_show_separated(const smr_json *root, int64_t most, smr_text *out)
{
    bool separated = smr_json_get_bool(root, "separated", false);
    const smr_json *given = smr_json_get(root, "given"), *paths = smr_json_get(root, "paths");
    (void)most;
    smr_text_printf(out, "%s and %s are %s", smr_json_get_string(root, "a", ""),
                    smr_json_get_string(root, "b", ""),
                    separated ? "independent" : "not separated: they may depend on each other");
    for (const smr_json *g = given ? given->first : NULL; g; g = g->next)
        smr_text_printf(out, "%s%s", g == given->first ? " given " : ", ", g->string);
    smr_text_add(out, ".\n");
    if (separated && paths && !paths->first) smr_text_add(out, "No path joins them.\n");
    for (const smr_json *p = paths ? paths->first : NULL; p; p = p->next) {
        const char *open = smr_json_get_string(p, "open", NULL);
        smr_text_printf(out, "  %s\n    %s: %s\n", smr_json_get_string(p, "path", ""),
                        open ? "open" : "blocked",
                        open ? open : smr_json_get_string(p, "blocked", ""));
    }
    if (smr_json_get_bool(root, "more_paths", false))
        smr_text_add(out, "There are more paths, blocked too.\n");
}

void belief_show_likeliest(const smr_json *root, int64_t most, smr_text *out)
{
    double log_evidence = smr_json_get_number(root, "log_evidence", NAN);
    smr_text_printf(out, "%s: the likeliest levels together, probability ",
                    smr_json_get_string(root, "query", ""));
    smr_text_rounded(out, smr_json_get_number(root, "probability", NAN), 6);
    smr_text_add(out, "\n");
    if (!isnan(log_evidence)) {
        smr_text_add(out, "log P(evidence) ");
        smr_text_rounded(out, log_evidence, 6);
        smr_text_add(out, "\n");
    }
    smr_text_add(out, "\n");
    smr_render_table(smr_json_get(root, "levels"), 2, most, out);
}
