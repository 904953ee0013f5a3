/* explain.h -- what any model makes of its columns, seen from outside.
 *
 *     importance   how much worse the model gets when a column's values are shuffled among the rows
 *     dependence   the mean prediction when a column has one value in every row
 *     regions      what is predicted over a plane of two columns, the others at their middle
 *     path         for a model of trees: what is asked of one row, and how the answers move it
 *     shapley      what each column adds to the score of each row, where the learner knows it
 *     proximity    for a model of trees: which rows come to the same leaves, and which are odd
 *     maps         for a net: what each layer makes of one row
 *
 * The whole pipeline is asked, with raw columns in front of it: one-hot coding and such need no
 * undoing; but path, shapley, proximity and maps look into the last learner. Columns are changed in
 * views of the table, one changed column at a time; the table is never copied. Every permutation is
 * a function of the seed, the column and the repeat, and the work is cut by columns, repeats and
 * grid points: same bits at any thread count, and a column's figures do not depend on which others
 * are asked for.
 *
 * Cost: importance columns x repeats, dependence grid points times the prediction of all rows,
 * regions grid points single predictions.
 * References: Breiman, Mach. Learn. 45 (2001), for permutation; Friedman, Ann. Statist. 29 (2001),
 * for partial dependence; Goldstein et al., J. Comput. Graph. Stat. 24 (2015), for single rows. */
#ifndef SMR_STUDY_EXPLAIN_H
#define SMR_STUDY_EXPLAIN_H

#include "study/evaluate.h"

/* Unless asked for otherwise: shuffles, values along a column, rows that are drawn. */
enum { SMR_IMPORTANCE_REPEATS = 10, SMR_DEPENDENCE_POINTS = 40, SMR_DEPENDENCE_ROWS = 1000 };

typedef struct smr_explain_how {
    const char *columns;   /* names with commas; NULL: all inputs (regions: the only two)         */
    const char *measures;  /* importance: names with commas; NULL: error, or rmse                 */
    const char *positive;  /* dependence: this class alone; NULL: all, or the positive one of two;
                             importance: whose precision and recall are measured            */
    const int64_t *inputs; /* dependence: these inputs of the model, each by itself, in place of */
    int64_t n_inputs;      /* columns; 0: as `columns` says                                     */
    int64_t repeats;       /* importance; 0: 10                                                   */
    int64_t grid;          /* points along a column; 0: 40, 20 for two, 100 for regions           */
    int64_t single_rows;   /* dependence: the number of rows with their own curves                */
    int64_t most_rows;     /* at most this many rows, drawn at random; 0: all, but 1000 for
                             dependence, shapley, and proximity of all */
    int64_t row;           /* path, shapley, proximity, maps: a row of the table, from 1; 0: for
                             path and maps the first, for the others all                       */
    int64_t nearest;       /* proximity: this many rows beside each; 0: 5                         */
    bool has_tree;         /* path: of this tree; else of all, summed                             */
    int64_t tree;
    const char *layer; /* maps: names with commas; NULL: all layers that give pictures */
} smr_explain_how;

/* Fails unless `what` is one of these words. */
smr_status smr_explain_check_word(smr_ctx *ctx, const char *what);

/* what: one of these words.  Adds to `into` what was found
 * and "figures". */
smr_status smr_explain_fill(smr_ctx *ctx, const char *what, const smr_model *model,
                            const smr_sample *sample, const smr_explain_how *how, smr_json *into);

#endif
