/* stochastic_round.c -- losses whose kinks are rounded, as stochastic_finish.h needs them. */
#include "kernel/kernel.h"
#include "learn/linear/stochastic_parts.h"

/* The kink nearest to the score f; false: there is none. */
static bool kink_of(const smr_loss *loss, double param, double y, double f, double *at,
                    double *reach)
{
    *reach = 1;
    switch (loss->id) {
    case SMR_LOSS_ABSOLUTE:
    case SMR_LOSS_QUANTILE: *at = y; return true;
    case SMR_LOSS_EPSILON:
        *at = f > y ? y + param : y - param;
        *reach = param;
        return true;
    case SMR_LOSS_HINGE: *at = y; return true;
    case SMR_LOSS_PERCEPTRON: *at = 0; return true;
    default: return false;
    }
}

/* The loss with its kink rounded over the width c; *exact: without. */
static double round_kink(const smr_loss *loss, double param, double y, double f, double c,
                         double *slope, double *exact)
{
    smr_loss_point p = smr_loss_at(loss, param, y, f);
    double at, reach;
    *exact = p.value;
    *slope = p.slope;
    if (!(c > 0) || !kink_of(loss, param, y, f, &at, &reach)) return p.value;
    double below = smr_loss_at(loss, param, y, at - 0.5 * reach).slope;
    double above = smr_loss_at(loss, param, y, at + 0.5 * reach).slope;
    if (f > at + c * above) {
        *slope = above;
        return p.value - c * above * above / 2;
    }
    if (f < at + c * below) {
        *slope = below;
        return p.value - c * below * below / 2;
    }
    *slope = (f - at) / c;
    return smr_loss_at(loss, param, y, at).value + (f - at) * (f - at) / (2 * c);
}

/* max(0, t) rounded. */
static double round_part(double t, double c, double *slope)
{
    *slope = t <= 0 ? 0 : t >= c ? 1 : t / c;
    return t <= 0 ? 0 : t >= c ? t - c / 2 : t * t / (2 * c);
}

/* hinge_sum: each part rounded; hinge_max: c log(mean exp(t / c)) over the classes. */
static double round_classes(const smr_loss *loss, int64_t q, int32_t label, const double *f,
                            double c, double *slope)
{
    double value = 0, top = 0, sum = 0;
    slope[label] = 0;
    if (loss->id == SMR_LOSS_HINGE_SUM) {
        for (int64_t k = 0; k < q; k++) {
            if (k == label) continue;
            value += round_part(1 + f[k] - f[label], c, &slope[k]);
            slope[label] -= slope[k];
        }
        return value;
    }
    for (int64_t k = 0; k < q; k++)
        if (k != label) top = smr_fmax(top, 1 + f[k] - f[label]);
    for (int64_t k = 0; k < q; k++)
        sum += slope[k] = smr_exp(((k == label ? 0 : 1 + f[k] - f[label]) - top) / c);
    for (int64_t k = 0; k < q; k++) slope[k] /= sum;
    slope[label] -= 1;
    return top + c * smr_log(sum / (double)q);
}

double smr_machine_rounded_loss(const struct machine *m, const smr_truths *t, int64_t i,
                                const double *f, double width, double *slope, double *exact)
{
    double value = 0;
    if (m->loss->is_smooth) return *exact = smr_machine_loss(m, t, i, f, true, slope);
    if (m->loss->kind == SMR_LOSS_CLASSES) {
        smr_loss_classes(m->loss, 1, m->q, &t->label[i], f, exact, slope);
        return width > 0 ? round_classes(m->loss, m->q, t->label[i], f, width, slope) : *exact;
    }
    *exact = 0;
    for (int64_t c = 0; c < m->q; c++) {
        double one;
        value += round_kink(m->loss, m->opts->param, smr_machine_target(m, t, i, c), f[c], width,
                            &slope[c], &one);
        *exact += one;
    }
    return value;
}
