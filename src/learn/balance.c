/* balance.c -- see balance.h. */
#include "learn/balance.h"

const smr_choice smr_class_weights[] = {
    {"none", "row weights are used as they are"},
    {"balanced", "all classes get the same total weight: row weights times W / (classes W_c)"},
    {NULL, NULL},
};

void smr_class_balance(const smr_data *data, double *factor)
{
    double total = 0, present = 0;
    for (int64_t c = 0; c < data->n_classes; c++) factor[c] = 0;
    for (int64_t i = 0; i < data->n_rows; i++) factor[data->label[i]] += smr_data_weight(data, i);
    for (int64_t c = 0; c < data->n_classes; c++) {
        total += factor[c];
        present += factor[c] > 0;
    }
    for (int64_t c = 0; c < data->n_classes; c++)
        factor[c] = factor[c] > 0 ? total / (present * factor[c]) : 0;
}
