/* kernel_expr.h -- kernels in a sentence: kernel="2*rbf(gamma=0.1) + poly(degree=2)*linear".
 *
 *     expression := term (('+' | '-') term)*
 *     term       := factor ('*' factor)*
 *     factor     := atom ['^' whole number]
 *     atom       := number | word ['(' settings ')'] | name '(' expression ')' | '(' expression ')'
 *
 * A word is a kernel with parameters of its own (kernel_words.c); a name is exp or one of the
 * scalings, f(x) K(x, x') f(x').  A number c is the constant kernel c, so that c*K and K + c need
 * no rule of their own; a - b is a + -1*b.  Sums, products and exp of kernels, c >= 0 times a
 * kernel, and scalings are kernels again (Mercer); a difference need not be one.
 *
 * In a sentence an expression without blanks needs no quotes; others are quoted or in
 * parentheses. */
#ifndef SMR_LEARN_KERNELS_KERNEL_EXPR_H
#define SMR_LEARN_KERNELS_KERNEL_EXPR_H

#include "core/word.h"
#include "learn/learner.h"

/* The parameters of all kernels; a word reads some of them. */
struct smr_kernel_params {
    double gamma; /* or, below 0, one of SMR_GAMMA_*: found in the training data */
    double coef0; /* r */
    int64_t degree;
    int64_t length, k; /* symbols of a subsequence, of the longest words; of a word */
    int64_t mismatch;
    double decay;
    bool normal;  /* strings: divided by sqrt(K(x,x) K(x',x')) */
    char *column; /* strings: the text; "": the only one there is */
};

/* gamma that is a word, as its parameter holds it (smr_param.choices of a number). */
#define SMR_GAMMA_SCALE (-1.0)
#define SMR_GAMMA_AUTO (-2.0)
#define SMR_GAMMA_MEDIAN (-3.0)

/* What a word computes. */
typedef enum smr_kernel_kind {
    SMR_KERNEL_LINEAR,
    SMR_KERNEL_QUADRATIC,
    SMR_KERNEL_POLY,
    SMR_KERNEL_RBF,
    SMR_KERNEL_LAPLACIAN,
    SMR_KERNEL_SIGMOID,
    SMR_KERNEL_COSINE,
    SMR_KERNEL_CHI2,
    SMR_KERNEL_SUBSEQUENCE,
    SMR_KERNEL_SPECTRUM,
    SMR_KERNEL_WSPECTRUM,
    SMR_KERNEL_PRECOMPUTED,
    SMR_KERNEL_KINDS
} smr_kernel_kind;

const smr_word *smr_kernel_word(smr_kernel_kind kind);

typedef enum smr_kernel_op {
    SMR_KERNEL_WORD,     /* kind, params                  */
    SMR_KERNEL_CONSTANT, /* number                        */
    SMR_KERNEL_SUM,      /* of the two values before it   */
    SMR_KERNEL_PRODUCT,  /* of the two values before it   */
    SMR_KERNEL_POWER,    /* of the value before it: power */
    SMR_KERNEL_EXP,      /* of the value before it        */
    SMR_KERNEL_SCALING   /* of the value before it: f     */
} smr_kernel_op;

/* f of s = K(x, x). */
typedef enum smr_kernel_scaling {
    SMR_KERNEL_NORMALIZE, /* 1 / sqrt(s), and 0 where s <= 0: K(x,x) becomes 1 */
    SMR_KERNEL_SOFTEN,    /* 1 / sqrt(1 + s): points near the origin stay small */
    SMR_KERNEL_DAMP,      /* exp(-s / 2): far points fade */
    SMR_KERNEL_SCALINGS
} smr_kernel_scaling;

const char *smr_kernel_scaling_name(smr_kernel_scaling f);

typedef struct smr_kernel_node {
    smr_kernel_op op;
    smr_kernel_kind kind;
    struct smr_kernel_params *params; /* owned; NULL unless it is a word */
    int64_t leaf;                     /* number of the word among the words, from 0 */
    double number;
    int64_t power;
    smr_kernel_scaling f;
} smr_kernel_node;

/* An expression in postfix order, the field of a parameter with the grammar smr_kernel_grammar. */
typedef struct smr_kernel {
    int64_t n;
    smr_kernel_node *node;
    int64_t n_words;
    char *columns; /* the text columns that are named, with commas, when there are several */
} smr_kernel;

/* For a parameter:
 *     {SMR_FIELD(struct svm_params, kernel), .grammar = &smr_kernel_grammar, .def_text = "rbf",
 *      .least = 1, .most = 1, .doc = "..."} */
extern const smr_grammar smr_kernel_grammar;

/* Reads an expression that is no parameter's. */
smr_status smr_kernel_read(smr_ctx *ctx, const char *text, smr_kernel *out);
/* saved: it comes out of a model file (smr_grammar.read). */
smr_status smr_kernel_read_saved(smr_ctx *ctx, const char *text, bool saved, smr_kernel *out);
void smr_kernel_write(const smr_kernel *kernel, smr_text *out);
void smr_kernel_free(smr_kernel *kernel);

/* ---- what it is ---- */

/* The single word linear? */
bool smr_kernel_is_linear(const smr_kernel *kernel);
/* Is it a kernel by its form: positive semi-definite on any data? */
bool smr_kernel_has_mercer_form(const smr_kernel *kernel);
/* The first node of the part that ends with node i. */
int64_t smr_kernel_first(const smr_kernel *kernel, int64_t i);
bool smr_kernel_is_of_text(smr_kernel_kind kind);
bool smr_kernel_has(const smr_kernel *kernel, smr_kernel_kind kind);
/* Does some word read texts, or numbers? */
bool smr_kernel_reads_texts(const smr_kernel *kernel);
bool smr_kernel_reads_numbers(const smr_kernel *kernel);

/* For smr_learner.nature and texts, with what smr_learner.takes and traits should have at least:
 * SMR_KERNEL_TAKES, SMR_KERNEL_TRAITS. */
enum {
    SMR_KERNEL_TAKES =
        SMR_TAKES_F64 | SMR_TAKES_F32 | SMR_TAKES_U8 | SMR_TAKES_SPARSE | SMR_TAKES_TEXT,
    SMR_KERNEL_TRAITS = SMR_SCALE_MATTERS | SMR_KEEPS_DATA | SMR_FILLS_NO_GAPS
};
void smr_kernel_nature(const smr_kernel *kernel, smr_nature *its);
const char *smr_kernel_texts(const smr_kernel *kernel);

#endif
