/* Cuts of a list: every tier gives the sums of the plain form, and scores that are near enough. */
#include "numbers.h"

#include <math.h>

enum { CLASSES = SMR_CUT_CLASSES };

struct list {
    int64_t m, n, least;
    uint32_t *entry;
    int32_t total[CLASSES];
};

/* Codes fall by 1 now and then; of n - m rows more the classes are in `total` alone. */
static struct list list_new(int64_t m, int64_t more, int64_t least, int classes)
{
    struct list l = {.m = m, .n = m + more, .least = least};
    double *u = numbers_f64(2 * (l.n + 1), m + 7 * more + classes);
    l.entry = calloc((size_t)(m + SMR_CUT_SPARE), sizeof *l.entry);
    uint32_t code = 255;
    for (int64_t i = 0; i < l.n; i++) {
        uint32_t class = (uint32_t)(fabs(u[2 * i]) * 1000) % (uint32_t)classes;
        l.total[class]++;
        if (i >= m) continue;
        l.entry[i] = code << 24 | (uint32_t)i << 8 | class;
        code -= code > 1 && (uint32_t)(fabs(u[2 * i + 1]) * 1000) % 3 == 0;
    }
    free(u);
    return l;
}

static void check_cuts(const struct list *l, float most, const smr_cuts *cuts)
{
    int64_t right[CLASSES] = {0};
    double best = 0;
    for (int64_t i = 0; i < l->m; i++) {
        int64_t first = 0, second = 0, dot = 0;
        double second_n = (double)(i + 1), first_n = (double)(l->n - i - 1);
        right[l->entry[i] & 255]++;
        for (int c = 0; c < CLASSES; c++) {
            second += right[c] * right[c];
            first += (l->total[c] - right[c]) * (l->total[c] - right[c]);
            dot += right[c] * l->total[c];
        }
        assert_int_equal(cuts->square[i], second);
        assert_int_equal(cuts->dot[i], dot);
        uint32_t next = i + 1 < l->m ? l->entry[i + 1] >> 24 : 0;
        bool is = next != l->entry[i] >> 24 && i + 1 >= l->least && l->n - i - 1 >= l->least;
        double want = is ? (double)first / first_n + (double)second / second_n : 0;
        assert_true(fabs((double)cuts->score[i] - want) <= 1e-6 * want);
        best = fmax(best, (double)cuts->score[i]);
    }
    assert_true((double)most == best);
}

static void cuts_are_judged_alike_on_every_tier(void **state)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 15, 16, 17, 33, 100, 517, 32767};
    static const int64_t more[] = {0, 1, 40};
    (void)state;
    for (size_t a = 0; a < sizeof lengths / sizeof *lengths; a++) {
        for (size_t b = 0; b < 3; b++) {
            int64_t rest = lengths[a] == SMR_CUT_ROWS ? 0 : more[b];
            struct list l = list_new(lengths[a], rest, b == 2 ? 5 : 1, a % 2 ? 10 : CLASSES);
            size_t room = (size_t)(l.m + SMR_CUT_SPARE);
            on_every_tier({
                smr_cuts cuts = {calloc(room, 4), calloc(room, 4), calloc(room, 4)};
                float most = smr_gini_cuts(l.m, l.entry, l.n, l.least, l.total, &cuts);
                check_cuts(&l, most, &cuts);
                free(cuts.score), free(cuts.square), free(cuts.dot);
            });
            free(l.entry);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_judged_alike_on_every_tier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
