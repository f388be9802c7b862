/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question in SQL: an answer of the model goes to another C library, DuckDB, through
 * Arrow's stream interface. Its columns are lent, and DuckDB makes a table of them.
 *
 *     cc ask_in_sql.c $(pkg-config --cflags --libs threadmodel) -lduckdb
 *     ./a.out run.tmt
 */
#include <stdio.h>
#include <stdlib.h>

#include <duckdb.h>
#include <threadmodel/threadmodel.h>

static const char question[] =
    "select class, owner, count(*), sum(end_ns - start_ns) // 1000000 as ms "
    "from blame where share = 'owner' group by all order by ms desc, owner limit 3";

static void fail(const char *text)
{
    fprintf(stderr, "ask_in_sql: %s\n", text);
    exit(1);
}

static void check(int rc)
{
    if (rc < 0)
        fail(tm_error_text());
}

/* Returns the owners of the locks that blocked threads, stretch by stretch. */
static tm_table *blame_of(const char *path)
{
    tm_source *source;
    tm_model *model;
    tm_table *blame;
    int rc;

    check(tm_model_new(&model, NULL));
    check(tm_source_open(&source, path, NULL));
    do
        rc = tm_source_read(source, tm_model_sink(model));
    while (rc == TM_MORE);
    check(rc);
    tm_source_close(source);
    check(tm_blame_list(&blame, model, NULL));
    tm_model_free(model); /* an answer outlives it */
    return blame;
}

static void print(duckdb_result *answer)
{
    for (idx_t row = 0; row < duckdb_row_count(answer); row++) {
        char *class_name = duckdb_value_varchar(answer, 0, row);
        char *owner = duckdb_value_varchar(answer, 1, row);

        printf("%s: %s had it in %d stretches, %d ms\n", class_name, owner,
               (int)duckdb_value_int64(answer, 2, row),
               (int)duckdb_value_int64(answer, 3, row));
        duckdb_free(class_name);
        duckdb_free(owner);
    }
}

int main(int count, char **arguments)
{
    struct ArrowArrayStream stream;
    duckdb_connection connection;
    duckdb_database database;
    duckdb_result answer;
    tm_table *blame;

    if (count != 2)
        fail("which file?");
    blame = blame_of(arguments[1]);
    check(tm_table_export_arrow_stream(&stream, blame));
    tm_table_free(blame); /* the stream keeps the columns */
    if (duckdb_open(NULL, &database) != DuckDBSuccess ||
        duckdb_connect(database, &connection) != DuckDBSuccess)
        fail("DuckDB does not open");
    /* A stream is read once, and DuckDB takes all of its columns here or none. */
    if (duckdb_arrow_scan(connection, "stream", (duckdb_arrow_stream)&stream) !=
            DuckDBSuccess ||
        duckdb_query(connection, "create table blame as select * from stream", NULL) !=
            DuckDBSuccess)
        fail("DuckDB does not take the stream");
    if (duckdb_query(connection, question, &answer) != DuckDBSuccess)
        fail(duckdb_result_error(&answer));
    print(&answer);
    duckdb_destroy_result(&answer);
    duckdb_disconnect(&connection);
    duckdb_close(&database);
    if (stream.release)
        stream.release(&stream);
    return 0;
}
