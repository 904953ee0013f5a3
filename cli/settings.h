/* settings.h -- key=value words, as generators take them. */
#ifndef SMR_CLI_SETTINGS_H
#define SMR_CLI_SETTINGS_H

#include "args.h"
#include "data/generate.h"

typedef struct setting_words {
    smr_setting list[MAX_WORDS];
    char *keys[MAX_WORDS]; /* owned */
    int64_t n;
} setting_words;

/* The words from number `first` on; one that is no key=value is an error. */
smr_status settings_read(smr_ctx *ctx, const args *a, int first, setting_words *out);
void settings_release(setting_words *settings);

#endif
