/* belief_show.h -- answers of `samara belief` in the terminal. */
#ifndef SMR_CLI_BELIEF_SHOW_H
#define SMR_CLI_BELIEF_SHOW_H

#include "core/json.h"

void belief_show_query(const smr_json *root, int64_t most, smr_text *out);
void belief_show_likeliest(const smr_json *root, int64_t most, smr_text *out);
void belief_show_separated(const smr_json *root, int64_t most, smr_text *out);

#endif
