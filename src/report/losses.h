/* losses.h -- the losses of math/loss.h, described and drawn. */
#ifndef SMR_REPORT_LOSSES_H
#define SMR_REPORT_LOSSES_H

#include "math/loss.h"

/* Adds "losses" (one object each: name, title, formula, kind, parameter, convex, smooth) and, to
 * `figures`, one figure of all losses of the residual and one of all of the margin. */
smr_status smr_report_losses(smr_ctx *ctx, smr_json *into, smr_json *figures);

/* Adds one object to the array `losses`: what the loss is, and "points": value, slope and curvature
 * at some residuals, margins or scores; and the loss's figure to `figures`.  A loss of classes is
 * shown for two of them, against how far the true class's score lies above the other's.  Fails when
 * the parameter is outside its interval. */
smr_status smr_report_loss(smr_ctx *ctx, const smr_loss *loss, double param, smr_json *losses,
                           smr_json *figures);

#endif
