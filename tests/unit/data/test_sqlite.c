/* SQLite databases: tables, views, queries; nothing is written; bad ones are told. */
#include "unit/data/check_csv.h"

#include "config.h"
#include "data/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/samara-test-XXXXXX";
static char path[64], place[96];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/a.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Python has its own SQLite: the databases do not come from the code that reads them. */
static bool make(const char *sql)
{
    char command[2000];
    if (!smr_sqlite_reader()) return false;
    unlink(path);
    int n = snprintf(command, sizeof command,
                     "python3 -c \"import sqlite3, sys; c = sqlite3.connect('%s'); "
                     "c.executescript(sys.argv[1]); c.commit()\" \"%s\"",
                     path, sql);
    assert_true(n < (int)sizeof command);
    return system(command) == 0;
}

static smr_status read_place(smr_ctx *ctx, const char *table, const smr_read_opts *opts,
                             smr_table **out)
{
    snprintf(place, sizeof place, "%s%s", path, table);
    return smr_table_read(ctx, place, opts, out);
}

static void tables_and_queries_are_read(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    if (!make("create table 'odd name'(x real, n integer, y text, d date); insert into 'odd "
              "name' values (1.5, 7, 'a', '2020-02-29'), (null, -9007199254740993, 'b', "
              "null), (2, null, null, '2021-01-01'); create view v as select x + 1 as x1 from 'odd "
              "name' where x is not null;"))
        skip();
    check_ok(ctx, read_place(ctx, "?odd name", &detect, &t));
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(t->n_cols, 4);
    check_near("x", number(t, 0, 2), 2, 0);
    assert_true(isnan(number(t, 0, 1)));
    check_near("n", number(t, 1, 1), -9007199254740992.0, 0);
    check_cell(t, 2, 1, "b");
    assert_int_equal(t->cols[3].kind, SMR_DATE);
    assert_int_equal(t->cols[3].n_missing, 1);
    check_note(t, "format: sqlite, table odd name");
    smr_table_free(t);

    check_ok(ctx, read_place(ctx, "?v", &detect, &t));
    check_near("a view", number(t, 0, 1), 3, 0);
    smr_table_free(t);

    smr_read_opts query = {.header = -1,
                           .query = "select y, count(*) as n from 'odd name' group by y "
                                    "order by y desc; "};
    check_ok(ctx, read_place(ctx, "", &query, &t));
    assert_int_equal(t->n_rows, 3);
    check_cell(t, 0, 0, "b");
    smr_table_free(t);
    check_fails(ctx, read_place(ctx, "", &detect, &t), SMR_ERR_PARAM,
                "the database has 2 tables; name one");
    smr_ctx_clear(ctx);
    check_fails(ctx, read_place(ctx, "?w", &detect, &t), SMR_ERR_PARAM,
                "no table 'w' can be read; it has: odd name, v");
    smr_ctx_clear(ctx);
    check_fails(ctx, read_place(ctx, "?v", &query, &t), SMR_ERR_PARAM,
                "name a table or give a query, not both");
    check_ctx_end(ctx);
}

static void a_query_can_only_read(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    char into[128];
    if (!make("create table t(x); insert into t values (1), (2);")) skip();
    snprintf(into, sizeof into, "vacuum into '%s/b.db'", folder);
    const char *const bad[] = {"delete from t",
                               "select 1; select 2",
                               "",
                               into,
                               "attach 'x.db' as y",
                               "select ?",
                               "drop table t",
                               "pragma journal_mode=wal; select 1"};
    for (int k = 0; k < SMR_COUNT(bad); k++) {
        smr_read_opts opts = {.header = -1, .query = bad[k]};
        smr_table *t;
        check_fails(ctx, read_place(ctx, "", &opts, &t), SMR_ERR_PARAM, "a query is one SELECT");
        smr_ctx_clear(ctx);
    }
    smr_read_opts wrong = {.header = -1, .query = "select nix from t"};
    smr_table *t;
    check_fails(ctx, read_place(ctx, "", &wrong, &t), SMR_ERR_FORMAT,
                "SQLite, the query: no such column: nix");
    smr_ctx_clear(ctx);
    smr_read_opts none = {.header = -1, .query = "select x from t where x > 7"};
    check_fails(ctx, read_place(ctx, "", &none, &t), SMR_ERR_FORMAT, "no rows were selected");
    smr_ctx_clear(ctx);
    check_ok(ctx, read_place(ctx, "", &detect, &t)); /* both rows are still there */
    assert_int_equal(t->n_rows, 2);
    smr_table_free(t);
    check_ctx_end(ctx);
}

static void what_no_column_holds_is_refused_by_row(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    if (!make("create table t(a, b); insert into t values (1, 2), (3, x'00ff');")) skip();
    check_fails(ctx, read_place(ctx, "", &detect, &t), SMR_ERR_DATA,
                "row 2: column 'b' holds a blob");
    smr_ctx_clear(ctx);
    smr_column_rule rule = {.name = "b", .ignore = true};
    smr_read_opts opts = {.header = -1, .rules = &rule, .n_rules = 1};
    check_ok(ctx, read_place(ctx, "", &opts, &t));
    assert_int_equal(t->n_cols, 1);
    smr_table_free(t);
    if (!make("create table t(a); insert into t values (1), ('x');")) skip();
    check_fails(ctx, read_place(ctx, "", &detect, &t), SMR_ERR_DATA,
                "row 2: column 'a' has a string here, and numbers from row 1 on");
    check_ctx_end(ctx);
}

static void damaged_databases_are_told(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    if (!make("create table t(x); with recursive c(i) as (select 1 union all select i + 1 from c "
              "where i < 3000) insert into t select i from c;"))
        skip();
    FILE *f = fopen(path, "rb");
    static char bytes[1 << 17];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n > 8192 && n < sizeof bytes);
    for (size_t cut = 100; cut < n; cut += n / 9) {
        smr_table *t = NULL;
        f = fopen(path, "wb");
        fwrite(bytes, 1, cut, f);
        fclose(f);
        smr_status st = read_place(ctx, "", &detect, &t);
        assert_true(st == SMR_ERR_FORMAT && !t);
        smr_ctx_clear(ctx);
    }
    check_ctx_end(ctx);
}

static void packed_databases_are_refused(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    char command[200];
    if (!make("create table t(x); insert into t values (1);")) skip();
    snprintf(command, sizeof command, "gzip -f '%s' && mv '%s.gz' '%s'", path, path, path);
    assert_int_equal(system(command), 0);
    check_fails(ctx, read_place(ctx, "", &detect, &t), SMR_ERR_UNSUPPORTED,
                "is read from a file of its own, not packed");
    check_ctx_end(ctx);
}

static void only_databases_have_tables(void **state)
{
    (void)state;
    smr_ctx *ctx = check_ctx(1);
    smr_table *t;
    FILE *f = fopen(path, "wb");
    fputs("a,b\n1,2\n", f);
    fclose(f);
    check_fails(ctx, read_place(ctx, "?t", &detect, &t), SMR_ERR_PARAM,
                "is csv; FILE?TABLE is for SQLite databases");
    smr_ctx_clear(ctx);
    smr_read_opts opts = {.header = -1, .query = "select 1"};
    check_fails(ctx, read_place(ctx, "", &opts, &t), SMR_ERR_PARAM,
                "a query is for SQLite databases");
    check_ctx_end(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_and_queries_are_read),
        cmocka_unit_test(a_query_can_only_read),
        cmocka_unit_test(what_no_column_holds_is_refused_by_row),
        cmocka_unit_test(damaged_databases_are_told),
        cmocka_unit_test(packed_databases_are_refused),
        cmocka_unit_test(only_databases_have_tables),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
