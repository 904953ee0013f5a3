/* pack.inl -- panels of real numbers.  The including file binds  real,  PANEL,  PACK  and
 * PACK_COLUMNS. */
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

void PACK_COLUMNS(int64_t n, int64_t k, const real *B, int64_t ldb, real sign, void *panels)
{
    real *restrict to = panels;
    for (int64_t first = 0; first < n; first += PANEL) {
        int64_t width = n - first < PANEL ? n - first : PANEL;
        const real *restrict from = B + first;
        for (int64_t t = 0; t < k && width == PANEL; t++, to += PANEL, from += ldb)
            for (int64_t j = 0; j < PANEL; j++) to[j] = sign * from[j];
        for (int64_t t = 0; t < k && width < PANEL; t++, to += PANEL, from += ldb)
            for (int64_t j = 0; j < PANEL; j++) to[j] = j < width ? sign * from[j] : 0;
    }
}
