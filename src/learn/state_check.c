/* state_check.c -- see state_check.h. */
#include "learn/state_check.h"

#include "core/params.h"
#include "learn/member.h"
#include "learn/state.h"
#include "learn/task.h"

#include <math.h>
#include <string.h>

/* A row that is checked. */
struct checking {
    const smr_stage *stage;
    const smr_shape *shape;
    const smr_state *row;
    int64_t count; /* elements of an array */
};

/* ---- sizes ------------------------------------------------------------------------------ */

static bool is_called(const char *name, const char *word, size_t n)
{
    size_t i = 0;
    while (i < n && name[i] == word[i]) i++; /* a word holds no NUL */
    return i == n && name[n] == '\0';
}

static bool shape_number(const smr_shape *s, const char *word, size_t n, int64_t *out)
{
    int64_t classes = s->n_classes, targets = classes ? 0 : s->n_outputs;
    const struct {
        const char *name;
        int64_t value;
    } known[] = {{"features", s->n_features},
                 {"classes", classes},
                 {"targets", targets},
                 {"answers", classes ? classes : targets},
                 {"scores", classes == 2 ? 1
                            : classes    ? classes
                                         : targets},
                 {"users", s->n_users},
                 {"items", s->n_items}};
    for (int64_t k = 0; k < SMR_COUNT(known); k++)
        if (is_called(known[k].name, word, n)) {
            *out = known[k].value;
            return true;
        }
    return false;
}

static const smr_state *row_called(const smr_learner *l, const char *word, size_t n)
{
    for (int64_t i = 0; i < l->fitted->n_state; i++) {
        const smr_state *row = &l->fitted->state[i];
        if (is_called(row->name, word, n) && smr_state_is_in(row, smr_learner_version(l)))
            return row;
    }
    return NULL;
}

/* A whole number, or the value of a name. */
static bool read_factor(const smr_learner *l, const void *state, const smr_shape *shape,
                        const char *word, size_t n, int64_t *out)
{
    if (n && word[0] >= '0' && word[0] <= '9') {
        *out = 0;
        for (size_t i = 0; i < n && i < 9; i++) *out = 10 * *out + (word[i] - '0');
        return true;
    }
    if (shape_number(shape, word, n, out)) return true;
    const smr_state *row = row_called(l, word, n);
    if (!row || row->type != SMR_STATE_INT) return false;
    *out = *(const int64_t *)smr_state_values(row, state);
    return true;
}

bool smr_state_size(const smr_learner *l, const void *state, const smr_shape *shape,
                    const char *size, int64_t *out)
{
    int64_t sum = 0, product = 1, factor;
    for (const char *at = size;;) {
        while (*at == ' ') at++;
        const char *word = at;
        while (*at && *at != ' ' && *at != '+' && *at != '*') at++;
        if (!read_factor(l, state, shape, word, (size_t)(at - word), &factor) ||
            __builtin_mul_overflow(product, factor, &product))
            return false;
        while (*at == ' ') at++;
        if (*at == '*') {
            at++;
            continue;
        }
        if (__builtin_add_overflow(sum, product, &sum)) return false;
        product = 1;
        if (*at != '+') break;
        at++;
    }
    *out = sum;
    return true;
}

static bool size_of(const struct checking *c, const char *size, int64_t *out)
{
    return smr_state_size(c->stage->learner, c->stage->state, c->shape, size, out);
}

/* ---- saying what is wrong --------------------------------------------------------------- */

static const char *name_of(const struct checking *c)
{
    return c->stage->learner->word->name;
}

static smr_status refuse(smr_ctx *ctx, const struct checking *c, const char *why)
{
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s %s", name_of(c), c->row->name, why);
}

/* What is known by a size, in words that say how many of what there should be. */
static smr_status refuse_size(smr_ctx *ctx, const struct checking *c, int64_t has, int64_t wants)
{
    static const char *const words[][3] = {{"features", "feature", "features"},
                                           {"classes", "class", "classes"},
                                           {"targets", "target", "targets"},
                                           {"users", "user", "users"},
                                           {"items", "item", "items"}};
    for (int64_t k = 0; k < SMR_COUNT(words); k++)
        if (strcmp(c->row->is, words[k][0]) == 0)
            return smr_fail(ctx, SMR_ERR_FORMAT, "%s has %lld %s where %lld %s", name_of(c),
                            (long long)has, smr_plural(has, words[k][1], words[k][2]),
                            (long long)wants, k ? "are the model's" : "come in");
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s is %lld, and must be %lld (%s)", name_of(c),
                    c->row->name, (long long)has, (long long)wants, c->row->is);
}

/* ---- whole numbers ---------------------------------------------------------------------- */

static double most_of(const smr_state *row)
{
    return row->max != 0 ? row->max : (double)SMR_MAX_DIM;
}

static smr_status check_number(smr_ctx *ctx, const struct checking *c)
{
    int64_t has = *(const int64_t *)smr_state_values(c->row, c->stage->state), wants = 0;
    if ((double)has < c->row->min || (double)has > most_of(c->row))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s is %lld, and must lie from %.17g to %.17g",
                        name_of(c), c->row->name, (long long)has, c->row->min, most_of(c->row));
    if (c->row->is && (!size_of(c, c->row->is, &wants) || has != wants))
        return refuse_size(ctx, c, has, wants);
    if (c->row->most && (!size_of(c, c->row->most, &wants) || has > wants))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s is %lld, and must be at most %lld (%s)",
                        name_of(c), c->row->name, (long long)has, (long long)wants, c->row->most);
    if (c->row->below && (!size_of(c, c->row->below, &wants) || has >= wants))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s is %lld, and must be below %lld (%s)",
                        name_of(c), c->row->name, (long long)has, (long long)wants, c->row->below);
    return SMR_OK;
}

/* Element i of an array of whole numbers. */
static int64_t whole(const smr_state *row, const void *values, int64_t i)
{
    if (row->type == SMR_STATE_I64S) return ((const int64_t *)values)[i];
    if (row->type == SMR_STATE_I32S) return ((const int32_t *)values)[i];
    return ((const uint8_t *)values)[i];
}

static smr_status check_order(smr_ctx *ctx, const struct checking *c, const void *values,
                              int64_t below)
{
    const smr_state *row = c->row;
    bool starts = row->order == SMR_ORDER_STARTS;
    int64_t last = starts ? 0 : -1;
    if (row->order == SMR_ORDER_ANY) return SMR_OK;
    if (starts &&
        (c->count < 1 || whole(row, values, 0) != 0 || whole(row, values, c->count - 1) != below))
        return refuse(ctx, c, "does not begin at 0 and end with what it divides");
    for (int64_t i = 0; i < c->count; i++) {
        int64_t now = whole(row, values, i);
        if (i && (starts ? now < last : now <= last)) return refuse(ctx, c, "does not ascend");
        last = now;
    }
    return SMR_OK;
}

static smr_status check_wholes(smr_ctx *ctx, const struct checking *c, const void *values)
{
    const smr_state *row = c->row;
    int64_t below = 0;
    double most = most_of(row);
    if (row->below) {
        if (!size_of(c, row->below, &below)) return refuse(ctx, c, "has no size");
        double last = (double)below - (row->order != SMR_ORDER_STARTS);
        most = row->max != 0 ? smr_fmin(most, last) : last;
    }
    for (int64_t i = 0; i < c->count; i++) {
        int64_t now = whole(row, values, i);
        if ((double)now < row->min || (double)now > most)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s: number %lld of its %s is %lld, and must lie from %.17g to %.17g",
                            name_of(c), (long long)i + 1, row->name, (long long)now, row->min,
                            most);
    }
    return check_order(ctx, c, values, below);
}

/* ---- real numbers ----------------------------------------------------------------------- */

static bool is_good(smr_state_reals reals, double x)
{
    switch (reals) {
    case SMR_REALS_NOT_NAN: return !isnan(x);
    case SMR_REALS_FINITE: return isfinite(x);
    case SMR_REALS_FROM_0: return x >= 0 && isfinite(x);
    case SMR_REALS_ABOVE_0: return x > 0 && isfinite(x);
    case SMR_REALS_SHARE: return x >= 0 && x <= 1;
    default: return true;
    }
}

static smr_status check_reals(smr_ctx *ctx, const struct checking *c, const void *values,
                              int64_t count)
{
    static const char *const words[] = {
        "a number",           "a number, not NaN", "finite", "finite and 0 or above",
        "finite and above 0", "from 0 to 1"};
    const smr_state *row = c->row;
    bool narrow = row->type == SMR_STATE_F32S;
    double last = -INFINITY;
    if (row->reals == SMR_REALS_ANY && row->order == SMR_ORDER_ANY) return SMR_OK;
    for (int64_t i = 0; i < count; i++) {
        double x = narrow ? (double)((const float *)values)[i] : ((const double *)values)[i];
        if (!is_good(row->reals, x))
            return smr_fail(ctx, SMR_ERR_FORMAT, "%s: number %lld of its %s is %g, and must be %s",
                            name_of(c), (long long)i + 1, row->name, x, words[row->reals]);
        if (row->order == SMR_ORDER_ASCENDS && !(i == 0 || x > last))
            return refuse(ctx, c, "does not ascend");
        last = x;
    }
    return SMR_OK;
}

/* ---- members ---------------------------------------------------------------------------- */

static smr_status check_members(smr_ctx *ctx, const struct checking *c, const smr_members *list)
{
    const smr_shape *shape = c->shape;
    int64_t dims[SMR_RANK_MAX], wants = 1;
    int rank = smr_state_shape(c->stage->learner, c->row, c->stage->state, dims, &wants);
    if (list->n != wants && !(c->row->optional && list->n == 0))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: it has %lld of its %s, and should have %lld",
                        name_of(c), (long long)list->n, c->row->name,
                        (long long)(rank ? wants : 1));
    for (int64_t k = 0; c->row->same && k < list->n; k++) {
        const smr_member *m = &list->member[k];
        if (m->features)
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s: number %lld of its %s reads features of its own, and should read "
                            "the model's",
                            name_of(c), (long long)k + 1, c->row->name);
        if (m->shape.task != shape->task || m->shape.n_classes != shape->n_classes ||
            (!shape->n_classes && m->shape.n_outputs != shape->n_outputs))
            return smr_fail(ctx, SMR_ERR_FORMAT,
                            "%s: number %lld of its %s answers something else than the model",
                            name_of(c), (long long)k + 1, c->row->name);
    }
    return SMR_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static bool is_there(const smr_state *row, const void *state)
{
    const smr_strings *strings = smr_state_strings(row, state);
    const smr_tensors *tensors = smr_state_tensors(row, state);
    const smr_members *members = smr_state_members(row, state);
    if (strings) return strings->start != NULL;
    if (tensors) return tensors->n > 0;
    if (members) return members->n > 0;
    return smr_state_values(row, state) != NULL;
}

/* Does what a row is there with hold? */
static bool belongs(const struct checking *c)
{
    const char *with = c->row->with;
    int64_t size = 0;
    const smr_state *other = row_called(c->stage->learner, with, strlen(with));
    if (strpbrk(with, "=<"))
        return smr_params_hold(c->stage->learner->word, c->stage->params, with);
    if (other && other->type != SMR_STATE_INT) return is_there(other, c->stage->state);
    return size_of(c, with, &size) && size > 0;
}

static smr_status check_presence(smr_ctx *ctx, const struct checking *c)
{
    bool there = is_there(c->row, c->stage->state);
    if (c->row->with && c->count > 0 && there != belongs(c))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s %s (%s)", name_of(c), c->row->name,
                        there ? "is there where it should not be" : "is missing", c->row->with);
    if (there && c->row->needs && c->count > 0 &&
        !is_there(row_called(c->stage->learner, c->row->needs, strlen(c->row->needs)),
                  c->stage->state))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s: its %s is there without its %s", name_of(c),
                        c->row->name, c->row->needs);
    if (!there && !c->row->optional && c->count > 0 && smr_state_is_array(c->row))
        return refuse(ctx, c, "is missing");
    return SMR_OK;
}

static smr_status check_row(smr_ctx *ctx, struct checking *c)
{
    smr_status st = SMR_OK;
    int64_t dims[SMR_RANK_MAX];
    const void *values = smr_state_values(c->row, c->stage->state);
    const smr_members *members = smr_state_members(c->row, c->stage->state);
    if (c->row->type == SMR_STATE_INT) return check_number(ctx, c);
    if (c->row->type == SMR_STATE_REAL) return check_reals(ctx, c, values, 1);
    (void)smr_state_shape(c->stage->learner, c->row, c->stage->state, dims, &c->count);
    TRY(check_presence(ctx, c));
    if (members) TRY(check_members(ctx, c, members));
    if (!values) return SMR_OK;
    switch (c->row->type) {
    case SMR_STATE_I64S:
    case SMR_STATE_I32S:
    case SMR_STATE_U8S: return check_wholes(ctx, c, values);
    case SMR_STATE_F64S:
    case SMR_STATE_F32S: return check_reals(ctx, c, values, c->count);
    default: break;
    }
out:
    return st;
}

/* Numbers first: arrays are as long as these say. */
smr_status smr_state_check(smr_ctx *ctx, const smr_stage *stage, const smr_shape *shape)
{
    smr_status st = SMR_OK;
    const smr_fitted *f = stage->learner->fitted;
    int now = smr_learner_version(stage->learner);
    for (int numbers = 1; numbers >= 0; numbers--)
        for (int64_t i = 0; i < f->n_state; i++) {
            struct checking c = {.stage = stage, .shape = shape, .row = &f->state[i]};
            if ((c.row->type == SMR_STATE_INT) == numbers && smr_state_is_in(c.row, now))
                TRY(check_row(ctx, &c));
        }
out:
    return st;
}

/* ---- places ----------------------------------------------------------------------------- */

static bool has_kind(const smr_shape *shape, smr_kind kind)
{
    for (int64_t j = 0; shape->features && j < shape->n_features; j++)
        if (shape->features[j].kind == kind) return true;
    return false;
}

smr_status smr_stage_check_place(smr_ctx *ctx, const smr_stage *stage, bool is_last,
                                 const smr_shape *shape)
{
    const smr_learner *l = stage->learner;
    smr_nature is = smr_nature_of(l, stage->params);
    const smr_task_facts *task = smr_task_of(shape->task);
    if (!is_last && !smr_transforms(l))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s is not a transform, and others come after it",
                        l->word->name);
    if (is_last && !smr_transforms(l) && !(is.tasks & task->does))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s is in a model that %s, which it cannot do",
                        l->word->name, task->verb);
    if (!(is.takes & SMR_TAKES_CODES) && has_kind(shape, SMR_CATEGORY))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s takes no categories, and some come in",
                        l->word->name);
    if (!(is.takes & SMR_TAKES_TEXT) && has_kind(shape, SMR_TEXT))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s takes no texts, and some come in", l->word->name);
    if (!smr_transforms(l) && shape->n_outputs > 1 && !(is.takes & SMR_TAKES_MANY_TARGETS))
        return smr_fail(ctx, SMR_ERR_FORMAT, "%s predicts one target, and the model has %lld",
                        l->word->name, (long long)shape->n_outputs);
    return SMR_OK;
}
