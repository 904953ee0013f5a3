/* The table does not depend on how the file is cut, on the threads, or on the CPU's tier.
 *
 * Truth is the list of cells that a random file is written from. */
#include "unit/data/check_csv.h"

#include "core/rng.h"
#include "core/text.h"
#include "kernel/csv_kernels.h"

enum { COLS = 5, ROWS_MAX = 61, CELL_MAX = 96 };

struct style {
    const char *newline;
    char delimiter;
    bool final_newline, blank_lines, bom, spaces;
};

struct plan {
    char text[ROWS_MAX][2][CELL_MAX]; /* two columns of strings  */
    double value[ROWS_MAX][2];        /* two of numbers          */
    double day[ROWS_MAX];
    int64_t n_rows;
};

static uint64_t seed_now;

static int64_t draw(uint64_t a, uint64_t b, int64_t n)
{
    return smr_random_below(seed_now, SMR_STREAM_TEST, a, b, n);
}

/* Text with everything that is special in it; never a missing mark, never blank at its ends. */
static void make_word(char *out, uint64_t a, uint64_t b)
{
    static const char *const parts[] = {"a",  "\"", ",",    "\n", "\r\n", "\xc3\xa9", " ",   ";",
                                        "\t", "9",  "\"\"", "'",  "ok",   "|",        "xyz", "-"};
    int64_t n = 1 + draw(a, b, 9);
    strcpy(out, "w");
    for (int64_t k = 0; k < n; k++)
        strcat(out, parts[draw(a, b * 64 + (uint64_t)k + 1, SMR_COUNT(parts))]);
    strcat(out, "w");
}

static void write_quoted(smr_text *out, const char *text, bool needed, char delimiter)
{
    bool quote = needed || strpbrk(text, "\"\n\r") || strchr(text, delimiter) || strchr(text, ' ');
    if (!quote) {
        smr_text_add(out, text);
        return;
    }
    smr_text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"') smr_text_add(out, "\"");
        smr_text_add_bytes(out, text, 1);
    }
    smr_text_add(out, "\"");
}

static void write_number(smr_text *out, double x, int64_t form)
{
    char digits[64];
    if (isnan(x))
        smr_text_add(out, form % 2 ? "NA" : "");
    else {
        static const char *const forms[] = {"%.6f", "%.3f", "%.17g", "%g", "%+.2f", "\"%.1f\""};
        snprintf(digits, sizeof digits, forms[form % SMR_COUNT(forms)], x);
        smr_text_add(out, digits);
    }
}

/* Makes a file and what must be read from it.  Numbers are what strtod reads from their text. */
static void make_file(smr_text *out, struct plan *plan, const struct style *style)
{
    char delimiter[2] = {style->delimiter, 0};
    plan->n_rows = 1 + draw(1, 1, ROWS_MAX);
    if (style->bom) smr_text_add(out, "\xef\xbb\xbf");
    smr_text_printf(out, "n1%cword one%cday%cn2%cs2%s", style->delimiter, style->delimiter,
                    style->delimiter, style->delimiter, style->newline);
    for (int64_t i = 0; i < plan->n_rows; i++) {
        uint64_t r = (uint64_t)i;
        for (int k = 0; k < 2; k++) {
            int64_t from = 0;
            make_word(plan->text[i][k], 10 + r, (uint64_t)k);
            double x = ((double)draw(r, 40 + (uint64_t)k, 2000001) - 1e6) / 1024;
            plan->value[i][k] = draw(r, 50 + (uint64_t)k, 6) == 0 ? NAN : x;
            if (style->blank_lines && k == 0 && draw(r, 60, 5) == 0)
                smr_text_printf(out, "%s%s", draw(r, 70, 2) ? "  " : "", style->newline);
            if (k == 1) {
                int day = (int)draw(r, 80, 28) + 1, hour = (int)draw(r, 81, 24);
                smr_text_printf(out, "2024-03-%02d %02d:00%s", day, hour, delimiter);
                plan->day[i] = 1709251200.0 + 86400.0 * (day - 1) + 3600.0 * hour; /* 2024-03-01 */
            }
            from = out->length;
            write_number(out, plan->value[i][k], draw(r, 90 + (uint64_t)k, 6));
            const char *written = out->bytes ? out->bytes + from : "";
            if (!isnan(plan->value[i][k]))
                plan->value[i][k] = strtod(written + (*written == '"'), NULL);
            if (style->spaces) smr_text_add(out, " ");
            smr_text_add(out, delimiter);
            if (style->spaces) smr_text_add(out, " ");
            write_quoted(out, plan->text[i][k], draw(r, 95, 3) == 0, style->delimiter);
            if (k == 0) smr_text_add(out, delimiter);
        }
        if (i + 1 < plan->n_rows || style->final_newline) smr_text_add(out, style->newline);
    }
}

static void check_table(const smr_table *t, const struct plan *plan, const char *what)
{
    if (t->n_rows != plan->n_rows || t->n_cols != COLS)
        fail_msg("%s: %d rows and %d columns, wanted %d and %d", what, (int)t->n_rows,
                 (int)t->n_cols, (int)plan->n_rows, COLS);
    assert_string_equal(t->cols[1].name, "word one");
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int k = 0; k < 2; k++) {
            check_near(what, number(t, k ? 3 : 0, i), plan->value[i][k], 0);
            check_cell(t, k ? 4 : 1, i, plan->text[i][k]);
            if (k == 1) check_near(what, number(t, 2, i), plan->day[i], 0);
        }
}

static void any_cut_gives_the_same_table(void **state)
{
    (void)state;
    static const struct style styles[] = {
        {"\n", ',', true, false, false, false}, {"\r\n", ',', true, true, true, false},
        {"\n", ';', false, true, false, true},  {"\r\n", '|', false, false, false, true},
        {"\n", ',', false, true, true, true},
    };
    static const int64_t cuts[] = {1, 2, 3, 5, 7, 16, 31, 63, 64, 65, 100, 127, 333, 1000, 1 << 18};
    static const int threads[] = {1, 2, 7};
    struct plan plan;
    for (int64_t f = 0; f < 24; f++) {
        const struct style *style = &styles[f % SMR_COUNT(styles)];
        seed_now = (uint64_t)f + 20;
        smr_ctx *ctx = check_ctx(threads[f % 3]);
        smr_text file = {.ctx = ctx};
        make_file(&file, &plan, style);
        assert_int_equal(smr_text_done(&file), SMR_OK);
        for (int64_t c = 0; c < SMR_COUNT(cuts); c++)
            for (int tier = 0; smr_csv_kernels_tier(tier); tier++) {
                char what[64];
                smr_csv_limits limits = {.piece = cuts[c], .line_max = 1 << 20, .tier = tier};
                smr_table *t;
                snprintf(what, sizeof what, "file %d, cut %d, tier %d", (int)f, (int)cuts[c], tier);
                /* All-missing number columns and the like are decided by the same counts. */
                smr_column_rule rules[] = {{.name = "n1", .kind = SMR_NUMBER},
                                           {.name = "n2", .kind = SMR_NUMBER},
                                           {.name = "word one", .kind = SMR_CATEGORY},
                                           {.name = "s2", .kind = SMR_CATEGORY}};
                smr_read_opts opts = {.header = 1,
                                      .delimiter = style->delimiter,
                                      .rules = rules,
                                      .n_rules = f % 2 ? 4 : 0};
                check_ok(ctx, read_bytes(ctx, file.bytes, file.length, &opts, &limits, &t));
                check_table(t, &plan, what);
                smr_table_free(t);
            }
        smr_text_release(&file);
        check_ctx_end(ctx);
    }
}

static void errors_do_not_depend_on_the_cut(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a,b\n1,x\n\"2\n2\",y\n3\n", "t.csv:5: wanted 2 fields"},
        {"a,b\n1,\"x\"\"y\"\n2,\"x\" \"y\"\n3,4\n", "t.csv:3: text follows"},
        {"a,b\n1,x\n2,\"x\n\"\"\ny\n", "t.csv:3: the quote that opens here is never closed"},
        {"a,b\r\n1,x\r\n\r\n2,z,y\r\n", "t.csv:4: wanted 2 fields as in the first row, got 3"},
    };
    smr_ctx *ctx = check_ctx(2);
    for (int64_t k = 0; k < SMR_COUNT(cases); k++)
        for (int64_t piece = 1; piece < 40; piece++) {
            smr_csv_limits limits = {.piece = piece, .line_max = 1 << 20, .tier = -1};
            smr_table *t;
            check_fails(ctx,
                        read_bytes(ctx, cases[k].text, (int64_t)strlen(cases[k].text), &detect,
                                   &limits, &t),
                        SMR_ERR_FORMAT, cases[k].message);
        }
    check_ctx_end(ctx);
}

/* Every spelling of a number, alone in a column of its kind and among others. */
static void numbers_are_read_exactly(void **state)
{
    (void)state;
    enum { N = 4001 };
    static char text[N * 40];
    static double want[N];
    int n = sprintf(text, "v,w\n");
    for (int i = 0; i < N; i++) {
        static const char *const forms[] = {"%.6f", "%.0f",  "%.15f", "%.17g", "%.16g", "%.1f",
                                            "%e",   "%.12f", "%g",    "%.9f",  "%.20e", "%+.4f"};
        char digits[64];
        uint64_t r = (uint64_t)i;
        double x = smr_random_unit(5, SMR_STREAM_TEST, r, 0) - 0.5;
        static const double scale[] = {1, 1e3, 1e7, 1e-5, 1e15, 1e200, 1e-300, 9.1e15};
        x *= scale[smr_random_below(5, SMR_STREAM_TEST, r, 1, SMR_COUNT(scale))];
        int64_t form = smr_random_below(5, SMR_STREAM_TEST, r / 300, 2, SMR_COUNT(forms));
        if (i % 17 == 0) form = smr_random_below(5, SMR_STREAM_TEST, r, 2, SMR_COUNT(forms));
        if (fabs(x) > 1e16) form = 6;
        snprintf(digits, sizeof digits, forms[form], x);
        want[i] = strtod(digits, NULL);
        n += sprintf(text + n, "%s,%d\n", digits, i);
    }
    smr_ctx *ctx = check_ctx(2);
    for (int tier = 0; smr_csv_kernels_tier(tier); tier++) {
        smr_csv_limits limits = {.piece = 5000, .line_max = 1 << 20, .tier = tier};
        smr_table *t;
        check_ok(ctx, read_bytes(ctx, text, n, &detect, &limits, &t));
        for (int i = 0; i < N; i++) {
            double got = number(t, 0, i);
            if (memcmp(&got, &want[i], 8))
                fail_msg("tier %d, row %d: got %.17g, wanted %.17g", tier, i, got, want[i]);
        }
        smr_table_free(t);
    }
    check_ctx_end(ctx);
}

static void odd_spellings_are_not_numbers(void **state)
{
    (void)state;
    static const char *const odd[] = {"1.2.3", "--1", "+-1", "1e",   ".",    "-.",
                                      "1,5",   "1-2", "1+",  "1e5e", "0x10", "1_000",
                                      "e5",    "+",   "12a", "1 2",  "..5"};
    static const char *const fine[] = {".5",    "5.", "-.5",   "+5",  "1E5",
                                       "1e+05", "-0", "00012", "inf", "-Infinity"};
    smr_ctx *ctx = check_ctx(1);
    for (int tier = 0; smr_csv_kernels_tier(tier); tier++) {
        smr_csv_limits limits = {.piece = 1000, .line_max = 1 << 20, .tier = tier};
        for (int64_t k = 0; k < SMR_COUNT(odd) + SMR_COUNT(fine); k++) {
            bool good = k >= SMR_COUNT(odd);
            const char *word = good ? fine[k - SMR_COUNT(odd)] : odd[k];
            char text[200];
            smr_table *t;
            /* "." and "+" must not be the only text: then they are dashes or make a number. */
            int n = snprintf(text, sizeof text, "v;w\n1;2\n\"%s\";3\n%s;4\n5;6\n%s\n", word, word,
                             good ? "7;8" : "b;c");
            smr_read_opts opts = {.header = 1, .delimiter = ';'};
            check_ok(ctx, read_bytes(ctx, text, n, &opts, &limits, &t));
            if ((t->cols[0].kind == SMR_NUMBER) != good) fail_msg("'%s', tier %d", word, tier);
            if (good && number(t, 0, 1) != strtod(word, NULL)) fail_msg("'%s'", word);
            if (good && number(t, 0, 2) != strtod(word, NULL)) fail_msg("'%s'", word);
            smr_table_free(t);
        }
    }
    check_ctx_end(ctx);
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    static const char text[] = "id,name,day,x\n1,\"a \"\"b\"\"\",2024-01-01,1.5\n2,b,2024-01-02,x\n"
                               "3,c,,NA\n99999999999999999999,d,2024-01-03,7\n";
    int64_t start[] = {0, 1, 2};
    char bytes[] = "bc";
    smr_strings levels = {.n = 2, .start = start, .bytes = bytes};
    smr_column_rule rule = {.name = "name", .kind = SMR_CATEGORY, .levels = &levels};
    smr_read_opts opts = {.header = -1, .rules = &rule, .missing = "x,y"};
    for (int with_rule = 0; with_rule < 2; with_rule++) {
        opts.n_rules = with_rule;
        if (with_rule) opts.missing = NULL;
        smr_ctx *ctx = check_ctx(2);
        smr_status st = SMR_ERR_NOMEM;
        int n = 0;
        for (; st == SMR_ERR_NOMEM; n++) {
            smr_table *t = NULL;
            smr_csv_limits limits = {.piece = 40, .line_max = 1 << 20, .tier = -1};
            smr_ctx_clear(ctx);
            smr_memory_fail_at(ctx, n);
            st = read_bytes(ctx, text, sizeof text - 1, &opts, &limits, &t);
            smr_memory_fail_at(ctx, -1);
            assert_true((st == SMR_OK) == (t != NULL));
            smr_table_free(t);
            smr_pool_destroy(ctx);
            assert_int_equal(smr_ctx_memory(ctx, NULL), 0);
        }
        assert_int_equal(st, SMR_OK);
        assert_true(n > 30);
        check_ctx_end(ctx);
    }
}

static int stop_at_once(void *user, const char *what, int64_t done, int64_t total, double figure)
{
    (void)what, (void)done, (void)total, (void)figure;
    ++*(int *)user;
    return 1;
}

static void reading_can_be_cancelled(void **state)
{
    (void)state;
    int calls = 0;
    smr_ctx *ctx = NULL;
    smr_ctx_opts opts = {
        .size = sizeof opts, .n_threads = 2, .progress = stop_at_once, .progress_user = &calls};
    assert_int_equal(smr_ctx_create(&opts, &ctx), SMR_OK);
    smr_table *t;
    smr_csv_limits limits = {.piece = 8, .line_max = 1 << 20, .tier = -1};
    assert_int_equal(read_bytes(ctx, "a,b\n1,2\n3,4\n5,6\n", 16, &detect, &limits, &t),
                     SMR_ERR_CANCELLED);
    assert_null(t);
    assert_int_equal(calls, 1);
    smr_ctx_clear(ctx);
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_cut_gives_the_same_table),
        cmocka_unit_test(errors_do_not_depend_on_the_cut),
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(odd_spellings_are_not_numbers),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(reading_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
