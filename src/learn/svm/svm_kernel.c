/* svm_kernel.c -- svm with other kernels than linear, of numbers and of one class: which machines
 * there are, and what is kept of them; see svm_parts.h.
 *
 * Two classes are one machine, more one for each pair (multi=ovo) or for each class (multi=ova);
 * machines are fitted side by side where there are several.  A machine sees the points of its two
 * classes alone.  All share the points that are kept: those with a variable in some machine.
 *
 * Probabilities: each machine is fitted again without each of FOLDS parts of its rows, and Platt's
 * sigmoid to the scores of the parts that were left out (uncertain/maps.h). */
#include "core/parallel.h"
#include "data/split.h"
#include "learn/effort.h"
#include "learn/linear/scores.h"
#include "learn/present.h"
#include "learn/svm/svm_parts.h"
#include "learn/uncertain/maps.h"

#include <string.h>

enum { FOLDS = 5, PLATT_STEPS = 100, MOST_LISTED = 100, HARD_PASSES = 20 };

/* Bytes of the cache: a quarter of what is left, and no more than this: CACHE_STEP for each
 * multiply-add of an entry of K, within bounds.  Beyond, memory that must be found costs more than
 * rows that are computed again. */
#define LEAST_CACHE 1e8
#define MOST_CACHE 5e8
#define CACHE_STEP 1e6
#define AT_WORK 3.4e7 /* bytes of rows that the solver computes together */

/* ---- a machine and its rows ------------------------------------------------------------- */

struct fitting {
    const struct smr_svm_params *p;
    const smr_data *data;
    smr_svm_points points;
    struct smr_svm_state *s;
    double cache; /* bytes of each machine */
    /* By machine. */
    smr_svm_part *part;
    int32_t **of; /* its points; NULL: all */
    int64_t *n;
    double **coef;
};

static int64_t n_points(const struct fitting *f)
{
    return f->points.set.rows.n;
}

static bool takes_part(const struct fitting *f, int64_t k, int64_t i)
{
    const struct smr_svm_state *s = f->s;
    if (s->learns != SMR_SVM_CLASSES || s->first[k] < 0) return true;
    int64_t label = f->data->label[f->points.row[i]];
    return label == s->first[k] || label == s->second[k];
}

/* Which of all points is point i of machine k. */
static int64_t point_at(const struct fitting *f, int64_t k, int64_t i)
{
    return f->of[k] ? f->of[k][i] : i;
}

static smr_status find_points(smr_ctx *ctx, struct fitting *f, int64_t k)
{
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t i = 0; i < n_points(f); i++) n += takes_part(f, k, i);
    f->n[k] = n;
    if (n == n_points(f)) goto out;
    TRY_NEW(f->of[k], n);
    n = 0;
    for (int64_t i = 0; i < n_points(f); i++)
        if (takes_part(f, k, i)) f->of[k][n++] = (int32_t)i;
out:
    return st;
}

/* What machine k learns, its weights after that. */
static void take_targets(const struct fitting *f, int64_t k, double *y, double *weight)
{
    for (int64_t i = 0; i < f->n[k]; i++) {
        int64_t at = point_at(f, k, i), row = f->points.row[at];
        weight[i] = f->points.weight[at];
        if (f->s->learns == SMR_SVM_NUMBERS) y[i] = f->data->y[row];
        if (f->s->learns == SMR_SVM_CLASSES) y[i] = f->data->label[row] == f->s->second[k] ? 1 : -1;
    }
}

/* Two points of different classes that the kernel cannot tell apart. */
static smr_status refuse_pair(smr_ctx *ctx, const struct fitting *f, int64_t k)
{
    smr_svm_names names = {f->data, f->points.row, f->of[k]};
    smr_status st = SMR_OK;
    smr_text text = {.ctx = ctx};
    int64_t a = smr_svm_row(&names, f->part[k].pair[0]);
    int64_t b = smr_svm_row(&names, f->part[k].pair[1]);
    int64_t pair[2] = {SMR_MIN(a, b), SMR_MAX(a, b)};
    smr_text_add(&text, "svm: margin=hard, but not separable: ");
    smr_svm_say_pair(f->data, pair, &text);
    smr_text_add(&text, smr_kernel_has_mercer_form(&f->p->kernel)
                            ? " are the same to the kernel"
                            : " are no distance apart to the kernel, which is not positive "
                              "semi-definite");
    TRY(smr_text_done(&text));
    st = smr_fail(ctx, SMR_ERR_DATA, "%s; take margin=soft", text.bytes);
out:
    smr_text_release(&text);
    return st;
}

static smr_status check_hard(smr_ctx *ctx, const struct fitting *f, int64_t k)
{
    const smr_svm_part *part = &f->part[k];
    if (part->is_unbounded) return refuse_pair(ctx, f, k);
    if (!(part->margin > 0))
        return smr_fail(ctx, SMR_ERR_DATA,
                        "svm: margin=hard, but in %lld passes the kernel separated no further: "
                        "take margin=soft, or a kernel that bends more",
                        (long long)f->p->max_iter);
    return SMR_OK;
}

/* Rows that can be separated are so after some passes; after these it is asked whether they can. */
static smr_status fit_hard(smr_ctx *ctx, const struct fitting *f, int64_t k,
                           const smr_svm_machine *m, double *score)
{
    smr_status st = SMR_OK;
    smr_svm_machine first = *m;
    smr_svm_part *part = &f->part[k];
    smr_svm_names names = {f->data, f->points.row, f->of[k]};
    first.max_iter = SMR_MIN(m->max_iter, HARD_PASSES);
    TRY(smr_svm_machine_solve(ctx, &first, f->coef[k], score, part));
    if (!part->converged && !part->is_unbounded) {
        TRY(smr_svm_check_hulls(ctx, m, &names));
        if (m->max_iter > first.max_iter)
            TRY(smr_svm_machine_solve(ctx, m, f->coef[k], score, part));
    }
    TRY(check_hard(ctx, f, k));
out:
    return st;
}

/* ---- probabilities ---------------------------------------------------------------------- */

/* The scores of machine k for rows that it has not seen. */
static smr_status leave_out(smr_ctx *ctx, const struct fitting *f, int64_t k,
                            const smr_svm_machine *whole, const int32_t *label, double *left_out)
{
    smr_status st = SMR_OK;
    int64_t n = f->n[k], *group = NULL;
    double *weight = NULL, *coef, *score;
    smr_parts parts = {0};
    TRY_NEW(weight, 3 * n);
    coef = weight + n;
    score = coef + n;
    if (f->data->group) TRY_NEW(group, n);
    for (int64_t i = 0; i < n && group; i++)
        group[i] = f->data->group[f->points.row[point_at(f, k, i)]];
    smr_split_rows rows = {
        .n = n, .label = label, .n_classes = 2, .group = group, .seed = ctx->seed};
    TRY(smr_split_folds(ctx, &rows, SMR_MIN(FOLDS, n), &parts));
    for (int64_t p = 0; p < parts.n_parts; p++) {
        const int64_t *out = smr_part_rows(&parts, p);
        smr_svm_part part;
        smr_svm_machine m = *whole;
        memcpy(weight, whole->weight, (size_t)n * sizeof *weight);
        for (int64_t i = 0; i < smr_part_size(&parts, p); i++) weight[out[i]] = 0;
        m.weight = weight;
        TRY(smr_svm_machine_solve(ctx, &m, coef, score, &part));
        for (int64_t i = 0; i < smr_part_size(&parts, p); i++)
            left_out[out[i]] = score[out[i]] + part.b;
    }
out:
    smr_free(weight);
    smr_free(group);
    smr_parts_release(&parts);
    return st;
}

static smr_status fit_platt(smr_ctx *ctx, const struct fitting *f, int64_t k,
                            const smr_svm_machine *m)
{
    smr_status st = SMR_OK;
    int64_t n = f->n[k];
    int32_t *label = NULL;
    double *score = NULL, *weight = NULL;
    TRY_NEW(label, n);
    TRY_NEW(score, n);
    TRY_NEW(weight, n);
    for (int64_t i = 0; i < n; i++) {
        label[i] = m->y[i] > 0;
        weight[i] = f->points.plain[point_at(f, k, i)];
    }
    TRY(leave_out(ctx, f, k, m, label, score));
    smr_scored rows = {.n = n, .x = score, .stride = 1, .label = label, .yes = 1, .weight = weight};
    smr_platt platt;
    smr_platt_begin(&rows, &platt);
    for (int step = 0; step < PLATT_STEPS && !platt.converged; step++) smr_platt_step(&platt);
    smr_platt_end(&platt, &f->s->slope[k], &f->s->bias[k]);
out:
    smr_free(label);
    smr_free(score);
    smr_free(weight);
    return st;
}

/* ---- all machines ----------------------------------------------------------------------- */

static smr_status fit_machine(smr_ctx *ctx, void *arg, int64_t k, int lane)
{
    struct fitting *f = arg;
    smr_status st = SMR_OK;
    const struct smr_svm_params *p = f->p;
    double *y = NULL, *score;
    smr_svm_view view;
    (void)lane;
    TRY(find_points(ctx, f, k));
    int64_t n = f->n[k];
    view = smr_svm_view_of(&f->points, f->of[k], n);
    TRY_NEW(y, 3 * n);
    score = y + 2 * n;
    TRY_NEW(f->coef[k], n);
    take_targets(f, k, y, y + n);
    smr_svm_machine m = {.rows = f->of[k] ? &view.base : &f->points.set.rows,
                         .learns = (int)f->s->learns,
                         .y = f->s->learns == SMR_SVM_ONE ? NULL : y,
                         .weight = y + n,
                         .C = smr_svm_C(p),
                         .nu = f->s->learns == SMR_SVM_ONE && isnan(p->nu) ? 0.5 : p->nu,
                         .epsilon = f->s->learns == SMR_SVM_NUMBERS ? p->epsilon : 0,
                         .tol = isnan(p->tol) ? 1e-3 : p->tol,
                         .cache = f->cache,
                         .max_iter = p->max_iter};
    TRY(isinf(m.C) ? fit_hard(ctx, f, k, &m, score)
                   : smr_svm_machine_solve(ctx, &m, f->coef[k], score, &f->part[k]));
    if (f->s->slope) TRY(fit_platt(ctx, f, k, &m));
out:
    smr_free(y);
    return st;
}

/* The machines of the classes that have rows. */
static smr_status pair_classes(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                               struct smr_svm_state *s)
{
    smr_status st = SMR_OK;
    int64_t k = data->n_classes, n_here = 0, m = 0, *here = NULL;
    double *weight = NULL;
    TRY_NEW(weight, k);
    TRY_NEW(here, k);
    TRY(smr_classifier_check_classes(ctx, "svm", data, weight));
    for (int64_t c = 0; c < k; c++)
        if (weight[c] > 0) here[n_here++] = c;
    bool is_ova = p->multi == SMR_SVM_OVA && n_here > 2;
    s->n_machines = is_ova ? n_here : n_here * (n_here - 1) / 2;
    TRY_NEW(s->first, s->n_machines);
    TRY_NEW(s->second, s->n_machines);
    for (int64_t a = 0; a < n_here; a++)
        for (int64_t b = is_ova ? n_here - 1 : a + 1; b < n_here; b++, m++) {
            s->first[m] = is_ova ? -1 : here[a];
            s->second[m] = here[is_ova ? a : b];
        }
out:
    smr_free(weight);
    smr_free(here);
    return st;
}

static smr_status make_machines(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                                struct smr_svm_state *s)
{
    smr_status st = SMR_OK;
    s->n_features = data->n_features;
    s->n_classes = data->n_classes;
    s->learns = data->task == SMR_TASK_CLASSIFY  ? SMR_SVM_CLASSES
                : data->task == SMR_TASK_REGRESS ? SMR_SVM_NUMBERS
                                                 : SMR_SVM_ONE;
    s->n_machines = 1;
    if (s->learns == SMR_SVM_CLASSES) TRY(pair_classes(ctx, p, data, s));
    s->n_parts = s->n_machines;
    TRY(smr_svm_make_parts(ctx, s));
    TRY_NEW(s->offset, s->n_machines);
    TRY_NEW(s->length, s->n_machines);
    TRY_NEW(s->tube, s->n_machines);
    TRY_NEW(s->violation, s->n_machines);
    TRY_NEW(s->n_bounded, s->n_machines);
    s->n_platt = p->proba && s->learns == SMR_SVM_CLASSES ? s->n_machines : 0;
    if (s->n_platt > 0) TRY_NEW(s->slope, s->n_platt);
    if (s->n_platt > 0) TRY_NEW(s->bias, s->n_platt);
out:
    return st;
}

/* The points of the largest machine. */
static int64_t most_points(const struct fitting *f)
{
    int64_t most = 0;
    for (int64_t k = 0; k < f->s->n_machines; k++) {
        int64_t n = 0;
        for (int64_t i = 0; i < n_points(f); i++) n += takes_part(f, k, i);
        most = SMR_MAX(most, n);
    }
    return most;
}

/* What the cache may have, of several machines at once each its share. */
static smr_status find_memory(smr_ctx *ctx, struct fitting *f)
{
    int64_t at_once = SMR_MIN(f->s->n_machines, smr_lanes(ctx)), most = most_points(f);
    double n = (double)most, left = (double)(ctx->memory->limit - ctx->memory->held);
    /* Rows at work, the block of a working set, and what a variable takes. */
    double at_work = 4 * n * smr_fmax(16, smr_fmin(512, AT_WORK / (4 * n)));
    double least = (double)at_once * (smr_fmin(at_work, 4 * n * n) + 8e6 + 100 * n);
    double cache = smr_fmax(LEAST_CACHE, CACHE_STEP * smr_kernel_cost(&f->points.set));
    f->cache =
        smr_fmin(smr_fmin(MOST_CACHE, cache), 0.25 * smr_fmax(left - least, 0)) / (double)at_once;
    return smr_memory_check(ctx, least, "svm: rows of its kernel",
                            "raise --memory, take fewer threads, or fewer rows");
}

/* K within the classes, for as much as half of the cache; the machines have the rest. */
static smr_status share(smr_ctx *ctx, struct fitting *f)
{
    double at_once = (double)SMR_MIN(f->s->n_machines, smr_lanes(ctx)), used;
    smr_status st = smr_svm_share(ctx, &f->points, 0.5 * at_once * f->cache, &used);
    f->cache -= used / at_once;
    return st;
}

/* The weights w = sum y a x of a linear kernel's only machine, in place of its points. */
static smr_status keep_weights(smr_ctx *ctx, const struct fitting *f, const smr_kernel_set *set)
{
    smr_status st = SMR_OK;
    struct smr_svm_state *s = f->s;
    const smr_kernel_points *p = &set->points;
    s->n_scores = 1;
    TRY_NEW(s->coef, s->n_features);
    TRY_NEW(s->intercept, 1);
    smr_free(s->dual);
    s->dual = NULL;
    s->intercept[0] = s->offset[0];
    for (int64_t i = 0; i < p->n; i++) {
        double a = f->coef[0][i];
        for (int64_t e = p->start ? p->start[i] : 0; e < (p->start ? p->start[i + 1] : p->d); e++)
            if (p->start)
                s->coef[p->column[e]] += a * (double)p->value_f32[e];
            else
                s->coef[e] += a * (double)p->x_f32[i * p->d + e];
    }
out:
    return st;
}

/* Keeps the points that some machine needs, and its variables of them. */
static smr_status keep_points(smr_ctx *ctx, struct fitting *f)
{
    smr_status st = SMR_OK;
    struct smr_svm_state *s = f->s;
    int64_t n = n_points(f), n_kept = 0;
    int32_t *place = NULL, *kept = NULL;
    TRY_NEW(place, n);
    TRY_NEW(kept, n);
    for (int64_t k = 0; k < s->n_machines; k++)
        for (int64_t i = 0; i < f->n[k]; i++)
            if (f->coef[k][i] != 0) place[point_at(f, k, i)] = 1;
    for (int64_t i = 0; i < n; i++) {
        if (place[i]) kept[n_kept] = (int32_t)i;
        place[i] = place[i] ? (int32_t)n_kept++ : -1;
    }
    TRY_NEW(s->dual, s->n_machines * n_kept);
    for (int64_t k = 0; k < s->n_machines; k++)
        for (int64_t i = 0; i < f->n[k]; i++)
            if (f->coef[k][i] != 0) s->dual[k * n_kept + place[point_at(f, k, i)]] = f->coef[k][i];
    if (n_kept <= MOST_LISTED && s->n_machines == 1) {
        TRY_NEW(s->listed, n_kept);
        TRY_NEW(s->alpha, n_kept);
        s->n_listed = n_kept;
        for (int64_t i = 0; i < n_kept; i++) {
            int64_t row = f->points.row[kept[i]];
            s->listed[i] = f->data->rows ? f->data->rows[row] : row;
            s->alpha[i] = fabs(s->dual[i]);
        }
    }
    bool weights = s->learns == SMR_SVM_NUMBERS && smr_kernel_is_linear(&f->p->kernel);
    TRY(weights ? keep_weights(ctx, f, &f->points.set)
                : smr_kernel_keep(ctx, &f->points.set, kept, n_kept, &s->points));
out:
    smr_free(place);
    smr_free(kept);
    return st;
}

static smr_status solve_all(smr_ctx *ctx, struct fitting *f, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct smr_svm_state *s = f->s;
    int64_t m = s->n_machines;
    TRY_NEW(f->part, m);
    TRY_NEW(f->of, m);
    TRY_NEW(f->n, m);
    TRY_NEW(f->coef, m);
    TRY(find_memory(ctx, f));
    TRY(share(ctx, f));
    TRY(m == 1 ? fit_machine(ctx, f, 0, 0) : smr_parallel(ctx, "svm", m, fit_machine, f));
    for (int64_t k = 0; k < m; k++) {
        const smr_svm_part *part = &f->part[k];
        smr_svm_keep_part(s, k, part);
        s->offset[k] = part->b;
        s->length[k] = part->length;
        s->tube[k] = part->tube;
        s->violation[k] = part->violation;
        s->n_bounded[k] = part->n_bounded;
        if (!isfinite(part->b) || !isfinite(part->length))
            TRY(smr_fail(ctx, SMR_ERR_NUMERIC, "svm: the kernel overflows: rescale the columns"));
    }
    TRY(keep_points(ctx, f));
    smr_svm_tell(ctx, f->p, s, f->part, report);
out:
    for (int64_t k = 0; k < m; k++) {
        if (f->of) smr_free(f->of[k]);
        if (f->coef) smr_free(f->coef[k]);
    }
    smr_free(f->part);
    smr_free(f->of);
    smr_free(f->n);
    smr_free(f->coef);
    return st;
}

/* What the parameters cannot say before the task is known. */
static smr_status check_task(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data)
{
    bool classes = data->task == SMR_TASK_CLASSIFY;
    if (data->task == SMR_TASK_REGRESS && smr_svm_is_hard(p))
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: numbers need a finite C");
    if (!isnan(p->nu) && data->task != SMR_TASK_REGRESS && (p->C != 1 || !isnan(p->l2)))
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: nu takes the place of C%s: leave C and l2 out",
                        classes ? "" : " for one class");
    bool one = data->task == SMR_TASK_CLUSTER || data->task == SMR_TASK_OUTLIERS;
    if (one && (p->C != 1 || !isnan(p->l2)))
        return smr_fail(ctx, SMR_ERR_PARAM, "svm: one class has nu and no C: leave C and l2 out");
    return SMR_OK;
}

bool smr_svm_is_kernel(const struct smr_svm_params *p, smr_task task)
{
    return task != SMR_TASK_CLASSIFY || !smr_kernel_is_linear(&p->kernel) || !isnan(p->nu) ||
           p->proba || p->multi == SMR_SVM_OVO;
}

smr_status smr_svm_fit_kernel(smr_ctx *ctx, const struct smr_svm_params *p, const smr_data *data,
                              struct smr_svm_state *s, smr_fit_report *report)
{
    smr_status st = SMR_OK;
    struct fitting f = {.p = p, .data = data, .s = s};
    TRY(check_task(ctx, p, data));
    TRY(make_machines(ctx, p, data, s));
    TRY(smr_svm_points_open(ctx, p, data, &f.points));
    TRY(smr_kernel_warn(ctx, "svm", &f.points.set, "the fit ends at one of several optima"));
    TRY(solve_all(ctx, &f, report));
out:
    smr_svm_points_close(&f.points);
    return st;
}
