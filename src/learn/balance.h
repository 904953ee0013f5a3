/* balance.h -- class_weight=none|balanced, of every learner that has it. */
#ifndef SMR_LEARN_BALANCE_H
#define SMR_LEARN_BALANCE_H

#include "core/word.h"
#include "data/data.h"

enum { SMR_CLASS_WEIGHT_NONE, SMR_CLASS_WEIGHT_BALANCED };
extern const smr_choice smr_class_weights[];

/* factor (n_classes) = W / (classes present * W_c), by which the weights of a class's rows are
 * multiplied: then each class weighs the same, and all together weigh as much as before.  0 for a
 * class without weight. */
void smr_class_balance(const smr_data *data, double *factor);

#endif
