/* pinball.c -- the pinball loss of every level: one measure for each hundredth, and for thousandths
 * near 0 and 1.  The level that a name says is 0. before its digits: pinball_05 is 0.05,
 * pinball_995 is 0.995.  The levels that smr_measures lists are among the others there. */
#include "metric/metric.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LEVEL(digits_, level_)                                                   \
    {                                                                            \
        "pinball_" digits_, "Pinball loss at 0." digits_,                        \
            "mean of q (y - f), or (q - 1) (y - f) where y < f, q = 0." digits_, \
            "Least for the quantile 0." digits_ " of the target.",               \
            .task = SMR_TASK_REGRESS, .on_request = true,                        \
            .regress = offsetof(smr_regress_row, above), .level = level_         \
    }
#define HUNDREDTH(a_, b_) LEVEL(#a_ #b_, 0.##a_##b_)
#define THOUSANDTH(a_, b_, c_) LEVEL(#a_ #b_ #c_, 0.##a_##b_##c_)
#define TO_FIVE(a_) \
    HUNDREDTH(a_, 1), HUNDREDTH(a_, 2), HUNDREDTH(a_, 3), HUNDREDTH(a_, 4), HUNDREDTH(a_, 5)
#define TO_NINE(a_) HUNDREDTH(a_, 6), HUNDREDTH(a_, 7), HUNDREDTH(a_, 8), HUNDREDTH(a_, 9)
#define TEN(a_) HUNDREDTH(a_, 0), TO_FIVE(a_), TO_NINE(a_)
#define NINE(a_, b_)                                                                            \
    THOUSANDTH(a_, b_, 1), THOUSANDTH(a_, b_, 2), THOUSANDTH(a_, b_, 3), THOUSANDTH(a_, b_, 4), \
        THOUSANDTH(a_, b_, 5), THOUSANDTH(a_, b_, 6), THOUSANDTH(a_, b_, 7),                    \
        THOUSANDTH(a_, b_, 8), THOUSANDTH(a_, b_, 9)

static const smr_measure levels[] = {
    TO_FIVE(0), TO_NINE(0), TEN(1), TEN(2), TEN(3),     TEN(4),     TEN(5),
    TEN(6),     TEN(7),     TEN(8), TEN(9), NINE(0, 0), NINE(9, 9),
};

const smr_measure *smr_pinball_find(const char *name)
{
    for (int64_t i = 0; i < SMR_COUNT(levels); i++)
        if (strcmp(levels[i].name, name) == 0) return &levels[i];
    return NULL;
}

const char *smr_pinball_at(double q)
{
    int64_t best = 0;
    for (int64_t i = 1; i < SMR_COUNT(levels); i++)
        if (fabs(levels[i].level - q) < fabs(levels[best].level - q)) best = i;
    return levels[best].name;
}
