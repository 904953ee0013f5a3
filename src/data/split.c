/* split.c -- see split.h.
 *
 * Every split first gives each row its part and then gathers the parts (gather_parts), so that
 * rows ascend and each is taken once.
 *
 * Folds with strata deal like cards: rows, shuffled, are laid out class after class, and the row
 * at place i goes to part i mod k.  A class's rows lie side by side, so each part gets its share
 * of the class to within one row, and the dealing goes on where the last class stopped, so the
 * parts' sizes differ by at most one too.
 *
 * A holdout rounds class by class: each part gets the whole part of its share, and the rows left
 * over go to the parts that are furthest behind over all classes so far (one each), so that no
 * cell is off by a whole row and the roundings do not add up. */
#include "data/split.h"

#include "core/rng.h"
#include "core/sort.h"
#include "core/text.h"
#include "data/split_groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void smr_parts_release(smr_parts *parts)
{
    smr_free(parts->start);
    smr_free(parts->rows);
    *parts = (smr_parts){0};
}

int64_t smr_parts_without(const smr_parts *parts, int64_t p, int64_t *out)
{
    int64_t n = 0, next = parts->start[p], end = parts->start[p + 1];
    if (parts->by_time) {
        n = parts->n_rows - end;
        memcpy(out, parts->rows, (size_t)next * sizeof *out);
        memcpy(out + next, parts->rows + end, (size_t)n * sizeof *out);
        return next + n;
    }
    for (int64_t row = 0; row < parts->n_rows; row++) {
        if (next < end && parts->rows[next] == row)
            next++;
        else
            out[n++] = row;
    }
    return n;
}

int64_t smr_parts_before(const smr_parts *parts, int64_t p, int64_t *out)
{
    int64_t n = parts->start[p];
    memcpy(out, parts->rows, (size_t)n * sizeof *out);
    return n;
}

/* ---- shared --------------------------------------------------------------------------- */

static smr_status check_rows(smr_ctx *ctx, const smr_split_rows *of, int64_t n_parts)
{
    if (of->n < 1) return smr_fail(ctx, SMR_ERR_DATA, "there are no rows to split");
    if (n_parts < 2)
        return smr_fail(ctx, SMR_ERR_PARAM, "a split needs at least 2 parts, not %" PRId64,
                        n_parts);
    if (of->n == 1) return smr_fail(ctx, SMR_ERR_DATA, "one row cannot be divided into parts");
    if (n_parts > of->n)
        return smr_fail(ctx, SMR_ERR_DATA,
                        "%" PRId64 " parts cannot be made of %" PRId64
                        " rows; ask for at most %" PRId64,
                        n_parts, of->n, of->n);
    for (int64_t i = 0; of->label && i < of->n; i++)
        if (of->label[i] < 0 || of->label[i] >= of->n_classes)
            return smr_fail(ctx, SMR_ERR_DATA,
                            "row %" PRId64 " has class %d, and classes run from 0 to %" PRId64, i,
                            (int)of->label[i], of->n_classes - 1);
    return SMR_OK;
}

/* parts from part[row], by counting. */
static smr_status gather_parts(smr_ctx *ctx, int64_t n, const int64_t *part, int64_t n_parts,
                               smr_parts *out)
{
    smr_status st = SMR_OK;
    int64_t *next = NULL;
    *out = (smr_parts){.n_rows = n, .n_parts = n_parts};
    TRY_NEW(out->start, n_parts + 1);
    TRY_NEW(out->rows, n);
    TRY_NEW(next, n_parts);
    for (int64_t i = 0; i < n; i++) out->start[part[i] + 1]++;
    for (int64_t p = 0; p < n_parts; p++) {
        out->start[p + 1] += out->start[p];
        next[p] = out->start[p];
    }
    for (int64_t i = 0; i < n; i++) out->rows[next[part[i]]++] = i;
out:
    smr_free(next);
    if (st != SMR_OK) smr_parts_release(out);
    return st;
}

/* order = the rows, shuffled unless in_order, then stably laid out class after class. */
static smr_status lay_out(smr_ctx *ctx, const smr_split_rows *of, int64_t *order)
{
    smr_status st = SMR_OK;
    int64_t *shuffled = NULL, *next = NULL;
    if (of->in_order)
        for (int64_t i = 0; i < of->n; i++) order[i] = i;
    else
        smr_random_permutation(of->seed, SMR_STREAM_SPLIT, (uint64_t)of->repetition, of->n, order);
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    if (!of->label) return SMR_OK;

    TRY_NEW(shuffled, of->n);
    TRY_NEW(next, of->n_classes + 1);
    memcpy(shuffled, order, (size_t)of->n * sizeof *order);
    for (int64_t i = 0; i < of->n; i++) next[of->label[i] + 1]++;
    for (int64_t k = 0; k < of->n_classes; k++) next[k + 1] += next[k];
    for (int64_t i = 0; i < of->n; i++) order[next[of->label[shuffled[i]]]++] = shuffled[i];
out:
    smr_free(next);
    smr_free(shuffled);
    return st;
}

/* count[k] = rows of class k; one class when there are no labels. */
static smr_status count_classes(smr_ctx *ctx, const smr_split_rows *of, int64_t **count,
                                int64_t *n_classes)
{
    *n_classes = of->label ? of->n_classes : 1;
    *count = smr_alloc(ctx, *n_classes, sizeof **count);
    if (!*count) return SMR_ERR_NOMEM;
    for (int64_t i = 0; i < of->n; i++) (*count)[of->label ? of->label[i] : 0]++;
    return SMR_OK;
}

/* ---- folds ---------------------------------------------------------------------------- */

static smr_status warn_of_rare_classes(smr_ctx *ctx, const smr_split_rows *of, int64_t k)
{
    enum { SHOWN = 5 };
    int64_t *count = NULL, n_classes, rare = 0;
    smr_status st = count_classes(ctx, of, &count, &n_classes);
    for (int64_t c = 0; st == SMR_OK && of->label && c < n_classes; c++)
        rare += count[c] > 0 && count[c] < k;
    if (rare > SHOWN)
        smr_warn(ctx,
                 "%" PRId64 " of %" PRId64 " classes have fewer rows than there are folds (%" PRId64
                 "): some folds have none of them; use fewer folds",
                 rare, n_classes, k);
    for (int64_t c = 0; st == SMR_OK && of->label && c < n_classes && rare <= SHOWN; c++) {
        char number[32];
        int64_t length = snprintf(number, sizeof number, "%" PRId64, c);
        const char *name = of->classes ? smr_strings_get(of->classes, c, &length) : number;
        const char *quote = of->classes ? "'" : "";
        if (count[c] > 0 && count[c] < k)
            smr_warn(ctx,
                     "class %s%.*s%s has %" PRId64 " row%s for %" PRId64
                     " folds: some folds have none of it; use fewer folds",
                     quote, (int)length, name, quote, count[c], smr_plural(count[c], "", "s"), k);
    }
    smr_free(count);
    return st;
}

smr_status smr_split_folds(smr_ctx *ctx, const smr_split_rows *of, int64_t k, smr_parts *out)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, *part = NULL;

    *out = (smr_parts){0};
    TRY(check_rows(ctx, of, k));
    TRY(warn_of_rare_classes(ctx, of, k));
    TRY_NEW(part, of->n);
    if (of->group) {
        TRY(smr_assign_groups(ctx, of, NULL, k, part));
    } else if (of->in_order && !of->label) {
        /* blocks of n/k rows, the first n mod k of them one longer */
        int64_t size = of->n / k, longer = of->n % k;
        for (int64_t i = 0; i < of->n; i++)
            part[i] = i < longer * (size + 1) ? i / (size + 1)
                                              : longer + (i - longer * (size + 1)) / size;
    } else {
        TRY_NEW(order, of->n);
        TRY(lay_out(ctx, of, order));
        for (int64_t i = 0; i < of->n; i++) part[order[i]] = i % k;
    }
    TRY(gather_parts(ctx, of->n, part, k, out));
out:
    smr_free(part);
    smr_free(order);
    return st;
}

/* ---- holdout -------------------------------------------------------------------------- */

static smr_status check_fractions(smr_ctx *ctx, const double *fractions, int64_t n)
{
    double sum = 0;
    for (int64_t f = 0; f < n; f++) {
        if (!(fractions[f] > 0 && fractions[f] < 1))
            return smr_fail(ctx, SMR_ERR_PARAM,
                            "part %" PRId64 " of the split is not a fraction between 0 and 1",
                            f + 1);
        sum += fractions[f];
    }
    if (!(sum < 1))
        return smr_fail(
            ctx, SMR_ERR_PARAM,
            "the fractions held out leave no rows to train on; their sum must be below 1");
    return SMR_OK;
}

/* cell[p] = rows of this class for part p.  behind[p] = exact share less rows given, over the
 * classes so far. */
static void share_class(int64_t count, const double *fraction, int64_t n_parts, double *behind,
                        int64_t *cell)
{
    int64_t left = count;
    for (int64_t p = 0; p < n_parts; p++) {
        double share = fraction[p] * (double)count;
        cell[p] = (int64_t)floor(share + 1e-9 * (double)count * fraction[p]); /* 0.3 * 10 is 3 */
        if (cell[p] > left) cell[p] = left;
        left -= cell[p];
        behind[p] += share - (double)cell[p];
    }
    for (; left > 0;
         left--) { /* one each, to the parts furthest behind whose share has a fraction */
        int64_t best = -1;
        for (int64_t p = 0; p < n_parts; p++)
            if ((double)cell[p] < fraction[p] * (double)count &&
                (best < 0 || behind[p] > behind[best] + 1e-12))
                best = p;
        if (best < 0) best = 0; /* fractions that sum to 1 by rounding only */
        cell[best]++;
        behind[best] -= 1;
    }
}

/* A part that rounding left empty gets a row of the largest cell of the largest part. */
static void fill_empty_parts(int64_t n_classes, int64_t n_parts, int64_t *cells)
{
    for (int64_t p = 0; p < n_parts; p++) {
        int64_t most = 0, best = 0, best_size = -1, size = 0;
        for (int64_t c = 0; c < n_classes; c++) size += cells[c * n_parts + p];
        if (size > 0) continue;
        for (int64_t q = 0; q < n_parts; q++) {
            int64_t of_q = 0;
            for (int64_t c = 0; c < n_classes; c++) of_q += cells[c * n_parts + q];
            if (of_q > best_size) {
                best = q;
                best_size = of_q;
            }
        }
        for (int64_t c = 1; c < n_classes; c++)
            if (cells[c * n_parts + best] > cells[most * n_parts + best]) most = c;
        cells[most * n_parts + best]--;
        cells[most * n_parts + p]++;
    }
}

static smr_status assign_shares(smr_ctx *ctx, const smr_split_rows *of, const double *fraction,
                                int64_t n_parts, int64_t *part)
{
    smr_status st = SMR_OK;
    int64_t *order = NULL, *count = NULL, *cells = NULL, n_classes;
    double *behind = NULL;

    TRY(count_classes(ctx, of, &count, &n_classes));
    TRY_NEW(order, of->n);
    TRY_NEW(cells, n_classes * n_parts);
    TRY_NEW(behind, n_parts);
    TRY(lay_out(ctx, of, order));
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
    for (int64_t c = 0; c < n_classes; c++)
        share_class(count[c], fraction, n_parts, behind, cells + c * n_parts);
    fill_empty_parts(n_classes, n_parts, cells);
    int64_t place = 0;
    for (int64_t cell = 0; cell < n_classes * n_parts; cell++)
        for (int64_t r = 0; r < cells[cell]; r++) part[order[place++]] = cell % n_parts;
    TRY(smr_tick(ctx, NULL, 0, 1, NAN));
out:
    smr_free(behind);
    smr_free(cells);
    smr_free(order);
    smr_free(count);
    return st;
}

smr_status smr_split_holdout(smr_ctx *ctx, const smr_split_rows *of, const double *fractions,
                             int64_t n_fractions, smr_parts *out)
{
    smr_status st = SMR_OK;
    int64_t *part = NULL, n_parts = n_fractions + 1;
    double *fraction = NULL;

    *out = (smr_parts){0};
    TRY(check_fractions(ctx, fractions, n_fractions));
    TRY(check_rows(ctx, of, n_parts));
    TRY_NEW(part, of->n);
    TRY_NEW(fraction, n_parts);
    fraction[0] = 1;
    for (int64_t p = 1; p < n_parts; p++) {
        fraction[p] = fractions[p - 1];
        fraction[0] -= fraction[p];
    }
    if (of->group)
        TRY(smr_assign_groups(ctx, of, fraction, n_parts, part));
    else
        TRY(assign_shares(ctx, of, fraction, n_parts, part));
    TRY(gather_parts(ctx, of->n, part, n_parts, out));
out:
    smr_free(fraction);
    smr_free(part);
    return st;
}

/* ---- one out, time -------------------------------------------------------------------- */

smr_status smr_split_each(smr_ctx *ctx, const smr_split_rows *of, smr_parts *out)
{
    smr_status st = SMR_OK;
    int64_t *part = NULL, n_parts = of->n;
    *out = (smr_parts){0};
    TRY_NEW(part, of->n);
    for (int64_t i = 0; i < of->n; i++) part[i] = i;
    if (of->group) TRY(smr_number_groups(ctx, of->n, of->group, part, &n_parts));
    if (of->group && n_parts < 2) {
        st =
            smr_fail(ctx, SMR_ERR_DATA, "all rows are in one group; leaving it out leaves no rows");
        goto out;
    }
    TRY(check_rows(ctx, of, n_parts));
    TRY(gather_parts(ctx, of->n, part, n_parts, out));
out:
    smr_free(part);
    return st;
}

/* Moves the blocks' ends to where one time ends and the next begins, the nearest place that leaves
 * every block a time: rows of one moment are not both past and future. */
static smr_status cut_between_times(smr_ctx *ctx, const double *time, smr_parts *parts)
{
    smr_status st = SMR_OK;
    const int64_t *rows = parts->rows;
    int64_t *first = NULL, n_times = 0, at = 0; /* the first row of each time */
    TRY_NEW(first, parts->n_rows);
    for (int64_t i = 0; i < parts->n_rows; i++)
        if (i == 0 || time[rows[i]] != time[rows[i - 1]]) first[n_times++] = i;
    if (n_times < parts->n_parts)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%" PRId64 " blocks in order of time cannot be made of %" PRId64
                     " different times; ask for at most %" PRId64,
                     parts->n_parts, n_times, n_times));
    for (int64_t p = 1; p < parts->n_parts; p++) {
        int64_t wanted = parts->start[p], last = n_times - (parts->n_parts - p);
        for (at++; at < last && first[at + 1] - wanted < wanted - first[at]; at++) continue;
        parts->start[p] = first[at];
    }
out:
    smr_free(first);
    return st;
}

/* Rows by time, cut at out->start, or between the times next to these cuts. */
static smr_status order_by_time(smr_ctx *ctx, const smr_split_rows *of, smr_parts *out)
{
    smr_status st = SMR_OK;
    for (int64_t i = 0; of->time && i < of->n; i++)
        if (isnan(of->time[i]))
            TRY(smr_fail(ctx, SMR_ERR_DATA, "row %" PRId64 " has no time to order it by", i));
    TRY_NEW(out->rows, of->n);
    for (int64_t i = 0; i < of->n; i++) out->rows[i] = i;
    if (of->time) TRY(smr_argsort_f64(ctx, of->n, of->time, out->rows));
    if (of->time) TRY(cut_between_times(ctx, of->time, out));
out:
    return st;
}

smr_status smr_split_time(smr_ctx *ctx, const smr_split_rows *of, int64_t n_parts, smr_parts *out)
{
    smr_status st = SMR_OK;
    *out = (smr_parts){.n_rows = of->n, .n_parts = n_parts, .by_time = true};
    TRY(check_rows(ctx, of, n_parts));
    TRY_NEW(out->start, n_parts + 1);
    int64_t size = of->n / n_parts, longer = of->n % n_parts;
    for (int64_t p = 0; p < n_parts; p++) out->start[p + 1] = out->start[p] + size + (p < longer);
    TRY(order_by_time(ctx, of, out));
out:
    if (st != SMR_OK) smr_parts_release(out);
    return st;
}

smr_status smr_split_holdout_time(smr_ctx *ctx, const smr_split_rows *of, const double *fractions,
                                  int64_t n_fractions, smr_parts *out)
{
    smr_status st = SMR_OK;
    int64_t n_parts = n_fractions + 1;
    *out = (smr_parts){.n_rows = of->n, .n_parts = n_parts, .by_time = true};
    TRY(check_rows(ctx, of, n_parts));
    TRY(check_fractions(ctx, fractions, n_fractions));
    TRY_NEW(out->start, n_parts + 1);
    out->start[n_parts] = of->n;
    for (int64_t p = n_parts - 1; p > 0; p--) { /* from the latest rows on, none without rows */
        int64_t size = (int64_t)floor(fractions[p - 1] * (double)of->n + 0.5);
        int64_t most = out->start[p + 1] - p;
        out->start[p] = out->start[p + 1] - SMR_MAX(1, SMR_MIN(size, most));
    }
    TRY(order_by_time(ctx, of, out));
out:
    if (st != SMR_OK) smr_parts_release(out);
    return st;
}
