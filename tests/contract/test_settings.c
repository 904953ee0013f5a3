/* No parameter is ignored in silence.  For every learner, each of its tasks, and every parameter:
 * values other than the default change the model (its tensors, its report) or its answers, or are
 * refused; and so they do beside every other choice that can be made.  What may change nothing
 * stands in `excused`, with the reason, and an excuse that nothing needs is a failure too. */
#include "fixtures.h"
#include "said.h"

#include "core/number.h"
#include "core/params.h"
#include "core/sha256.h"
#include "learn/columns.h"
#include "learn/spec.h"
#include "model/safetensors.h"

enum { TEXT = 512, VALUES = 12, SHOWN = 16 };

/* ---- what is excused -------------------------------------------------------------------- */

/* Why a value changes nothing.  What is excused is known to be read: a test of the learner shows
 * it on larger or other data. */
static const char same[] = "other ways to the same answer, bit for bit";
static const char few[] = "on small tables the other parameter leaves it nothing to decide";
static const char ends[] = "all passes are made, or full gradients end the fit at the same step";
static const char falls[] = "the loss falls throughout, or training ends before the first drop";
static const char first[] = "the other limit is reached first";

/* param "*": any.  beside: "name" or "name=value" of the other parameter that is set, "*": any;
 * "": also where none is. */
static const struct excuse {
    const char *learner, *param, *beside, *why;
} excused[] = {
    {"bag", "weigh", "bootstrap=no", "no row is left out to judge by, and a warning says so"},
    {"bayesnet", "max_parents", "", few},
    {"bayesnet", "detour", "", few},
    {"bayesnet", "restarts", "bins", few},
    {"bayesnet", "max_iter", "structure=naive", "one step of EM is all where the target is known"},
    {"bayesnet", "tol", "structure=naive", "one step of EM is all where the target is known"},
    {"boost", "growth", "", few},
    {"boost", "smooth", "*", few},
    {"boost", "min_child", "loss=poisson", "the second derivatives are the predicted numbers"},
    {"density", "rtol", "", "every row of these tables is added up"},
    {"encode", "folds", "", "what later stages are fitted to, not what it gives other rows"},
    {"encode", "missing", "", "the categories of these tables have no gaps"},
    {"forest", "*", "min_gain=3", "no node is split"},
    {"forest", "min_split", "max_leaves=3", few},
    {"hmm", "decode", "", "states so far apart that the likeliest path has each step's likeliest"},
    {"kmeans", "solver", "", "it finds the same answer in another way"},
    {"kmeans", "moves", "", "no split and merge of these few rows lowers the error"},
    {"kmeans", "starts", "start=parallel", "the first start is the best"},
    {"logistic", "tol", "step=3", first},
    {"logistic", "tol", "passes=3", first},
    {"logistic", "tol", "schedule", ends},
    {"net", "schedule", "", falls},
    {"net", "drop", "schedule", falls},
    {"net", "tol", "epochs=3", first},
    {"net", "*", "init=zero", "weights of 0 stay 0 before a rectifier"},
    {"onehot", "max_levels", "stream", "a column of more levels is refused"},
    {"pca", "passes", "", "few features: vectors in all directions are there after one pass"},
    {"pca", "tol", "", "few features: vectors in all directions are there after one pass"},
    {"select", "p", "at_least=3", "no feature is kept"},
    {"spectral", "starts", "*", "every start of k-means comes to the same clusters here"},
    {"spectral", "laplacian", "k=1", "one cluster of one part: there is one eigenvalue, 0"},
    {"select", "improve", "penalty=3", "no feature is kept"},
    {"select", "patience", "*", few},
    {"sgd", "*", "passes=3", first},
    {"sgd", "patience", "schedule", ends},
    {"sgd", "patience", "power", ends},
    {"sgd", "patience", "period", ends},
    {"sgd", "tol", "schedule", ends},
    {"sgd", "tol", "power", ends},
    {"sgd", "tol", "period", ends},
    {"sgd", "tol", "rate=3", first},
    {"stump", "search", "", same},
    {"subspace", "draw", "share=1", "all features are drawn"},
    {"svm", "max_iter", "tol=1", first},
    {"svm", "tol", "max_iter=3", first},
    {"tree", "search", "", same},
    {"tree", "chi2", "*", few},
    {"tree", "*", "max_leaves=3", few},
    {"tree", "ties", "*", few},
    {"tree", "*", "min_gain=3", "no node is split"},
    {"words", "max_n", "max_features=3", few},
};
static bool was_needed[SMR_COUNT(excused)];

static bool is_beside(const char *pattern, const char *beside)
{
    size_t n = strlen(pattern);
    if (n == 0) return true;
    if (strcmp(pattern, "*") == 0) return *beside;
    return strncmp(beside, pattern, n) == 0 && (!beside[n] || beside[n] == '=');
}

static bool is_excused(const smr_word *word, const smr_param *p, const char *beside)
{
    for (int64_t i = 0; i < SMR_COUNT(excused); i++) {
        const struct excuse *e = &excused[i];
        if (strcmp(e->learner, word->name) != 0 || !is_beside(e->beside, beside)) continue;
        if (strcmp(e->param, "*") != 0 && strcmp(e->param, p->name) != 0) continue;
        was_needed[i] = true;
        return true;
    }
    return false;
}

/* ---- values to try ---------------------------------------------------------------------- */

/* Of texts and sentences, whose tables do not say what may be written. */
static const struct {
    const char *learner, *param, *value;
} texts[] = {
    {"words", "stop", "the,of"},           {"bayesnet", "graph", "'x1 -> target, x0 -> x1'"},
    {"boost", "monotone", "'-x0'"},        {"forest", "features", "1"},
    {"hmm", "allow", "'0>0,0>1,1>2,2>0'"},
};

struct values {
    int64_t n;
    char text[VALUES][64];
    int64_t spare; /* all but this many must do something: where the default is auto or unset, one
                      choice is what it chooses; of numbers one must */
};

static void add_value(struct values *v, const char *text)
{
    for (int64_t i = 0; i < v->n; i++)
        if (strcmp(v->text[i], text) == 0) return;
    if (v->n < VALUES) snprintf(v->text[v->n++], sizeof v->text[0], "%s", text);
}

/* The choice that is the default, or the word in place of a number; -1: none. */
static int usual_choice(const smr_param *p)
{
    if (!p->choices || p->unset) return -1;
    if (p->type == SMR_PARAM_CHOICE) return (int)p->def;
    return p->def < 0 ? (int)(-1 - p->def) : -1;
}

/* Numbers on both sides of the default, near to it and far. */
static void add_numbers(const smr_param *p, struct values *v)
{
    char text[SMR_NUMBER_MAX];
    double d = p->unset || usual_choice(p) >= 0 ? 3 : p->def;
    double tried[] = {d * 2, 3,     d / 2, d - 1,   p->search_min, p->search_max,
                      1,     d + 1, 0.3,   d * 0.9, p->min,        20};
    for (int64_t i = 0; i < SMR_COUNT(tried); i++) {
        double x = p->type == SMR_PARAM_INT ? floor(tried[i]) : tried[i];
        bool limited = p->min != 0 || p->max != 0;
        if (!isfinite(x) || (!p->unset && x == p->def)) continue;
        if (limited && (x < p->min || x > p->max || (p->min_open && x == p->min) ||
                        (p->max_open && x == p->max)))
            continue;
        if (p->type == SMR_PARAM_INT && x > 100) continue;
        smr_format_double(x, text);
        add_value(v, text);
    }
}

static struct values values_of(const smr_word *word, const smr_param *p)
{
    int usual = usual_choice(p);
    bool automatic =
        p->choices && (p->unset || (usual >= 0 && !strcmp(p->choices[usual].name, "auto")));
    struct values v = {.spare = p->choices ? automatic : VALUES};
    for (const smr_choice *c = p->choices; c && c->name; c++)
        if (c - p->choices != usual) add_value(&v, c->name);
    if (p->type == SMR_PARAM_BOOL) add_value(&v, p->def != 0 ? "no" : "yes");
    for (int64_t i = 0; i < SMR_COUNT(texts); i++)
        if (!strcmp(texts[i].learner, word->name) && !strcmp(texts[i].param, p->name))
            add_value(&v, texts[i].value);
    if (p->type == SMR_PARAM_STRING && strcmp(p->name, "column") == 0) add_value(&v, "x1");
    if (p->type == SMR_PARAM_PHRASE) add_value(&v, p->grammar->example);
    if (p->type == SMR_PARAM_REAL || p->type == SMR_PARAM_INT || p->type == SMR_PARAM_REALS)
        add_numbers(p, &v);
    return v;
}

enum { SUBJECTS = 96 };

/* The learner's place in the registry. */
static int64_t place_of(const smr_learner *learner)
{
    int64_t n, i = 0;
    const smr_learner *const *all = smr_registry(&n);
    assert_true(n <= SUBJECTS);
    while (all[i] != learner) i++;
    return i;
}

/* ---- what a model is -------------------------------------------------------------------- */

static void add_answers(smr_ctx *ctx, const smr_model *m, const smr_table *table, smr_sha256 *s)
{
    unsigned gives = smr_model_gives(m);
    for (int k = 0; k <= SMR_OUTPUT_SCORE; k++) {
        if (!(gives & 1u << k)) continue;
        int64_t n = table->n_rows * smr_model_width(m, (smr_output)k);
        double *out = smr_alloc(ctx, n + 1, sizeof *out);
        assert_non_null(out);
        if (smr_model_apply(ctx, m, table, NULL, 0, (smr_output)k, out) == SMR_OK)
            smr_sha256_add(s, out, (size_t)n * sizeof *out);
        smr_ctx_clear(ctx);
        smr_free(out);
    }
}

/* Tensors, report and answers; not the sentence. */
static void sum_of(smr_ctx *ctx, const smr_model *m, const smr_table *table, char hex[65])
{
    smr_safetensors file = {0};
    char *bytes = NULL;
    int64_t length = 0;
    smr_sha256 s;
    check_ok(ctx, smr_model_write(ctx, m, &bytes, &length));
    check_ok(ctx, smr_safetensors_read(ctx, bytes, length, &file));
    smr_sha256_begin(&s);
    for (int64_t k = 0; k < file.n_meta; k++)
        if (!strcmp(file.meta[k].key, "fit") || !strcmp(file.meta[k].key, "schema"))
            smr_sha256_add(&s, file.meta[k].value, strlen(file.meta[k].value));
    for (int64_t k = 0; k < file.n_tensors; k++) {
        const smr_file_tensor *t = &file.tensors[k];
        smr_sha256_add(&s, t->name, strlen(t->name));
        if (t->n) smr_sha256_add(&s, t->data, (size_t)t->n * smr_dtype_size(t->dtype));
    }
    add_answers(ctx, m, table, &s);
    smr_sha256_hex(&s, hex);
    smr_safetensors_release(&file);
    smr_free(bytes);
}

/* ---- the tables that are tried ---------------------------------------------------------- */

enum { TABLES = 4 };
static const unsigned tables[TABLES] = {0, WITH_GAPS | WITH_CATEGORY | WITH_WEIGHTS, WITH_LEVELS,
                                        AS_SPARSE};
/* Answers are asked for these and for rows that no fit has seen. */
enum { MORE_ROWS = 97 };

struct trial {
    smr_ctx *ctx;
    const struct subject *s;
    smr_table *table[TABLES], *more[TABLES];
    char base[TEXT];      /* the sentence without what is tried */
    char sum[TABLES][65]; /* of the base; "": it cannot be fitted */
    char findings[8192];
    int64_t n_found;
    bool streams;      /* models learn from a stream                     */
    smr_task task;     /* of the models                                  */
    const char *after; /* stages after the one that is tried: " | sgd"   */
};

/* The same from a stream of the table's rows. */
static void stream_sum(struct trial *t, int64_t i, const char *sentence, char sum[65])
{
    const char *weight = tables[i] & WITH_WEIGHTS ? "w" : NULL;
    smr_train_opts how = {.size = sizeof how, .target = "t", .task = t->task, .weight = weight};
    smr_streamer *stream = NULL;
    *sum = '\0';
    if (smr_stream_begin(t->ctx, sentence, t->table[i], &how, &stream) == SMR_OK &&
        smr_stream_learn(t->ctx, stream, t->table[i], NULL) == SMR_OK)
        sum_of(t->ctx, smr_stream_model(stream), t->more[i], sum);
    smr_ctx_clear(t->ctx);
    smr_stream_free(stream);
}

/* Fits on table i; "" where the sentence or the data are refused. */
static void fit_sum(struct trial *t, int64_t i, const char *sentence, char sum[65])
{
    const char *weight = tables[i] & WITH_WEIGHTS ? "w" : NULL;
    if (t->streams) {
        stream_sum(t, i, sentence, sum);
        return;
    }
    smr_model *m = fixture_train(t->ctx, sentence, t->table[i], t->task, weight);
    *sum = '\0';
    if (m) sum_of(t->ctx, m, t->more[i], sum);
    smr_ctx_clear(t->ctx);
    smr_model_free(m);
}

/* Does "name=value" beside the base change a model, or is it refused? */
static bool acts(struct trial *t, const char *name, const char *value)
{
    char sentence[2 * TEXT], sum[65];
    bool fitted = false;
    snprintf(sentence, sizeof sentence, "%s %s=%s%s", t->base, name, value, t->after);
    for (int64_t i = 0; i < TABLES; i++) {
        if (!*t->sum[i]) continue;
        fit_sum(t, i, sentence, sum);
        if (!*sum) continue;
        fitted = true;
        if (strcmp(sum, t->sum[i]) != 0) return true;
    }
    return !fitted;
}

static bool set_base(struct trial *t, const char *sentence)
{
    bool fitted = false;
    char whole[2 * TEXT];
    snprintf(t->base, sizeof t->base, "%s", sentence);
    snprintf(whole, sizeof whole, "%s%s", sentence, t->after);
    for (int64_t i = 0; i < TABLES; i++) {
        fit_sum(t, i, whole, t->sum[i]);
        fitted |= *t->sum[i];
    }
    return fitted;
}

static void found(struct trial *t, const smr_param *p, const char *value)
{
    size_t used = strlen(t->findings);
    t->n_found++;
    snprintf(t->findings + used, sizeof t->findings - used, "\n  %s, and %s=%s changes nothing",
             t->base, p->name, value);
}

/* Those of a choice must all act, but for what auto chooses; of numbers one must. */
static void try_values(struct trial *t, const smr_param *p, const char *beside)
{
    const smr_word *word = t->s->learner->word;
    struct values v = values_of(word, p);
    int64_t idle = 0, at[VALUES];
    for (int64_t i = 0; i < v.n; i++) {
        bool does = acts(t, p->name, v.text[i]);
        if (does && v.spare == VALUES) return;
        if (!does) at[idle++] = i;
    }
    if (v.spare == VALUES) idle = 1, at[0] = 0, v.spare = 0;
    for (int64_t i = 0; i < idle && idle > v.spare; i++)
        if (!is_excused(word, p, beside)) found(t, p, v.n ? v.text[at[i]] : "?");
}

static bool is_given(const char *sentence, const smr_param *p)
{
    char key[80];
    snprintf(key, sizeof key, " %s=", p->name);
    return strstr(sentence, key);
}

/* A sentence that tries the learner: its own, or one in which more of its parameters matter. */
static void sentence_for(const struct subject *s, bool streams, char *out, size_t room)
{
    static const char *const own[] = {"words column=said", "majority of=(knn),(tree 2)",
                                      "boost rounds=6 rate=0.4", "vote of=(knn),(tree 2)",
                                      "hmm k=3"};
    static const char *const in_a_stream[] = {"words column=said hash=64", "linear solver=sgd",
                                              "majority of=(sgd),(perceptron)"};
    size_t n = strlen(s->learner->word->name);
    snprintf(out, room, "%s", s->sentence);
    for (int64_t i = 0; !streams && i < SMR_COUNT(own); i++)
        if (strncmp(own[i], s->learner->word->name, n) == 0 && own[i][n] == ' ')
            snprintf(out, room, "%s", own[i]);
    for (int64_t i = 0; streams && i < SMR_COUNT(in_a_stream); i++)
        if (strncmp(in_a_stream[i], s->learner->word->name, n) == 0 && in_a_stream[i][n] == ' ')
            snprintf(out, room, "%s", in_a_stream[i]);
}

/* ---- the tests -------------------------------------------------------------------------- */

/* A stream ends in a learner: after a transform, one that any numbers move. */
static struct trial *begin(smr_ctx *ctx, const struct subject *s, bool streams)
{
    struct trial *t = calloc(1, sizeof *t);
    bool transform = streams && s->task == SMR_TASK_NONE;
    t->ctx = ctx;
    t->s = s;
    t->streams = streams;
    t->task = transform ? SMR_TASK_CLASSIFY : s->task;
    t->after = transform ? " | sgd" : "";
    for (int64_t i = 0; i < TABLES; i++) {
        unsigned with =
            fixture_for(t->task) | tables[i] | (reads_a_text(s->learner) ? WITH_TEXT : 0);
        t->table[i] = fixture_sized(ctx, with, FIXTURE_ROWS, FIXTURE_COLS);
        t->more[i] = fixture_sized(ctx, with, MORE_ROWS, FIXTURE_COLS);
    }
    return t;
}

static void end(struct trial *t)
{
    for (int64_t i = 0; i < TABLES; i++) smr_table_free(t->table[i]), smr_table_free(t->more[i]);
    if (t->n_found) print_message("%lld found:%s\n", (long long)t->n_found, t->findings);
    bool right = t->n_found == 0;
    free(t);
    assert_true(right);
}

/* Is the condition "name=value|value" met by default? */
static bool is_met(const smr_word *word, const char *when, const char *sign)
{
    char name[64] = "";
    memcpy(name, when, (size_t)(sign - when));
    const smr_param *other = smr_param_find(word, name);
    if (usual_choice(other) < 0) return false;
    const char *usual = other->choices[usual_choice(other)].name;
    size_t n = strlen(usual);
    for (const char *at = sign + 1; *sign == '='; at += strcspn(at, "|&") + 1) {
        if (strncmp(at, usual, n) == 0 && strchr("|&", at[n])) return true;
        if (at[strcspn(at, "|&")] != '|') break;
    }
    return false;
}

/* Appends what makes the parameter read: the first value of each condition. */
static void meet(const smr_word *word, const smr_param *p, char *out, size_t room)
{
    for (const char *at = p->when; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
        const char *sign = at + strcspn(at, SMR_WHEN_SIGNS);
        size_t used = strlen(out), n = strcspn(sign + 1, "|&");
        char name[64] = "";
        memcpy(name, at, (size_t)(sign - at));
        if (is_met(word, at, sign) || is_given(out, smr_param_find(word, name))) continue;
        if (*sign == '>') snprintf(out + used, room - used, " %.*s=2", (int)(sign - at), at);
        if (*sign != '=' || strncmp(sign, "=none", 5) == 0 || strchr("-0123456789", sign[1]))
            continue;
        snprintf(out + used, room - used, " %.*s=%.*s", (int)(sign - at), at, (int)n, sign + 1);
    }
}

enum { PARAMS = 40 };
/* Which parameters were tried, in one task or another, by fits and by streams. */
static bool were_tried[2][SUBJECTS][PARAMS];

static void try_alone(struct trial *t)
{
    const struct subject *s = t->s;
    const smr_word *word = s->learner->word;
    bool *tried = were_tried[t->streams][place_of(s->learner)];
    assert_true(word->n_params <= PARAMS);
    for (int64_t i = 0; i < word->n_params; i++) {
        char base[TEXT];
        const smr_param *p = &word->params[i];
        sentence_for(s, t->streams, base, sizeof base);
        if (is_given(base, p)) {
            tried[i] = true; /* by the sentence itself: its members, its rounds */
            continue;
        }
        meet(word, p, base, sizeof base);
        if (!set_base(t, base)) { /* a condition of another task; streams may refuse the learner */
            tried[i] |= t->streams;
            continue;
        }
        try_values(t, p, t->streams ? "stream" : "");
        tried[i] = true;
    }
}

static void every_parameter_does_something_or_is_refused(smr_ctx *ctx, const struct subject *s)
{
    struct trial *t = begin(ctx, s, false);
    try_alone(t);
    end(t);
}

/* What only a fit reads, a stream refuses. */
static void and_so_it_is_in_a_stream(smr_ctx *ctx, const struct subject *s)
{
    if (!s->learner->stream) return;
    struct trial *t = begin(ctx, s, true);
    try_alone(t);
    end(t);
}

/* Where a choice is made, or a parameter given that is unset by default, the others still act. */
static void and_beside_every_choice(smr_ctx *ctx, const struct subject *s)
{
    struct trial *t = begin(ctx, s, false);
    const smr_word *word = s->learner->word;
    for (int64_t a = 0; a < word->n_params; a++) {
        struct values v = values_of(word, &word->params[a]);
        for (int64_t k = 0; k < (v.spare < VALUES ? v.n : SMR_MIN(v.n, 1)); k++) {
            char base[TEXT], beside[TEXT];
            sentence_for(s, t->streams, base, sizeof base);
            if (is_given(base, &word->params[a])) continue;
            meet(word, &word->params[a], base, sizeof base);
            snprintf(beside, sizeof beside, "%s=%s", word->params[a].name, v.text[k]);
            size_t used = strlen(base);
            snprintf(base + used, sizeof base - used, " %s", beside);
            if (!set_base(t, base)) continue;
            for (int64_t b = 0; b < word->n_params; b++) {
                const smr_param *p = &word->params[b];
                if (!is_given(t->base, p)) try_values(t, p, beside);
            }
        }
    }
    end(t);
}

static const struct check checks[] = {CHECK(every_parameter_does_something_or_is_refused),
                                      CHECK(and_so_it_is_in_a_stream),
                                      CHECK(and_beside_every_choice)};
/* The last are thousands of small fits: a sanitizer sees nothing there that others do not show. */
enum { CHECKS = SMR_COUNT(checks) - (CHECK_MEMORY || CHECK_RACES) };

/* After all checks: an excuse that nothing needed hides what comes next. */
static int count_idle_excuses(void)
{
    int idle = 0;
    if (CHECK_MEMORY || CHECK_RACES) return 0; /* not all checks ran */
    for (int64_t i = 0; i < SMR_COUNT(excused); i++) {
        if (was_needed[i]) continue;
        print_message("nothing needs the excuse for %s %s beside '%s' (%s)\n", excused[i].learner,
                      excused[i].param, excused[i].beside, excused[i].why);
        idle++;
    }
    return idle;
}

/* What no task and no sentence could try is not tested at all. */
static int count_untried(void)
{
    int64_t n, untried = 0;
    const smr_learner *const *all = smr_registry(&n);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < all[k]->word->n_params; i++)
            for (int streams = 0; streams <= (all[k]->stream != NULL); streams++) {
                if (were_tried[streams][k][i]) continue;
                print_message("%s.%s was never tried%s\n", all[k]->word->name,
                              all[k]->word->params[i].name, streams ? " in a stream" : "");
                untried++;
            }
    return (int)untried;
}

int main(void)
{
    int failed = run_suite(&(struct suite){.name = "contract of the parameters",
                                           .checks = checks,
                                           .n_checks = CHECKS,
                                           .threads = 1,
                                           .of_sequences = true});
    return failed ? failed : count_idle_excuses() + count_untried();
}
