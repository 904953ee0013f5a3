/* characters.c -- a network that reads a text character by character, and then writes one.
 *
 *     characters TEXT UNITS STEPS EPOCHS SAMPLE
 *
 * Each row of a table is a character, its target the one that follows; the whole text is one
 * sequence.  The network is embed | lstm | out: what the units remember of the characters so far
 * tells which one comes next.  A twentieth of the text, at its end, is kept apart. */
#include <samara.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 26 };

struct text {
    unsigned char *byte;
    int64_t n;
    int code[256], n_symbols; /* of each byte: 0, 1, 2 ... in the order of the bytes */
    unsigned char symbol[256];
};

static int read_text(const char *path, struct text *t)
{
    FILE *file = fopen(path, "rb");
    int there[256] = {0};
    if (!file) return 0;
    t->byte = malloc(MOST);
    t->n = t->byte ? (int64_t)fread(t->byte, 1, MOST, file) : 0;
    fclose(file);
    for (int64_t i = 0; i < t->n; i++) there[t->byte[i]] = 1;
    for (int c = 0; c < 256; c++)
        if (there[c]) {
            t->code[c] = t->n_symbols;
            t->symbol[t->n_symbols++] = (unsigned char)c;
        }
    return t->n > 100;
}

/* Characters lo .. lo + n - 1, each with the one after it, as a table of one sequence. */
static smr_status table_of(smr_ctx *ctx, const struct text *t, int64_t lo, int64_t n,
                           smr_table **out)
{
    int64_t *now = malloc((size_t)n * 8), *next = malloc((size_t)n * 8);
    int64_t *text = calloc((size_t)n, 8);
    smr_status st = now && next && text ? smr_table_create(ctx, n, out) : SMR_ERR_NOMEM;
    for (int64_t i = 0; st == SMR_OK && i < n; i++) {
        now[i] = t->code[t->byte[lo + i]];
        next[i] = t->code[t->byte[lo + i + 1 < t->n ? lo + i + 1 : 0]];
    }
    if (st == SMR_OK) st = smr_table_add_i64(ctx, *out, "text", text, NULL);
    if (st == SMR_OK) st = smr_table_add_i64(ctx, *out, "now", now, NULL);
    if (st == SMR_OK) st = smr_table_add_i64(ctx, *out, "next", next, NULL);
    free(now);
    free(next);
    free(text);
    return st;
}

/* The mean of -log p(the next character), for characters lo .. lo + n - 1. */
static double surprise(smr_ctx *ctx, const smr_model *m, const struct text *t, int64_t lo,
                       int64_t n)
{
    int64_t k = smr_model_n_classes(m);
    double *p = malloc((size_t)(n * k) * sizeof *p), sum = 0;
    smr_table *table = NULL;
    if (p && table_of(ctx, t, lo, n, &table) == SMR_OK &&
        smr_predict(ctx, m, table, SMR_OUTPUT_PROBA, p) == SMR_OK)
        for (int64_t i = 0; i + 1 < n; i++) sum -= log(p[i * k + t->code[t->byte[lo + i + 1]]]);
    smr_table_free(table);
    free(p);
    return sum / (double)(n - 1);
}

/* Draws characters one after the other, from what the network says after the last `seen`. */
static smr_status write_on(smr_ctx *ctx, const smr_model *m, const struct text *t, int64_t seen,
                           int64_t length)
{
    struct text own = *t;
    int64_t k = smr_model_n_classes(m);
    double *p = malloc((size_t)(seen * k) * sizeof *p);
    uint64_t random = 88172645463325252u;
    smr_status st = SMR_OK;
    own.byte = malloc((size_t)length + 2);
    own.byte[0] = '\n';
    for (own.n = 1; st == SMR_OK && own.n <= length; own.n++) {
        int64_t n = own.n < seen ? own.n : seen, c = 0;
        smr_table *table = NULL;
        st = table_of(ctx, &own, own.n - n, n, &table);
        if (st == SMR_OK) st = smr_predict(ctx, m, table, SMR_OUTPUT_PROBA, p);
        smr_table_free(table);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        double u = (double)(random >> 11) * 0x1p-53;
        while (c < k - 1 && u > p[(n - 1) * k + c]) u -= p[(n - 1) * k + c++];
        own.byte[own.n] = t->symbol[c];
    }
    fwrite(own.byte + 1, 1, (size_t)length, stdout);
    putchar('\n');
    free(own.byte);
    free(p);
    return st;
}

int main(int argc, char **argv)
{
    smr_ctx *ctx = NULL;
    smr_table *table = NULL;
    smr_model *model = NULL;
    struct text text = {0};
    char sentence[200];
    smr_train_opts opts = {
        .size = sizeof opts, .target = "next", .task = SMR_TASK_CLASSIFY, .sequence = "text"};
    if (argc != 6 || !read_text(argv[1], &text)) {
        fprintf(stderr, "usage: characters TEXT UNITS STEPS EPOCHS SAMPLE\n");
        return 2;
    }
    int64_t held = text.n / 20, n = text.n - held;
    snprintf(sentence, sizeof sentence,
             "net (embed %d %s | lstm %s) steps=%s batch=32 epochs=%s tol=0 rate=0.003 clip=1 "
             "schedule=cosine",
             text.n_symbols, argv[2], argv[2], argv[3], argv[4]);
    printf("%lld characters, %d of them different\n%s\n", (long long)text.n, text.n_symbols,
           sentence);
    smr_status st = smr_ctx_create(NULL, &ctx);
    if (st == SMR_OK) st = table_of(ctx, &text, 0, n, &table);
    if (st == SMR_OK) st = smr_train(ctx, sentence, table, &opts, &model);
    if (st == SMR_OK) {
        int64_t seen = n < 100000 ? n : 100000;
        printf("nats a character: %.3f of those it was trained on, %.3f of those after them\n\n",
               surprise(ctx, model, &text, 0, seen), surprise(ctx, model, &text, n, held));
        st = write_on(ctx, model, &text, 4 * atol(argv[3]), atol(argv[5]));
    }
    if (st != SMR_OK) fprintf(stderr, "characters: %s\n", smr_ctx_message(ctx));
    smr_model_free(model);
    smr_table_free(table);
    smr_ctx_destroy(ctx);
    free(text.byte);
    return st != SMR_OK;
}
