/* margins.c -- three ways down the same loss, and where each of them ends.
 *
 * Rows have d features of -1 or 1, drawn by coin; the label is the majority of the first three.
 * Each method looks for weights lambda of the features that make the mean of exp(-y x.lambda) over
 * the training rows small:
 *
 *     exhaustive   AdaBoost: the best single feature of each round
 *     gradient     gradient descent on all features at once, with a line search
 *     random       AdaBoost with a feature drawn by coin in each round
 *
 * They are stopped at the same losses, and their lambda are tried on rows that they never saw.
 * After the experiment of Schapire, "Explaining AdaBoost" (2013).
 *
 *     cc -O3 -march=native margins.c -lm -o margins
 *     ./margins rows=1000 test=10000 features=10000 repeats=10 least=100 seed=1 json=FILE
 *         table=FILE
 *
 * A loss of 1e-100 is kept as its logarithm.  A comment above each method says how it is made
 * fast. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 3, MARKS = 4, LEVELS = 101, MOST_REPEATS = 100 };

static const char *const names[METHODS] = {"exhaustive AdaBoost", "gradient descent",
                                           "random AdaBoost"};
static const int exponents[MARKS] = {10, 20, 40, 100}; /* losses of 1e-10 ... */

struct wish {
    int64_t rows, test, features, repeats, least, seed;
    const char *json, *table;
};

/* Bit j of a row: feature j is 1.  u = y x of the training rows, feature by feature. */
struct rows {
    int64_t n, n_test, d, words;
    uint64_t *bits, *test_bits;
    int8_t *y, *test_y;
    int8_t *u; /* d x n */
};

/* What a method reached at one loss. */
struct found {
    int64_t rounds; /* 0: it was not asked to go there */
    double error;   /* on the test rows */
    double ln_loss; /* from lambda itself, not from what the method kept */
    double least;   /* the smallest margin, y x.lambda / sum |lambda| */
    double margin[LEVELS];
};

static void *room(int64_t n, size_t size)
{
    void *p = calloc((size_t)(n > 0 ? n : 1), size);
    if (!p) {
        fprintf(stderr, "margins: no memory for %lld values\n", (long long)n);
        exit(1);
    }
    return p;
}

/* ---- random rows ------------------------------------------------------------------------ */

/* SplitMix64 (Steele, Lea & Flood 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int bit(const uint64_t *row, int64_t j)
{
    return (int)(row[j / 64] >> (j % 64) & 1);
}

static void draw(uint64_t *state, int64_t n, int64_t d, int64_t words, uint64_t *bits, int8_t *y)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t *row = bits + i * words;
        for (int64_t k = 0; k < words; k++) row[k] = next(state);
        if (d % 64) row[words - 1] &= ((uint64_t)1 << (d % 64)) - 1;
        y[i] = bit(row, 0) + bit(row, 1) + bit(row, 2) >= 2 ? 1 : -1;
    }
}

static struct rows make_rows(const struct wish *w, int64_t repeat)
{
    struct rows r = {.n = w->rows, .n_test = w->test, .d = w->features};
    uint64_t state = (uint64_t)w->seed * 1000003u + (uint64_t)repeat;
    r.words = (r.d + 63) / 64;
    r.bits = room(r.n * r.words, sizeof *r.bits);
    r.test_bits = room(r.n_test * r.words, sizeof *r.test_bits);
    r.y = room(r.n, 1);
    r.test_y = room(r.n_test, 1);
    r.u = room(r.d * r.n, 1);
    draw(&state, r.n, r.d, r.words, r.bits, r.y);
    draw(&state, r.n_test, r.d, r.words, r.test_bits, r.test_y);
    for (int64_t i = 0; i < r.n; i++)
        for (int64_t j = 0; j < r.d; j++)
            r.u[j * r.n + i] = (int8_t)(bit(r.bits + i * r.words, j) ? r.y[i] : -r.y[i]);
    return r;
}

static void free_rows(struct rows *r)
{
    free(r->bits);
    free(r->test_bits);
    free(r->y);
    free(r->test_y);
    free(r->u);
}

/* ---- judging lambda --------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* score[i] = sum_j x_ij lambda_j: eight features at a time from a table of their 256 sums. */
static void scores(const struct rows *r, const uint64_t *bits, int64_t n, const double *lambda,
                   double *score)
{
    for (int64_t i = 0; i < n; i++) score[i] = 0;
    for (int64_t j = 0; j < r->d; j += 8) {
        double sum[256] = {0};
        for (int64_t k = 0; k < 8 && j + k < r->d; k++)
            for (int v = 0; v < 256; v++) sum[v] += v >> k & 1 ? lambda[j + k] : -lambda[j + k];
        for (int64_t i = 0; i < n; i++)
            score[i] += sum[bits[i * r->words + j / 64] >> (j % 64) & 255];
    }
}

/* ln of the mean of exp(-m). */
static double ln_loss_of(int64_t n, const double *m)
{
    double least = INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) least = fmin(least, m[i]);
    for (int64_t i = 0; i < n; i++) sum += exp(least - m[i]);
    return log(sum / (double)n) - least;
}

static void judge(const struct rows *r, const double *lambda, int64_t rounds, struct found *f)
{
    int64_t most = r->n > r->n_test ? r->n : r->n_test;
    double *score = room(most, sizeof *score), all = 0, wrong = 0;
    scores(r, r->test_bits, r->n_test, lambda, score);
    for (int64_t i = 0; i < r->n_test; i++) { /* a tie is half a mistake */
        double m = score[i] * r->test_y[i];
        wrong += m < 0 ? 1 : m == 0 ? 0.5 : 0;
    }
    scores(r, r->bits, r->n, lambda, score);
    for (int64_t j = 0; j < r->d; j++) all += fabs(lambda[j]);
    for (int64_t i = 0; i < r->n; i++) score[i] *= r->y[i];
    f->rounds = rounds;
    f->error = wrong / (double)r->n_test;
    f->ln_loss = ln_loss_of(r->n, score);
    qsort(score, (size_t)r->n, sizeof *score, ascending);
    f->least = score[0] / all;
    for (int64_t k = 0; k < LEVELS; k++) f->margin[k] = score[k * (r->n - 1) / (LEVELS - 1)] / all;
    free(score);
}

/* Notes what was reached, where the loss has just come down to some marks. */
static int note(const struct rows *r, const struct wish *w, double ln_loss, const double *lambda,
                int64_t rounds, int mark, struct found *found)
{
    while (mark < MARKS && exponents[mark] <= w->least && ln_loss <= -exponents[mark] * log(10))
        judge(r, lambda, rounds, &found[mark++]);
    return mark;
}

static int is_done(const struct wish *w, int mark)
{
    return mark == MARKS || exponents[mark] > w->least;
}

/* ---- exhaustive AdaBoost ---------------------------------------------------------------- */

/* Rows that agree in every feature chosen so far have the same weight for ever: they are one group,
 * for which only the sums of u over its rows are kept.  A round costs groups x d, and there are as
 * many groups as patterns of the chosen features: 8, while these are the right three. */
struct groups {
    int64_t n;
    int64_t *of; /* rows -> group */
    double *size, *margin;
    int32_t *sum; /* n x d: sum of u_ij over the rows of the group */
};

static void add_row(const struct rows *r, int64_t i, int64_t sign, int32_t *sum)
{
    for (int64_t j = 0; j < r->d; j++) sum[j] += (int32_t)(sign * r->u[j * r->n + i]);
}

static struct groups one_group(const struct rows *r)
{
    struct groups g = {.n = 1};
    g.of = room(r->n, sizeof *g.of);
    g.size = room(r->n, sizeof *g.size);
    g.margin = room(r->n, sizeof *g.margin);
    g.sum = room(r->d, sizeof *g.sum);
    g.size[0] = (double)r->n;
    for (int64_t j = 0; j < r->d; j++)
        for (int64_t i = 0; i < r->n; i++) g.sum[j] += r->u[j * r->n + i];
    return g;
}

/* Divides every group by feature j: rows with u = -1 leave it. */
static void part(const struct rows *r, struct groups *g, int64_t j)
{
    int64_t before = g->n, *to = room(before, sizeof *to);
    for (int64_t k = 0; k < before; k++) to[k] = -1;
    for (int64_t i = 0; i < r->n; i++) {
        int64_t k = g->of[i];
        if (r->u[j * r->n + i] > 0 || g->sum[k * r->d + j] == -(int32_t)g->size[k]) continue;
        if (to[k] < 0) {
            to[k] = g->n++;
            g->sum = realloc(g->sum, (size_t)(g->n * r->d) * sizeof *g->sum);
            if (!g->sum) exit(1);
            memset(g->sum + to[k] * r->d, 0, (size_t)r->d * sizeof *g->sum);
            g->margin[to[k]] = g->margin[k];
        }
        g->of[i] = to[k];
        g->size[to[k]]++;
        add_row(r, i, 1, g->sum + to[k] * r->d);
    }
    for (int64_t k = 0; k < before; k++) {
        if (to[k] < 0) continue;
        g->size[k] -= g->size[to[k]];
        for (int64_t c = 0; c < r->d; c++) g->sum[k * r->d + c] -= g->sum[to[k] * r->d + c];
    }
    free(to);
}

/* The feature with the largest |sum of w u|, among equals the first; *edge: over the sum of w. */
static int64_t best_feature(const struct rows *r, const struct groups *g, double *sum, double *edge)
{
    double least = INFINITY, all = 0;
    int64_t best = 0;
    for (int64_t k = 0; k < g->n; k++) least = fmin(least, g->margin[k]);
    for (int64_t j = 0; j < r->d; j++) sum[j] = 0;
    for (int64_t k = 0; k < g->n; k++) {
        double w = exp(least - g->margin[k]);
        all += w * g->size[k];
        for (int64_t j = 0; j < r->d; j++) sum[j] += w * g->sum[k * r->d + j];
    }
    for (int64_t j = 1; j < r->d; j++)
        if (fabs(sum[j]) > fabs(sum[best])) best = j;
    *edge = sum[best] / all;
    return best;
}

static void exhaustive(const struct rows *r, const struct wish *w, struct found *found)
{
    struct groups g = one_group(r);
    double *lambda = room(r->d, sizeof *lambda), *sum = room(r->d, sizeof *sum), ln_loss = 0, edge;
    int mark = 0;
    for (int64_t t = 1; !is_done(w, mark); t++) {
        int64_t j = best_feature(r, &g, sum, &edge);
        double alpha = log((1 + edge) / (1 - edge)) / 2;
        if (!(fabs(edge) < 1)) break; /* one feature is the label */
        if (lambda[j] == 0) part(r, &g, j);
        lambda[j] += alpha;
        for (int64_t k = 0; k < g.n; k++) g.margin[k] += g.sum[k * r->d + j] > 0 ? alpha : -alpha;
        ln_loss += log1p(-edge * edge) / 2;
        mark = note(r, w, ln_loss, lambda, t, mark, found);
    }
    free(g.of);
    free(g.size);
    free(g.margin);
    free(g.sum);
    free(lambda);
    free(sum);
}

/* ---- gradient descent ------------------------------------------------------------------- */

/* The direction is sum_i p_i u_i, p the weights of the rows divided by their sum, so that lambda
 * stays a combination of the rows: lambda = sum_i v_i u_i.  Margins move by K p, K the rows' inner
 * products, counted in bits once: a step costs n^2 and not n d.
 *
 * Along its direction the loss may fall for ever, so an exact search would go to the end of the
 * table in one step.  The step is Newton's, doubled as long as Armijo's condition loss(step) <=
 * loss(0) (1 - ARMIJO step slope) holds, or halved until it does. */
static const double ARMIJO = 0.2;

static double *inner_products(const struct rows *r)
{
    double *K = room(r->n * r->n, sizeof *K);
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t k = 0; k <= i; k++) {
            int64_t other = 0;
            for (int64_t c = 0; c < r->words; c++)
                other +=
                    __builtin_popcountll(r->bits[i * r->words + c] ^ r->bits[k * r->words + c]);
            K[i * r->n + k] = K[k * r->n + i] = (double)(r->y[i] * r->y[k] * (r->d - 2 * other));
        }
    return K;
}

/* The loss after a step, over the loss before it. */
static double ratio(int64_t n, const double *p, const double *a, double step)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += p[i] * exp(-step * a[i]);
    return sum;
}

static double search(int64_t n, const double *p, const double *a)
{
    double slope = 0, bend = 0;
    for (int64_t i = 0; i < n; i++) {
        slope += p[i] * a[i];
        bend += p[i] * a[i] * a[i];
    }
    double step = slope / bend;
    while (!(ratio(n, p, a, step) <= 1 - ARMIJO * step * slope)) step /= 2;
    while (ratio(n, p, a, 2 * step) <= 1 - ARMIJO * 2 * step * slope) step *= 2;
    return step;
}

static void combine(const struct rows *r, const double *v, double *lambda)
{
    for (int64_t j = 0; j < r->d; j++) {
        lambda[j] = 0;
        for (int64_t i = 0; i < r->n; i++) lambda[j] += v[i] * r->u[j * r->n + i];
    }
}

static void gradient(const struct rows *r, const struct wish *w, struct found *found)
{
    int64_t n = r->n;
    double *K = inner_products(r), *m = room(n, sizeof *m), *p = room(n, sizeof *p);
    double *a = room(n, sizeof *a), *v = room(n, sizeof *v), *lambda = room(r->d, sizeof *lambda);
    int mark = 0;
    for (int64_t t = 1; !is_done(w, mark); t++) {
        double ln_before = ln_loss_of(n, m) + log((double)n);
        for (int64_t i = 0; i < n; i++) p[i] = exp(-m[i] - ln_before);
        for (int64_t i = 0; i < n; i++) {
            a[i] = 0;
            for (int64_t k = 0; k < n; k++) a[i] += K[i * n + k] * p[k];
        }
        double step = search(n, p, a);
        for (int64_t i = 0; i < n; i++) {
            m[i] += step * a[i];
            v[i] += step * p[i];
        }
        double ln_loss = ln_loss_of(n, m);
        if (ln_loss <= -exponents[mark] * log(10)) {
            combine(r, v, lambda);
            mark = note(r, w, ln_loss, lambda, t, mark, found);
        }
    }
    free(K);
    free(m);
    free(p);
    free(a);
    free(v);
    free(lambda);
}

/* ---- random AdaBoost -------------------------------------------------------------------- */

/* Weights are multiplied as they are, and divided by their sum every 64 rounds; a round costs n. */
static void at_random(const struct rows *r, const struct wish *w, int64_t repeat,
                      struct found *found)
{
    int64_t n = r->n;
    double *weight = room(n, sizeof *weight), *lambda = room(r->d, sizeof *lambda), ln_loss = 0;
    uint64_t state = (uint64_t)w->seed * 7919u + (uint64_t)repeat + ((uint64_t)1 << 40);
    int mark = 0;
    for (int64_t i = 0; i < n; i++) weight[i] = 1;
    for (int64_t t = 1; !is_done(w, mark); t++) {
        int64_t j = (int64_t)(next(&state) % (uint64_t)r->d);
        const int8_t *u = r->u + j * n;
        double with = 0, all = 0;
        for (int64_t i = 0; i < n; i++) {
            with += weight[i] * u[i];
            all += weight[i];
        }
        double edge = with / all, alpha = log((1 + edge) / (1 - edge)) / 2;
        double right = exp(-alpha), wrong = exp(alpha);
        if (t % 64 == 0) {
            right *= (double)n / all;
            wrong *= (double)n / all;
        }
        for (int64_t i = 0; i < n; i++) weight[i] *= u[i] > 0 ? right : wrong;
        lambda[j] += alpha;
        ln_loss += log1p(-edge * edge) / 2;
        mark = note(r, w, ln_loss, lambda, t, mark, found);
    }
    free(weight);
    free(lambda);
}

/* ---- tables ----------------------------------------------------------------------------- */

struct range {
    double mean, low, high;
};

static struct range range_of(const struct found (*all)[METHODS][MARKS], int64_t repeats, int method,
                             int mark, size_t field)
{
    struct range s = {.low = INFINITY, .high = -INFINITY};
    for (int64_t k = 0; k < repeats; k++) {
        const struct found *f = &all[k][method][mark];
        double x = field == 0 ? f->error * 100 : field == 1 ? (double)f->rounds : f->least;
        s.mean += x / (double)repeats;
        s.low = fmin(s.low, x);
        s.high = fmax(s.high, x);
    }
    return s;
}

static void print_table(const struct wish *w, const struct found (*all)[METHODS][MARKS])
{
    static const char *const published[METHODS][MARKS] = {
        {"0.0 % [94]", "0.0 % [190]", "0.0 % [382]", "0.0 % [956]"},
        {"40.7 % [5]", "40.8 % [9]", "40.8 % [21]", "40.8 % [70]"},
        {"-", "-", "-", "-"}};
    int as_published = w->rows == 1000 && w->features == 10000;
    printf("%lld rows, %lld test rows, %lld features, %lld repetitions\n\n", (long long)w->rows,
           (long long)w->test, (long long)w->features, (long long)w->repeats);
    printf("%-20s %-7s %-27s %-27s %-14s %s\n", "", "loss", "test error, % (range)",
           "rounds (range)", "least margin", as_published ? "published" : "");
    for (int k = 0; k < METHODS; k++)
        for (int m = 0; m < MARKS && exponents[m] <= w->least; m++) {
            char error[64], rounds[64];
            struct range e = range_of(all, w->repeats, k, m, 0);
            struct range t = range_of(all, w->repeats, k, m, 1);
            snprintf(error, sizeof error, "%.1f (%.1f to %.1f)", e.mean, e.low, e.high);
            snprintf(rounds, sizeof rounds, "%.0f (%.0f to %.0f)", t.mean, t.low, t.high);
            printf("%-20s 1e-%-4d %-27s %-27s %-14.3g %s\n", m ? "" : names[k], exponents[m], error,
                   rounds, range_of(all, w->repeats, k, m, 2).mean,
                   as_published ? published[k][m] : "");
        }
}

/* Every loss again from lambda itself: what the methods add up must agree. */
static int check(const struct wish *w, const struct found (*all)[METHODS][MARKS])
{
    for (int64_t r = 0; r < w->repeats; r++)
        for (int k = 0; k < METHODS; k++)
            for (int m = 0; m < MARKS && exponents[m] <= w->least; m++) {
                const struct found *f = &all[r][k][m];
                if (f->rounds > 0 && f->ln_loss <= -exponents[m] * log(10) * (1 - 1e-9)) continue;
                fprintf(stderr, "margins: %s is at a loss of e^%.9g, not 1e-%d\n", names[k],
                        f->ln_loss, exponents[m]);
                return 1;
            }
    return 0;
}

static void write_series(FILE *out, const char *name, int64_t n, const double *x, const double *y,
                         const char *after)
{
    fprintf(out, "    {\"name\": \"%s\", \"kind\": \"line\", \"x\": [", name);
    for (int64_t i = 0; i < n; i++) fprintf(out, "%s%.9g", i ? ", " : "", x[i]);
    fprintf(out, "], \"y\": [");
    for (int64_t i = 0; i < n; i++) fprintf(out, "%s%.9g", i ? ", " : "", y[i]);
    fprintf(out, "]}%s\n", after);
}

/* Figures as samara draws them (samara plot). */
static void write_figures(const struct wish *w, const struct found (*all)[METHODS][MARKS],
                          FILE *out)
{
    double share[LEVELS], loss[MARKS], error[MARKS];
    int marks = 0;
    while (marks < MARKS && exponents[marks] <= w->least) marks++;
    for (int k = 0; k < LEVELS; k++) share[k] = (double)k / (LEVELS - 1);
    for (int m = 0; m < marks; m++) loss[m] = -exponents[m];
    fprintf(out,
            "{\"command\": \"boosting-margins\", \"figures\": [\n"
            "  {\"name\": \"margins\", \"title\": \"Margins of the training rows at a loss of "
            "1e-%d\",\n   \"note\": \"One loss, three distributions: y x.lambda / sum of "
            "|lambda|.\",\n   \"x\": {\"label\": \"margin\", \"scale\": \"linear\"},\n   "
            "\"y\": {\"label\": \"share of rows\", \"scale\": \"linear\", \"min\": 0, "
            "\"max\": 1},\n   \"series\": [\n",
            exponents[marks - 1]);
    for (int k = 0; k < METHODS; k++)
        write_series(out, names[k], LEVELS, all[0][k][marks - 1].margin, share,
                     k + 1 < METHODS ? "," : "");
    fprintf(out, "  ]},\n  {\"name\": \"error\", \"title\": \"Test error as the loss goes down\",\n"
                 "   \"x\": {\"label\": \"log10 of the exponential loss\", \"scale\": "
                 "\"linear\"},\n   \"y\": {\"label\": \"test error, %%\", \"scale\": \"linear\", "
                 "\"min\": 0, \"max\": 50},\n   \"series\": [\n");
    for (int k = 0; k < METHODS; k++) {
        for (int m = 0; m < marks; m++) error[m] = range_of(all, w->repeats, k, m, 0).mean;
        write_series(out, names[k], marks, loss, error, k + 1 < METHODS ? "," : "");
    }
    fprintf(out, "  ]}\n]}\n");
}

/* The training rows of the first repetition, for samara itself. */
static void write_table(const struct rows *r, FILE *out)
{
    for (int64_t j = 0; j < r->d; j++) fprintf(out, "x%lld,", (long long)j);
    fprintf(out, "y\n");
    for (int64_t i = 0; i < r->n; i++) {
        for (int64_t j = 0; j < r->d; j++)
            fputs(bit(r->bits + i * r->words, j) ? "1," : "-1,", out);
        fputs(r->y[i] > 0 ? "yes\n" : "no\n", out);
    }
}

static int to_file(const char *path, FILE **out)
{
    *out = fopen(path, "w");
    if (!*out) fprintf(stderr, "margins: %s cannot be written\n", path);
    return *out != NULL;
}

/* ---- the command ------------------------------------------------------------------------ */

static int read_wish(int argc, char **argv, struct wish *w)
{
    struct {
        const char *name;
        int64_t *value, least, most;
    } numbers[] = {{"rows", &w->rows, 10, 100000},        {"test", &w->test, 1, 1000000},
                   {"features", &w->features, 3, 100000}, {"repeats", &w->repeats, 1, MOST_REPEATS},
                   {"least", &w->least, 10, 100},         {"seed", &w->seed, 0, 1000000}};
    for (int a = 1; a < argc; a++) {
        char *value = strchr(argv[a], '='), *end = NULL;
        size_t length = value ? (size_t)(value - argv[a]) : 0;
        int known = 0;
        if (value && length == 4 && !memcmp(argv[a], "json", 4)) w->json = value + 1, known = 1;
        if (value && length == 5 && !memcmp(argv[a], "table", 5)) w->table = value + 1, known = 1;
        for (size_t k = 0; value && k < sizeof numbers / sizeof *numbers; k++) {
            if (strlen(numbers[k].name) != length || memcmp(argv[a], numbers[k].name, length))
                continue;
            *numbers[k].value = strtoll(value + 1, &end, 10);
            known = *end == '\0' && end > value + 1 && *numbers[k].value >= numbers[k].least &&
                    *numbers[k].value <= numbers[k].most;
        }
        if (known) continue;
        fprintf(stderr,
                "margins: '%s' is none of rows=, test=, features=, repeats=, least= (10 to "
                "100: the loss 1e-that), seed=, json=FILE, table=FILE\n",
                argv[a]);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct wish w = {1000, 10000, 10000, 10, 100, 1, NULL, NULL};
    FILE *out;
    if (!read_wish(argc, argv, &w)) return 2;
    struct found(*all)[METHODS][MARKS] = room(w.repeats, sizeof *all);
    for (int64_t k = 0; k < w.repeats; k++) {
        struct rows r = make_rows(&w, k);
        if (k == 0 && w.table && to_file(w.table, &out)) {
            write_table(&r, out);
            fclose(out);
        }
        exhaustive(&r, &w, all[k][0]);
        gradient(&r, &w, all[k][1]);
        at_random(&r, &w, k, all[k][2]);
        free_rows(&r);
    }
    print_table(&w, (const struct found(*)[METHODS][MARKS])all);
    int failed = check(&w, (const struct found(*)[METHODS][MARKS])all);
    if (w.json && to_file(w.json, &out)) {
        write_figures(&w, (const struct found(*)[METHODS][MARKS])all, out);
        fclose(out);
    }
    free(all);
    return failed;
}
