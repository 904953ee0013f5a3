/* panel.h -- QR of a matrix that lies in a cache, by one thread: what larger factorisations
 * are made of.
 *
 * V has the matrix in columns of a length `ld` that is a multiple of 8, from an address that is a
 * multiple of 64.  It becomes the reflectors' vectors with their ones and zeros; R leaves it. */
#ifndef SMR_MATH_PANEL_H
#define SMR_MATH_PANEL_H

#include "math/product.h"

enum { SMR_PANEL_STEP = 16 };

typedef struct smr_panel {
    smr_ctx *ctx;     /* asked about cancelling, the only way to fail; or NULL                 */
    int64_t m, n, ld; /* n columns of m rows                                                   */
    double *V;
    double *R; /* min(m, n) x n: entries on and above the diagonal are written                 */
    int64_t ldr;
    double *tau;  /* min(m, n)                                                                */
    int64_t step; /* columns whose reflectors make one triangle                               */
    double *T;    /* step x min(m, n): the triangle of columns j0 .. j0 + step - 1 is there,
                    * entry (i, j) at T[i - j0 + j * step]                                     */
    bool keeps;   /* all triangles are wanted, even where the work does not need them         */
    double *work; /* smr_panel_work(n, step) numbers                                          */
} smr_panel;

int64_t smr_panel_work(int64_t n, int64_t step);
smr_status smr_panel_factor(const smr_panel *p);
/* C (m x k) = Q' C; p->work has smr_panel_work(k, step) numbers. */
smr_status smr_panel_project(const smr_panel *p, int64_t k, double *C, int64_t ldc);
/* C = the first `rows` rows, n <= rows <= m, of Q Z, where Z has n rows and k <= n columns; it is
 * not in C.  p->work has smr_panel_form_work numbers. */
int64_t smr_panel_form_work(int64_t n, int64_t step);
smr_status smr_panel_form(const smr_panel *p, int64_t rows, int64_t k, smr_grid Z, double *C,
                          int64_t ldc);

#endif
