/* sqlite.c -- a table, a view or a query of an SQLite database, by libsqlite3.
 *
 * The database is opened to be read alone; a query is one SELECT, which can neither write nor
 * attach.  What comes from a stranger's file is not trusted: no functions in its schema, cells are
 * checked, and a query can be cancelled.
 *
 *     integer, real   number
 *     text            string: a category, or dates where all are
 *     null            a gap
 *     blob            refused, unless the column is left out
 *
 * by the values, row by row (collect.h), since SQLite's columns promise nothing. */
#include "config.h"
#include "data/formats.h"

#if SMR_HAVE_SQLITE && !defined(SMR_PREDICT_ONLY)

#include "core/text.h"
#include "data/collect.h"
#include "data/foreign.h"
#include "data/infer.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

enum { STEPS = 10000, LENGTH_MAX = 64 << 20, NAMES_SHOWN = 400 };

#define CALLS(X)                    \
    X(sqlite3_open_v2)              \
    X(sqlite3_close)                \
    X(sqlite3_errmsg)               \
    X(sqlite3_exec)                 \
    X(sqlite3_limit)                \
    X(sqlite3_progress_handler)     \
    X(sqlite3_prepare_v2)           \
    X(sqlite3_stmt_readonly)        \
    X(sqlite3_bind_parameter_count) \
    X(sqlite3_step)                 \
    X(sqlite3_finalize)             \
    X(sqlite3_column_count)         \
    X(sqlite3_column_name)          \
    X(sqlite3_column_type)          \
    X(sqlite3_column_double)        \
    X(sqlite3_column_text)          \
    X(sqlite3_column_bytes)

struct calls {
    CALLS(SMR_FOREIGN_FIELD)
};

struct sqlite {
    smr_ctx *ctx;
    const char *path;
    void *library;
    struct calls calls;
    sqlite3 *db;
    sqlite3_stmt *rows;
    smr_status stopped; /* by the progress handler */
};

static smr_status find_calls(smr_ctx *ctx, void *library, struct calls *calls)
{
    smr_status st = SMR_OK;
    CALLS(SMR_FOREIGN_FIND)
out:
    return st;
}

static int on_progress(void *arg)
{
    struct sqlite *s = arg;
    s->stopped = smr_tick(s->ctx, "reading rows", 0, 0, NAN);
    return s->stopped != SMR_OK;
}

static smr_status fail(smr_ctx *ctx, struct sqlite *s, const char *doing)
{
    if (s->stopped != SMR_OK) return s->stopped;
    return smr_fail(ctx, SMR_ERR_FORMAT, "%s: SQLite, %s: %s", s->path, doing,
                    s->db ? s->calls.sqlite3_errmsg(s->db) : "no memory");
}

static smr_status open_database(smr_ctx *ctx, struct sqlite *s)
{
    smr_status st = SMR_OK;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    TRY(smr_foreign_open(ctx, "libsqlite3.so.0", "an SQLite database", "libsqlite3-0",
                         &s->library));
    TRY(find_calls(ctx, s->library, &s->calls));
    if (s->calls.sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
        TRY(fail(ctx, s, "opening it"));
    s->calls.sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
    s->calls.sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    s->calls.sqlite3_progress_handler(s->db, STEPS, on_progress, s);
    const char *care = "pragma trusted_schema=off; pragma cell_size_check=on; pragma query_only=on";
    if (s->calls.sqlite3_exec(s->db, care, NULL, NULL, NULL) != SQLITE_OK)
        TRY(fail(ctx, s, "opening it"));
out:
    return st;
}

static void close_database(struct sqlite *s)
{
    if (s->rows) s->calls.sqlite3_finalize(s->rows);
    if (s->db) s->calls.sqlite3_close(s->db);
    smr_foreign_close(s->library);
}

/* ---- which rows --------------------------------------------------------------------------- */

static bool is_over(const char *sql)
{
    return sql[strspn(sql, " \t\r\n;")] == '\0';
}

static smr_status prepare(smr_ctx *ctx, struct sqlite *s, const char *sql, const char *doing)
{
    const char *rest = "";
    smr_status st = SMR_OK;
    if (s->calls.sqlite3_prepare_v2(s->db, sql, -1, &s->rows, &rest) != SQLITE_OK)
        TRY(fail(ctx, s, doing));
    if (!s->rows || !is_over(rest) || !s->calls.sqlite3_stmt_readonly(s->rows) ||
        s->calls.sqlite3_column_count(s->rows) == 0 ||
        s->calls.sqlite3_bind_parameter_count(s->rows) > 0)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s: a query is one SELECT without parameters, not '%.200s'", s->path, sql));
out:
    return st;
}

/* The names of tables and views: how many, the last one in `one`, all with commas in `all`. */
static smr_status list_tables(smr_ctx *ctx, struct sqlite *s, int64_t *n, smr_text *one,
                              smr_text *all)
{
    static const char sql[] = "select name from sqlite_master where type in ('table', 'view') and "
                              "name not like 'sqlite\\_%' escape '\\' order by name";
    smr_status st = SMR_OK;
    int answer;
    *n = 0;
    TRY(prepare(ctx, s, sql, "listing its tables"));
    while ((answer = s->calls.sqlite3_step(s->rows)) == SQLITE_ROW) {
        const char *name = (const char *)s->calls.sqlite3_column_text(s->rows, 0);
        if (!name) continue;
        one->length = 0;
        smr_text_add(one, name);
        if (all->length < NAMES_SHOWN) smr_text_printf(all, "%s%s", *n ? ", " : "", name);
        ++*n;
    }
    if (answer != SQLITE_DONE) TRY(fail(ctx, s, "listing its tables"));
    TRY(smr_text_done(one));
    TRY(smr_text_done(all));
out:
    if (s->rows) s->calls.sqlite3_finalize(s->rows);
    s->rows = NULL;
    return st;
}

/* select * from "the name" */
static smr_status select_table(smr_ctx *ctx, struct sqlite *s, const char *table)
{
    smr_status st = SMR_OK;
    smr_text sql = {.ctx = ctx}, one = {.ctx = ctx}, all = {.ctx = ctx};
    int64_t n;
    TRY(list_tables(ctx, s, &n, &one, &all));
    if (n == 0) TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: the database has no tables", s->path));
    if (!table && n > 1)
        TRY(smr_fail(ctx, SMR_ERR_PARAM,
                     "%s: the database has %" PRId64 " tables; name one, as in %s?%s, of: %s",
                     s->path, n, s->path, one.bytes, all.bytes));
    smr_text_add(&sql, "select * from \"");
    for (const char *p = table ? table : one.bytes; *p; p++)
        smr_text_add_bytes(&sql, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    smr_text_add(&sql, "\"");
    TRY(smr_text_done(&sql));
    st = prepare(ctx, s, sql.bytes, "selecting a table");
    if (st == SMR_ERR_FORMAT && table) {
        smr_begin(ctx); /* said in other words */
        st = smr_fail(ctx, SMR_ERR_PARAM, "%s: no table '%.100s' can be read; it has: %s", s->path,
                      table, all.bytes);
    }
out:
    smr_text_release(&sql);
    smr_text_release(&one);
    smr_text_release(&all);
    return st;
}

/* ---- rows --------------------------------------------------------------------------------- */

static smr_status take_value(smr_ctx *ctx, struct sqlite *s, int k, int64_t column, int64_t row,
                             smr_collector *into)
{
    const struct calls *c = &s->calls;
    if (!smr_collect_wants(into, column)) return SMR_OK;
    switch (c->sqlite3_column_type(s->rows, k)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return smr_collect_number(ctx, into, column, c->sqlite3_column_double(s->rows, k));
    case SQLITE_NULL: return smr_collect_gap(ctx, into, column);
    case SQLITE_TEXT: break;
    default:
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "%s: row %" PRId64 ": column '%s' holds a blob, which is neither number nor "
            "text; leave it out with --type %s=ignore",
            s->path, row, c->sqlite3_column_name(s->rows, k), c->sqlite3_column_name(s->rows, k));
    }
    const char *text = (const char *)c->sqlite3_column_text(s->rows, k);
    int64_t n = c->sqlite3_column_bytes(s->rows, k), bad;
    if (!text) return SMR_ERR_NOMEM;
    if (!smr_is_utf8(text, n, &bad))
        return smr_fail(
            ctx, SMR_ERR_DATA,
            "%s: row %" PRId64 ": column '%s' has a text that is not UTF-8 ('%s'); leave "
            "it out with --type %s=ignore",
            s->path, row, c->sqlite3_column_name(s->rows, k),
            smr_excerpt(text, n, (char[SMR_EXCERPT_MAX]){0}), c->sqlite3_column_name(s->rows, k));
    return smr_collect_string(ctx, into, column, text, n);
}

static smr_status take_rows(smr_ctx *ctx, struct sqlite *s, smr_collector *into)
{
    smr_status st = SMR_OK;
    int width = s->calls.sqlite3_column_count(s->rows), answer;
    int64_t *column = NULL, row = 0;
    TRY_NEW(column, width);
    while ((answer = s->calls.sqlite3_step(s->rows)) == SQLITE_ROW) {
        TRY(smr_collect_row(ctx, into, ++row));
        for (int k = 0; k < width; k++) {
            const char *name = s->calls.sqlite3_column_name(s->rows, k);
            if (!name) TRY(SMR_ERR_NOMEM);
            if (row == 1)
                TRY(smr_collect_column(ctx, into, name, (int64_t)strlen(name), &column[k]));
            TRY(take_value(ctx, s, k, column[k], row, into));
        }
    }
    if (answer != SQLITE_DONE) TRY(fail(ctx, s, "reading rows"));
    if (row == 0) TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%s: no rows were selected", s->path));
out:
    smr_free(column);
    return st;
}

smr_status smr_sqlite_read(smr_ctx *ctx, const char *path, const char *table,
                           const smr_read_opts *opts, smr_table **out)
{
    smr_status st = SMR_OK;
    struct sqlite s = {.ctx = ctx, .path = path, .stopped = SMR_OK};
    smr_collector *into = NULL;
    smr_text notes = {.ctx = ctx};
    *out = NULL;
    if (table && opts->query)
        TRY(smr_fail(ctx, SMR_ERR_PARAM, "%s: name a table or give a query, not both", path));
    TRY(open_database(ctx, &s));
    if (opts->query)
        TRY(prepare(ctx, &s, opts->query, "the query"));
    else
        TRY(select_table(ctx, &s, table));
    TRY(smr_collector_create(ctx, path, "row", opts, &into));
    TRY(take_rows(ctx, &s, into));
    smr_text_printf(&notes, "format: sqlite%s%s\n",
                    table         ? ", table "
                    : opts->query ? ", query"
                                  : "",
                    table ? table : "");
    TRY(smr_collect_table(ctx, into, &notes, out));
out:
    smr_text_release(&notes);
    smr_collector_free(into);
    close_database(&s);
    return st;
}

#endif
