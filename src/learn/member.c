/* member.c -- see member.h. */
#include "learn/member.h"

#include "core/span.h"
#include "learn/adapter.h"
#include "learn/chain.h"
#include "learn/flow.h"
#include "learn/registry.h"
#include "learn/spec.h"
#include "learn/stages.h"
#include "learn/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- making and releasing --------------------------------------------------------------- */

smr_status smr_members_create(smr_ctx *ctx, int64_t n, smr_members *out)
{
    out->member = smr_alloc(ctx, n, sizeof *out->member);
    if (!out->member) return SMR_ERR_NOMEM;
    out->n = n;
    return SMR_OK;
}

void smr_member_release(smr_member *m)
{
    smr_stages_free(m->stages, m->n_stages);
    smr_features_free(m->features, m->n_held);
    *m = (smr_member){0};
}

void smr_members_release(smr_members *members)
{
    for (int64_t k = 0; k < members->n; k++) smr_member_release(&members->member[k]);
    smr_free(members->member);
    *members = (smr_members){0};
}

smr_status smr_member_fit(smr_ctx *ctx, const smr_spec *spec, const smr_data *data,
                          smr_member *member, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_fit_report ignored = {0};
    smr_member m = {.shape = {.n_features = data->n_features,
                              .task = data->task,
                              .n_outputs = data->n_outputs,
                              .n_classes = data->task == SMR_TASK_CLASSIFY ? data->n_classes : 0}};
    memcpy(m.shape.item_shape, data->item_shape, sizeof data->item_shape);
    if (report) report->checkpoint = NULL; /* its parent keeps members that are done */
    TRY(smr_stages_fit(ctx, spec, data->features, data, report ? report : &ignored, &m.stages,
                       &m.n_stages));
    *member = m;
    m = (smr_member){0};
out:
    smr_fit_report_release(&ignored);
    smr_member_release(&m);
    return st;
}

/* Feature j of a list; NULL: numbers, named by position. */
static smr_status copy_feature(smr_ctx *ctx, const smr_feature *list, int64_t j, smr_feature *to)
{
    char place[32];
    const smr_feature *from = list ? &list[j] : NULL;
    snprintf(place, sizeof place, "%lld", (long long)j);
    *to = (smr_feature){.kind = SMR_NUMBER, .stride = 1};
    if (from) {
        to->kind = from->kind;
        to->n_levels = from->n_levels;
        to->levels = from->levels;
        to->text = from->text;
    }
    to->name = smr_strdup(ctx, from && from->name ? from->name : place);
    return to->name ? SMR_OK : SMR_ERR_NOMEM;
}

smr_status smr_member_keep_features(smr_ctx *ctx, smr_member *m, const smr_data *data,
                                    int64_t n_own)
{
    smr_status st = SMR_OK;
    TRY_NEW(m->features, m->shape.n_features + 1);
    m->n_own = n_own;
    for (; m->n_held < m->shape.n_features; m->n_held++)
        TRY(copy_feature(ctx, data->features, m->n_held, &m->features[m->n_held]));
out:
    return st;
}

bool smr_member_reads_parent(const smr_member *m)
{
    return !m->features || m->n_own < m->shape.n_features;
}

/* After a load: the parent's features, after the member's own. */
static smr_status take_parents(smr_ctx *ctx, smr_member *m, const smr_feature *in)
{
    smr_status st = SMR_OK;
    if (m->n_held == m->shape.n_features) return SMR_OK;
    smr_feature *more = smr_realloc(ctx, m->features, m->shape.n_features + 1, sizeof *m->features);
    if (!more) return SMR_ERR_NOMEM;
    m->features = more;
    for (; m->n_held < m->shape.n_features; m->n_held++)
        TRY(copy_feature(ctx, in, m->n_held - m->n_own, &more[m->n_held]));
out:
    return st;
}

smr_status smr_members_link(smr_ctx *ctx, const smr_stage *stage, const smr_feature *in,
                            const smr_shape *shape)
{
    smr_status st = SMR_OK;
    int64_t n_in = shape->n_features;
    for (int64_t i = 0; i < stage->learner->fitted->n_state; i++) {
        const smr_members *list =
            smr_state_members(&stage->learner->fitted->state[i], stage->state);
        for (int64_t k = 0; list && k < list->n; k++) {
            smr_member *m = &list->member[k];
            int64_t own = m->features ? m->n_own : 0;
            if (smr_member_reads_parent(m) && m->shape.n_features - own != n_in)
                return smr_fail(ctx, SMR_ERR_FORMAT,
                                "%s has a member of %lld feature%s where %lld come in",
                                stage->learner->word->name, (long long)m->shape.n_features,
                                smr_plural(m->shape.n_features, "", "s"), (long long)(own + n_in));
            if (m->features)
                TRY(take_parents(ctx, m, in));
            else
                memcpy(m->shape.item_shape, shape->item_shape, sizeof shape->item_shape);
            smr_shape of = m->shape;
            of.room = shape->room;
            TRY(smr_stages_link(ctx, m->stages, m->n_stages, m->features ? m->features : in, &of));
        }
    }
out:
    return st;
}

smr_status smr_members_check(smr_ctx *ctx, const smr_stage *stage, const smr_shape *shape)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < stage->learner->fitted->n_state; i++) {
        const smr_members *list =
            smr_state_members(&stage->learner->fitted->state[i], stage->state);
        for (int64_t k = 0; list && k < list->n; k++) {
            const smr_member *m = &list->member[k];
            TRY(smr_stages_check(ctx, m->stages, m->n_stages,
                                 m->features ? m->features : shape->features, &m->shape));
        }
    }
out:
    return st;
}

/* ---- what they would say ---------------------------------------------------------------- */

smr_status smr_member_warn_of_levels(smr_ctx *ctx, const smr_spec *spec, const smr_data *data)
{
    smr_status st = SMR_OK;
    const smr_learner *coding = smr_registry_adapter(SMR_NEED_NUMBERS);
    const smr_step *first = &spec->steps[0], *last = &spec->steps[spec->n - 1];
    smr_spec own = *spec, *made = NULL;
    smr_fit_report report = {.is_free = smr_nature_of(last->learner, last->params).traits &
                                        SMR_FITS_FREELY};
    smr_stage *stages = NULL;
    int64_t n = 0;
    own.n = 1;
    if (!report.is_free || !smr_data_has_categories(data)) return SMR_OK;
    if (spec->n > 1 && first->learner != coding) return SMR_OK; /* who knows what it makes */
    if (spec->n == 1) TRY(smr_adapter_make(ctx, SMR_NEED_NUMBERS, &(smr_tailor){0}, &made));
    TRY(smr_stages_fit(ctx, made ? made : &own, data->features, data, &report, &stages, &n));
out:
    smr_stages_free(stages, n);
    smr_fit_report_release(&report);
    smr_spec_free(made);
    return st;
}

/* ---- many of them ----------------------------------------------------------------------- */

smr_status smr_members_each(smr_ctx *ctx, const char *what, int64_t n, smr_task_fn fn, void *arg)
{
    enum { MANY = 4 };
    smr_status st = SMR_OK;
    smr_span span = {0};
    if (n >= MANY) return smr_parallel(ctx, what, n, fn, arg);
    if (what && (n > 1 || smr_span_is_awaited(ctx, what))) smr_span_open(ctx, &span, what, n);
    for (int64_t m = 0; m < n; m++) {
        TRY(smr_tick(ctx, what, m, n, NAN));
        TRY(fn(ctx, arg, m, 0));
    }
out:
    smr_span_close(ctx, &span);
    return st;
}

void smr_member_blame(smr_ctx *ctx, smr_status status, const char *name, int64_t k,
                      const smr_spec *spec)
{
    if (status == SMR_OK || status == SMR_ERR_CANCELLED) return;
    smr_text text = {.ctx = ctx};
    smr_spec_write(spec, &text);
    if (text.bytes) /* memory may be what it failed for */
        smr_while(ctx, "fitting %s.%lld, %.100s%s", name, (long long)k, text.bytes,
                  text.length > 100 ? "..." : "");
    smr_text_release(&text);
}

static bool is_unfinished(const smr_fit_report *report)
{
    return report->n_iter > 0 && !report->converged;
}

/* Does a learner that did not finish have a parameter of that name? */
static bool some_has(const smr_members *of, const smr_fit_report *reports, const char *name)
{
    for (int64_t m = 0; m < of->n; m++) {
        const smr_word *word = smr_member_last(&of->member[m])->learner->word;
        for (int64_t k = 0; is_unfinished(&reports[m]) && k < word->n_params; k++)
            if (strcmp(word->params[k].name, name) == 0) return true;
    }
    return false;
}

static void warn_unfinished(smr_ctx *ctx, const char *learner, const smr_members *of,
                            const smr_fit_report *reports, int64_t unfinished)
{
    static const char *const limits[] = {"max_iter", "epochs", "tol"};
    smr_text raised = {.ctx = ctx};
    for (int64_t k = 0; k < SMR_COUNT(limits); k++)
        if (some_has(of, reports, limits[k]))
            smr_text_printf(&raised, "%s%s", raised.length ? " or " : "; raise ", limits[k]);
    if (raised.length) smr_text_add(&raised, " in of=(...)");
    smr_warn(ctx, "%s: %lld of %lld learner%s did not converge, so the answers may still change%s",
             learner, (long long)unfinished, (long long)of->n, smr_plural(of->n, "", "s"),
             raised.bytes ? raised.bytes : "");
    smr_text_release(&raised);
}

void smr_members_sum_up(smr_ctx *ctx, const char *learner, const smr_members *of,
                        const smr_fit_report *reports, smr_fit_report *report)
{
    int64_t unfinished = 0;
    for (int64_t m = 0; m < of->n; m++) {
        report->n_iter += reports[m].n_iter;
        unfinished += is_unfinished(&reports[m]);
    }
    report->converged = unfinished == 0;
    if (unfinished > 0) warn_unfinished(ctx, learner, of, reports, unfinished);
}

/* ---- what it gives ---------------------------------------------------------------------- */

const smr_stage *smr_member_last(const smr_member *m)
{
    return &m->stages[m->n_stages - 1];
}

unsigned smr_member_gives(const smr_member *m)
{
    return smr_task_gives(m->shape.task, smr_stage_gives(smr_member_last(m)));
}

int64_t smr_member_width(const smr_member *m, smr_output output)
{
    return smr_output_width(smr_member_last(m), &m->shape, output);
}

/* ---- a block of rows -------------------------------------------------------------------- */

/* The flow of a block, with scores that labels are derived from after it. */
static int64_t plan(const smr_member *m, int64_t n, smr_flow *flow)
{
    int64_t most = smr_flow_block(m->stages, m->n_stages, m->shape.n_features);
    if (smr_flow_of_sequences(m->stages, m->n_stages)) most = n; /* which are not to be cut */
    int64_t rows = SMR_MAX(1, SMR_MIN(n, most));
    smr_flow_plan(m->stages, m->n_stages, m->shape.n_features, rows, true, flow);
    flow->refuse_gaps = true;
    return flow->bytes + smr_answers_bytes(rows, smr_stage_classes(smr_member_last(m), &m->shape));
}

int64_t smr_member_scratch(const smr_member *m, int64_t n)
{
    smr_flow flow;
    return plan(m, n, &flow);
}

smr_status smr_member_predict(smr_ctx *ctx, const smr_member *m, const smr_rows *rows,
                              smr_output output, double *out, void *scratch)
{
    smr_status st = SMR_OK;
    smr_flow flow;
    smr_output asked = smr_output_asked(smr_member_last(m), output);
    int64_t width = smr_member_width(m, output);
    plan(m, rows->n, &flow);
    flow.room = scratch;
    double *scores = (double *)(void *)(flow.room + flow.bytes);
    for (int64_t lo = 0; lo < rows->n; lo += flow.rows) {
        smr_rows part = smr_rows_slice(rows, lo, SMR_MIN(rows->n, lo + flow.rows));
        double *to = out + lo * width;
        TRY(smr_flow_predict(ctx, &flow, &part, asked, SMR_ALL_ROUNDS,
                             asked == output ? to : scores));
        if (asked != output) smr_choose_labels(scores, part.n, smr_member_width(m, asked), to);
    }
out:
    smr_flow_close(&flow);
    return st;
}

/* ---- all rows --------------------------------------------------------------------------- */

struct applying {
    const smr_member *member;
    const smr_data *data;
    smr_output output;
    int64_t width, block;
    double *out;
    smr_reader **readers; /* one per lane */
    char **scratch;
};

static smr_status apply_block(smr_ctx *ctx, void *arg, int64_t block, int lane)
{
    struct applying *a = arg;
    smr_status st = SMR_OK;
    smr_rows rows;
    int64_t lo = block * a->block, hi = smr_block_end(a->data->n_rows, a->block, block);
    const smr_stage *first = &a->member->stages[0];
    if (!a->readers[lane])
        TRY(smr_reader_open(ctx, a->data, smr_stage_form(first, a->data), a->block,
                            &a->readers[lane]));
    if (!a->scratch[lane]) TRY_NEW(a->scratch[lane], smr_member_scratch(a->member, a->block));
    TRY(smr_reader_rows(ctx, a->readers[lane], lo, hi, &rows));
    TRY(smr_member_predict(ctx, a->member, &rows, a->output, a->out + lo * a->width,
                           a->scratch[lane]));
out:
    return st;
}

smr_status smr_member_apply(smr_ctx *ctx, const smr_member *m, const smr_data *data,
                            smr_output output, double *out)
{
    smr_status st = SMR_OK;
    int lanes = smr_lanes(ctx);
    smr_data guarded = *data;
    struct applying a = {.member = m,
                         .data = &guarded,
                         .output = output,
                         .width = smr_member_width(m, output),
                         .out = out};
    a.block =
        smr_flow_answers(smr_flow_block(m->stages, m->n_stages, m->shape.n_features), a.width);
    smr_chain_guard(&guarded, &m->stages[0]);
    TRY_NEW(a.readers, lanes);
    TRY_NEW(a.scratch, lanes);
    TRY(smr_parallel(ctx, NULL, smr_block_count(data->n_rows, a.block), apply_block, &a));
out:
    for (int i = 0; i < lanes; i++) {
        if (a.readers) smr_reader_close(a.readers[i]);
        if (a.scratch) smr_free(a.scratch[i]);
    }
    smr_free(a.readers);
    smr_free(a.scratch);
    return st;
}

/* ---- reporting -------------------------------------------------------------------------- */

smr_json *smr_member_tell(smr_json *table, const smr_members *of, int64_t k)
{
    smr_json *row = smr_json_add_object(table, NULL);
    char name[32];
    snprintf(name, sizeof name, "of.%lld", (long long)k);
    smr_json_add_string(row, "learner", name);
    smr_json_add_string(row, "is", smr_member_last(&of->member[k])->learner->word->name);
    return row;
}
