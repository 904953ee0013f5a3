/* standins_kinds.c -- a learner that its parameters make one of several things, and items with
 * shapes: see standins.h. */
#include "standins.h"

#include "core/text.h"

#include <math.h>
#include <string.h>

/* ---- z_kind ----------------------------------------------------------------------------- */

enum { BY_NUMBERS, BY_TEXTS, BY_SIDES };

struct kind_params {
    int by;
};

static const smr_choice kinds[] = {
    {"numbers", "which side of its mean the first number lies on"},
    {"texts", "whether the first text begins with a letter of the first half"},
    {"sides", "as numbers, and the sides are what it finds"},
    {NULL, NULL},
};

static const smr_param kind_params[] = {
    {SMR_FIELD(struct kind_params, by), .choices = kinds, .primary = true, .doc = "What it is."},
};

struct kind {
    int64_t n_classes, n; /* n = 2 n_classes, or 0 */
    double middle;
    double *share; /* of the classes on either side */
};

static const smr_state kind_state[] = {
    {SMR_KEPT(struct kind, n_classes), .doc = "Classes."},
    {SMR_KEPT(struct kind, n), .doc = "Shares."},
    {SMR_KEPT(struct kind, middle), .doc = "The mean of the first number."},
    {SMR_KEPT(struct kind, share), .dims = {"n"}, .optional = true, .doc = "Of each side."},
};

/* What it does and takes follows from `by` alone. */
static void kind_nature(const void *params, smr_nature *its)
{
    int by = ((const struct kind_params *)params)->by;
    its->tasks &= by == BY_SIDES ? SMR_DOES_CLUSTER : SMR_DOES_CLASSIFY;
    if (by != BY_TEXTS) its->takes &= ~(unsigned)SMR_TAKES_TEXT;
    if (by == BY_SIDES) its->takes &= ~(unsigned)SMR_TAKES_WEIGHTS;
    if (by == BY_TEXTS) its->traits &= ~(unsigned)SMR_SCALE_MATTERS;
}

static const char *kind_texts(const void *params)
{
    return ((const struct kind_params *)params)->by == BY_TEXTS ? "" : NULL;
}

static int64_t side_of(const struct kind_params *p, const struct kind *s, const smr_rows *rows,
                       int64_t i)
{
    double x = standin_row(rows, i)[0];
    if (p->by != BY_TEXTS) return x > s->middle;
    if (isnan(x)) return 0;
    int64_t length;
    const char *text = smr_strings_get(rows->texts[0], (int64_t)x, &length);
    return length > 0 && (text[0] | 32) >= 'n';
}

static smr_status fit_kind(smr_ctx *ctx, const void *params, const smr_data *data, void *state_,
                           smr_fit_report *report)
{
    const struct kind_params *p = params;
    struct kind *s = state_;
    smr_status st = SMR_OK;
    smr_reader *reader = NULL;
    smr_rows rows;
    (void)report;
    if (p->by == BY_TEXTS && (!data->features || data->features[0].kind != SMR_TEXT))
        TRY(smr_fail(ctx, SMR_ERR_DATA, "z_kind by=texts: the first column is no text"));
    s->n_classes = p->by == BY_SIDES ? 0 : data->n_classes;
    s->n = 2 * s->n_classes;
    if (s->n) TRY_NEW(s->share, s->n);
    TRY(smr_reader_open(ctx, data, SMR_FORM_F64, data->n_rows, &reader));
    TRY(smr_reader_rows(ctx, reader, 0, data->n_rows, &rows));
    for (int64_t i = 0; p->by != BY_TEXTS && i < rows.n; i++)
        s->middle += standin_row(&rows, i)[0] / (double)rows.n;
    for (int64_t i = 0; s->n && i < rows.n; i++)
        s->share[side_of(p, s, &rows, i) * s->n_classes + data->label[i]] +=
            smr_data_weight(data, i);
    for (int64_t side = 0; s->n && side < 2; side++) {
        double sum = 0, *share = s->share + side * s->n_classes;
        for (int64_t k = 0; k < s->n_classes; k++) sum += share[k] += 0.5;
        for (int64_t k = 0; k < s->n_classes; k++) share[k] /= sum;
    }
out:
    smr_reader_close(reader);
    return st;
}

static smr_status predict_kind(smr_ctx *ctx, const void *params, const void *state_,
                               const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct kind *s = state_;
    int64_t k = s->n ? s->n_classes : 2;
    (void)ctx, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t side = side_of(params, s, rows, i);
        for (int64_t c = 0; c < k; c++)
            out[i * k + c] = s->n ? s->share[side * k + c] : (double)(c == side);
    }
    return SMR_OK;
}

static smr_status check_kind(smr_ctx *ctx, const void *params, const void *state_,
                             const smr_shape *shape)
{
    const struct kind *s = state_;
    (void)params;
    if (s->n == 2 * s->n_classes && s->n_classes == shape->n_classes && (!s->n || s->share))
        return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "the model file is damaged: its shares");
}

static int64_t two(const void *params, const void *state)
{
    (void)params, (void)state;
    return 2;
}

static const smr_can_cluster sides = {.count = two};
static const smr_fitted kind = {
    .state = kind_state,
    .n_state = SMR_COUNT(kind_state),
    .state_size = sizeof(struct kind),
    .gives = SMR_GIVES_PROBA,
    .check = check_kind,
    .predict = predict_kind,
    .clusters = &sides,
};
static const smr_word kind_word = {
    .name = "z_kind",
    .family = "standin",
    .title = "One of several things",
    .brief = "Classes by a number or by a text, or clusters.",
    .objective = "the side that a row lies on",
    .reference = "none",
    .example = "samara train z_kind data/iris.csv --target species",
    .params = kind_params,
    .n_params = SMR_COUNT(kind_params),
    .params_size = sizeof(struct kind_params),
};
const smr_learner smr_z_kind = {
    .word = &kind_word,
    .tasks = SMR_DOES_CLASSIFY | SMR_DOES_CLUSTER,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS | SMR_TAKES_TEXT,
    .traits = SMR_SCALE_MATTERS,
    .nature = kind_nature,
    .texts = kind_texts,
    .fit = fit_kind,
    .fitted = &kind,
};

/* ---- z_halve ---------------------------------------------------------------------------- */

/* Pictures of half the width: the mean of two columns beside each other.  An odd last one goes. */
struct halve {
    int64_t height, width, depth;
};

static const smr_state halve_state[] = {
    {SMR_KEPT(struct halve, height), .min = 1, .doc = "Rows of a picture."},
    {SMR_KEPT(struct halve, width), .min = 2, .doc = "Its columns."},
    {SMR_KEPT(struct halve, depth), .min = 1, .doc = "Its channels."},
};

static smr_status fit_halve(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                            smr_fit_report *report)
{
    struct halve *s = state;
    (void)params, (void)report;
    if (!data->item_shape[0] || data->item_shape[1] < 2)
        return smr_fail(ctx, SMR_ERR_DATA, "z_halve: the rows are no pictures");
    *s = (struct halve){data->item_shape[0], data->item_shape[1], SMR_MAX(1, data->item_shape[2])};
    return SMR_OK;
}

static int64_t halve_n_out(const void *params, const void *state, int64_t n_in)
{
    const struct halve *s = state;
    (void)params, (void)n_in;
    return s->height * (s->width / 2) * s->depth;
}

static smr_status halve_outputs(smr_ctx *ctx, const void *params, const void *state,
                                const smr_feature *in, int64_t n_in, smr_feature *out, int64_t n)
{
    (void)params, (void)state, (void)n_in;
    for (int64_t j = 0; j < n; j++) {
        out[j].kind = SMR_NUMBER;
        out[j].name = smr_strdup(ctx, in[j].name);
        if (!out[j].name) return SMR_ERR_NOMEM;
    }
    return SMR_OK;
}

static void halve_items(const void *params, const void *state, const int64_t in[4], int64_t out[4])
{
    (void)params, (void)state;
    out[0] = in[0];
    out[1] = in[1] / 2;
    out[2] = in[2];
}

static smr_status predict_halve(smr_ctx *ctx, const void *params, const void *state,
                                const smr_rows *rows, smr_output output, double *out, void *scratch)
{
    const struct halve *s = state;
    int64_t half = s->width / 2;
    (void)ctx, (void)params, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t r = 0; r < s->height; r++)
            for (int64_t c = 0; c < half; c++)
                for (int64_t k = 0; k < s->depth; k++) {
                    const double *x = standin_row(rows, i) + (r * s->width + 2 * c) * s->depth + k;
                    *out++ = 0.5 * (x[0] + x[s->depth]);
                }
    return SMR_OK;
}

static smr_status check_halve(smr_ctx *ctx, const void *params, const void *state,
                              const smr_shape *shape)
{
    const struct halve *s = state;
    (void)params;
    if (s->height == shape->item_shape[0] && s->width == shape->item_shape[1] &&
        s->depth == SMR_MAX(1, shape->item_shape[2]))
        return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "z_halve: pictures of another size");
}

static const smr_can_transform halves = {.n_out = halve_n_out,
                                         .outputs = halve_outputs,
                                         .items = halve_items,
                                         .no_inverse = "a mean does not tell its parts"};
static const smr_fitted halved = {
    .state = halve_state,
    .n_state = SMR_COUNT(halve_state),
    .state_size = sizeof(struct halve),
    .gives = SMR_GIVES_TRANSFORM,
    .check = check_halve,
    .predict = predict_halve,
    .transform = &halves,
};
static const smr_word halve_word = {
    .name = "z_halve",
    .family = "standin",
    .title = "Pictures of half the width",
    .brief = "The mean of two columns.",
    .objective = "(x_2c + x_2c+1) / 2",
    .example = "samara train z_halve pictures.npy",
};
const smr_learner smr_z_halve = {
    .word = &halve_word,
    .tasks = SMR_DOES_TRANSFORM,
    .takes = SMR_TAKES_F64 | SMR_TAKES_WEIGHTS,
    .fit = fit_halve,
    .fitted = &halved,
};

/* ---- z_picture -------------------------------------------------------------------------- */

/* A number from the first column of pictures, whatever channel: needs to know where it is. */
struct picture {
    int64_t height, width, depth;
    double slope;
};

static const smr_state picture_state[] = {
    {SMR_KEPT(struct picture, height), .min = 1, .doc = "Rows of a picture."},
    {SMR_KEPT(struct picture, width), .min = 1, .doc = "Its columns."},
    {SMR_KEPT(struct picture, depth), .min = 1, .doc = "Its channels."},
    {SMR_KEPT(struct picture, slope), .doc = "How much a unit of its left edge adds."},
};

static double left_edge(const struct picture *s, const double *x)
{
    double sum = 0;
    for (int64_t r = 0; r < s->height; r++)
        for (int64_t k = 0; k < s->depth; k++) sum += x[r * s->width * s->depth + k];
    return sum;
}

static smr_status fit_picture(smr_ctx *ctx, const void *params, const smr_data *data, void *state,
                              smr_fit_report *report)
{
    struct picture *s = state;
    smr_status st = SMR_OK;
    double *x = NULL, xx = 1e-12, xy = 0;
    (void)params, (void)report;
    if (!data->item_shape[0] || !data->item_shape[1])
        return smr_fail(ctx, SMR_ERR_DATA, "z_picture: the rows are no pictures");
    s->height = data->item_shape[0];
    s->width = data->item_shape[1];
    s->depth = SMR_MAX(1, data->item_shape[2]);
    TRY(standin_rows(ctx, data, &x));
    for (int64_t i = 0; i < data->n_rows; i++) {
        double edge = left_edge(s, x + i * data->n_features);
        xx += edge * edge;
        xy += edge * data->y[i];
    }
    s->slope = xy / xx;
out:
    smr_free(x);
    return st;
}

static smr_status predict_picture(smr_ctx *ctx, const void *params, const void *state,
                                  const smr_rows *rows, smr_output output, double *out,
                                  void *scratch)
{
    const struct picture *s = state;
    (void)ctx, (void)params, (void)output, (void)scratch;
    for (int64_t i = 0; i < rows->n; i++) out[i] = s->slope * left_edge(s, standin_row(rows, i));
    return SMR_OK;
}

static smr_status check_picture(smr_ctx *ctx, const void *params, const void *state,
                                const smr_shape *shape)
{
    const struct picture *s = state;
    (void)params;
    if (s->height == shape->item_shape[0] && s->width == shape->item_shape[1] &&
        s->depth == SMR_MAX(1, shape->item_shape[2]))
        return SMR_OK;
    return smr_fail(ctx, SMR_ERR_FORMAT, "z_picture: pictures of another size");
}

static const smr_fitted picture = {
    .state = picture_state,
    .n_state = SMR_COUNT(picture_state),
    .state_size = sizeof(struct picture),
    .gives = SMR_GIVES_VALUE,
    .check = check_picture,
    .predict = predict_picture,
};
static const smr_word picture_word = {
    .name = "z_picture",
    .family = "standin",
    .title = "The left edge of pictures",
    .brief = "A number from the first column of each picture.",
    .objective = "slope * sum of the left edge",
    .example = "samara train z_picture pictures.npy",
};
const smr_learner smr_z_picture = {
    .word = &picture_word,
    .tasks = SMR_DOES_REGRESS,
    .takes = SMR_TAKES_F64,
    .fit = fit_picture,
    .fitted = &picture,
};
