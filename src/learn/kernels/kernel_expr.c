/* kernel_expr.c -- see kernel_expr.h: copies, text, and what an expression is.  Reading:
 * kernel_parse.c. */
#include "learn/kernels/kernel_expr.h"

#include "core/params.h"

#include <string.h>

/* ---- copies ----------------------------------------------------------------------------- */

void smr_kernel_free(smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++)
        if (k->node[i].op == SMR_KERNEL_WORD)
            smr_params_free(smr_kernel_word(k->node[i].kind), k->node[i].params);
    smr_free(k->node);
    smr_free(k->columns);
    *k = (smr_kernel){0};
}

static void release(void *at)
{
    smr_kernel_free(at);
}

static smr_status copy(smr_ctx *ctx, const void *from_, void *to_)
{
    const smr_kernel *from = from_;
    smr_kernel *to = to_;
    smr_status st = SMR_OK;
    TRY_NEW(to->node, from->n + 1);
    for (; to->n < from->n; to->n++) {
        const smr_kernel_node *node = &from->node[to->n];
        void *params = NULL;
        if (node->op == SMR_KERNEL_WORD)
            TRY(smr_params_copy(ctx, smr_kernel_word(node->kind), node->params, &params));
        to->node[to->n] = *node;
        to->node[to->n].params = params;
    }
    to->n_words = from->n_words;
    if (from->columns) to->columns = smr_strdup(ctx, from->columns);
    if (from->columns && !to->columns) st = SMR_ERR_NOMEM;
out:
    return st;
}

static int64_t count(const void *at)
{
    return ((const smr_kernel *)at)->n > 0;
}

static bool find(const void *at, int64_t i, smr_inner *out)
{
    const smr_kernel *k = at;
    for (int64_t j = 0; j < k->n; j++) {
        const smr_kernel_node *node = &k->node[j];
        if (node->op != SMR_KERNEL_WORD || node->leaf != i) continue;
        *out = (smr_inner){
            .word = smr_kernel_word(node->kind), .params = node->params, .place = i + 1};
        return true;
    }
    return false;
}

/* ---- text ------------------------------------------------------------------------------- */

enum { IN_SUM = 1, IN_PRODUCT = 2, IN_POWER = 3, ATOM = 4 }; /* how tightly it binds */

static int binds(const smr_kernel_node *node)
{
    switch (node->op) {
    case SMR_KERNEL_SUM: return IN_SUM;
    case SMR_KERNEL_PRODUCT: return IN_PRODUCT;
    case SMR_KERNEL_POWER: return IN_POWER;
    case SMR_KERNEL_WORD:
    case SMR_KERNEL_CONSTANT:
    case SMR_KERNEL_EXP:
    case SMR_KERNEL_SCALING: break;
    }
    return ATOM;
}

static bool is_binary(const smr_kernel_node *node)
{
    return node->op == SMR_KERNEL_SUM || node->op == SMR_KERNEL_PRODUCT;
}

int64_t smr_kernel_first(const smr_kernel *k, int64_t i)
{
    int64_t wanted = 1;
    for (;; i--) {
        const smr_kernel_node *node = &k->node[i];
        bool leaf = node->op == SMR_KERNEL_WORD || node->op == SMR_KERNEL_CONSTANT;
        wanted += is_binary(node) ? 1 : leaf ? -1 : 0;
        if (wanted == 0) return i;
    }
}

static void write_word(const smr_kernel_node *node, smr_text *out)
{
    const smr_word *word = smr_kernel_word(node->kind);
    int64_t shown = 0;
    smr_text_add(out, word->name);
    for (int64_t i = 0; i < word->n_params; i++) {
        const smr_param *p = &word->params[i];
        bool empty = p->type == SMR_PARAM_STRING && !**(char *const *)smr_param_in(p, node->params);
        if (empty || smr_param_is_left_out(word, node->params, p)) continue;
        smr_text_printf(out, "%s%s=", shown++ ? " " : "(", p->name);
        smr_param_write(p, node->params, out);
    }
    if (shown) smr_text_add(out, ")");
}

static void write_node(const smr_kernel *k, int64_t i, int least, smr_text *out);

/* K in the parentheses of a function. */
static void write_call(const smr_kernel *k, int64_t i, const char *name, smr_text *out)
{
    smr_text_printf(out, "%s(", name);
    write_node(k, i - 1, IN_SUM, out);
    smr_text_add(out, ")");
}

/* The part that ends with node i, in parentheses where it binds less than `least`. */
static void write_node(const smr_kernel *k, int64_t i, int least, smr_text *out)
{
    const smr_kernel_node *node = &k->node[i];
    int tight = binds(node);
    if (tight < least) smr_text_add(out, "(");
    switch (node->op) {
    case SMR_KERNEL_WORD: write_word(node, out); break;
    case SMR_KERNEL_CONSTANT: smr_text_number(out, node->number); break;
    case SMR_KERNEL_SUM:
    case SMR_KERNEL_PRODUCT:
        write_node(k, smr_kernel_first(k, i - 1) - 1, tight, out);
        smr_text_add(out, node->op == SMR_KERNEL_SUM ? " + " : "*");
        write_node(k, i - 1, tight + 1, out);
        break;
    case SMR_KERNEL_POWER:
        write_node(k, i - 1, ATOM, out);
        smr_text_printf(out, "^%lld", (long long)node->power);
        break;
    case SMR_KERNEL_EXP: write_call(k, i, "exp", out); break;
    case SMR_KERNEL_SCALING: write_call(k, i, smr_kernel_scaling_name(node->f), out); break;
    }
    if (tight < least) smr_text_add(out, ")");
}

void smr_kernel_write(const smr_kernel *k, smr_text *out)
{
    if (k->n > 0)
        write_node(k, k->n - 1, IN_SUM, out);
    else
        smr_text_add(out, "none");
}

/* Blanks around a + need parentheses in a sentence. */
static void write(const void *at, smr_text *out)
{
    const smr_kernel *k = at;
    bool sum = k->n > 0 && k->node[k->n - 1].op == SMR_KERNEL_SUM;
    if (sum) smr_text_add(out, "(");
    smr_kernel_write(k, out);
    if (sum) smr_text_add(out, ")");
}

static smr_status read(smr_ctx *ctx, const smr_word *word, const smr_param *p, const char *text,
                       bool saved, void *at)
{
    (void)word;
    if (p->least == 0 && strcmp(text, "none") == 0) {
        smr_kernel_free(at);
        return SMR_OK;
    }
    return smr_kernel_read_saved(ctx, text, saved, at);
}

static bool is(const void *at, const char *word, size_t n)
{
    const smr_kernel *k = at;
    if (k->n != 1 || k->node[0].op != SMR_KERNEL_WORD) return false;
    const char *name = smr_kernel_word(k->node[0].kind)->name;
    return strlen(name) == n && memcmp(name, word, n) == 0;
}

const smr_grammar smr_kernel_grammar = {
    .size = sizeof(smr_kernel),
    .read = read,
    .write = write,
    .copy = copy,
    .release = release,
    .count = count,
    .find = find,
    .is = is,
    .one = "a kernel, as rbf(gamma=0.1) + 2*linear",
    .several = "a kernel, as rbf(gamma=0.1) + 2*linear",
    .noun = "kernel",
    .example = "poly(2)",
    .expression = true,
};

/* ---- what it is ------------------------------------------------------------------------- */

bool smr_kernel_is_linear(const smr_kernel *k)
{
    return k->n == 1 && k->node[0].op == SMR_KERNEL_WORD && k->node[0].kind == SMR_KERNEL_LINEAR;
}

bool smr_kernel_has(const smr_kernel *k, smr_kernel_kind kind)
{
    for (int64_t i = 0; i < k->n; i++)
        if (k->node[i].op == SMR_KERNEL_WORD && k->node[i].kind == kind) return true;
    return false;
}

bool smr_kernel_is_of_text(smr_kernel_kind kind)
{
    return kind == SMR_KERNEL_SUBSEQUENCE || kind == SMR_KERNEL_SPECTRUM ||
           kind == SMR_KERNEL_WSPECTRUM;
}

bool smr_kernel_reads_texts(const smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++)
        if (k->node[i].op == SMR_KERNEL_WORD && smr_kernel_is_of_text(k->node[i].kind)) return true;
    return false;
}

bool smr_kernel_reads_numbers(const smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++)
        if (k->node[i].op == SMR_KERNEL_WORD && !smr_kernel_is_of_text(k->node[i].kind))
            return true;
    return false;
}

/* A polynomial with terms of a negative sign, and what nobody knows. */
bool smr_kernel_has_mercer_form(const smr_kernel *k)
{
    for (int64_t i = 0; i < k->n; i++) {
        const smr_kernel_node *node = &k->node[i];
        if (node->op == SMR_KERNEL_CONSTANT && node->number < 0) return false;
        if (node->op != SMR_KERNEL_WORD) continue;
        bool poly = node->kind == SMR_KERNEL_POLY || node->kind == SMR_KERNEL_QUADRATIC;
        if (node->kind == SMR_KERNEL_SIGMOID || node->kind == SMR_KERNEL_PRECOMPUTED) return false;
        if (poly && node->params->coef0 < 0) return false;
    }
    return true;
}

void smr_kernel_nature(const smr_kernel *k, smr_nature *its)
{
    if (smr_kernel_reads_texts(k))
        its->takes &= ~(unsigned)(SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE);
    else
        its->takes &= ~(unsigned)SMR_TAKES_TEXT;
    bool given = smr_kernel_has(k, SMR_KERNEL_PRECOMPUTED);
    if (!smr_kernel_reads_numbers(k) || given) its->traits &= ~(unsigned)SMR_SCALE_MATTERS;
    if (!given) its->traits &= ~(unsigned)SMR_FILLS_NO_GAPS;
}

const char *smr_kernel_texts(const smr_kernel *k)
{
    const char *one = "";
    if (!smr_kernel_reads_texts(k)) return NULL;
    if (k->columns) return k->columns;
    for (int64_t i = 0; i < k->n; i++) {
        const char *column = k->node[i].params ? k->node[i].params->column : NULL;
        if (column && *column) one = column;
    }
    return one;
}
