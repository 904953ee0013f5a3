/* net_loss.c -- what the answers to a batch cost: see net.h.
 *
 * The losses are those of math/loss.h, in doubles: one score for two classes, whose loss is then
 * the one of margins that the loss of classes is for two; one for each of more classes; numbers
 * have one each, and their losses are added. */
#include "learn/neural/net.h"

#include <math.h>

enum { BLOCK = 64, FEW = 8192, MOST = 64 };

struct judging {
    const struct smr_net_target *t;
    const struct smr_net_said *said;
    struct smr_net_sums *part;
    double *room; /* of a lane: 2 k */
};

static double get(smr_real real, const void *from, int64_t i)
{
    return real == SMR_REAL_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static void put(smr_real real, void *to, int64_t i, double x)
{
    if (real == SMR_REAL_F32)
        ((float *)to)[i] = (float)x;
    else
        ((double *)to)[i] = x;
}

/* Of two scores that tie the first counts, as in predictions. */
static bool is_wrong(const struct smr_net_target *t, int64_t row, const double *f)
{
    if (t->k == 1) return (f[0] > 0) != (t->label[row] == 1);
    int64_t best = 0;
    for (int64_t c = 1; c < t->k; c++) best = f[c] > f[best] ? c : best;
    return best != t->label[row];
}

static void judge_row(const struct judging *j, int64_t i, double *f, double *slope,
                      struct smr_net_sums *sums)
{
    const struct smr_net_target *t = j->t;
    const struct smr_net_said *said = j->said;
    int64_t row = said->number[i], k = t->k;
    if (row < 0) return;
    double weight = t->weight ? t->weight[row] : 1, value = 0, wrong = 0;
    for (int64_t c = 0; c < k; c++) f[c] = get(said->real, said->scores, i * k + c);
    if (t->loss->kind == SMR_LOSS_CLASSES) {
        smr_loss_classes(t->loss, 1, k, &t->label[row], f, &value, slope);
        wrong = is_wrong(t, row, f);
    } else if (t->label) {
        smr_loss_point at = smr_loss_at(t->loss, t->param, t->label[row] == 1 ? 1 : -1, f[0]);
        value = at.value;
        slope[0] = at.slope;
        wrong = is_wrong(t, row, f);
    } else {
        for (int64_t c = 0; c < k; c++) {
            double away = f[c] - t->y[row * k + c];
            smr_loss_point at = smr_loss_at(t->loss, t->param, t->y[row * k + c], f[c]);
            value += at.value;
            slope[c] = at.slope;
            wrong += away * away * t->scale[c] * t->scale[c];
        }
    }
    sums->loss += weight * value;
    sums->wrong += weight * wrong;
    sums->weight += weight;
    for (int64_t c = 0; said->slopes && c < k; c++)
        put(said->real, said->slopes, i * k + c, slope[c] * weight / said->rows);
}

static smr_status judge_block(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct judging *j = arg;
    double *room = j->room + lane * 2 * j->t->k;
    (void)ctx;
    for (int64_t i = task * BLOCK; i < smr_block_end(j->said->n, BLOCK, task); i++)
        judge_row(j, i, room, room + j->t->k, &j->part[task]);
    return SMR_OK;
}

smr_status smr_net_judge(smr_ctx *ctx, const struct smr_net_target *target,
                         const struct smr_net_said *said, struct smr_net_sums *sums)
{
    smr_status st = SMR_OK;
    int64_t blocks = smr_block_count(said->n, BLOCK);
    struct smr_net_sums few[16] = {{0}}, *many = NULL;
    double little[2 * MOST];
    struct judging j = {.t = target, .said = said, .part = few, .room = little};
    bool alone = said->n * target->k < FEW && target->k <= MOST && blocks <= SMR_COUNT(few);
    if (!alone) {
        TRY_NEW(many, blocks);
        TRY_NEW(j.room, (int64_t)smr_lanes(ctx) * 2 * target->k);
        j.part = many;
        TRY(smr_parallel(ctx, NULL, blocks, judge_block, &j));
    }
    for (int64_t b = 0; alone && b < blocks; b++) (void)judge_block(ctx, &j, b, 0);
    for (int64_t b = 0; b < blocks; b++) {
        sums->loss += j.part[b].loss;
        sums->wrong += j.part[b].wrong;
        sums->weight += j.part[b].weight;
    }
out:
    if (j.room != little) smr_free(j.room);
    smr_free(many);
    return st;
}

double smr_net_error(const struct smr_net_target *target, const struct smr_net_sums *sums)
{
    if (!(sums->weight > 0)) return NAN;
    double mean = sums->wrong / sums->weight;
    return target->label ? mean : sqrt(mean / (double)target->k);
}
