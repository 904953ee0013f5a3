/* normal_tile.h -- logarithms of densities become densities over the largest of their row, in tiles
 * of rows and row by row.  What includes this asks gcc for no-trapping-math. */
#ifndef SMR_KERNEL_TIER_NORMAL_TILE_H
#define SMR_KERNEL_TIER_NORMAL_TILE_H

#include "kernel/tier/elementary.h"
#include "kernel/tier/transpose.h"
#include "kernel/tier/wide.h"

#include <math.h>

enum { L = LANES_f64, BLOCK = 64, MANY = 512, ROOM = SMR_NORMALS_MOST + BLOCK };
/* Tiles: rows are lanes, so that states need no padding; of few states, which fit the cache. */
enum { VECTORS = 4, TILE = VECTORS * L, DEEP = 64, FEW = 64 };
static const double FAINT = -700; /* e^-700 is 1e-304 */

/* Where x is below FAINT nothing is left, without a number that is subnormal on the way. */
static void exp_all(int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i += BLOCK) {
        double y[BLOCK];
        for (int l = 0; l < BLOCK; l++) y[l] = exp_of_negative(x[i + l] < FAINT ? FAINT : x[i + l]);
        for (int l = 0; l < BLOCK; l++) x[i + l] = x[i + l] < FAINT ? 0 : y[l];
    }
}

/* ---- tiles ------------------------------------------------------------------------------ */

/* d numbers of a tile's rows, each of all rows. */
INLINE void turn_rows(int64_t d, const double *X, int64_t ldx, double *x)
{
    for (int64_t r = 0; r < TILE; r += L)
        for (int64_t j = 0; j < d; j += L) {
            int count = d - j < L ? (int)(d - j) : L;
            vec_f64 v[L];
            UNROLL
            for (int i = 0; i < L; i++) {
                const double *from = X + (r + i) * ldx + j;
                __builtin_prefetch(from + TILE * ldx); /* the next tile's */
                v[i] = load_some_f64(from, count == L, count);
            }
            transpose(v);
            for (int i = 0; i < count; i++) store_f64(x + (j + i) * TILE + r, v[i]);
        }
}

/* Rows of states from states of rows; what comes after the states is `pad`. */
static void turn_states(int64_t states, int64_t width, double pad, double *logs, double *out)
{
    for (int64_t i = states * TILE; i < width * TILE; i++) logs[i] = pad;
    for (int64_t r = 0; r < TILE; r += L)
        for (int64_t j = 0; j < width; j += L) {
            vec_f64 v[L];
            UNROLL
            for (int i = 0; i < L; i++) v[i] = load_f64(logs + (j + i) * TILE + r);
            transpose(v);
            UNROLL
            for (int i = 0; i < L; i++) store_f64(out + (r + i) * width + j, v[i]);
        }
}

/* Logarithms less the largest of their row, which is top. */
INLINE void hold_tile(int64_t states, double *logs, double *top)
{
    for (int64_t r = 0; r < TILE; r += L) {
        vec_f64 most = load_f64(logs + r);
        for (int64_t j = 1; j < states; j++) most = larger(load_f64(logs + j * TILE + r), most);
        for (int64_t j = 0; j < states; j++)
            store_f64(logs + j * TILE + r, load_f64(logs + j * TILE + r) - most);
        store_f64(top + r, most);
    }
    for (int64_t r = 0; r < TILE; r++)
        for (int64_t j = 0; !(top[r] > -INFINITY) && j < states; j++) logs[j * TILE + r] = 0;
}

/* The same of a tile, whose logarithms are states of rows. */
INLINE void finish_tile(int64_t states, int64_t width, double *logs, double *out, double *top)
{
    hold_tile(states, logs, top);
    for (int64_t i = states * TILE; i % BLOCK; i++) logs[i] = 0;
    exp_all(states * TILE, logs);
    turn_states(states, width, 0, logs, out);
}

/* ---- rows one by one -------------------------------------------------------------------- */

/* The lanes whose number in `keep` is -1; 0 for others. */
INLINE wide masked(wide a, const int64_t keep[WIDE])
{
    UNROLL
    for (int v = 0; v < PARTS; v++) {
        bits_f64 mask;
        memcpy(&mask, keep + v * L, sizeof mask);
        a.part[v] = select_f64(mask, a.part[v], zero_f64());
    }
    return a;
}

/* A row less its largest, to `held`: what comes after its states is free. */
INLINE double hold_row(int64_t states, int64_t width, const double *row, double *held)
{
    wide most = load_wide(row);
    for (int64_t j = WIDE; j < width; j += WIDE) most = larger_wide(load_wide(row + j), most);
    double high = fold_largest(most);
    wide all = splat_wide(high);
    for (int64_t j = 0; j < width; j += WIDE) store_wide(held + j, less(load_wide(row + j), all));
    for (int64_t j = 0; !(high > -INFINITY) && j < states; j++) held[j] = 0;
    return high;
}

/* The logarithms of n rows become numbers of which the largest is 1; some rows at a time, without
 * their padding, so that exp computes nothing in vain. */
static void finish_rows(int64_t n, int64_t states, int64_t width, double *out, double *top)
{
    double held[ROOM] = {0};
    int64_t last = (states - 1) / WIDE * WIDE, most = states < MANY ? MANY / states : 1;
    int64_t keep[WIDE];
    for (int64_t l = 0; l < WIDE; l++) keep[l] = last + l < states ? -1 : 0;
    for (int64_t r = 0; r < n; r += most) {
        int64_t rows = n - r < most ? n - r : most;
        for (int64_t i = 0; i < rows; i++)
            top[r + i] = hold_row(states, width, out + i * width, held + i * states);
        exp_all(rows * states, held);
        for (int64_t i = 0; i < rows; i++, out += width) {
            const double *from = held + i * states;
            for (int64_t j = 0; j < last; j += WIDE) store_wide(out + j, load_wide(from + j));
            store_wide(out + last, masked(load_wide(from + last), keep));
        }
    }
}

#endif
