/* warnings_good.c -- scores that are too good to be true, and rows in order of time (warnings.h).
 *
 * Which columns hold a number is found by forward steps of least squares on some rows: the column
 * that leaves the least of the answer is taken, the others and the answer lose their part along it,
 * and so on until less than a thousandth is left.  A sum of columns is thus found as its terms,
 * though none of them alone correlates perfectly. */
#include "study/warnings.h"

#include "core/text.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_MEASURED = 30,
    MOST_STEPS = 5,
    MOST_SHOWN = 3, /* columns, where no small number of them gives the answer */
    MOST_COLUMNS = 2000,
    LEAST_ROWS = 1000, /* that are looked at, where there are that many */
    MOST_ROWS = 20000,
    LEAST_DATES = 10, /* distinct ones, for an order */
};

static const double LOOKED_AT = 2e6;                 /* values                               */
static const double LEFT = 0.001;                    /* of the variance                      */
static const double STANDS_OUT = 0.95, STRONG = 0.9; /* areas of a column                    */
static const double IN_ORDER = 0.99;                 /* of the rows that follow one another  */

/* ---- the rows that are looked at --------------------------------------------------------- */

struct looked {
    smr_binding binding;
    int64_t n, d;
    int64_t *rows;
    int32_t *label; /* n, or NULL                        */
    double *y;      /* n x targets, or NULL              */
    double *figure; /* d: what a column is worth         */
    int64_t step[MOST_STEPS];
    int64_t n_steps;
    double left; /* of the answer after the steps        */
};

static void release_looked(struct looked *l)
{
    smr_binding_release(&l->binding);
    smr_free(l->rows);
    smr_free(l->label);
    smr_free(l->y);
    smr_free(l->figure);
}

/* Evenly spaced rows; release_looked afterwards, even when it failed. */
static smr_status look_at(smr_ctx *ctx, const smr_answered *a, struct looked *l)
{
    static const struct smr_columns_params as_they_are = {0};
    smr_status st = SMR_OK;
    int64_t t = a->target->n;
    *l = (struct looked){.left = 1};
    TRY(smr_schema_bind(ctx, a->schema, &as_they_are, a->table, &l->binding));
    l->d = l->binding.data.n_features;
    int64_t most = (int64_t)(LOOKED_AT / (double)SMR_MAX(1, l->d));
    l->n = SMR_MIN(a->n, SMR_MIN(MOST_ROWS, SMR_MAX(LEAST_ROWS, most)));
    TRY_NEW(l->rows, l->n);
    TRY_NEW(l->figure, l->d + 1);
    if (a->label) TRY_NEW(l->label, l->n);
    if (!a->label) TRY_NEW(l->y, l->n * t);
    for (int64_t k = 0; k < l->n; k++) {
        int64_t i = (int64_t)((double)k * ((double)a->n / (double)l->n));
        l->rows[k] = a->rows ? a->rows[i] : i;
        int64_t at = a->by_row ? l->rows[k] : i;
        if (l->label) l->label[k] = a->label[at];
        if (l->y) memcpy(l->y + k * t, a->y + at * t, (size_t)t * sizeof *l->y);
    }
    l->binding.data.rows = l->rows;
    l->binding.data.n_rows = l->n;
out:
    return st;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static double product(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Takes the mean off; missing values become 0. */
static void centre(int64_t n, double *x)
{
    double sum = 0;
    int64_t there = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i])) {
            sum += x[i];
            there++;
        }
    double mean = there ? sum / (double)there : 0;
    for (int64_t i = 0; i < n; i++) x[i] = isfinite(x[i]) ? x[i] - mean : 0;
}

/* x loses its part along the unit vector u. */
static void project_out(int64_t n, const double *u, double *x)
{
    double c = product(n, u, x);
    for (int64_t i = 0; i < n; i++) x[i] -= c * u[i];
}

/* The column that would take most of y; -1: none has anything left.  whole[j] is the square of
 * column j as it was. */
static int64_t next_step(const struct looked *l, const double *x, const double *whole,
                         const double *y)
{
    int64_t best = -1;
    double most = 0;
    for (int64_t j = 0; j < l->d; j++) {
        const double *xj = x + j * l->n;
        double own = product(l->n, xj, xj), c = product(l->n, xj, y);
        if (!(own > 1e-9 * whole[j])) continue;
        if (c * c / own > most) {
            most = c * c / own;
            best = j;
        }
    }
    return best;
}

static smr_status find_terms(smr_ctx *ctx, const smr_answered *a, struct looked *l)
{
    smr_status st = SMR_OK;
    double *x = NULL, *y = NULL, *whole = NULL;
    int64_t n = l->n, t = a->target->n;
    TRY_NEW(x, l->d * n + 1);
    TRY_NEW(whole, l->d + 1);
    TRY_NEW(y, n);
    for (int64_t j = 0; j < l->d; j++) {
        if (l->binding.data.features[j].kind != SMR_NUMBER) continue; /* stays 0 */
        TRY(smr_data_column(ctx, &l->binding.data, j, x + j * n));
        centre(n, x + j * n);
        whole[j] = product(n, x + j * n, x + j * n);
    }
    for (int64_t i = 0; i < n; i++) y[i] = l->y[i * t];
    centre(n, y);
    double all = product(n, y, y);
    while (l->n_steps < MOST_STEPS && all > 0 && l->left > LEFT) {
        int64_t j = next_step(l, x, whole, y);
        if (j < 0) break;
        double *u = x + j * n, length = sqrt(product(n, u, u));
        for (int64_t i = 0; i < n; i++) u[i] /= length;
        project_out(n, u, y);
        for (int64_t k = 0; k < l->d; k++)
            if (k != j) project_out(n, u, x + k * n);
        memset(u, 0, (size_t)n * sizeof *u);
        l->step[l->n_steps++] = j;
        l->left = product(n, y, y) / all;
    }
out:
    smr_free(x);
    smr_free(y);
    smr_free(whole);
    return st;
}

/* ---- classes ----------------------------------------------------------------------------- */

/* The columns that stand out; none where half of them are strong: easy classes. */
static smr_status find_outstanding(smr_ctx *ctx, const smr_answered *a, struct looked *l)
{
    smr_status st = SMR_OK;
    int64_t strong = 0;
    double most = 0;
    TRY(smr_column_figures(ctx, a->target, &l->binding.data, l->label, NULL, l->figure));
    for (int64_t j = 0; j < l->d; j++) {
        strong += l->figure[j] >= STRONG;
        most = smr_fmax(most, l->figure[j]);
    }
    if (most < STANDS_OUT || 2 * strong >= l->d) goto out;
    while (l->n_steps < SMR_MIN(strong, MOST_SHOWN)) {
        int64_t best = -1;
        for (int64_t j = 0; j < l->d; j++)
            if (l->figure[j] >= STRONG && (best < 0 || l->figure[j] > l->figure[best])) best = j;
        l->step[l->n_steps++] = best;
        l->figure[best] = NAN;
    }
out:
    return st;
}

/* ---- reporting --------------------------------------------------------------------------- */

static void write_names(const struct looked *l, int64_t most, bool plain, smr_text *out)
{
    int64_t n = SMR_MIN(l->n_steps, most);
    for (int64_t k = 0; k < n; k++) {
        const char *name = l->binding.data.features[l->step[k]].name;
        const char *between = plain ? "," : k + 1 < n ? ", " : " and ";
        smr_text_printf(out, plain ? "%s%s" : "%s'%s'", k ? between : "", name);
    }
}

static smr_status tell_good(smr_ctx *ctx, const smr_answered *a, const struct looked *l,
                            double left, int64_t n, smr_json *advice)
{
    smr_text names = {.ctx = ctx}, plain = {.ctx = ctx};
    smr_status st = SMR_OK;
    bool given = !a->label && l->left <= LEFT, one = l->n_steps == 1;
    int64_t shown = given ? MOST_STEPS : MOST_SHOWN;
    const char *first = l->n_steps ? l->binding.data.features[l->step[0]].name : NULL;
    write_names(l, shown, false, &names);
    write_names(l, shown, true, &plain);
    TRY(smr_text_done(&names));
    TRY(smr_text_done(&plain));
    smr_text head = {.ctx = ctx};
    if (a->label)
        smr_text_printf(&head, "none of %lld rows that were not fitted was misclassified",
                        (long long)n);
    else
        smr_text_printf(&head, "r2 is %s on %lld rows that were not fitted",
                        left > 1e-12 ? "above 0.999" : "1", (long long)n);
    st = smr_text_done(&head);
    if (st == SMR_OK && given)
        smr_advise(ctx, advice, "too_good", one ? first : NULL,
                   "%s, which is too good unless the columns hold the answer: %s%s give%s '%s' "
                   "almost exactly%s; leave out columns that are not known before the answer is: "
                   "--ignore %s",
                   head.bytes, names.bytes, one ? " alone" : " together", one ? "s" : "",
                   a->target->names[0], one ? "" : ", as a weighted sum", plain.bytes);
    else if (st == SMR_OK && first)
        smr_advise(ctx, advice, "too_good", one ? first : NULL,
                   "%s, which is too good unless a column, or a sum of columns, holds the answer: "
                   "look at %s first; leave out columns that are not known before the answer is: "
                   "--ignore %s",
                   head.bytes, names.bytes, plain.bytes);
    else if (st == SMR_OK && !a->label)
        smr_advise(ctx, advice, "too_good", NULL,
                   "%s, which is too good unless a column, or a sum of columns, holds the answer; "
                   "leave out, with --ignore, columns that are not known before the answer is",
                   head.bytes);
    smr_text_release(&head);
out:
    smr_text_release(&names);
    smr_text_release(&plain);
    return st;
}

smr_status smr_advise_too_good(smr_ctx *ctx, const smr_answered *a, double left, int64_t n,
                               smr_json *advice)
{
    struct looked l = {.left = 1};
    smr_status st = SMR_OK;
    bool good = a->label ? left == 0 : left < LEFT;
    if (!good || n < LEAST_MEASURED || smr_advised(advice, "leakage")) return SMR_OK;
    bool searched = !a->schema->n_sparse && a->schema->n_inputs <= MOST_COLUMNS;
    if (searched) {
        TRY(look_at(ctx, a, &l));
        if (l.d <= MOST_COLUMNS)
            TRY(a->label ? find_outstanding(ctx, a, &l) : find_terms(ctx, a, &l));
    }
    TRY(tell_good(ctx, a, &l, left, n, advice));
out:
    release_looked(&l);
    return st;
}

smr_status smr_advise_set_too_good(smr_ctx *ctx, const smr_train_set *set, double left, int64_t n,
                                   smr_json *advice)
{
    smr_answered a = {.schema = &set->schema,
                      .target = &set->target,
                      .table = set->table,
                      .rows = set->usable,
                      .n = set->n_rows,
                      .label = set->label,
                      .y = set->y,
                      .by_row = true};
    return smr_task_of(set->target.task)->needs_target
               ? smr_advise_too_good(ctx, &a, left, n, advice)
               : SMR_OK;
}

double smr_left_by(const smr_measure *measure, double value, const smr_train_set *set)
{
    double mean = 0, squares = 0, n = (double)set->n_rows;
    int64_t t = set->target.n;
    if (!smr_task_of(set->target.task)->needs_target) return NAN;
    if (measure->higher_is_better) return 1 - value;
    if (value == 0 || set->label) return value;
    for (int64_t i = 0; i < set->n_rows; i++) mean += set->y[smr_train_set_row(set, i) * t] / n;
    for (int64_t i = 0; i < set->n_rows; i++) {
        double e = set->y[smr_train_set_row(set, i) * t] - mean;
        squares += e * e / n;
    }
    if (t > 1 || !(squares > 0)) return NAN;
    if (strcmp(measure->name, "mse") == 0) return value / squares;
    if (strcmp(measure->name, "rmse") == 0) return value * value / squares;
    return NAN;
}

/* ---- order of time ----------------------------------------------------------------------- */

/* Do the dates of the usable rows go one way, up or down, nearly always? */
static bool lies_in_order(const smr_train_set *set, const smr_column *c)
{
    int64_t up = 0, down = 0, same = 0;
    double last = NAN;
    for (int64_t i = 0; i < set->n_rows; i++) {
        double x = smr_column_number(c, smr_train_set_row(set, i));
        if (isnan(x)) continue;
        up += x > last;
        down += x < last;
        same += x == last;
        last = x;
    }
    double steps = (double)(up + down + same);
    return SMR_MAX(up, down) >= LEAST_DATES && steps >= 0.9 * (double)(set->n_rows - 1) &&
           (double)SMR_MIN(up, down) <= (1 - IN_ORDER) * steps;
}

void smr_advise_order(smr_ctx *ctx, const smr_train_set *set, const char *instead, smr_json *advice)
{
    if (set->group || set->n_rows < LEAST_MEASURED) return;
    for (int64_t j = 0; j < set->table->n_cols; j++) {
        const smr_column *c = &set->table->cols[j];
        if (c->kind != SMR_DATE || !lies_in_order(set, c)) continue;
        smr_advise(
            ctx, advice, "time_order", c->name,
            "the rows seem to be in time order by '%s', and shuffled parts measure on rows between "
            "the fitted ones: to measure how well later rows are predicted, use %s %s",
            c->name, instead, c->name);
        return;
    }
}
