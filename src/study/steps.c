/* steps.c -- see steps.h. */
#include "study/steps.h"

#include "core/parallel.h"
#include "core/text.h"
#include "learn/chain.h"
#include "learn/registry.h"
#include "learn/roles.h"
#include "learn/trace.h"
#include "study/explain_parts.h"

enum { MOST_STEPS = 200, LARGEST = 10000 };

smr_status smr_steps_check(smr_ctx *ctx, const smr_spec *spec, const smr_steps_how *how)
{
    const smr_step *last = smr_spec_last(spec);
    const smr_can_trace *trace = last->learner->trace;
    const char *name = last->learner->word->name;
    smr_text names = {.ctx = ctx};
    smr_status st = SMR_OK;
    int64_t n, count = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t k = 0; k < n && !trace; k++)
        if (all[k]->trace) smr_text_printf(&names, "%s%s", count++ ? ", " : "", all[k]->word->name);
    TRY(smr_text_done(&names));
    if (!trace)
        TRY(smr_fail(ctx, SMR_ERR_UNSUPPORTED, "%s has no steps to show; these do: %s", name,
                     names.bytes));
    const char *why = trace->refuses ? trace->refuses(last->params) : NULL;
    if (why) TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s: %s", name, why));
    if (how->most < 0 || how->most > LARGEST)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "steps: from 1 to %d can be kept, not %lld", LARGEST,
                     (long long)how->most));
    if (how->row && !trace->answer)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s is shown while it is fitted; a row is only for learners whose steps "
                     "answer one, such as knn",
                     name));
out:
    smr_text_release(&names);
    return st;
}

/* The model's own names: those of the data end with the fit. */
static void rename_all(const smr_model *m, smr_trace *trace)
{
    const smr_stage *before = m->n_stages > 1 ? &m->stages[m->n_stages - 2] : NULL;
    trace->features = before ? before->features : m->features;
    trace->n_features = before ? before->n_out : m->n_features;
    trace->classes = m->target.classes.n ? &m->target.classes : NULL;
}

/* The rows that are answered with row `at`, in their order: those of its sequence, or it alone. */
static smr_status rows_of(smr_ctx *ctx, const smr_model *m, const smr_table *table,
                          const int64_t *at, smr_ordered *o, const int64_t **rows, int64_t *n)
{
    smr_status st = SMR_OK;
    *rows = at;
    *n = 1;
    if (!m->schema.roles[SMR_ROLE_SEQUENCE].name) return SMR_OK;
    TRY(smr_roles_order(ctx, m->schema.roles, table, NULL, 0, o));
    for (int64_t q = 0; q < o->n_sequences; q++)
        for (int64_t i = o->border[q]; i < o->border[q + 1]; i++) {
            if (o->rows[i] != *at) continue;
            *rows = o->rows + o->border[q];
            *n = o->border[q + 1] - o->border[q];
        }
out:
    return st;
}

static smr_status answer_row(smr_ctx *ctx, const smr_model *m, const smr_table *table, int64_t row,
                             smr_trace *trace)
{
    smr_status st = SMR_OK;
    smr_binding binding = {0};
    smr_ordered ordered = {0};
    smr_data *chain = NULL;
    smr_reader *reader = NULL;
    smr_rows rows;
    const int64_t *list;
    int64_t at = row ? row - 1 : 0, n;
    const smr_stage *last = smr_model_last(m);
    if (at < 0 || at >= table->n_rows)
        return smr_fail(ctx, SMR_ERR_PARAM, "row %lld: the table has rows 1 to %lld",
                        (long long)row, (long long)table->n_rows);
    TRY(smr_schema_bind(ctx, &m->schema, smr_model_columns(m), table, &binding));
    TRY(rows_of(ctx, m, table, &at, &ordered, &list, &n));
    TRY(smr_explain_chain(ctx, m, &binding, list, n, &chain));
    const smr_data *data = &chain[m->n_stages - 1];
    TRY(smr_reader_open(ctx, data, smr_stage_form(last, data), n, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, n, &rows));
    TRY(last->learner->trace->answer(ctx, last->params, last->state, &rows, trace));
out:
    smr_reader_close(reader);
    smr_free(chain);
    smr_ordered_release(&ordered);
    smr_binding_release(&binding);
    return st;
}

/* A method that can do both tells its fit, or, if a row is asked for or the fit has no steps, how
 * that row is answered. */
static smr_status watch(smr_ctx *ctx, const smr_spec *spec, smr_train_set *set,
                        const smr_steps_how *how, smr_trace *trace, bool *answers)
{
    smr_model *model = NULL;
    int64_t most = trace->most;
    set->trace = trace;
    if (how->row) trace->most = 0;
    smr_status st = smr_fit(ctx, spec, set, NULL, 0, &model);
    set->trace = NULL;
    if (how->row) trace->n = 0;
    trace->most = most;
    *answers = smr_spec_last(spec)->learner->trace->answer && trace->n == 0;
    if (st == SMR_OK && *answers) {
        rename_all(model, trace);
        st = answer_row(ctx, model, set->table, how->row, trace);
    }
    smr_trace_close(trace);
    smr_model_free(model);
    return st;
}

smr_status smr_steps_fill(smr_ctx *ctx, const smr_spec *spec, smr_train_set *set,
                          const smr_steps_how *how, smr_json *into)
{
    smr_status st = SMR_OK;
    smr_trace *trace = NULL;
    bool answers = false;
    int threads = smr_ctx_threads(ctx);
    TRY(smr_steps_check(ctx, spec, how));
    const smr_learner *learner = smr_spec_last(spec)->learner;
    TRY(smr_trace_create(ctx, how->most ? how->most : MOST_STEPS, &trace));
    smr_pool_destroy(ctx); /* it is made again when it is wanted */
    ctx->n_threads = 1;
    st = watch(ctx, spec, set, how, trace, &answers);
    ctx->n_threads = threads;
    TRY(st);
    smr_json_add_string(into, "learner", learner->word->name);
    smr_json_add_string(into, "shows", learner->trace->shows);
    if (answers) smr_json_add_number(into, "row", (double)(how->row ? how->row : 1));
    smr_json_add_number(into, "n_steps", (double)trace->n);
    TRY(smr_json_done(trace->doc));
    smr_json_add_copy(into, "steps", trace->steps);
    smr_json_add_copy(into, "figures", trace->figures);
out:
    smr_trace_free(trace);
    return st;
}
