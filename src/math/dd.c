/* dd.c -- the logarithm with twice the digits (dd.h). */
#include "math/dd.h"

static const dd LOG_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

static dd dd_of(double x)
{
    return (dd){x, 0};
}

/* By the series of atanh: with s = (m-1)/(m+1), log m = 2 (s + s^3/3 + s^5/5 + ...), and
 * s^2 < 0.0295 for m in [1/sqrt 2, sqrt 2].  Terms from s^22 on need no second half. */
static dd log_near_one(double m)
{
    dd s = dd_over(dd_of(m - 1), dd_two_sum(m, 1));
    dd s2 = dd_times(s, s);
    double tail = 0;
    for (int k = 21; k >= 11; k--) tail = tail * s2.hi + 1.0 / (2 * k + 1);
    dd sum = dd_of(tail);
    for (int k = 10; k >= 0; k--)
        sum = dd_plus(dd_times(sum, s2), dd_over(dd_of(1), dd_of(2 * k + 1)));
    dd r = dd_times(s, sum);
    return (dd){2 * r.hi, 2 * r.lo};
}

dd smr_dd_log(dd a)
{
    int e;
    double m = frexp(a.hi, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    dd r = log_near_one(m);
    r = dd_plus(dd_times(LOG_2, dd_of(e)), r);
    double u = a.lo / a.hi; /* log(hi + lo) = log hi + u - u^2/2 */
    return dd_plus(r, dd_of(u - 0.5 * u * u));
}
