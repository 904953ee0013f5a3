/* knn_predict.c -- from queries to neighbours to answers: (1) and (2) of knn.c.
 *
 * Sums run over the neighbours in the order of their row numbers; with row weights, where the last
 * neighbour may count in part, in the order of their distance.  Both orders depend on the values
 * alone, so the answer for a row has the same bits in every block, on every path. */
#include "learn/neighbors/knn.h"

#include "core/sort.h"
#include "learn/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BATCH_ROWS = SMR_KNN_BATCH,
    BATCH_BYTES = 16 << 20, /* for the rows kept of a batch's queries */
    MANY_ROWS = 65536       /* auto: from here on a tree pays in more dimensions */
};

/* ---- preparing -------------------------------------------------------------------------- */

/* Rows that fill k places whatever rows they are: as many as the smallest weights need. */
static smr_status count_needed(smr_ctx *ctx, const struct smr_knn_state *s, int64_t k, int64_t *K)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL;
    double sum = 0;
    *K = SMR_MIN(k, s->n);
    if (!s->weight) return SMR_OK;
    TRY_NEW(order, s->n);
    TRY(smr_argsort_f64(ctx, s->n, s->weight, order));
    for (*K = 0; *K < s->n && sum < (double)k; ++*K) sum += s->weight[order[*K]];
out:
    smr_free(order);
    return st;
}

static smr_metric_name metric_of(const struct smr_knn_params *p)
{
    if (p->metric != SMR_METRIC_MINKOWSKI) return (smr_metric_name)p->metric;
    if (p->p == 1) return SMR_METRIC_MANHATTAN;
    if (p->p == 2) return SMR_METRIC_EUCLIDEAN;
    return isinf(p->p) ? SMR_METRIC_CHEBYSHEV : SMR_METRIC_MINKOWSKI;
}

/* Depends on sizes and parameters only.  The limits are near where brute force overtakes the tree
 * on evenly spread rows, the worst for a tree; rows near a plane of few dimensions favour it. */
static bool choose_tree(const struct smr_knn_params *p, smr_near_kind kind, int64_t n, int64_t d)
{
    if (p->algorithm != SMR_KNN_AUTO) return p->algorithm == SMR_KNN_TREE;
    if (kind == SMR_NEAR_LINF) return d <= (n < MANY_ROWS ? 16 : 20);
    return d <= (n < MANY_ROWS ? 10 : 12);
}

struct smr_knn_plan smr_knn_plan_of(const struct smr_knn_params *p, int64_t n, int64_t d)
{
    struct smr_knn_plan plan = {.metric = metric_of(p)};
    smr_near_kind kind = smr_metric_kind(plan.metric);
    plan.by_tree = choose_tree(p, kind, n, d);
    plan.panels = !plan.by_tree && kind == SMR_NEAR_L2;
    return plan;
}

smr_layout smr_knn_layout(const struct smr_knn_state *s, struct smr_knn_plan plan)
{
    return smr_layout_of(smr_knn_form(s), plan.panels, s->n, s->d);
}

const void *smr_knn_rows(const struct smr_knn_state *s)
{
    return s->x_u8 ? (const void *)s->x_u8 : s->x_f32 ? (const void *)s->x_f32 : s->x_f64;
}

smr_status smr_knn_prepare(smr_ctx *ctx, const void *params_, void *state_)
{
    const struct smr_knn_params *p = params_;
    struct smr_knn_state *s = state_;
    smr_status st = SMR_OK;
    struct smr_knn_search *search = NULL;

    struct smr_knn_plan plan = smr_knn_plan_of(p, s->n, s->d);

    smr_knn_release(s);
    TRY_NEW(search, 1);
    s->search = search;
    search->by_tree = plan.by_tree;
    search->points = (smr_points){.layout = smr_knn_layout(s, plan),
                                  .x = smr_knn_rows(s),
                                  .rows = s->order,
                                  .metric = plan.metric,
                                  .p = p->p};
    bool learned = s->label || s->y; /* else one more, which may be the row itself */
    TRY(count_needed(ctx, s, p->k + !learned, &search->K));
    search->least = s->far ? smr_knn_least_reach(s) : 0;
    TRY(smr_points_prepare(ctx, &search->points));
    if (search->by_tree)
        TRY(smr_kdtree_build(ctx, &search->points, &search->tree));
    else
        TRY(smr_brute_build(ctx, &search->points, &search->brute));
out:
    if (st != SMR_OK) smr_knn_release(s);
    return st;
}

void smr_knn_release(void *state_)
{
    struct smr_knn_state *s = state_;
    if (!s->search) return;
    smr_kdtree_release(&s->search->tree);
    smr_brute_release(&s->search->brute);
    smr_points_release(&s->search->points);
    smr_free(s->search);
    s->search = NULL;
}

smr_form smr_knn_form(const void *state_)
{
    const struct smr_knn_state *s = state_;
    return s->x_u8 ? SMR_FORM_U8 : s->x_f32 ? SMR_FORM_F32 : SMR_FORM_F64;
}

/* ---- a batch of queries ----------------------------------------------------------------- */

struct batch {
    double *q;             /* m x width                                       */
    uint8_t *bytes;        /* m x d, where queries are bytes in a wider form  */
    smr_near_set *nearest; /* m                                               */
    char *kept;            /* m times smr_near_size                        */
    double *buffer;        /* two rows                                        */
    double *share;         /* K: what each neighbour counts; K: its distance   */
    void *brute;
};

static int64_t batch_rows(const struct smr_knn_search *search, int64_t n)
{
    if (search->by_tree) return 1;
    int64_t most = BATCH_BYTES / smr_near_size(search->K);
    return SMR_MAX(1, SMR_MIN(n, SMR_MIN(most, BATCH_ROWS)));
}

/* Places the parts of a batch in a block, or measures when there is none. */
static int64_t lay_out(const struct smr_knn_search *search, int64_t m, char *at, struct batch *b)
{
    const smr_points *points = &search->points;
    int64_t size = 0;
    const int64_t parts[] = {
        m * points->width * (int64_t)sizeof(double),
        m * points->d,
        m * (int64_t)sizeof(smr_near_set),
        m * smr_near_size(search->K),
        2 * points->width * (int64_t)sizeof(double),
        2 * search->K * (int64_t)sizeof(double),
        search->by_tree ? 0 : smr_brute_scratch(&search->brute, m, search->K),
    };
    void *place[SMR_COUNT(parts)] = {0};
    for (int i = 0; i < SMR_COUNT(parts); i++) {
        place[i] = at ? at + size : NULL;
        size += smr_block_count(parts[i], 64) * 64;
    }
    *b = (struct batch){place[0], place[1], place[2], place[3], place[4], place[5], place[6]};
    return size;
}

int64_t smr_knn_scratch(const void *params_, const void *state_, int64_t n)
{
    const struct smr_knn_search *search = ((const struct smr_knn_state *)state_)->search;
    struct batch b;
    (void)params_;
    return lay_out(search, batch_rows(search, n), NULL, &b) + 64;
}

/* ---- queries ---------------------------------------------------------------------------- */

/* Row r as doubles; fails on a value that has no distance. */
static smr_status read_query(smr_ctx *ctx, const char *who, const smr_rows *rows, int64_t r,
                             double *q)
{
    int64_t d = rows->d, at = r * rows->stride;
    bool finite = true;
    if (rows->form == SMR_FORM_U8) {
        const uint8_t *x = (const uint8_t *)rows->x + at;
        for (int64_t j = 0; j < d; j++) q[j] = x[j];
    } else if (rows->form == SMR_FORM_F32) {
        const float *x = (const float *)rows->x + at;
        for (int64_t j = 0; j < d; j++) q[j] = (double)x[j];
    } else {
        memcpy(q, (const double *)rows->x + at, (size_t)d * sizeof *q);
    }
    for (int64_t j = 0; j < d; j++) finite &= isfinite(q[j]) != 0;
    if (finite) return SMR_OK;
    int64_t j = 0;
    while (isfinite(q[j])) j++;
    return smr_fail(ctx, SMR_ERR_DATA, "%s: feature %lld of row %lld is %s; distances need numbers",
                    who, (long long)j, (long long)(rows->first + r) + 1,
                    isnan(q[j]) ? "missing" : "infinite");
}

static bool to_bytes(int64_t d, const double *q, uint8_t *bytes)
{
    bool whole = true;
    for (int64_t j = 0; j < d; j++) {
        bool fits = q[j] >= 0 && q[j] <= 255;
        bytes[j] = fits ? (uint8_t)q[j] : 0;
        whole &= (double)bytes[j] == q[j];
    }
    return whole;
}

/* Reads m queries from row r on, and begins their searches.  *bytes: the queries as bytes, when
 * both the model's rows and all of these are. */
static smr_status begin(smr_ctx *ctx, const struct smr_knn_state *s, const smr_rows *rows,
                        int64_t r, int64_t m, struct batch *b, const uint8_t **bytes,
                        int64_t *stride)
{
    const struct smr_knn_search *search = s->search;
    const smr_points *points = &search->points;
    smr_status st = SMR_OK;
    bool are_bytes = points->layout.form == SMR_FORM_U8 && !search->by_tree;
    for (int64_t i = 0; i < m; i++) {
        double *q = b->q + i * points->width;
        smr_query query;
        TRY(read_query(ctx, s->who, rows, r + i, q));
        if (rows->form != SMR_FORM_U8)
            are_bytes = are_bytes && to_bytes(points->d, q, b->bytes + i * points->d);
        smr_points_query(points, q);
        smr_query_begin(&query, points, q, b->buffer);
        smr_near_begin(&b->nearest[i], &query, search->K, b->kept + i * smr_near_size(search->K));
    }
    *bytes = are_bytes ? b->bytes : NULL;
    *stride = points->d;
    if (are_bytes && rows->form == SMR_FORM_U8) {
        *bytes = (const uint8_t *)rows->x + r * rows->stride;
        *stride = rows->stride;
    }
out:
    return st;
}

/* ---- answers ---------------------------------------------------------------------------- */

/* share[i] = v_i of neighbour i; returns their sum. */
static double find_shares(const struct smr_knn_params *p, const struct smr_knn_state *s,
                          const smr_near_set *nearest, double *share)
{
    double left = (double)p->k, total = 0, closest = INFINITY;
    int64_t n = nearest->n;
    for (int64_t i = 0; i < n; i++) {
        double weight = s->weight ? s->weight[nearest->kept[i].row] : 1;
        share[i] = smr_fmin(weight, left);
        left -= share[i];
        total += share[i];
    }
    if (p->weight == SMR_KNN_UNIFORM) return total;

    /* v_i = closest / distance: the ratios of (1) and (2), without overflow. */
    double *distance = share + n;
    for (int64_t i = 0; i < n; i++) {
        distance[i] = smr_query_meant(&nearest->query, nearest->kept[i].place);
        if (share[i] > 0) closest = smr_fmin(closest, distance[i]);
    }
    total = 0;
    for (int64_t i = 0; i < n; i++) {
        if (closest == 0)
            share[i] = distance[i] == 0 ? share[i] : 0;
        else
            share[i] *= closest / distance[i];
        total += share[i];
    }
    return total;
}

static void answer(const struct smr_knn_params *p, const struct smr_knn_state *s,
                   smr_near_set *nearest, double *share, double *out)
{
    int64_t width = s->label ? s->n_classes : s->n_outputs;
    if (!s->label && !s->y) {
        *out = smr_knn_outlying(p, s, nearest);
        return;
    }
    smr_near_finish(nearest, s->weight != NULL);
    double total = find_shares(p, s, nearest, share);
    for (int64_t c = 0; c < width; c++) out[c] = 0;
    for (int64_t i = 0; i < nearest->n; i++) {
        int64_t row = nearest->kept[i].row;
        if (s->label) out[s->label[row]] += share[i];
        for (int64_t c = 0; !s->label && c < width; c++) out[c] += share[i] * s->y[row * width + c];
    }
    for (int64_t c = 0; c < width; c++) out[c] /= total;
}

smr_status smr_knn_predict(smr_ctx *ctx, const void *params_, const void *state_,
                           const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct smr_knn_state *s = state_;
    const struct smr_knn_search *search = s->search;
    smr_status st = SMR_OK;
    int64_t most = batch_rows(search, rows->n), width = s->label ? s->n_classes : s->n_outputs;
    struct batch b;
    (void)output; /* PROBA for classes, VALUE for targets: one of them each; else SCORE */
    if (!s->label && !s->y) width = 1;

    lay_out(search, most, (char *)(((uintptr_t)scratch + 63) / 64 * 64), &b);
    for (int64_t r = 0, m; r < rows->n; r += m) {
        const uint8_t *bytes;
        int64_t stride;
        m = SMR_MIN(most, rows->n - r);
        TRY(begin(ctx, s, rows, r, m, &b, &bytes, &stride));
        if (search->by_tree)
            smr_kdtree_search(&search->tree, b.nearest);
        else
            TRY(smr_brute_search(ctx, &search->brute, m, b.nearest, bytes, stride, b.brute));
        for (int64_t i = 0; i < m; i++)
            answer(params_, s, &b.nearest[i], b.share, out + (r + i) * width);
    }
out:
    return st;
}

/* ---- in slow motion --------------------------------------------------------------------- */

enum { SHOWN = 40 }; /* neighbours whose distances are drawn */

/* Over the axes of the rows: lines from the row to its neighbours, or their points. */
static void draw_among_rows(smr_trace *trace, const struct smr_knn_state *s, const double *q,
                            const smr_near_set *nearest, int64_t n)
{
    const smr_points *points = nearest->query.points;
    bool plane = trace->view == SMR_TRACE_PLANE;
    smr_json *figure =
        smr_trace_figure(trace, "neighbours", "The row and its nearest neighbours", true);
    for (int64_t i = 0; i < n; i++) {
        double at[2];
        smr_layout_row(&points->layout, points->x, nearest->kept[i].place, at);
        if (plane)
            smr_figure_series(figure, "neighbour", "line", 2, (double[]){q[0], at[0]},
                              (double[]){q[1], at[1]});
        else
            smr_figure_series(figure, "neighbour", "points", 1, at, &s->y[nearest->kept[i].row]);
    }
    if (plane)
        smr_figure_series(figure, "asked", "points", 1, &q[0], &q[1]);
    else
        smr_figure_mark(figure, "vline", q[0], "asked");
}

/* Where the rows cannot be drawn: how far each of the n found is, coloured by its class.  The axes
 * are those of all neighbours, so that the pictures of the steps can be laid over each other. */
static void draw_distances(smr_trace *trace, const struct smr_knn_state *s,
                           const smr_near_set *nearest, int64_t n)
{
    double place[SHOWN], distance[SHOWN];
    int64_t shown = SMR_MIN(nearest->n, SHOWN);
    smr_json *figure =
        smr_trace_figure(trace, "distances", "How far the nearest neighbours are", false);
    smr_json *axis = smr_figure_axis(figure, "x", "distance", "linear");
    double most = smr_query_meant(&nearest->query, nearest->kept[shown - 1].place);
    smr_json_add_number(axis, "min", 0);
    if (most > 0) smr_json_add_number(axis, "max", most);
    axis = smr_json_add_array(smr_figure_axis(figure, "y", "neighbour", "names"), "names");
    for (int64_t i = 0; i < shown; i++) {
        char name[40];
        snprintf(name, sizeof name, "row %lld",
                 (long long)smr_trace_row(trace, nearest->kept[i].row) + 1);
        smr_json_add_string(axis, NULL, name);
    }
    for (int64_t c = 0; c < SMR_MAX(1, s->n_classes); c++) {
        char name[64] = "distance";
        int64_t m = 0;
        for (int64_t i = 0; i < SMR_MIN(n, shown); i++) {
            if (s->label && s->label[nearest->kept[i].row] != c) continue;
            place[m] = (double)i;
            distance[m++] = smr_query_meant(&nearest->query, nearest->kept[i].place);
        }
        if (m == 0) continue;
        if (s->label) smr_trace_class_name(trace, c, name, sizeof name);
        smr_json *series = smr_figure_series(figure, name, "hbars", m, distance, place);
        if (s->label) smr_json_add_number(series, "class", (double)c);
    }
}

smr_status smr_knn_trace(smr_ctx *ctx, const void *params, const void *state_, const smr_rows *row,
                         smr_trace *trace)
{
    const struct smr_knn_state *s = state_;
    const struct smr_knn_search *search = s->search;
    smr_status st = SMR_OK;
    struct batch b;
    const uint8_t *bytes;
    int64_t stride;
    double *q = NULL, *vote = NULL;
    char *scratch = NULL;
    TRY_NEW(scratch, smr_knn_scratch(params, state_, 1));
    TRY_NEW(q, s->d);
    TRY_NEW(vote, SMR_MAX(1, s->n_classes));
    lay_out(search, 1, (char *)(((uintptr_t)scratch + 63) / 64 * 64), &b);
    TRY(read_query(ctx, s->who, row, 0, q));
    TRY(begin(ctx, s, row, 0, 1, &b, &bytes, &stride));
    if (search->by_tree)
        smr_kdtree_search(&search->tree, b.nearest);
    else
        TRY(smr_brute_search(ctx, &search->brute, 1, b.nearest, bytes, stride, b.brute));
    smr_near_finish(b.nearest, true);
    find_shares(params, s, b.nearest, b.share);
    for (int64_t i = 0; i < b.nearest->n; i++) {
        const smr_near_row *near = &b.nearest->kept[i];
        if (s->label) vote[s->label[near->row]] += b.share[i];
        if (!smr_trace_step(trace, "neighbour %lld", (long long)i + 1)) continue;
        smr_trace_number(trace, "row", (double)smr_trace_row(trace, near->row) + 1);
        smr_trace_number(trace, "distance", smr_query_meant(&b.nearest->query, near->place));
        smr_trace_number(trace, "counts", b.share[i]);
        if (s->label) smr_trace_class(trace, "class", s->label[near->row]);
        if (s->y) smr_trace_number(trace, "value", s->y[near->row * s->n_outputs]);
        for (int64_t c = 0; c < s->n_classes && c < SMR_TRACE_NAMES && s->label; c++) {
            char key[80], name[64];
            smr_trace_class_name(trace, c, name, sizeof name);
            snprintf(key, sizeof key, "votes(%s)", name);
            smr_trace_number(trace, key, vote[c]);
        }
        bool on_line = trace->view != SMR_TRACE_PLANE; /* their targets are its heights */
        if (trace->view == SMR_TRACE_BARS || (on_line && !s->y))
            draw_distances(trace, s, b.nearest, i + 1);
        else
            draw_among_rows(trace, s, q, b.nearest, i + 1);
    }
out:
    smr_free(vote);
    smr_free(q);
    smr_free(scratch);
    return st;
}
