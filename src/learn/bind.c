/* bind.c -- a schema tied to one table's memory: see schema.h.
 *
 * Numbers, dates and texts become views.  A category needs a map from the table's codes to the
 * model's, made once per column; where the table holds numbers and the model categories, codes are
 * made. */
#include "core/number.h"
#include "core/text.h"
#include "data/calendar.h"
#include "data/vocab.h"
#include "learn/schema.h"
#include "learn/state.h"

#include <math.h>
#include <string.h>

static const smr_part *parts_of(const smr_input *in, const struct smr_columns_params *params,
                                int64_t *n)
{
    static const smr_part whole[] = {SMR_PART_WHOLE}, days[] = {SMR_PART_DAYS};
    static const smr_part parts[] = {SMR_PART_DAYS, SMR_PART_YEAR,    SMR_PART_MONTH,
                                     SMR_PART_DAY,  SMR_PART_WEEKDAY, SMR_PART_HOUR};
    *n = 1;
    if (in->kind != SMR_DATE) return whole;
    if (params->dates == SMR_DATES_DAYS) return days;
    *n = in->has_time ? 6 : 5;
    return parts;
}

static smr_status feature_name(smr_ctx *ctx, const smr_input *in, smr_part part, bool alone,
                               const char **out)
{
    smr_text name = {.ctx = ctx};
    smr_text_add(&name, in->name);
    if (!alone) {
        smr_text_add(&name, ".");
        smr_text_add(&name, smr_part_name(part));
    }
    smr_status st = smr_text_done(&name);
    if (st == SMR_OK)
        *out = name.bytes;
    else
        smr_text_release(&name);
    return st;
}

/* Digits of n >= 0 and a NUL; the bytes used. */
static int64_t write_number(int64_t n, char *out)
{
    int64_t length = 1;
    for (int64_t rest = n; rest >= 10; rest /= 10) length++;
    out[length] = '\0';
    for (int64_t k = length - 1; k >= 0; k--, n /= 10) out[k] = (char)('0' + n % 10);
    return length + 1;
}

/* The names of sparse features, their numbers, come after the features in the same block: one
 * request for all of them. */
static void name_sparse(smr_feature *features, int64_t n, char *names)
{
    for (int64_t j = 0; j < n; j++) {
        features[j].stride = 1;
        features[j].name = names;
        names += write_number(j, names);
    }
}

smr_status smr_schema_features(smr_ctx *ctx, const smr_schema *schema,
                               const struct smr_columns_params *params, smr_feature **out,
                               int64_t *n_out)
{
    smr_status st = SMR_OK;
    smr_feature *features = NULL;
    char longest[SMR_NUMBER_MAX];
    int64_t n = 0, n_texts = 0, room = 6 * schema->n_inputs + schema->n_sparse + 1;
    int64_t bytes = schema->n_sparse * write_number(schema->n_sparse, longest);
    TRY_NEW(features, room + bytes / (int64_t)sizeof *features + 1);
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        const smr_input *in = &schema->inputs[j];
        int64_t n_parts;
        const smr_part *parts = parts_of(in, params, &n_parts);
        for (int64_t k = 0; k < n_parts; k++) {
            smr_feature *f = &features[n++];
            f->part = parts[k];
            f->kind = in->kind == SMR_DATE ? SMR_NUMBER : in->kind;
            f->text = in->kind == SMR_TEXT ? n_texts++ : 0;
            f->levels = in->kind == SMR_CATEGORY ? &in->levels : NULL;
            f->n_levels = in->levels.n;
            f->stride = 1;
            TRY(feature_name(ctx, in, parts[k], n_parts == 1, &f->name));
        }
    }
    name_sparse(features + n, schema->n_sparse, (char *)(features + room));
    n += schema->n_sparse;
    *out = features;
    *n_out = n;
    return SMR_OK;
out:
    smr_features_free(features, n);
    return st;
}

void smr_schema_inputs_of(const smr_schema *schema, const struct smr_columns_params *params,
                          int64_t *input)
{
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        int64_t n_parts;
        (void)parts_of(&schema->inputs[j], params, &n_parts);
        for (int64_t k = 0; k < n_parts; k++) *input++ = j;
    }
    for (int64_t k = 0; k < schema->n_sparse; k++) *input++ = -1;
}

/* ---- categories ------------------------------------------------------------------------- */

struct unseen {
    int64_t n;
    char first[64];
};

static void note_unseen(struct unseen *u, const char *text, int64_t length)
{
    if (u->n++ == 0) {
        int64_t n = SMR_MIN(length, (int64_t)sizeof u->first - 1);
        memcpy(u->first, text, (size_t)n);
        u->first[n] = '\0';
    }
}

static bool same_levels(const smr_strings *a, const smr_strings *b)
{
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    if (memcmp(a->start, b->start, (size_t)(a->n + 1) * sizeof *a->start) != 0) return false;
    return memcmp(a->bytes, b->bytes, (size_t)a->start[a->n]) == 0;
}

static smr_status bind_levels(smr_ctx *ctx, const smr_input *in, const smr_column *col,
                              smr_feature *f, smr_binding *b, struct unseen *u)
{
    smr_status st = SMR_OK;
    smr_vocab known = {0};
    int32_t *map = NULL;
    if (same_levels(&in->levels, &col->levels)) return SMR_OK;
    TRY_NEW(map, col->levels.n + 1);
    b->owned[b->n_owned++] = map;
    TRY(smr_vocab_fill(ctx, &known, &in->levels));
    for (int64_t k = 0; k < col->levels.n; k++) {
        int64_t n;
        const char *level = smr_strings_get(&col->levels, k, &n);
        map[k] = smr_vocab_find(&known, level, n);
        if (map[k] < 0) note_unseen(u, level, n);
    }
    f->recode = map;
    f->n_recode = col->levels.n;
out:
    smr_vocab_release(&known);
    return st;
}

/* A number column where the model has categories: "3" is the text of 3.  It may have any number of
 * values that the model does not know. */
static smr_status bind_numbers(smr_ctx *ctx, const smr_input *in, const smr_column *col,
                               int64_t n_rows, smr_feature *f, smr_binding *b, struct unseen *u)
{
    smr_status st = SMR_OK;
    smr_strings levels = {0};
    int32_t *codes = NULL;
    smr_column made = {.name = col->name, .kind = SMR_CATEGORY, .stride = 1};
    TRY(smr_codes_from_numbers(ctx, col, n_rows, n_rows, &levels, &codes));
    b->owned[b->n_owned++] = codes;
    made.levels = levels;
    f->values = codes;
    f->dtype = SMR_I32;
    f->stride = 1;
    TRY(bind_levels(ctx, in, &made, f, b, u));
out:
    smr_strings_release(&levels);
    return st;
}

/* The strings of this table, not of the training table: no text comes twice.  Numbers have their
 * own. */
static smr_status bind_text(smr_ctx *ctx, const smr_column *col, int64_t n_rows, smr_feature *f,
                            smr_binding *b)
{
    smr_status st = SMR_OK;
    const smr_strings *strings = &col->levels;
    smr_strings *made = NULL;
    int32_t *codes = NULL;
    if (col->kind == SMR_NUMBER) {
        made = &b->made[b->n_made++];
        TRY(smr_codes_from_numbers(ctx, col, n_rows, n_rows, made, &codes));
        b->owned[b->n_owned++] = codes;
        f->values = codes;
        f->dtype = SMR_I32;
        f->stride = 1;
        strings = made;
    }
    f->levels = strings;
    f->n_levels = strings->n;
    b->texts[b->n_texts++] = strings;
out:
    return st;
}

static smr_status bind_category(smr_ctx *ctx, const smr_input *in, const smr_column *col,
                                const struct smr_columns_params *params, int64_t n_rows,
                                smr_feature *f, smr_binding *b)
{
    smr_status st = SMR_OK;
    struct unseen u = {0};
    if (col->kind == SMR_NUMBER)
        TRY(bind_numbers(ctx, in, col, n_rows, f, b, &u));
    else
        TRY(bind_levels(ctx, in, col, f, b, &u));
    if (u.n && params->unseen == SMR_UNSEEN_ERROR)
        st = smr_fail(ctx, SMR_ERR_DATA,
                      "column '%s' has %lld %s not seen in training, such as '%s'; the "
                      "model was made with unseen=error",
                      in->name, (long long)u.n, smr_plural(u.n, "level", "levels"), u.first);
    else if (u.n)
        smr_warn(ctx,
                 "column '%s' has %lld %s not seen in training, such as '%s'; %s as "
                 "missing",
                 in->name, (long long)u.n, smr_plural(u.n, "level", "levels"), u.first,
                 smr_plural(u.n, "it counts", "they count"));
out:
    return st;
}

/* ---- binding ---------------------------------------------------------------------------- */

static smr_status refuse_kind(smr_ctx *ctx, const smr_input *in, const smr_column *col)
{
    static const char *const kinds[] = {"numbers", "categories", "text", "dates"};
    int64_t length = 0;
    const char *text = col->levels.n ? smr_strings_get(&col->levels, 0, &length) : "";
    return smr_fail(ctx, SMR_ERR_DATA, "column '%s' held %s in training and holds %s here%s%.*s%s",
                    in->name, kinds[in->kind], kinds[col->kind], length ? ", such as '" : "",
                    (int)SMR_MIN(length, 60), text, length ? "'" : "");
}

static bool fits(const smr_input *in, const smr_column *col, int64_t n_rows)
{
    bool strings = col->kind == SMR_CATEGORY || col->kind == SMR_TEXT;
    if (in->kind == SMR_CATEGORY || in->kind == SMR_TEXT) return strings || col->kind == SMR_NUMBER;
    if (strings) return col->levels.n == 0; /* only missing values */
    return in->kind == col->kind || col->n_missing == n_rows;
}

static smr_status bind_input(smr_ctx *ctx, const smr_input *in, const smr_column *col,
                             const struct smr_columns_params *params, const smr_table *table,
                             smr_feature *features, int64_t *at, smr_binding *b)
{
    int64_t n_parts;
    smr_status st = SMR_OK;
    (void)parts_of(in, params, &n_parts);
    if (!fits(in, col, table->n_rows)) return refuse_kind(ctx, in, col);
    for (int64_t k = 0; k < n_parts; k++) {
        smr_feature *f = &features[(*at)++];
        f->values = col->values;
        f->stride = col->stride;
        f->dtype = col->dtype;
        if (in->kind == SMR_CATEGORY)
            TRY(bind_category(ctx, in, col, params, table->n_rows, f, b));
        else if (in->kind == SMR_TEXT)
            TRY(bind_text(ctx, col, table->n_rows, f, b));
        else if (col->kind == SMR_CATEGORY || col->kind == SMR_TEXT)
            f->kind = SMR_CATEGORY; /* all missing: codes -1 read as NaN */
    }
out:
    return st;
}

/* Columns mostly come in the model's order, so the search begins after the last one found, and a
 * table in that order takes linear time. */
void smr_schema_find_columns(const smr_schema *schema, const smr_table *table, int64_t *at)
{
    int64_t next = 0, n = table->n_cols;
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        at[j] = -1;
        for (int64_t k = 0; k < n && at[j] < 0; k++) {
            int64_t c = (next + k) % n;
            if (strcmp(table->cols[c].name, schema->inputs[j].name) == 0) at[j] = c;
        }
        if (at[j] >= 0) next = at[j] + 1;
    }
}

static smr_status missing_columns(smr_ctx *ctx, const smr_schema *schema, const smr_table *table,
                                  const int64_t *at)
{
    smr_text names = {.ctx = ctx};
    smr_status st = SMR_OK;
    int64_t n = 0;
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        if (at[j] >= 0) continue;
        if (n < 8) smr_text_printf(&names, "%s'%s'", n ? ", " : "", schema->inputs[j].name);
        n++;
    }
    if (n == 0) return SMR_OK;
    TRY(smr_text_done(&names));
    st = smr_fail(ctx, SMR_ERR_STATE, "%s lacks %lld of the columns that the model needs: %s%s%s",
                  table->source ? table->source : "the table", (long long)n, names.bytes,
                  n > 8 ? ", ..." : "",
                  table->has_header ? ""
                                    : "; its columns have no names (--header yes takes them "
                                      "from the first row)");
out:
    smr_text_release(&names);
    return st;
}

/* Pictures of another size have as many columns in another order of meaning. */
static smr_status check_items(smr_ctx *ctx, const smr_schema *schema, const smr_table *table)
{
    const int64_t *a = schema->item_shape, *b = table->item_shape;
    if (!a[0] || !b[0] || (a[0] == b[0] && a[1] == b[1] && a[2] == b[2])) return SMR_OK;
    return smr_fail(ctx, SMR_ERR_SHAPE,
                    "the model was trained on items of %lld x %lld x %lld (height, width, "
                    "channels), and those of %s are %lld x %lld x %lld; --size %lldx%lldx%lld "
                    "brings pictures to that shape",
                    (long long)a[0], (long long)SMR_MAX(1, a[1]), (long long)SMR_MAX(1, a[2]),
                    table->source ? table->source : "the table", (long long)b[0],
                    (long long)SMR_MAX(1, b[1]), (long long)SMR_MAX(1, b[2]),
                    (long long)SMR_MAX(1, a[2]), (long long)a[0], (long long)SMR_MAX(1, a[1]));
}

void smr_schema_items(const smr_schema *schema, int64_t n_features, int64_t out[4])
{
    int64_t n = 1;
    for (int k = 0; k < 4 && schema->item_shape[k]; k++) n *= schema->item_shape[k];
    bool whole = schema->item_shape[0] && n == n_features;
    for (int k = 0; k < 4; k++) out[k] = whole ? schema->item_shape[k] : 0;
}

smr_status smr_schema_bind(smr_ctx *ctx, const smr_schema *schema,
                           const struct smr_columns_params *params, const smr_table *table,
                           smr_binding *out)
{
    return smr_schema_bind_as(ctx, schema, params, table, NULL, 0, out);
}

smr_status smr_schema_bind_as(smr_ctx *ctx, const smr_schema *schema,
                              const struct smr_columns_params *params, const smr_table *table,
                              smr_feature *features, int64_t n, smr_binding *out)
{
    smr_status st = SMR_OK;
    smr_binding b = {0};
    int64_t at = 0, *found = NULL;
    TRY_NEW(found, schema->n_inputs + 1);
    smr_schema_find_columns(schema, table, found);
    TRY(check_items(ctx, schema, table));
    TRY(missing_columns(ctx, schema, table, found));
    if (schema->n_sparse && !table->sparse.n_cols) {
        st = smr_fail(ctx, SMR_ERR_STATE,
                      "the model was trained on sparse features, and %s has none",
                      table->source ? table->source : "the table");
        goto out;
    }
    if (features && schema->n_inputs == 0 && smr_hold(features)) {
        b.features = features;
        b.n_features = n;
    } else {
        TRY(smr_schema_features(ctx, schema, params, &b.features, &b.n_features));
    }
    TRY_NEW(b.owned, schema->n_inputs ? 2 * b.n_features + 1 : 1);
    TRY_NEW(b.texts, schema->n_inputs + 1);
    TRY_NEW(b.made, schema->n_inputs + 1);
    for (int64_t j = 0; j < schema->n_inputs; j++) {
        const smr_input *in = &schema->inputs[j];
        const smr_column *col = &table->cols[found[j]];
        TRY(bind_input(ctx, in, col, params, table, b.features, &at, &b));
    }
    b.data = (smr_data){.size = sizeof b.data,
                        .n_rows = table->n_rows,
                        .n_features = b.n_features,
                        .features = b.features,
                        .sparse = schema->n_sparse ? &table->sparse : NULL,
                        .texts = b.texts,
                        .n_texts = b.n_texts};
    smr_schema_items(schema, b.n_features, b.data.item_shape);
    *out = b;
    b = (smr_binding){0};
out:
    smr_free(found);
    smr_binding_release(&b);
    return st;
}

void smr_binding_release(smr_binding *b)
{
    for (int64_t i = 0; b->owned && i < b->n_owned; i++) smr_free(b->owned[i]);
    smr_free(b->owned);
    for (int64_t i = 0; b->made && i < b->n_made; i++) smr_strings_release(&b->made[i]);
    smr_free(b->made);
    smr_free(b->texts);
    smr_features_free(b->features, b->n_features);
    *b = (smr_binding){0};
}
