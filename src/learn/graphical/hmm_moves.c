/* hmm_moves.c -- which states may follow which, and which a path can come to. */
#include "learn/graphical/hmm.h"

#include "core/try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void smr_hmm_state_name(const smr_strings *classes, int64_t j, char *name, size_t room)
{
    int64_t length = 0;
    const char *text = classes ? smr_strings_get(classes, j, &length) : NULL;
    if (text)
        snprintf(name, room, "%.*s", (int)SMR_MIN(length, (int64_t)room - 1), text);
    else
        snprintf(name, room, "%lld", (long long)j);
}

/* The state that a text of this length names: a class, or a number from 0; -1: none. */
static int64_t find_state(const smr_strings *classes, int64_t n, const char *text, size_t length)
{
    for (int64_t j = 0; j < n; j++) {
        char name[256];
        smr_hmm_state_name(classes, j, name, sizeof name);
        if (strlen(name) == length && memcmp(name, text, length) == 0) return j;
    }
    return -1;
}

static smr_status refuse(smr_ctx *ctx, const char *text, size_t length, const smr_strings *classes,
                         int64_t n)
{
    char first[64], last[64];
    smr_hmm_state_name(classes, 0, first, sizeof first);
    smr_hmm_state_name(classes, n - 1, last, sizeof last);
    return smr_fail(
        ctx, SMR_ERR_PARAM,
        "hmm: allow has '%.*s'; it lists moves from>to of states, %s to %s, with commas "
        "between",
        (int)SMR_MIN(length, (size_t)80), text, first, last);
}

/* "a>a,a>b,b>b" */
static smr_status read_moves(smr_ctx *ctx, const char *text, const smr_strings *classes, int64_t n,
                             bool *allowed)
{
    while (*text) {
        while (*text == ' ') text++;
        size_t length = strcspn(text, ",");
        const char *sign = memchr(text, '>', length);
        if (!sign) return refuse(ctx, text, length, classes, n);
        size_t from_length = (size_t)(sign - text), to_length = length - from_length - 1;
        int64_t from = find_state(classes, n, text, from_length);
        int64_t to = find_state(classes, n, sign + 1, to_length);
        if (from < 0 || to < 0) return refuse(ctx, text, length, classes, n);
        allowed[from * n + to] = true;
        text += length;
        if (*text == ',') text++;
    }
    return SMR_OK;
}

smr_status smr_hmm_allow(smr_ctx *ctx, const struct smr_hmm_params *p, const smr_strings *classes,
                         int64_t n, bool *allowed, bool *begins)
{
    bool in_order = p->moves == SMR_HMM_FORWARD || p->moves == SMR_HMM_STEP;
    for (int64_t i = 0; i < n; i++) {
        begins[i] = !in_order || i == 0;
        for (int64_t j = 0; j < n; j++)
            allowed[i * n + j] = (p->moves == SMR_HMM_ANY && !p->allow) ||
                                 (p->moves == SMR_HMM_FORWARD && j >= i) ||
                                 (p->moves == SMR_HMM_STEP && (j == i || j == i + 1)) ||
                                 (p->moves == SMR_HMM_CYCLE && (j == i || j == (i + 1) % n));
    }
    if (!p->allow) return SMR_OK;
    return read_moves(ctx, p->allow, classes, n, allowed);
}

void smr_hmm_reach(int64_t n, const double *start, const double *move, bool *reached)
{
    bool more = true;
    for (int64_t j = 0; j < n; j++) reached[j] = start[j] > 0;
    while (more) {
        more = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; reached[i] && j < n; j++)
                if (!reached[j] && move[i * n + j] > 0) reached[j] = more = true;
    }
}
