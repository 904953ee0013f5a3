/* window.h -- windows that move over pictures: what conv, deconv and the pools have in common.
 *
 * Windows of `size` begin at -pad and lie `stride` apart.  Where they do not reach the last rows or
 * columns, and these are more than padding, that is a mistake, unless round says what is meant:
 *
 *     exact   (h + 2 pad - size) / stride + 1, of which only padding may be left over          (1)
 *     down    the same; what is left over is not seen                                          (2)
 *     up      one window more, part of which lies outside                                  (3) */
#ifndef SMR_NN_LAYERS_WINDOW_H
#define SMR_NN_LAYERS_WINDOW_H

#include "nn/layer.h"

enum { SMR_ROUND_EXACT, SMR_ROUND_DOWN, SMR_ROUND_UP };

extern const smr_choice smr_window_rounds[];

/* Height and width of each. */
typedef struct smr_window {
    int64_t size[2], stride[2], pad[2];
    int round;
} smr_window;

/* One value is for both directions; a list that is empty is `unset`. */
void smr_window_pair(const smr_reals *from, int64_t unset, int64_t to[2]);
/* Has the list no more than height and width? */
smr_status smr_window_check(smr_ctx *ctx, const char *layer, const char *name,
                            const smr_reals *list);
/* How many windows there are in each direction, into out->h and out->w. */
smr_status smr_window_over(smr_ctx *ctx, const smr_window *window, smr_nn_item in,
                           smr_nn_item *out);

#endif
