/* pack.inl -- panels of real numbers.  The including file binds  real,  PANEL,  PACK,
 * PACK_COLUMNS  and  PACK_SOME. */
void PACK(int64_t n, int64_t k, const real *B, int64_t ldb, void *panels)
{
    real *to = panels;
    for (int64_t first = 0; first < n; first += PANEL) {
        int64_t width = n - first < PANEL ? n - first : PANEL;
        for (int64_t k0 = 0; k0 < k; k0 += STRIP) {
            int64_t n_steps = k - k0 < STRIP ? k - k0 : STRIP;
            if (width < PANEL) memset(to, 0, (size_t)(n_steps * PANEL) * sizeof(real));
            for (int64_t j = 0; j < width; j++) {
                const real *from = B + (first + j) * ldb + k0;
                for (int64_t i = 0; i < n_steps; i++) to[i * PANEL + j] = from[i];
            }
            to += n_steps * PANEL;
        }
    }
}

/* Columns may lie pages apart: of each, as many rows as fill `count` panels are taken at once. */
static inline __attribute__((always_inline)) void PACK_SOME(const int count, int64_t k,
                                                            const real *restrict from, int64_t ldb,
                                                            real sign, real *restrict to)
{
    for (int64_t t = 0; t < k; t++, from += ldb)
        for (int p = 0; p < count; p++)
            for (int j = 0; j < PANEL; j++)
                to[(p * k + t) * PANEL + j] = sign * from[p * PANEL + j];
}

void PACK_COLUMNS(int64_t n, int64_t k, const real *B, int64_t ldb, real sign, void *panels)
{
    real *restrict to = panels;
    int64_t first = 0;
    for (; first + 4 * PANEL <= n; first += 4 * PANEL, to += 4 * PANEL * k)
        PACK_SOME(4, k, B + first, ldb, sign, to);
    for (; first + PANEL <= n; first += PANEL, to += PANEL * k)
        PACK_SOME(1, k, B + first, ldb, sign, to);
    if (first == n) return;
    const real *from = B + first;
    memset(to, 0, (size_t)(k * PANEL) * sizeof *to);
    for (int64_t t = 0; t < k; t++, from += ldb, to += PANEL)
        for (int64_t j = 0; j < n - first; j++) to[j] = sign * from[j];
}
