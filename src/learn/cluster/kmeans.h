/* kmeans.h -- what the files of kmeans share: parameters, state, and the steps of its fit.
 *
 * kmeans.c         parameters, state, the descriptor
 * kmeans_predict.c what is predicted
 * kmeans_rows.c    the rows as they are held, exact distances, exact sums
 * kmeans_layout.c  the rows as products read them
 * kmeans_keys.c    all rows against some centres: products, and what their rounding leaves open
 * kmeans_bounds.c  which rows need not be looked at
 * kmeans_start.c   where centres start
 * kmeans_assign.c  labels, the sums that follow from them, errors
 * kmeans_fit.c     the iterations, restarts
 * kmeans_moves.c   empty clusters, splits and merges
 * kmeans_stream.c  rows one after another
 * kmeans_tell.c    inspect, figures, the trace */
#ifndef SMR_LEARN_CLUSTER_KMEANS_H
#define SMR_LEARN_CLUSTER_KMEANS_H

#include "core/parallel.h"
#include "data/keep.h"
#include "kernel/cluster_kernels.h"
#include "learn/learner.h"

/* ---- parameters ------------------------------------------------------------------------- */

enum { SMR_KM_AUTO = 0, SMR_KM_RANDOM, SMR_KM_FARTHEST, SMR_KM_PLUS, SMR_KM_PARALLEL };
enum { SMR_KM_EUCLIDEAN = 0, SMR_KM_COSINE };
enum { SMR_KM_DISTANCES = 0, SMR_KM_NEAREST };
enum { SMR_KM_ANY = 0, SMR_KM_LLOYD, SMR_KM_BOUNDS };

struct smr_kmeans_params {
    int64_t k;
    int start;
    double starts; /* -1: by the size of the table */
    int metric;
    int64_t max_iter;
    double tol;
    int64_t moves;
    int solver, gives;
};

/* ---- state ------------------------------------------------------------------------------ */

struct smr_kmeans_state {
    int64_t n_features, n_out, n_clusters;
    int64_t metric;
    double weight;  /* of all rows                                                   */
    double error;   /* sum of the errors; NaN from a stream                          */
    double *centre; /* n_clusters x n_features                                       */
    double *share;  /* n_clusters: weight of their rows                              */
    double *spread; /* n_clusters: sums of weighted squared distances, or 1 - cosine */
    int64_t x_feature, y_feature; /* of pictures; -1: there is one only                     */
    int64_t n_sample, n_plane;    /* rows kept for pictures; 2                              */
    double *sample;               /* n_sample x n_plane: in these two features              */
    int64_t *sample_label;        /* n_sample                                               */
    int64_t n_item;               /* 4, or 0: the rows are not items                        */
    int64_t *item;
    /* From a stream only: rows that wait until there are enough of them for a start. */
    int64_t n_wait, n_waiting;
    double *waiting;            /* n_wait x n_features */
    double *waiting_weight;     /* n_wait */
    struct smr_km_ahead *ahead; /* built by prepare; NULL: distances are computed one by one */
};

/* ---- rows as a fit holds them (kmeans_rows.c) -------------------------------------------- */

enum {
    SMR_KM_PANEL = 32,
    SMR_KM_DRAWN = 32,
    SMR_KM_NARROW =
        128 /* columns up to which a panel and some centres are in the first-level cache */
};

typedef enum smr_km_way {
    SMR_KM_DIRECT = 0, /* differences in double                                    */
    SMR_KM_FLOATS,     /* products of floats, from the mean                        */
    SMR_KM_BYTES,      /* products of bytes: of bytes, or of numbers low + b / unit,
                          b = 0 ... 255                                            */
    SMR_KM_ENTRIES     /* sparse rows: products of entries, in double              */
} smr_km_way;

struct smr_km_rows {
    const char *name; /* of the learner, for messages */
    const smr_data *given;
    smr_data data; /* in memory */
    smr_keep kept;
    smr_form form;
    smr_dense dense;
    smr_csr csr;
    double *unit_values; /* cosine: values of sparse rows of length 1; owned */
    int64_t n, d;
    const double *weight;
    double total; /* weight */
    smr_km_way way;
    int64_t block, n_blocks; /* rows of a task: a multiple of a panel */

    /* Sums: rows less `shift`, times `scale`, are whole numbers. */
    double *shift, *scale;
    double weight_scale;
    double *mean;    /* d */
    double squares;  /* sum of w |x - shift|^2 */
    double variance; /* sum over features */

    /* Products. */
    double unit;   /* floats hold (x - shift) unit, bytes (x - low) unit, nearly */
    double low;    /* of bytes                               */
    double off;    /* bytes: the most that a row is off them, in units           */
    float *square; /* n: |.|^2 of what is multiplied         */
    float longest; /* the root of the largest, at least      */
    void *panels;  /* of bytes; NULL: made of a block's rows   */
    int64_t panel_bytes;
    double *work; /* lanes x 2 d: rows as doubles */
};

/* rows->name is set. */
smr_status smr_km_open(smr_ctx *ctx, const smr_data *data, int metric, int64_t k,
                       struct smr_km_rows *rows);
/* smr_memory_check in this learner's name. */
smr_status smr_km_check_memory(smr_ctx *ctx, const struct smr_km_rows *rows, double bytes,
                               const char *what, const char *hint);
void smr_km_close(struct smr_km_rows *rows);
/* Row i as doubles: where they lie, or in `to` (d). */
const double *smr_km_row(const struct smr_km_rows *rows, int64_t i, double *to);
/* Squared distance of row i from c, as labels are decided by; square: |c|^2.  to: d. */
double smr_km_distance(const struct smr_km_rows *rows, int64_t i, const double *c, double square,
                       double *to);
static inline double smr_km_weight(const struct smr_km_rows *rows, int64_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}
/* Of a row's weight. */
static inline int64_t smr_km_whole_weight(const struct smr_km_rows *rows, int64_t i)
{
    return rows->weight ? (int64_t)(rows->weight[i] * rows->weight_scale) : 1;
}
/* Whether some rows lie on a lattice of at most 256 numbers between these; sets low and unit.
 * to: d. */
bool smr_km_find_lattice(struct smr_km_rows *rows, double least, double greatest, uint8_t *to);
/* Way, unit, panels and squares; longest: the length of the longest row from the shift, at most. */
smr_status smr_km_lay_out(smr_ctx *ctx, struct smr_km_rows *rows, double longest, bool is_lattice);
/* smr_km_distance of rows lo .. hi, from row which[i - lo] of `centre` (d each) or, which NULL, its
 * first.  square: |.|^2 of these centres; to: hi - lo; row: d. */
void smr_km_distances(const struct smr_km_rows *rows, int64_t lo, int64_t hi, const int32_t *which,
                      const double *centre, const double *square, double *row, double *to);
/* Row i as bytes: where they lie, or in `to` (d); *off: the squared distance from them, in units;
 * NULL: it is not bytes. */
const uint8_t *smr_km_bytes(const struct smr_km_rows *rows, int64_t i, uint8_t *to, double *off);
/* Panels of floats of the n rows of the list, or from lo on. */
void smr_km_pack(const struct smr_km_rows *rows, int64_t lo, const int64_t *list, int64_t n,
                 void *to);
/* Moves rows between sums (clusters x d). */
void smr_km_move(const struct smr_km_rows *rows, int64_t n, const smr_row_move *move, int64_t *sum);

/* ---- rows against centres (kmeans_keys.c) ------------------------------------------------ */

struct smr_km_centres {
    int64_t k, d;
    const double *at;    /* k x d */
    double *square;      /* k: |c|^2 as the products have it                          */
    float *floats;       /* k x (d + 1): -2 c, |c|^2                                  */
    uint8_t *high, *low; /* k x d                                                   */
    double *turned;      /* sparse rows: d x ld                                       */
    int64_t ld;
    float *base;   /* bytes: |c|^2                                              */
    double away;   /* bytes: the largest distance of a centre from its bytes    */
    double *slack; /* k: what of a key's doubt comes from the centre            */
    double most_slack;
};

smr_status smr_km_centres_create(smr_ctx *ctx, const struct smr_km_rows *rows, int64_t k,
                                 struct smr_km_centres *c);
/* at must stay while they are used. */
void smr_km_centres_set(const struct smr_km_rows *rows, const double *at, struct smr_km_centres *c);
void smr_km_centres_release(struct smr_km_centres *c);

/* Scratch of one lane for blocks of rows against up to k centres. */
struct smr_km_lane {
    float *key;          /* k x block */
    int32_t *high, *low; /* k x block */
    double *exact;       /* k, padded to 8 */
    float *least, *second;
    int32_t *at;
    double *row;                 /* d */
    smr_row_move *move;          /* block */
    int64_t *list, *close;       /* block: rows that are looked at; those in doubt */
    double *far;                 /* block: exact distances */
    float *square;               /* block: of the rows of a list */
    uint8_t *gather;             /* bytes: block rows as they go into panels */
    void *panels;                /* of a block */
    int64_t *sum, *count, *mass; /* of moves: k x d, k, k */
    int64_t n_changed;
};

smr_status smr_km_lanes_create(smr_ctx *ctx, const struct smr_km_rows *rows, int64_t k, bool sums,
                               struct smr_km_lane **out);
void smr_km_lanes_release(smr_ctx *ctx, struct smr_km_lane *lanes);

/* Keys of rows lo .. hi, hi - lo <= block: squared distances less what they have in common, in
 * units of the products; lane->key[c * block + i - lo]. */
void smr_km_keys(const struct smr_km_rows *rows, const struct smr_km_centres *c, int64_t lo,
                 int64_t hi, struct smr_km_lane *lane);
/* The squared distance that a key stands for, in the units of the data, about. */
double smr_km_of_key(const struct smr_km_rows *rows, int64_t i, double key);
/* How far another key must be above the least for its centre to be further, in units of keys. */
double smr_km_doubt(const struct smr_km_rows *rows, const struct smr_km_centres *c, int64_t i,
                    int64_t at);
/* The same or a little more, in floats, of a row with this square. */
float smr_km_doubt_f32(const struct smr_km_rows *rows, const struct smr_km_centres *c, float square,
                       int64_t at);
/* Labels of rows lo .. hi into lane->at, each the nearest centre by smr_km_distance, the first of
 * those that tie; least and second of float ways in units of keys. */
void smr_km_nearest(const struct smr_km_rows *rows, const struct smr_km_centres *c, int64_t lo,
                    int64_t hi, struct smr_km_lane *lane);
/* The same for the n <= block rows of lane->list, by lanes that can gather. */
void smr_km_nearest_of(const struct smr_km_rows *rows, const struct smr_km_centres *c, int64_t n,
                       struct smr_km_lane *lane);
smr_status smr_km_lanes_gather(smr_ctx *ctx, const struct smr_km_rows *rows,
                               struct smr_km_lane *lanes);

/* ---- starts, iterations, moves ------------------------------------------------------------ */

/* A fit under way. */
struct smr_km_work {
    const struct smr_kmeans_params *p;
    struct smr_km_rows rows;
    smr_fit_report *report;
    int64_t k, restart;
    double *centre, *before;     /* k x d */
    int32_t *label;              /* n; -1: none yet  */
    int64_t *sum, *count, *mass; /* k x d, k, k: sums, rows, weights as whole numbers */
    struct smr_km_centres centres;
    struct smr_km_lane *lanes;
    struct smr_km_bounds *bounds; /* NULL: none are kept */
    int64_t n_changed;
    int64_t n_iter;
    bool converged;
    int64_t n_record; /* errors after each iteration */
    double *record;
};

/* p and report are set, and rows.name where it is not kmeans; closing accepts what failed to
 * open. */
smr_status smr_km_open_work(smr_ctx *ctx, const smr_data *data, struct smr_km_work *w);
void smr_km_close_work(smr_ctx *ctx, struct smr_km_work *w);
smr_status smr_km_start(smr_ctx *ctx, struct smr_km_work *w);
/* Labels of all rows for w->centre; sums follow. */
smr_status smr_km_assign(smr_ctx *ctx, struct smr_km_work *w);
/* Every block once, on all threads. */
smr_status smr_km_visit(smr_ctx *ctx, struct smr_km_work *w,
                        void (*visit)(struct smr_km_work *w, int64_t block,
                                      struct smr_km_lane *lane));
/* Rows that change their clusters, in l->move: adds them to the lane's sums; then those of all
 * lanes to the work's. */
void smr_km_count_moves(const struct smr_km_rows *rows, int64_t n, struct smr_km_lane *l);
smr_status smr_km_gather(smr_ctx *ctx, struct smr_km_work *w);
/* Iterates from w->centre until it converges. */
smr_status smr_km_iterate(smr_ctx *ctx, struct smr_km_work *w);
/* Of all columns together, from the sums: sum w |x - mean|^2 / sum w. */
double smr_km_variance(const struct smr_km_work *w);
/* Leaves out clusters without rows. */
smr_status smr_km_drop_empty(smr_ctx *ctx, struct smr_km_work *w);
/* Rows for pictures and the two features in which the centres lie furthest apart. */
smr_status smr_km_keep_sample(smr_ctx *ctx, const struct smr_km_work *w,
                              struct smr_kmeans_state *s);
/* Forgets labels and sums. */
void smr_km_reset(struct smr_km_work *w);
/* w->centre = the means of the clusters; where one has no rows it stays. */
void smr_km_means(struct smr_km_work *w, double *centre);
double smr_km_cluster_weight(const struct smr_km_work *w, int64_t c);
/* Sums of weighted squared distances from w->centre, by cluster (k; NULL: not wanted), and all. */
smr_status smr_km_errors(smr_ctx *ctx, const struct smr_km_work *w, double *by_cluster,
                         double *total);
/* Gives empty clusters the rows that are furthest from their centres. */
smr_status smr_km_repair(smr_ctx *ctx, struct smr_km_work *w);
/* Splits a cluster and merges two others as long as that lowers the error, p->moves times. */
smr_status smr_km_split_and_merge(smr_ctx *ctx, struct smr_km_work *w);

/* Bounds of the distances of rows. */
smr_status smr_km_bounds_create(smr_ctx *ctx, struct smr_km_work *w);
/* Both accept NULL; forget: labels or centres were changed by others. */
void smr_km_bounds_free(struct smr_km_bounds *b);
void smr_km_bounds_forget(struct smr_km_bounds *b);
smr_status smr_km_assign_bounded(smr_ctx *ctx, struct smr_km_work *w);

/* ---- the descriptor ----------------------------------------------------------------------- */

smr_status smr_kmeans_fit(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                          smr_fit_report *report);
smr_status smr_kmeans_predict(smr_ctx *ctx, const void *params, const void *state,
                              const smr_rows *rows, smr_output output, double *out, void *scratch);
int64_t smr_kmeans_scratch(const void *params, const void *state, int64_t n);
smr_status smr_kmeans_prepare(smr_ctx *ctx, const void *params, void *state);
void smr_kmeans_release(void *state);
smr_status smr_kmeans_begin(smr_ctx *ctx, const void *params, const smr_shape *shape, void *state);
smr_status smr_kmeans_learn(smr_ctx *ctx, const void *params, void *state, const smr_rows *rows,
                            const smr_truths *truths, double *out);
smr_status smr_kmeans_describe(smr_ctx *ctx, const void *params, const void *state,
                               const smr_feature *in, int64_t n_in, smr_json *into);
smr_status smr_kmeans_draw(smr_ctx *ctx, const void *params, const void *state,
                           const smr_feature *in, int64_t n_in, const char *prefix,
                           smr_json *figures);
/* One iteration, to who watches the fit. */
smr_status smr_kmeans_watch(smr_ctx *ctx, const struct smr_km_work *w, double error, double moved);
/* x (d) divided by its length, where that is not 0. */
void smr_kmeans_unit(int64_t d, double *x);

#endif
