/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/image_events.h"
#include "recorder/live_deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>

#include "recorder/definitions.h"
#include "recorder/lock_holds.h"
#include "live/put_printable.h"

/* A lock call that fails with an error, or a wait that is about to end, is not a
 * deadlock. */
enum { LASTS_NS = 20000000 };

static const char *cell(const tm_table *table, const char *column, size_t row)
{
    const char *text = tm_table_string(table, column, row);

    return text ? text : "?";
}

static void put_cell(FILE *out, const tm_table *table, const char *column, size_t row)
{
    tm__put_printable(out, cell(table, column, row));
}

static void put_member(FILE *out, const tm_table *table, size_t row)
{
    const int32_t *lines = tm_table_int32(table, "line");
    const char *source = tm_table_string(table, "source", row);

    fputs("  \"", out);
    put_cell(out, table, "thread", row);
    if (strcmp(cell(table, "kind", row), "join") == 0) {
        fputs("\" waits for the end of \"", out);
        put_cell(out, table, "owner", row);
        fputs("\"\n", out);
    } else {
        fputs("\" is blocked by ", out);
        put_cell(out, table, "object", row);
        if (tm_table_string(table, "owner", row)) {
            fputs(", which \"", out);
            put_cell(out, table, "owner", row);
            fputs("\" owns\n", out);
        } else {
            fputs(", which a thread of the cycle owns\n", out);
        }
    }
    if (!tm_table_string(table, "method", row))
        return;
    fputs("    at ", out);
    put_cell(out, table, "method", row);
    if (source && lines && !tm_table_is_null(table, "line", row)) {
        fputs(" (", out);
        tm__put_printable(out, source);
        fprintf(out, ":%d)", (int)lines[row]);
    }
    fputs("\n", out);
}

static void report(const tm__image *image, const tm_table *table, int32_t deadlock,
                   size_t count)
{
    const int32_t *numbers = tm_table_int32(table, "deadlock");
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return;
    /* All of it goes out in one write, or lines of the program would come between. */
    fprintf(out, "threadmodel: deadlock of %zu thread%s in process %u:\n", count,
            count == 1 ? "" : "s", image->pid);
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        if (numbers[row] == deadlock)
            put_member(out, table, row);
    if (fclose(out) == 0) {
        fwrite(text, 1, bytes, stderr);
        fflush(stderr);
    }
    free(text);
}

int tm__deadlock_suspected(void *payload, const tm_deadlock_member *members,
                           size_t count, int32_t deadlock)
{
    tm__image *image = payload;

    (void)members;
    (void)count;
    (void)deadlock;
    image->is_suspected = 1;
    return 0;
}

/* The table of deadlocks, and what is known of the threads in it. */
typedef struct review {
    tm__image *image;
    const tm__readers *readers;
    tm_table *table;
    int64_t horizon_ns;
} review;

static tm__ring_reader *reader_of(const review *it, const char *column, size_t row)
{
    const uint64_t *threads = tm_table_uint64(it->table, column);

    return tm__ring_reader_of(it->readers, it->image, threads[row]);
}

/* A reader keeps only those away who want to write. */
static int waits_for(const tm__ring_reader *reader, const tm__ring_reader *owner)
{
    const tm__wanted *wanted = &reader->wanted;

    if (wanted->joined)
        return wanted->joined == owner->thread;
    if (!wanted->object)
        return 0;
    if (wanted->object->owner)
        return wanted->object->owner == owner->thread;
    return !wanted->is_shared && tm__holds_share(owner, wanted->object);
}

/* Whether a thread is on a processor, or would be: a mutex that checks blocks nobody,
 * its error comes a moment after the enter. */
static int runs(const tm__ring_reader *reader)
{
    char path[64], text[512], *fields;
    size_t length;
    FILE *file;

    if (!reader || (reader->wanted.object &&
                    reader->wanted.object->key.kind == TM__OBJECT_SPIN_LOCK))
        return 0;
    snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", reader->image->pid,
             reader->os_id);
    file = fopen(path, "re");
    length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = 0;
    fields = strrchr(text, ')');
    return fields && strncmp(fields, ") R", 3) == 0;
}

/* The result of one look at a deadlock. */
typedef struct look {
    size_t count; ///< of its threads; 0: it does not stand
    int is_news;
    int is_ripe; ///< it has lasted for a while
} look;

/* Each of a cycle waits for the next one, by what the recorder itself knows. */
static look look_at(const review *it, int32_t deadlock)
{
    const int32_t *numbers = tm_table_int32(it->table, "deadlock");
    const look none = {0};
    look seen = {0, 0, 1};

    for (size_t row = 0; row < tm_table_row_count(it->table); row++) {
        const tm__ring_reader *reader, *owner;

        if (numbers[row] != deadlock)
            continue;
        reader = reader_of(it, "thread_id", row);
        owner = reader_of(it, "owner_id", row);
        if (!reader || !owner || !waits_for(reader, owner))
            return none;
        seen.count++;
        seen.is_news |= !reader->wanted.is_reported;
        /* Lost records that are not emitted yet may include the end of its wait. */
        seen.is_ripe &= it->horizon_ns - reader->wanted.since_ns >= LASTS_NS &&
                        atomic_load(&reader->ring->lost) == reader->lost_emitted;
    }
    for (size_t row = 0; seen.is_ripe && row < tm_table_row_count(it->table); row++)
        if (numbers[row] == deadlock && runs(reader_of(it, "thread_id", row)))
            seen.is_ripe = 0;
    return seen;
}

/* The trace, too, has who owns what alone. */
static void close_case(const review *it, int32_t deadlock)
{
    const int32_t *numbers = tm_table_int32(it->table, "deadlock");
    tm_event event = {.time_ns = it->image->last_ns,
                      .kind = TM_EVENT_HELD,
                      .flags = TM_EVENT_CONFIRMED | TM_EVENT_PEER_REPORTED};

    for (size_t row = 0; row < tm_table_row_count(it->table); row++) {
        tm__wanted *wanted;

        if (numbers[row] != deadlock)
            continue;
        wanted = &reader_of(it, "thread_id", row)->wanted;
        wanted->is_reported = 1;
        if (!wanted->object || !wanted->object->owner)
            continue;
        event.thread = wanted->object->owner;
        event.object = wanted->object->id;
        tm__image_emit(it->image, &event);
    }
}

void tm__deadlocks_confirm(tm__image *image, const tm__readers *readers,
                           int64_t horizon_ns)
{
    review it = {image, readers, NULL, horizon_ns};
    int has_more = 0;

    if (!image->is_suspected)
        return;
    if (tm_deadlock_list(&it.table, image->model) != TM_OK)
        return;
    for (size_t row = 0; row < tm_table_row_count(it.table); row++) {
        int32_t deadlock = tm_table_int32(it.table, "deadlock")[row];
        look seen;

        if (tm_table_int32(it.table, "position")[row] != 0 ||
            !tm_table_is_null(it.table, "resolved_ns", row))
            continue;
        seen = look_at(&it, deadlock);
        if (!seen.count || !seen.is_news)
            continue;
        if (!seen.is_ripe) {
            has_more = 1;
            continue;
        }
        report(image, it.table, deadlock, seen.count);
        close_case(&it, deadlock);
    }
    tm_table_free(it.table);
    tm__image_flush(image);
    /* Emitting a report has set the flag again. */
    image->is_suspected = has_more;
}
