/* kperceptron_fit.c -- passes over the rows; see kperceptron.c.
 *
 * The scores of all rows are kept up to date: a mistake at row i adds K(i, .) to those of its
 * class, so that a row that is right costs nothing, and a mistake n.  Rows of K are computed when
 * they are first needed and kept while they fit into the cache, all of them at once where these
 * do; their values, and so the model, do not depend on that. */
#include "learn/kernels/kperceptron.h"

#include "core/rng.h"
#include "kernel/kernel.h"
#include "learn/effort.h"

#include <math.h>
#include <string.h>

#define CACHE 512e6 /* bytes of K that are kept at most, and a quarter of what memory is left */
#define WORK 1e6    /* additions between two looks at whether to stop */
/* Mistakes after which one may tell how many a pass makes; passes after which one may tell whether
 * they die out. */
enum { MANY = 1000, EARLY = 3 };

/* ---- rows of K -------------------------------------------------------------------------- */

static smr_status open_cache(smr_ctx *ctx, struct smr_kperceptron_learning *l)
{
    smr_status st = SMR_OK;
    double left = (double)(ctx->memory->limit - smr_ctx_memory(ctx, NULL));
    l->room = smr_fmin(CACHE, left / 4);
    if (8.0 * (double)l->n * (double)l->n <= l->room) {
        l->gram = smr_alloc_raw(ctx, l->n * l->n, sizeof *l->gram);
        if (!l->gram) TRY(SMR_ERR_NOMEM);
        TRY(smr_kernel_gram(ctx, l->set, l->gram, l->n));
    } else {
        TRY_NEW(l->row, l->n);
        TRY_NEW(l->spare, l->n);
    }
out:
    return st;
}

static smr_status kernel_row(smr_ctx *ctx, struct smr_kperceptron_learning *l, int32_t i,
                             const double **out)
{
    smr_status st = SMR_OK;
    double size = 8.0 * (double)l->n, *to = l->spare;
    *out = l->gram ? l->gram + i * l->n : l->row[i];
    if (*out) return SMR_OK;
    if (l->room >= size) {
        TRY_NEW(l->row[i], l->n);
        l->room -= size;
        to = l->row[i];
    }
    *out = to;
    TRY(smr_kernel_block(ctx, l->set, &i, 1, NULL, l->n, to, l->n));
out:
    return st;
}

/* ---- changes ---------------------------------------------------------------------------- */

static void change(struct smr_kperceptron_learning *l, int32_t i, int64_t c, double by,
                   const double *K)
{
    smr_axpy_f64(l->n, by, K, l->F + c * l->n);
    l->work += (double)l->n;
    l->alpha[c * l->n + i] += by;
    if (l->lag) l->lag[c * l->n + i] += l->rows * by;
    if (!l->p->fit_intercept) return;
    l->b[c] += by;
    if (l->lag) l->b_lag[c] += l->rows * by;
}

/* |alpha_j phi(x_j)|^2, over all scores. */
static double size_of(const struct smr_kperceptron_learning *l, int32_t j)
{
    double sum = 0;
    for (int64_t c = 0; c < l->q; c++) {
        double a = l->alpha[c * l->n + j];
        sum += a * a;
    }
    return sum * l->diagonal[j];
}

/* Past the budget one goes: never the newest, which is last. */
static smr_status forget(smr_ctx *ctx, struct smr_kperceptron_learning *l)
{
    smr_status st = SMR_OK;
    int64_t worst = 0;
    const double *K;
    for (int64_t t = 1; t < l->n_support - 1; t++) {
        int32_t a = l->support[t], b = l->support[worst];
        bool worse = l->p->forget == SMR_KPERCEPTRON_OLDEST ? l->touched[a] < l->touched[b]
                                                            : size_of(l, a) < size_of(l, b);
        if (worse) worst = t;
    }
    int32_t j = l->support[worst];
    TRY(kernel_row(ctx, l, j, &K));
    for (int64_t c = 0; c < l->q; c++) {
        double *a = &l->alpha[c * l->n + j];
        if (*a != 0) smr_axpy_f64(l->n, -*a, K, l->F + c * l->n);
        *a = 0;
    }
    l->is_support[j] = false;
    l->n_support--;
    memmove(l->support + worst, l->support + worst + 1,
            (size_t)(l->n_support - worst) * sizeof *l->support);
    l->s->forgotten++;
out:
    return st;
}

/* y f, or the true class's score less the highest other, whose class is *rival. */
static double lead_of(const struct smr_kperceptron_learning *l, int64_t i, int32_t label,
                      int32_t *rival)
{
    double own = l->F[(l->q > 1 ? label : 0) * l->n + i] + l->b[l->q > 1 ? label : 0], most = 0;
    *rival = -1;
    if (l->q == 1) return label == 1 ? own : -own;
    for (int32_t c = 0; c < l->q; c++) {
        double f = l->F[c * l->n + i] + l->b[c];
        if (c == label || (*rival >= 0 && !(f > most))) continue;
        *rival = c;
        most = f;
    }
    return own - most;
}

static void tell_mistake(struct smr_kperceptron_learning *l, int64_t i, int32_t label, double lead)
{
    int64_t row = l->data->rows ? l->data->rows[i] : i;
    double x[2];
    if (!smr_trace_step(l->trace, "row %lld is a mistake", (long long)row + 1)) return;
    smr_trace_number(l->trace, "pass", (double)l->pass + 1);
    smr_trace_number(l->trace, "row", (double)row + 1);
    smr_trace_class(l->trace, "class", label);
    smr_trace_number(l->trace, "lead", lead);
    smr_trace_number(l->trace, "support_vectors", (double)l->n_support);
    if (!smr_trace_point(l->trace, i, x)) return;
    smr_json *figure = smr_trace_figure(l->trace, "mistake", "The row that is a mistake", true);
    smr_figure_series(figure, "mistake", "points", 1, &x[0], &x[1]);
}

static smr_status learn_row(smr_ctx *ctx, struct smr_kperceptron_learning *l, int32_t i)
{
    smr_status st = SMR_OK;
    double weight = smr_data_weight(l->data, i);
    int32_t label = l->data->label[i], rival;
    const double *K;
    if (!(weight > 0)) return SMR_OK;
    double lead = lead_of(l, i, label, &rival);
    if (!isfinite(lead))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "kperceptron: the score of a row is not finite: the kernel's values are "
                        "too large; rescale the columns");
    if (!(lead > 0)) { /* a tie is a mistake */
        TRY(kernel_row(ctx, l, i, &K));
        if (l->q == 1) {
            change(l, i, 0, label == 1 ? weight : -weight, K);
        } else {
            change(l, i, label, weight, K);
            change(l, i, rival, -weight, K);
        }
        l->wrong++;
        l->touched[i] = ++l->s->mistakes;
        if (!l->is_support[i]) l->support[l->n_support++] = i;
        l->is_support[i] = true;
        if (l->p->budget != SMR_UNSET_INT && l->n_support > l->p->budget) TRY(forget(ctx, l));
        if (l->trace) tell_mistake(l, i, label, lead);
    }
    l->rows += weight;
out:
    return st;
}

/* ---- passes ----------------------------------------------------------------------------- */

static bool is_shuffled(const struct smr_kperceptron_params *p)
{
    if (p->shuffle == SMR_KPERCEPTRON_AUTO)
        return p->variant == SMR_KPERCEPTRON_AVERAGED || p->budget != SMR_UNSET_INT;
    return p->shuffle == SMR_KPERCEPTRON_SHUFFLED;
}

/* Mistakes are what takes time, and nobody knows beforehand how many there are: it is told in the
 * first pass if that one alone is long, and after some where their mistakes do not die out. */
static void tell_effort(smr_ctx *ctx, struct smr_kperceptron_learning *l, int64_t visited)
{
    const double *before = l->s->pass_mistakes;
    bool ends = visited == l->n, stays = l->pass + 1 == EARLY && ends;
    if (l->told || l->wrong < MANY || l->pass >= EARLY || !(l->pass == 0 || stays)) return;
    if (stays && l->wrong < 0.5 * before[l->pass - 1]) return;
    double value = smr_kernel_cost(l->set) + (l->q > 1 ? 2 : 1);
    double each = l->wrong * (double)l->n / (double)visited * (double)l->n * value;
    int64_t left = l->p->max_iter - (stays ? EARLY : 0);
    smr_effort effort = {
        .learner = "kperceptron",
        .round = "pass",
        .rounds = "passes",
        .each = each,
        .most = left,
        .least = stays ? (double)left : 1,
        .advice = "budget=B with variant=plain keeps fewer support vectors, max_iter takes fewer "
                  "passes, and nystrom 500 | perceptron approximates it"};
    l->told = smr_effort_tell(ctx, &effort);
}

static smr_status make_passes(smr_ctx *ctx, struct smr_kperceptron_learning *l,
                              smr_fit_report *report)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, most = l->p->max_iter;
    bool done = false;
    if (is_shuffled(l->p)) TRY_NEW(order, l->n);
    for (l->pass = 0; l->pass < most && !done; l->pass++) {
        l->wrong = 0;
        if (order)
            smr_random_permutation(ctx->seed, SMR_STREAM_SGD, (uint64_t)l->pass, l->n, order);
        TRY(smr_tick(ctx, "passing over the rows", l->pass * l->n, most * l->n, NAN));
        for (int64_t t = 0; t < l->n; t++) {
            TRY(learn_row(ctx, l, (int32_t)(order ? order[t] : t)));
            if (l->work < WORK) continue;
            l->work = 0;
            tell_effort(ctx, l, t + 1);
            TRY(smr_tick(ctx, "passing over the rows", l->pass * l->n + t, most * l->n, l->wrong));
        }
        tell_effort(ctx, l, l->n);
        TRY(smr_fit_step(ctx, report, l->wrong));
        TRY(smr_fit_record(ctx, l->pass, l->wrong, &l->s->pass_mistakes));
        l->s->n_passes = l->pass + 1;
        done = l->wrong == 0;
    }
    report->converged = done;
    if (!done)
        smr_warn(ctx,
                 "kperceptron: %lld %s, and the last still made %lld mistake%s: the kernel does "
                 "not separate the classes, %sor they need more passes (max_iter)",
                 (long long)l->s->n_passes, smr_plural(l->s->n_passes, "pass", "passes"),
                 (long long)l->wrong, smr_plural((int64_t)l->wrong, "", "s"),
                 l->p->budget != SMR_UNSET_INT ? "the budget is too small, " : "");
out:
    smr_free(order);
    return st;
}

/* R and the margin of rows that the last weights separate. */
static void find_margin(struct smr_kperceptron_learning *l)
{
    double norm = 0, least = INFINITY, radius = 0, one = l->p->fit_intercept ? 1 : 0;
    int32_t rival;
    for (int64_t c = 0; c < l->q; c++)
        norm += l->b[c] * l->b[c] + smr_dot_f64(l->n, l->alpha + c * l->n, l->F + c * l->n);
    for (int64_t i = 0; i < l->n; i++) {
        if (!(smr_data_weight(l->data, i) > 0)) continue;
        least = smr_fmin(least, lead_of(l, i, l->data->label[i], &rival));
        radius = smr_fmax(radius, l->diagonal[i] + one);
    }
    l->s->radius = sqrt(radius);
    l->s->margin = least / sqrt(norm);
}

/* ---- the whole -------------------------------------------------------------------------- */

static smr_status open_learning(smr_ctx *ctx, struct smr_kperceptron_learning *l)
{
    smr_status st = SMR_OK;
    int64_t size = l->n * l->q;
    TRY_NEW(l->F, size);
    TRY_NEW(l->alpha, size);
    TRY_NEW(l->b, l->q);
    if (l->p->variant == SMR_KPERCEPTRON_AVERAGED) {
        TRY_NEW(l->lag, size);
        TRY_NEW(l->b_lag, l->q);
    }
    TRY_NEW(l->diagonal, l->n);
    TRY_NEW(l->support, l->n);
    TRY_NEW(l->touched, l->n);
    TRY_NEW(l->is_support, l->n);
    TRY(smr_kernel_diagonal(ctx, l->set, l->diagonal));
    TRY(open_cache(ctx, l));
out:
    return st;
}

static void close_learning(struct smr_kperceptron_learning *l)
{
    for (int64_t i = 0; l->row && i < l->n; i++) smr_free(l->row[i]);
    smr_free(l->row);
    smr_free(l->gram);
    smr_free(l->spare);
    smr_free(l->F);
    smr_free(l->alpha);
    smr_free(l->lag);
    smr_free(l->b);
    smr_free(l->b_lag);
    smr_free(l->diagonal);
    smr_free(l->support);
    smr_free(l->touched);
    smr_free(l->is_support);
}

/* A trace names the classes by their numbers, and has them all or none. */
smr_status smr_kperceptron_fit(smr_ctx *ctx, const void *params_, const smr_data *all, void *state_,
                               smr_fit_report *report)
{
    struct smr_kperceptron_state *s = state_;
    smr_status st = SMR_OK;
    smr_present present = {0};
    smr_kernel_set set = {0};
    struct smr_kperceptron_learning l = {.p = params_, .s = s, .set = &set, .n = all->n_rows};
    if (all->n_rows > SMR_MAX_DIM)
        return smr_fail(ctx, SMR_ERR_SHAPE, "kperceptron: %lld rows are too many",
                        (long long)all->n_rows);
    s->radius = s->margin = NAN;
    TRY(smr_present_find(ctx, all, &present));
    l.data = &present.data;
    l.q = l.data->n_classes <= 2 ? 1 : l.data->n_classes;
    l.trace = present.is_all ? report->trace : NULL;
    double numbers = (l.p->variant == SMR_KPERCEPTRON_AVERAGED ? 3 : 2) * (double)l.q + 6;
    TRY(smr_memory_check(ctx, 8 * numbers * (double)l.n, "kperceptron: scores of all rows",
                         "use fewer rows, or approximate the kernel: nystrom 500 | perceptron"));
    TRY(smr_kernel_open(ctx, "kperceptron", &l.p->kernel, all, SMR_KERNEL_F64, &set));
    TRY(smr_kernel_warn(ctx, "kperceptron", &set, "passes need not come to an end"));
    TRY(open_learning(ctx, &l));
    TRY(make_passes(ctx, &l, report));
    if (l.n_support == 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "kperceptron: there are no training rows"));
    if (report->converged) find_margin(&l);
    TRY(smr_kperceptron_keep(ctx, &l, &set, &present, all->n_classes));
out:
    close_learning(&l);
    smr_kernel_close(&set);
    smr_present_release(&present);
    return st;
}
