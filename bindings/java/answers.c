/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to the questions of the JUnit extension on a recording, in the JVM that made
 * it:
 *
 *     31200
 *     deadlock<tab>0<tab>13<tab>alice wants bank.Account@1f in ..., held by bob
 *     deadlock<tab>0<tab>14<tab>bob wants ...
 *     lock_order<tab>known<tab>...
 *
 * First the part of all threads' time for which they queued for locks, in millionths: a
 * JVM sets its locale, in which a fraction may have a comma. Then a line
 * for each member of a deadlock that the VM reported, with the number of the deadlock
 * and that of the thread, and one for each cycle of lock order, known or suspected, in
 * UTF-8.
 */
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/threadmodel.h>

typedef struct answer_text {
    char *bytes;
    size_t length, room;
} answer_text;

static int append(answer_text *t, const char *from, size_t length)
{
    if (t->room - t->length < length) {
        size_t room = 2 * (t->room + length);
        char *grown = realloc(t->bytes, room);

        if (!grown)
            return TM_ENOMEM;
        t->bytes = grown;
        t->room = room;
    }
    memcpy(t->bytes + t->length, from, length);
    t->length += length;
    return TM_OK;
}

/* Returns the length of a character that may move a terminal's cursor or reverse its
 * text: a control character, also of Unicode (U+0080 to U+009F), or one of U+202A to
 * U+202E and U+2066 to U+2069; else 0. */
static size_t unsafe_bytes(const unsigned char *at, size_t left)
{
    if (*at < ' ' || *at == 0x7f)
        return 1;
    if (left >= 2 && at[0] == 0xc2 && at[1] < 0xa0)
        return 2;
    if (left >= 3 && at[0] == 0xe2 &&
        ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
         (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9)))
        return 3;
    return 0;
}

/* A name may contain anything, and a line feed would begin an answer. */
static int append_line(answer_text *t, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t begin = t->length;
        int rc =
            append(t, parts[i] ? parts[i] : "?", strlen(parts[i] ? parts[i] : "?"));

        if (rc != TM_OK)
            return rc;
        for (size_t at = begin, bytes; at < t->length; at += bytes ? bytes : 1) {
            bytes = unsafe_bytes((unsigned char *)t->bytes + at, t->length - at);
            memset(t->bytes + at, ' ', bytes);
        }
        rc = append(t, i + 1 < count ? "\t" : "\n", 1);
        if (rc != TM_OK)
            return rc;
    }
    return TM_OK;
}

static int read_all(tm_model *model, const char *path)
{
    tm_source *source;
    int rc = tm_source_open(&source, path, NULL);

    if (rc != TM_OK)
        return rc;
    while ((rc = tm_source_read(source, tm_model_sink(model))) == TM_MORE)
        ;
    tm_source_close(source);
    return rc;
}

/* For how long threads were blocked by locks, monitors and synchronizers alike. */
static int add_blocked(double *blocked, const tm_model *model)
{
    tm_blame_options options = TM_BLAME_OPTIONS_INIT;
    tm_table *table;
    int rc;

    options.keys = TM_BLAME_BY_CLASS;
    rc = tm_blame_list(&table, model, &options);
    if (rc != TM_OK)
        return rc;
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        *blocked += (double)tm_table_int64(table, "total_ns")[row];
    tm_table_free(table);
    return TM_OK;
}

/* As `threadmodel check --max-blocked-share` computes it. */
static int append_share(answer_text *t, const tm_model *model)
{
    tm_table *table;
    double lived = 0, blocked = 0;
    char line[32];
    int rc = add_blocked(&blocked, model);

    if (rc == TM_OK)
        rc = tm_thread_list(&table, model, NULL);
    if (rc != TM_OK)
        return rc;
    int start = tm_table_column(table, "start_ns");
    int end = tm_table_column(table, "end_ns");

    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        double from = tm_table_cell_is_null(table, start, row)
                          ? 0
                          : (double)tm_table_cell_int64(table, start, row);
        double to = tm_table_cell_is_null(table, end, row)
                        ? (double)tm_model_length_ns(model)
                        : (double)tm_table_cell_int64(table, end, row);

        lived += to > from ? to - from : 0;
    }
    tm_table_free(table);
    snprintf(line, sizeof(line), "%lld",
             (long long)(lived > 0 ? blocked / lived * 1e6 + 0.5 : 0));
    return append_line(t, (const char *const[]){line}, 1);
}

static const char *or_unknown(const char *text)
{
    return text ? text : "?";
}

static int append_member(answer_text *t, const tm_table *table, size_t row)
{
    char number[16], thread[24], words[1024];
    const char *cells[4];
    static const char *const columns[] = {"thread", "object", "method", "owner"};

    for (size_t i = 0; i < 4; i++)
        cells[i] = or_unknown(tm_table_string(table, columns[i], row));
    snprintf(number, sizeof(number), "%d", (int)tm_table_int32(table, "deadlock")[row]);
    snprintf(thread, sizeof(thread), "%llu",
             (unsigned long long)tm_table_uint64(table, "thread_id")[row]);
    snprintf(words, sizeof(words), "%s wants %s in %s:%d, held by %s", cells[0],
             cells[1], cells[2], (int)tm_table_int32(table, "line")[row], cells[3]);
    return append_line(t, (const char *[]){"deadlock", number, thread, words}, 4);
}

/* Those that the VM confirmed: a suspicion fails nobody's test. */
static int append_deadlocks(answer_text *t, const tm_model *model)
{
    tm_table *table;
    int rc = tm_deadlock_list(&table, model);

    if (rc != TM_OK)
        return rc;
    for (size_t row = 0; rc == TM_OK && row < tm_table_row_count(table); row++) {
        const char *known = or_unknown(tm_table_string(table, "provenance", row));

        if (strcmp(known, "reported") == 0 || strcmp(known, "exact") == 0)
            rc = append_member(t, table, row);
    }
    tm_table_free(table);
    return rc;
}

/* Rows [first, end) of the table of cycles: who wanted what with what held, and where.
 */
static int append_cycle(answer_text *t, const tm_table *table, size_t first, size_t end)
{
    static const char *const columns[] = {"thread", "wanted_object", "held_object",
                                          "method"};
    const char *known = "suspected";
    char words[4096];
    size_t at = 0;

    for (size_t row = first; row < end; row++) {
        const char *cells[4];

        for (size_t i = 0; i < 4; i++)
            cells[i] = or_unknown(tm_table_string(table, columns[i], row));
        if (strcmp(tm_table_string(table, "provenance", row), "inferred") != 0)
            known = "known";
        if (at < sizeof(words))
            at += (size_t)snprintf(
                words + at, sizeof(words) - at, "%s%s wants %s with %s held in %s:%d",
                row > first ? "; " : "", cells[0], cells[1], cells[2], cells[3],
                (int)tm_table_int32(table, "line")[row]);
    }
    return append_line(t, (const char *[]){"lock_order", known, words}, 3);
}

/* Append the cycles among the same locks; those among classes alone are weaker. */
static int append_lock_order(answer_text *t, const tm_model *model)
{
    tm_table *table;
    int rc = tm_lock_order_list(&table, model);

    if (rc != TM_OK)
        return rc;
    const int32_t *cycle = tm_table_int32(table, "cycle");
    size_t rows = tm_table_row_count(table);

    for (size_t first = 0, end; rc == TM_OK && first < rows; first = end) {
        for (end = first; end < rows && cycle[end] == cycle[first]; end++)
            ;
        if (strcmp(tm_table_string(table, "level", first), "object") == 0)
            rc = append_cycle(t, table, first, end);
    }
    tm_table_free(table);
    return rc;
}

static int answer(answer_text *t, const char *path)
{
    tm_model *model;
    int rc = tm_model_new(&model, NULL);

    if (rc != TM_OK)
        return rc;
    rc = read_all(model, path);
    if (rc == TM_OK)
        rc = append_share(t, model);
    if (rc == TM_OK)
        rc = append_deadlocks(t, model);
    if (rc == TM_OK)
        rc = append_lock_order(t, model);
    tm_model_free(model);
    return rc;
}

static void throw_error(JNIEnv *jni)
{
    jclass error = (*jni)->FindClass(jni, "java/io/IOException");

    if (error)
        (*jni)->ThrowNew(jni, error, tm_error_text());
}

JNIEXPORT jbyteArray JNICALL Java_io_github_threadmodel_Answers_read(JNIEnv *jni,
                                                                     jclass class_,
                                                                     jbyteArray path);

/* The path, as the file system has it, ends with a zero. */
JNIEXPORT jbyteArray JNICALL Java_io_github_threadmodel_Answers_read(JNIEnv *jni,
                                                                     jclass class_,
                                                                     jbyteArray path)
{
    answer_text t = {0};
    jbyteArray bytes = NULL;
    jbyte *name = (*jni)->GetByteArrayElements(jni, path, NULL);

    (void)class_;
    if (!name)
        return NULL;
    int rc = answer(&t, (const char *)name);

    (*jni)->ReleaseByteArrayElements(jni, path, name, JNI_ABORT);
    if (rc != TM_OK)
        throw_error(jni);
    else
        bytes = (*jni)->NewByteArray(jni, (jsize)t.length);
    if (bytes)
        (*jni)->SetByteArrayRegion(jni, bytes, 0, (jsize)t.length, (jbyte *)t.bytes);
    free(t.bytes);
    return bytes;
}
