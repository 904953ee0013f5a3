/* kernel_words.c -- the kernels by name, with their parameters: see kernel_expr.h.
 *
 * u, v are rows of d numbers; s, t are texts, read byte by byte.
 *
 *     linear       u v                                                                      (1)
 *     quadratic    (u v + r)^2                                                              (2)
 *     poly         (gamma u v + r)^degree                                                   (3)
 *     rbf          exp(-gamma |u - v|^2),   gamma = 1 / (2 sigma^2)                         (4)
 *     laplacian    exp(-gamma |u - v|_1)                                                    (5)
 *     sigmoid      tanh(gamma u v + r)             a kernel for some gamma, r, data only    (6)
 *     cosine       u v / (|u| |v|),  0 where one of them is 0                               (7)
 *     chi2         exp(-gamma sum_j (u_j - v_j)^2 / (u_j + v_j)),  u, v >= 0,  0/0 = 0      (8)
 *     subsequence  sum over subsequences of `length` symbols in s and t of decay^(the symbols
 *                  that they span in s and in t)                                            (9)
 *     spectrum     sum over words w of k symbols of c_w(s) c_w(t), c_w the number of places
 *                  of s that hold w, up to `mismatch` symbols                               (10)
 *     wspectrum    sum_{k=1..length} b_k spectrum_k(s, t),
 *                  b_k = 2 (length - k + 1) / (length (length + 1)), which sum to 1         (11)
 *     precomputed  the features are the values: feature j of a row is K with row j of the table
 *
 * gamma may be a word: what the training rows say, resolved once, in fit (kernel_gamma.c).
 * (9) to (11) are divided by sqrt(K(s,s) K(t,t)) unless normal=no; a text that is too short to hold
 * anything, an empty one for instance, has K = 0 with every text, itself included.
 *
 * References: Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins, JMLR 2:419-444, 2002 (9);
 * Leslie, Eskin & Noble, PSB 2002:564-575, and with Weston, NIPS 15, 2003 (10); Raetsch &
 * Sonnenburg, in: Kernel Methods in Computational Biology, 2004 (11). */
#include "learn/kernels/kernel_expr.h"

static const smr_choice gammas[] = {
    {"scale", "1 / (d var), var the variance of all numbers"},
    {"auto", "1 / d, d the number of features"},
    {"median", "1 / (2 m^2), m the median distance of rows"},
    {NULL, NULL},
};

static const smr_choice gammas_l1[] = {
    {"scale", "1 / (d sd), sd the standard deviation of all numbers"},
    {"auto", "1 / d, d the number of features"},
    {"median", "1 / m, m the median distance |u - v|_1 of rows"},
    {NULL, NULL},
};

#define FIELD(name_) SMR_FIELD(struct smr_kernel_params, name_)
#define GAMMA(def_, choices_)                                                              \
    {                                                                                      \
        FIELD(gamma), .def = (def_), .min = 0, .min_open = true, .max = INFINITY,          \
                      .max_open = true, .choices = (choices_), .search = SMR_SEARCH_LOG,   \
                      .search_min = 1e-4, .search_max = 10, .simpler = SMR_SIMPLER_LOW,    \
                      .doc = "Factor before the product or the distance; the larger, the " \
                             "more local the kernel."                                      \
    }
#define COEF0(def_)                                                                             \
    {                                                                                           \
        FIELD(coef0), .def = (def_), .min = -1e6, .max = 1e6, .search = SMR_SEARCH_LINEAR,      \
                      .search_min = 0, .search_max = 2,                                         \
                      .doc = "r, added to the product: the weight of the terms of lower order." \
    }

static const smr_param quadratic[] = {COEF0(1)};
static const smr_param poly[] = {
    {FIELD(degree), .def = 3, .min = 1, .max = 64, .primary = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 1, .search_max = 5, .simpler = SMR_SIMPLER_LOW, .doc = "Power."},
    GAMMA(SMR_GAMMA_SCALE, gammas),
    COEF0(1),
};
static const smr_param rbf[] = {GAMMA(SMR_GAMMA_SCALE, gammas)};
static const smr_param laplacian[] = {GAMMA(SMR_GAMMA_SCALE, gammas_l1)};
static const smr_param sigmoid[] = {GAMMA(SMR_GAMMA_SCALE, gammas), COEF0(0)};
static const smr_param chi2[] = {GAMMA(1, NULL)};

#define TEXT                                                                                  \
    {FIELD(normal), .def = true,                                                              \
     .doc = "Divide by sqrt(K(s,s) K(t,t)), so that long texts do not outweigh short ones."}, \
    {                                                                                         \
        FIELD(column), .def_text = "", .doc = "Text column; default: the only one there is."  \
    }

static const smr_param subsequence[] = {
    {FIELD(length), .def = 3, .min = 1, .max = 64, .primary = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 2, .search_max = 6, .doc = "Symbols of a subsequence."},
    {FIELD(decay), .def = 0.5, .min = 0, .min_open = true, .max = 1, .search = SMR_SEARCH_LINEAR,
     .search_min = 0.1, .search_max = 0.9,
     .doc = "Factor for every symbol that a subsequence spans, gaps included."},
    TEXT,
};
static const smr_param spectrum[] = {
    {FIELD(k), .def = 3, .min = 1, .max = 64, .primary = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 1, .search_max = 8, .doc = "Symbols of a word."},
    {FIELD(mismatch), .def = 0, .min = 0, .max = 8, .search = SMR_SEARCH_LINEAR, .search_min = 0,
     .search_max = 2, .doc = "Symbols in which a word may differ and still count; below k."},
    TEXT,
};
static const smr_param wspectrum[] = {
    {FIELD(length), .def = 3, .min = 1, .max = 64, .primary = true, .search = SMR_SEARCH_LINEAR,
     .search_min = 1, .search_max = 8, .doc = "Symbols of the longest words."},
    TEXT,
};

static smr_status check_spectrum(smr_ctx *ctx, const void *params_)
{
    const struct smr_kernel_params *p = params_;
    if (p->mismatch >= p->k)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "spectrum: mismatch=%lld must be below k=%lld, or every word is every "
                        "other",
                        (long long)p->mismatch, (long long)p->k);
    return SMR_OK;
}

#define WORD(table_)                                                       \
    .family = "kernel", .params = (table_), .n_params = SMR_COUNT(table_), \
    .params_size = sizeof(struct smr_kernel_params)
#define NO_PARAMS .family = "kernel", .params_size = sizeof(struct smr_kernel_params)

static const smr_word words[SMR_KERNEL_KINDS] = {
    [SMR_KERNEL_LINEAR] = {.name = "linear",
                           NO_PARAMS,
                           .title = "The product",
                           .brief = "The product of the rows.",
                           .objective = "u v"},
    [SMR_KERNEL_QUADRATIC] = {.name = "quadratic",
                              WORD(quadratic),
                              .title = "Pairs of features",
                              .brief = "All features and their products of two.",
                              .objective = "(u v + r)^2"},
    [SMR_KERNEL_POLY] = {.name = "poly",
                         WORD(poly),
                         .synonyms = "polynomial",
                         .title = "Products of features",
                         .brief = "All products of up to `degree` features.",
                         .objective = "(gamma u v + r)^degree"},
    [SMR_KERNEL_RBF] = {.name = "rbf",
                        WORD(rbf),
                        .synonyms = "gaussian radial",
                        .title = "The Gaussian",
                        .brief = "Near rows are alike, far ones are not.",
                        .objective = "exp(-gamma |u - v|^2), gamma = 1 / (2 sigma^2)"},
    [SMR_KERNEL_LAPLACIAN] = {.name = "laplacian",
                              WORD(laplacian),
                              .title = "The exponential of a distance",
                              .brief = "As rbf, with a peak, and distances along the axes.",
                              .objective = "exp(-gamma |u - v|_1)"},
    [SMR_KERNEL_SIGMOID] = {.name = "sigmoid",
                            WORD(sigmoid),
                            .synonyms = "tanh",
                            .title = "A unit of a network",
                            .brief = "Not positive semi-definite in general.",
                            .objective = "tanh(gamma u v + r)"},
    [SMR_KERNEL_COSINE] = {.name = "cosine",
                           NO_PARAMS,
                           .title = "The cosine",
                           .brief = "The product of the rows at length 1.",
                           .objective = "u v / (|u| |v|)"},
    [SMR_KERNEL_CHI2] = {.name = "chi2",
                         WORD(chi2),
                         .title = "Histograms",
                         .brief = "For rows of counts or shares, none below 0.",
                         .objective = "exp(-gamma sum (u_j - v_j)^2 / (u_j + v_j))"},
    [SMR_KERNEL_SUBSEQUENCE] = {.name = "subsequence",
                                WORD(subsequence),
                                .synonyms = "ssk",
                                .title = "Common subsequences",
                                .brief = "Symbols in the same order, gaps at a price.",
                                .objective = "sum over subsequences of decay^(span in s + span "
                                             "in t)"},
    [SMR_KERNEL_SPECTRUM] = {.name = "spectrum",
                             WORD(spectrum),
                             .title = "Common words",
                             .brief = "Words of k symbols that two texts share.",
                             .objective = "sum over words w of c_w(s) c_w(t)",
                             .check_params = check_spectrum},
    [SMR_KERNEL_WSPECTRUM] = {.name = "wspectrum",
                              WORD(wspectrum),
                              .title = "Common words of all lengths",
                              .brief =
                                  "Spectra of 1 to `length` symbols, short ones weighing more.",
                              .objective = "sum_k b_k spectrum_k(s, t), b_k = 2 (length - k + 1) / "
                                           "(length (length + 1))"},
    [SMR_KERNEL_PRECOMPUTED] = {.name = "precomputed",
                                NO_PARAMS,
                                .title = "A matrix as given",
                                .brief = "Feature j of a row is K with row j of the table.",
                                .objective = "K_ij as given"},
};

const smr_word *smr_kernel_word(smr_kernel_kind kind)
{
    return &words[kind];
}

const char *smr_kernel_scaling_name(smr_kernel_scaling f)
{
    static const char *const names[SMR_KERNEL_SCALINGS] = {
        [SMR_KERNEL_NORMALIZE] = "normalize",
        [SMR_KERNEL_SOFTEN] = "soften",
        [SMR_KERNEL_DAMP] = "damp",
    };
    return names[f];
}
