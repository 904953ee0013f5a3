/* tables.h -- one table that serves every task, and who is tried on it. */
#ifndef SMR_TESTS_TASK_TABLES_H
#define SMR_TESTS_TASK_TABLES_H

#include "pipeline.h"

#include "learn/chain.h"
#include "learn/registry.h"
#include "model/model_file.h"

enum { ROWS = 83, WALKS = 9, USERS = 7, ITEMS = 5 };

/* A learner, one of its tasks, and how it is asked. */
struct subject {
    const smr_learner *learner;
    smr_task task;
    smr_set_opts opts;
};

/* Which columns a table has, as numbers: x, y, class, walk, minute, who, what, rating, w. */
enum { X, Y, CLASS, WALK, MINUTE, WHO, WHAT, RATING, W, COLUMNS };

/* Row i of the table is row order[i] of the fixture (NULL: i).  unlabelled: every fifth class is
 * missing; other: other classes. */
static inline smr_table *task_table(smr_ctx *ctx, const int64_t *order, bool unlabelled, bool other)
{
    static const char *const classes[] = {"a", "b", "c"};
    static char walk[WALKS][8], who[USERS][8], what[ITEMS][8];
    double number[COLUMNS][ROWS];
    const char *string[COLUMNS][ROWS];
    smr_table *t = new_table(ctx, ROWS, COLUMNS);
    for (int k = 0; k < WALKS; k++) snprintf(walk[k], sizeof walk[k], "walk%d", k);
    for (int k = 0; k < USERS; k++) snprintf(who[k], sizeof who[k], "u%d", k);
    for (int k = 0; k < ITEMS; k++) snprintf(what[k], sizeof what[k], "i%d", k);
    for (int64_t at = 0; at < ROWS; at++) {
        int64_t i = order ? order[at] : at, c = (i * i + i / 4) % 3;
        number[X][at] = noise(i, 0) + 0.9 * (double)c;
        number[Y][at] = 3 * noise(i, 1) - (double)(c == 1);
        number[MINUTE][at] = (double)((i * 37) % ROWS); /* another order than the rows' */
        number[RATING][at] = 3 + noise(i, 2) + 0.3 * (double)(i % ITEMS);
        number[W][at] = (double)(1 + i % 3);
        string[CLASS][at] = unlabelled && i % 5 == 3 ? NULL : classes[other ? (c + i % 2) % 3 : c];
        string[WALK][at] = walk[(i * 5 / 7) % WALKS]; /* of 9 or 10 rows, mixed */
        string[WHO][at] = who[(i * 3) % USERS];
        string[WHAT][at] = what[i % ITEMS];
    }
    put_numbers(ctx, t, X, "x", number[X]);
    put_numbers(ctx, t, Y, "y", number[Y]);
    put_strings(ctx, t, CLASS, "class", string[CLASS]);
    put_strings(ctx, t, WALK, "walk", string[WALK]);
    put_numbers(ctx, t, MINUTE, "minute", number[MINUTE]);
    put_strings(ctx, t, WHO, "who", string[WHO]);
    put_strings(ctx, t, WHAT, "what", string[WHAT]);
    put_numbers(ctx, t, RATING, "rating", number[RATING]);
    put_numbers(ctx, t, W, "w", number[W]);
    return t;
}

/* How the task is asked of that table; target: with one. */
static inline struct subject subject_of(const smr_learner *l, smr_task task, bool target)
{
    struct subject s = {l, task, {.task = task}};
    s.opts.ignore = "class,walk,minute,who,what,rating,w";
    if (target) s.opts.target = task == SMR_TASK_RECOMMEND ? "rating" : "class";
    if (task == SMR_TASK_SEQUENCE) {
        s.opts.roles[SMR_ROLE_SEQUENCE] = "walk";
        s.opts.roles[SMR_ROLE_TIME] = "minute";
        s.opts.ignore = "class,who,what,rating,w";
    }
    if (task == SMR_TASK_RECOMMEND) {
        s.opts.roles[SMR_ROLE_USER] = "who";
        s.opts.roles[SMR_ROLE_ITEM] = "what";
        s.opts.ignore = "x,y,class,walk,minute,rating,w";
    }
    return s;
}

static inline unsigned does_by_default(const smr_learner *l)
{
    smr_ctx *ctx = check_ctx(1);
    smr_nature is;
    check_ok(ctx, smr_nature_by_default(ctx, l, &is));
    check_ctx_end(ctx);
    return is.tasks;
}

/* Calls `check` for each learner of the registry and each of the tasks beyond classes and numbers
 * that it does, with a target and without; and for each that takes rows without a label. */
static inline int each_subject(void (*check)(smr_ctx *ctx, const struct subject *s))
{
    int64_t n;
    int calls = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t k = 0; k < n; k++)
        for (int task = SMR_TASK_CLASSIFY; task < SMR_TASKS; task++) {
            const smr_task_facts *facts = smr_task_of((smr_task)task);
            bool unlabelled = all[k]->takes & SMR_TAKES_UNLABELLED;
            if (!(does_by_default(all[k]) & facts->does)) continue;
            if (facts->needs_target && !unlabelled) continue;
            bool rates = task == SMR_TASK_RECOMMEND && !(all[k]->fitted->gives & SMR_GIVES_SCORE);
            for (int target = facts->needs_target || rates; target < 2; target++) {
                struct subject s = subject_of(all[k], (smr_task)task, target);
                smr_ctx *ctx = check_ctx(1);
                check(ctx, &s);
                check_ctx_end(ctx);
                calls++;
            }
        }
    return calls;
}

static inline smr_model *must_train(smr_ctx *ctx, const struct subject *s, const smr_table *t)
{
    smr_model *m = NULL;
    smr_status st = try_train(ctx, s->learner->word->name, t, &s->opts, &m);
    if (st != SMR_OK)
        fail_msg("%s, %s: %s", s->learner->word->name, smr_task_name(s->task),
                 smr_ctx_message(ctx));
    assert_int_equal(m->target.task, s->task);
    return m;
}

static inline void check_bits(const char *what, const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s: value %lld is %.17g and %.17g", what, (long long)i, a[i], b[i]);
}

static inline void check_same_model(smr_ctx *ctx, const char *what, const smr_model *a,
                                    const smr_model *b)
{
    int64_t n_a, n_b;
    char *x = NULL, *y = NULL;
    check_ok(ctx, smr_model_write(ctx, a, &x, &n_a));
    check_ok(ctx, smr_model_write(ctx, b, &y, &n_b));
    if (n_a != n_b || memcmp(x, y, (size_t)n_a) != 0) fail_msg("%s: the model files differ", what);
    smr_free(x);
    smr_free(y);
}

#endif
