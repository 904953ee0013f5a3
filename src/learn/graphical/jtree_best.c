/* jtree_best.c -- the likeliest levels of all variables: messages of maxima through the tree.
 *
 *     mu_S = max over C \ S of psi_C, from the leaves to the root: psi_parent *= mu_S         (1)
 *
 * The root's largest cell then has the levels that it has in the likeliest combination, and each
 * clique below it the largest of its cells that agree with the clique above (Dawid, Statistics and
 * Computing 2 (1992)).  Messages are divided by their largest; of equal cells the first is
 * taken. */
#include "kernel/kernel.h"
#include "learn/graphical/jtree.h"

#include <math.h>
#include <string.h>

static const double TINY = 0x1p-256, LIFT = 0x1p512;

/* (1) from clique c; false: nothing is possible. */
static bool send_best(const smr_jtree *t, int64_t c, double *work, double *message)
{
    int64_t up = t->up[c], n = t->sep_at[c + 1] - t->sep_at[c];
    int64_t cells = t->cell_at[c + 1] - t->cell_at[c];
    int64_t above = t->cell_at[up + 1] - t->cell_at[up];
    const int32_t *own = t->own + t->cell_at[c], *over = t->over + t->over_at[c];
    const double *x = work + t->cell_at[c];
    double *to = work + t->cell_at[up], top = 0, most = 0;
    memset(message, 0, (size_t)n * sizeof *message);
    for (int64_t cell = 0; cell < cells; cell++)
        message[own[cell]] = smr_fmax(message[own[cell]], x[cell]);
    for (int64_t s = 0; s < n; s++) top = smr_fmax(top, message[s]);
    if (!(top > 0)) return false;
    for (int64_t s = 0; s < n; s++) message[s] /= top;
    for (int64_t cell = 0; cell < above; cell++) {
        to[cell] *= message[over[cell]];
        most = smr_fmax(most, to[cell]);
    }
    for (int64_t cell = 0; most < TINY && most > 0 && cell < above; cell++) to[cell] *= LIFT;
    return most > 0;
}

/* The largest cell of clique c among those of message `with` (-1: among all); -1: all are 0. */
static int64_t find_best(const smr_jtree *t, int64_t c, const double *work, int64_t with)
{
    int64_t cells = t->cell_at[c + 1] - t->cell_at[c], best = -1;
    const int32_t *own = t->own + t->cell_at[c];
    const double *x = work + t->cell_at[c];
    for (int64_t cell = 0; cell < cells; cell++)
        if ((with < 0 || own[cell] == with) && x[cell] > (best < 0 ? 0 : x[best])) best = cell;
    return best;
}

/* The levels that a clique's variables have in a cell. */
static void set_levels(const smr_jtree *t, int64_t c, int64_t cell, int32_t *level)
{
    for (int64_t v = t->var_at[c + 1] - 1; v >= t->var_at[c]; v--) {
        int64_t n = t->of->levels[t->var[v]];
        level[t->var[v]] = (int32_t)(cell % n);
        cell /= n;
    }
}

/* The cell of clique up[c] with the levels that were found. */
static int64_t cell_above(const smr_jtree *t, int64_t c, const int32_t *level)
{
    int64_t up = t->up[c], cell = 0;
    for (int64_t v = t->var_at[up]; v < t->var_at[up + 1]; v++)
        cell = cell * t->of->levels[t->var[v]] + level[t->var[v]];
    return cell;
}

bool smr_jtree_best(const smr_jtree *t, const int32_t *evidence, double *work, int32_t *level)
{
    int64_t last = t->n_cliques - 1;
    double *message = work + t->cell_at[t->n_cliques];
    smr_jtree_enter(t, evidence, work);
    for (int64_t c = 0; c < last; c++)
        if (!send_best(t, c, work, message + t->sep_at[c])) return false;
    for (int64_t c = last; c >= 0; c--) {
        int64_t with = c == last ? -1 : t->over[t->over_at[c] + cell_above(t, c, level)];
        int64_t best = find_best(t, c, work, with);
        if (best < 0) return false;
        set_levels(t, c, best, level);
    }
    return true;
}

double smr_tables_log_joint(const smr_tables *tables, const int32_t *level)
{
    const smr_dag *dag = &tables->dag;
    double sum = 0;
    for (int64_t i = 0; i < dag->n; i++) {
        int64_t row = 0;
        for (int64_t e = dag->start[i]; e < dag->start[i + 1]; e++)
            row = row * tables->levels[dag->parent[e]] + level[dag->parent[e]];
        sum += smr_log(tables->p[tables->at[i] + row * tables->levels[i] + level[i]]);
    }
    return sum;
}
