/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/live_deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>

#include "recorder/definitions.h"
#include "recorder/image.h"

static const char *cell(const tm_table *table, const char *column, size_t row)
{
    const char *text = tm_table_string(table, column, row);

    return text ? text : "?";
}

static void put_member(FILE *out, const tm_table *table, size_t row)
{
    const int32_t *lines = tm_table_int32(table, "line");
    const char *source = tm_table_string(table, "source", row);

    fprintf(out, "  \"%s\" is blocked by %s, which ", cell(table, "thread", row),
            cell(table, "object", row));
    if (tm_table_string(table, "owner", row))
        fprintf(out, "\"%s\" owns\n", cell(table, "owner", row));
    else
        fprintf(out, "a thread of the cycle owns\n");
    if (!tm_table_string(table, "method", row))
        return;
    fprintf(out, "    at %s", cell(table, "method", row));
    if (source && lines && !tm_table_is_null(table, "line", row))
        fprintf(out, " (%s:%d)", source, (int)lines[row]);
    fprintf(out, "\n");
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

/** A cycle as it was closed. */
struct tm__suspicion {
    int32_t deadlock;
    size_t count;
    tm_deadlock_member members[];
};

int tm__deadlock_suspected(void *payload, const tm_deadlock_member *members,
                           size_t count, int32_t deadlock)
{
    tm__image *image = payload;
    struct tm__suspicion *it;

    if (image->suspicion_count == TM__SUSPICIONS_MOST)
        return 0;
    it = malloc(sizeof(*it) + count * sizeof(*members));
    if (!it)
        return 0;
    it->deadlock = deadlock;
    it->count = count;
    memcpy(it->members, members, count * sizeof(*members));
    image->suspicions[image->suspicion_count++] = it;
    return 0;
}

/* What a thread of a cycle wants. */
static const tm__native_object *wanted_by(const tm__image *image,
                                          const struct tm__suspicion *suspicion,
                                          uint64_t thread)
{
    tm__native_object *it, *next;
    uint64_t id = 0;

    for (size_t i = 0; i < suspicion->count; i++)
        if (suspicion->members[i].thread == thread)
            id = suspicion->members[i].object;
    HASH_ITER(hh, image->objects, it, next)
    {
        if (it->id == id)
            return it;
    }
    return NULL;
}

/* Whether each of a cycle is blocked, by a lock that the next one owns alone.
 * @return how many they are; 0: no */
static size_t stands(const tm__image *image, const tm_table *table,
                     const struct tm__suspicion *suspicion)
{
    const int32_t *numbers = tm_table_int32(table, "deadlock");
    const uint64_t *threads = tm_table_uint64(table, "thread_id");
    const uint64_t *owners = tm_table_uint64(table, "owner_id");
    size_t count = 0;

    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        const tm__native_object *object;

        if (numbers[row] != suspicion->deadlock)
            continue;
        object = wanted_by(image, suspicion, threads[row]);
        if (!object || object->owner == 0 || object->owner != owners[row] ||
            !tm_table_is_null(table, "resolved_ns", row))
            return 0;
        count++;
    }
    return count;
}

static void state_owners(tm__image *image, const struct tm__suspicion *suspicion)
{
    tm_event event = {.time_ns = image->last_ns,
                      .kind = TM_EVENT_HELD,
                      .flags = TM_EVENT_CONFIRMED | TM_EVENT_PEER_REPORTED};

    for (size_t i = 0; i < suspicion->count; i++) {
        const tm__native_object *object =
            wanted_by(image, suspicion, suspicion->members[i].thread);

        if (!object)
            continue;
        event.thread = object->owner;
        event.object = object->id;
        tm__image_emit(image, &event);
    }
}

void tm__deadlocks_forget(tm__image *image)
{
    for (size_t i = 0; i < image->suspicion_count; i++)
        free(image->suspicions[i]);
    image->suspicion_count = 0;
}

void tm__deadlocks_confirm(tm__image *image)
{
    struct tm__suspicion *all[TM__SUSPICIONS_MOST];
    size_t count = image->suspicion_count;

    /* What is emitted here may be suspected again. */
    memcpy(all, image->suspicions, sizeof(all));
    image->suspicion_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct tm__suspicion *it = all[i];
        tm_table *table = NULL;
        size_t members = 0;

        if (tm_deadlock_list(&table, image->model) == TM_OK)
            members = stands(image, table, it);
        if (members) {
            report(image, table, it->deadlock, members);
            state_owners(image, it);
        }
        tm_table_free(table);
        free(it);
    }
    if (count)
        tm__image_flush(image);
    tm__deadlocks_forget(image);
}
