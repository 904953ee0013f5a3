/* columns.c -- a table made in memory, column by column: trains, predicts, and reads the answers.
 *
 *     cc columns.c $(pkg-config --cflags --libs samara) -o columns
 *     ./columns
 *
 * The flats are made up.  A rent is missing in places and is not learned there; it is predicted for
 * the last two rows, which have none. */
#include <samara.h>

#include <math.h>
#include <stdio.h>

enum { N = 14 };

static const double area[N] = {31, 45, 52, 60, 68, 74, 81, 90, 38, 57, 66, 102, 50, 85};
static const int64_t rooms[N] = {1, 2, 2, 2, 3, 3, 3, 4, 1, 2, 3, 4, 2, 3};
static const char *const district[N] = {"east", "west", "east", "west", "east", "west", "east",
                                        "west", "west", NULL,   "east", "west", "east", "west"};
static const double rent[N] = {430, 700, 690, 905, 910,  1120, 1060,
                               NAN, 600, 800, 880, 1530, NAN,  NAN};

static smr_status build(smr_ctx *ctx, smr_table **out)
{
    smr_status st = smr_table_create(ctx, N, out);
    if (st == SMR_OK) st = smr_table_add_f64(ctx, *out, "area", area);
    if (st == SMR_OK) st = smr_table_add_i64(ctx, *out, "rooms", rooms, NULL);
    if (st == SMR_OK) st = smr_table_add_strings(ctx, *out, "district", district);
    if (st == SMR_OK) st = smr_table_add_f64(ctx, *out, "rent", rent);
    return st;
}

static void show(const smr_table *flats, const smr_table *answer)
{
    for (int64_t i = N - 2; i < N; i++) {
        int64_t n;
        const char *where = smr_table_text(flats, i, smr_table_find(flats, "district"), &n);
        printf("%3.0f m2, %-4.*s  %s %.0f\n", smr_table_number(flats, i, 0), (int)n,
               where ? where : "", smr_table_col_name(answer, 0), smr_table_number(answer, i, 0));
    }
}

int main(void)
{
    smr_ctx *ctx = NULL;
    smr_table *flats = NULL, *answer = NULL;
    smr_model *model = NULL;

    if (smr_ctx_create(NULL, &ctx) != SMR_OK) return 1;
    smr_train_opts opts = {.size = sizeof opts, .target = "rent"};
    if (build(ctx, &flats) || smr_train(ctx, "ridge 0.1", flats, &opts, &model) ||
        smr_predict_table(ctx, model, flats, SMR_OUTPUT_VALUE, &answer))
        fprintf(stderr, "columns: %s\n", smr_ctx_message(ctx));
    else
        show(flats, answer);

    int failed = smr_ctx_status(ctx) != SMR_OK;
    smr_table_free(answer);
    smr_model_free(model);
    smr_table_free(flats);
    smr_ctx_destroy(ctx);
    return failed;
}
