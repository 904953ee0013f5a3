/* balance.h -- class_weight=balanced: classes that weigh the same. */
#ifndef SMR_LEARN_BALANCE_H
#define SMR_LEARN_BALANCE_H

#include "data/data.h"

/* factor (n_classes) = W / (classes present * W_c), by which the weights of a class's rows are
 * multiplied: then each class weighs the same, and all together weigh as much as before.  0 for a
 * class without weight. */
void smr_class_balance(const smr_data *data, double *factor);

#endif
