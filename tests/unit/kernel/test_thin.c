/* Cuts of a node of small weight: every tier finds the cut of the plain form, from a histogram and
 * from the cells of few rows. */
#include "numbers.h"

#include "kernel/ref.h"

enum { CELLS = 256, CLASSES = SMR_THIN_CLASSES };

struct node {
    smr_thin thin;
    double total[CLASSES], score;
};

static struct node node_of(const uint32_t *counts, double least)
{
    struct node node = {.thin = {.least = least}};
    for (int i = 0; i < CELLS * CLASSES; i++) node.total[i % CLASSES] += counts[i];
    for (int c = 0; c < CLASSES; c++) {
        int32_t t = (int32_t)node.total[c];
        node.thin.total[c] = (int16_t)t;
        node.thin.weight += t;
        node.thin.squares += t * t;
    }
    assert_true(node.thin.weight > 0 && node.thin.weight <= SMR_THIN_WEIGHT);
    node.score = (double)node.thin.squares / node.thin.weight;
    return node;
}

/* Marks of the cells that have something, and the list that they become on every tier. */
static int64_t list_cells(const uint32_t *counts, uint8_t *cell)
{
    int64_t n = 0, m = 0;
    uint8_t marks[CELLS], again[CELLS];
    for (int b = 0; b < CELLS; b++) {
        marks[b] = 0;
        for (int c = 0; c < CLASSES; c++) marks[b] |= counts[b * CLASSES + c] > 0;
        m += marks[b];
    }
    on_every_tier({
        memcpy(again, marks, sizeof again);
        n = smr_thin_list(CELLS, again, cell);
        assert_int_equal(n, m);
        for (int64_t k = 0; k < n; k++) {
            assert_true(marks[cell[k]]);
            assert_true(k == 0 || cell[k] > cell[k - 1]);
        }
        for (int k = 0; k < SMR_THIN_SPARE; k++) assert_int_equal(cell[n + k], cell[n - 1]);
        for (int b = 0; b < CELLS; b++) assert_int_equal(again[b], 0);
    });
    return n;
}

static void narrow_sweeps_find_the_plain_cut(void **unused)
{
    (void)unused;
    static uint32_t counts[CELLS * CLASSES], again[CELLS * CLASSES];
    static uint16_t narrow[CELLS * CLASSES];
    for (uint64_t trial = 0; trial < 300; trial++) {
        uint64_t keep = 1 + hash64(trial) % 40, most = trial % 7 ? 5 : 60, classes = 2 + trial % 15;
        uint8_t cell[CELLS + SMR_THIN_SPARE];
        memset(counts, 0, sizeof counts);
        counts[hash64(trial + 5) % (CELLS - 1) * CLASSES] = 1;
        for (uint64_t b = 0; b < CELLS; b++)
            for (uint64_t c = 0; c < classes && hash64(b + 1000 * trial) % 40 < keep; c++) {
                uint64_t h = hash64(b * 16 + c + (trial << 20));
                if (h % 4 == 0) counts[b * CLASSES + c] = (uint32_t)(1 + (h >> 8) % most);
            }
        struct node node = node_of(counts, trial % 3 ? 1 : 7);
        int64_t n = list_cells(counts, cell);
        double want = node.score - 1;
        memcpy(again, counts, sizeof again);
        int64_t found =
            smr_ref_gini_sweep(n, cell, again, CLASSES, node.total, node.thin.least, &want);
        for (int from = 0; from < 2; from++) /* of all cuts; of none that is better */
            on_every_tier({
                double best = from ? want : node.score - 1;
                for (int i = 0; i < CELLS * CLASSES; i++) narrow[i] = (uint16_t)counts[i];
                int64_t got = smr_thin_sweep(&node.thin, n, cell, narrow, &best);
                assert_int_equal(got, from ? -1 : found);
                check_same_f64("score", (int64_t)trial, best, want);
                for (int i = 0; i < CELLS * CLASSES; i++) assert_int_equal(narrow[i], 0);
            });
    }
}

/* Rows in few different cells, so that some share one; of any number up to the most. */
static void few_rows_are_cut_as_their_histogram_is(void **unused)
{
    (void)unused;
    static uint32_t counts[CELLS * CLASSES], again[CELLS * CLASSES];
    for (uint64_t trial = 0; trial < 2000; trial++) {
        int64_t n = 2 + (int64_t)(trial % (SMR_THIN_FEW - 1));
        uint64_t wide = trial % 5 ? 1 + hash64(trial) % 20 : 254, classes = 1 + trial % CLASSES;
        uint64_t most = trial % 7 ? 3 : 2000;
        uint8_t column[64], cell[CELLS + SMR_THIN_SPARE];
        uint32_t id[SMR_THIN_FEW];
        uint16_t row[SMR_THIN_FEW][CLASSES] = {{0}};
        memset(counts, 0, sizeof counts);
        for (uint64_t i = 0; i < 64; i++) column[i] = (uint8_t)(hash64(i + (trial << 9)) % wide);
        for (uint64_t i = 0; i < SMR_THIN_FEW; i++) {
            id[i] = i < (uint64_t)n ? (uint32_t)(4 * i + hash64(i + trial) % 4) : id[0];
            if (i >= (uint64_t)n) continue;
            uint64_t h = hash64(i + (trial << 7));
            row[i][h % classes] = (uint16_t)(1 + (h >> 8) % most);
            counts[column[id[i]] * CLASSES + h % classes] += row[i][h % classes];
        }
        struct node node = node_of(counts, trial % 3 ? 1 : 4);
        int64_t n_cells = list_cells(counts, cell);
        double want = node.score - 1;
        memcpy(again, counts, sizeof again);
        int64_t found =
            smr_ref_gini_sweep(n_cells, cell, again, CLASSES, node.total, node.thin.least, &want);
        on_every_tier({
            double best = node.score - 1;
            uint8_t cut[2] = {0};
            int64_t got = smr_thin_few(&node.thin, n, column, id, (const uint16_t(*)[CLASSES])row,
                                       cut, &best);
            check_same_f64("score", (int64_t)trial, best, want);
            if (n_cells == 1) assert_int_equal(got, -2);
            if (n_cells > 1 && found < 0) assert_int_equal(got, -1);
            if (n_cells > 1 && found >= 0) {
                assert_true(got >= 0);
                assert_int_equal(cut[0], cell[found]);
                assert_int_equal(cut[1], cell[found + 1]);
            }
        });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_sweeps_find_the_plain_cut),
        cmocka_unit_test(few_rows_are_cut_as_their_histogram_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
