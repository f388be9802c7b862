/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of many gigabytes hold hundreds of millions of records, some 50 bytes each, of
 * which a few thousand matter. So a record costs a look at its first bytes in a window
 * that moves, one question, and an addition; long ones are not even read.
 */
#include "formats/hprof/heap.h"

#include "base/error.h"
#include "formats/hprof/big_endian.h"

enum {
    VIEW_BYTES = 256 << 10,
    HEAD_BYTES = 1 + 6 * 8 + 3 * 4 + 2, ///< of the longest head, that of a class
};

/* Kinds of records. */
enum {
    ROOT_JNI_GLOBAL = 0x01,
    ROOT_JNI_LOCAL = 0x02,
    ROOT_JAVA_FRAME = 0x03,
    ROOT_NATIVE_STACK = 0x04,
    ROOT_STICKY_CLASS = 0x05,
    ROOT_THREAD_BLOCK = 0x06,
    ROOT_MONITOR_USED = 0x07,
    ROOT_THREAD_OBJECT = 0x08,
    CLASS_DUMP = 0x20,
    INSTANCE_DUMP = 0x21,
    OBJECT_ARRAY_DUMP = 0x22,
    PRIMITIVE_ARRAY_DUMP = 0x23,
    ROOT_UNKNOWN = 0xff,
};

typedef struct walk {
    tm__input *input;
    const tm__hprof_visitor *visitor;
    tm__hprof_counts *counts;
    uint32_t id_bytes;
    uint64_t offset; ///< of the record at hand
    uint64_t limit;
    const uint8_t *at;  ///< its first byte
    const uint8_t *end; ///< behind what is in view
} walk;

/* Have the first bytes of the record in view. @return TM_EDAMAGED: there are not so
 * many */
static int need(walk *w, uint64_t bytes)
{
    const uint8_t *view = NULL;
    size_t available;
    uint64_t left = w->limit - w->offset;
    int rc;

    if ((uint64_t)(w->end - w->at) >= bytes)
        return TM_OK;
    if (bytes > left)
        return TM_EDAMAGED;
    rc = tm__input_view(w->input, w->offset,
                        left < VIEW_BYTES ? (size_t)left : VIEW_BYTES, &view,
                        &available);
    if (rc < 0)
        return rc;
    w->at = view;
    w->end = view + available;
    return available < bytes ? TM_EDAMAGED : TM_OK;
}

/* Behind the record. One that is not all in view is jumped over. */
static int pass(walk *w, uint64_t bytes)
{
    if (bytes > w->limit - w->offset)
        return TM_EDAMAGED;
    w->offset += bytes;
    if ((uint64_t)(w->end - w->at) >= bytes)
        w->at += bytes;
    else
        w->at = w->end;
    return TM_OK;
}

/* The constants or static fields of a class. @return their bytes, 0: none is right */
static int skip_values(walk *w, uint64_t *bytes, uint32_t name_bytes)
{
    uint32_t count;
    int rc = need(w, *bytes + 2);

    if (rc < 0)
        return rc;
    count = tm__hprof_u2(w->at + *bytes);
    *bytes += 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value;

        rc = need(w, *bytes + name_bytes + 1);
        if (rc < 0)
            return rc;
        value = tm__hprof_type_bytes(w->at[*bytes + name_bytes], w->id_bytes);
        if (value == 0)
            return TM_EDAMAGED;
        *bytes += name_bytes + 1 + value;
        if (*bytes > VIEW_BYTES / 2)
            return TM_EDAMAGED;
    }
    return TM_OK;
}

static int walk_class(walk *w)
{
    uint32_t id_bytes = w->id_bytes, count;
    uint64_t bytes = 1 + 7 * (uint64_t)id_bytes + 8;
    uint64_t entries;
    int rc = need(w, bytes);

    if (rc == TM_OK)
        rc = skip_values(w, &bytes, 2);
    if (rc == TM_OK)
        rc = skip_values(w, &bytes, id_bytes);
    if (rc == TM_OK)
        rc = need(w, bytes + 2);
    if (rc < 0)
        return rc;
    count = tm__hprof_u2(w->at + bytes);
    bytes += 2;
    entries = bytes;
    bytes += (uint64_t)count * (id_bytes + 1);
    if (bytes > VIEW_BYTES)
        return TM_EDAMAGED;
    rc = need(w, bytes);
    for (uint32_t i = 0; rc == TM_OK && i < count; i++)
        if (!tm__hprof_type_bytes(
                w->at[entries + (uint64_t)i * (id_bytes + 1) + id_bytes], id_bytes))
            rc = TM_EDAMAGED;
    if (rc == TM_OK)
        rc = w->visitor->describe(
            w->visitor->payload, tm__hprof_id(w->at + 1, id_bytes),
            tm__hprof_id(w->at + 1 + id_bytes + 4, id_bytes), w->at + entries, count);
    if (rc < 0)
        return rc;
    w->counts->classes++;
    return pass(w, bytes);
}

static int walk_instance(walk *w)
{
    uint32_t id_bytes = w->id_bytes, bytes;
    uint64_t head = 1 + 2 * (uint64_t)id_bytes + 8, id, class_id;
    int rc = need(w, head);

    if (rc < 0)
        return rc;
    id = tm__hprof_id(w->at + 1, id_bytes);
    class_id = tm__hprof_id(w->at + 1 + id_bytes + 4, id_bytes);
    bytes = tm__hprof_u4(w->at + 1 + 2 * (size_t)id_bytes + 4);
    rc = w->visitor->wants(w->visitor->payload, id, class_id);
    if (rc > 0 && bytes <= TM__HPROF_VALUES) {
        rc = need(w, head + bytes);
        if (rc == TM_OK)
            rc = w->visitor->visit(w->visitor->payload, id, class_id, w->at + head,
                                   bytes);
    }
    if (rc < 0)
        return rc;
    w->counts->objects++;
    return pass(w, head + bytes);
}

static int walk_object_array(walk *w)
{
    uint32_t id_bytes = w->id_bytes, count;
    uint64_t head = 1 + 2 * (uint64_t)id_bytes + 8;
    int rc = need(w, head);

    if (rc == TM_OK)
        rc = w->visitor->wants(w->visitor->payload, tm__hprof_id(w->at + 1, id_bytes),
                               tm__hprof_id(w->at + 1 + id_bytes + 8, id_bytes));
    if (rc < 0)
        return rc;
    count = tm__hprof_u4(w->at + 1 + id_bytes + 4);
    w->counts->arrays++;
    return pass(w, head + (uint64_t)count * id_bytes);
}

static int walk_values(walk *w)
{
    uint32_t id_bytes = w->id_bytes, count, value_bytes;
    uint64_t head = 1 + (uint64_t)id_bytes + 9, id;
    uint8_t type;
    int rc = need(w, head);

    if (rc < 0)
        return rc;
    id = tm__hprof_id(w->at + 1, id_bytes);
    count = tm__hprof_u4(w->at + 1 + id_bytes + 4);
    type = w->at[head - 1];
    value_bytes = tm__hprof_type_bytes(type, id_bytes);
    if (value_bytes == 0)
        return TM_EDAMAGED;
    rc = w->visitor->wants_values(w->visitor->payload, id);
    if (rc > 0) {
        uint64_t seen = (uint64_t)count * value_bytes;

        seen = seen < TM__HPROF_VALUES ? seen : TM__HPROF_VALUES;
        rc = need(w, head + seen);
        if (rc == TM_OK)
            rc = w->visitor->values(w->visitor->payload, id, type, w->at + head,
                                    (uint32_t)(seen / value_bytes));
    }
    if (rc < 0)
        return rc;
    w->counts->arrays++;
    return pass(w, head + (uint64_t)count * value_bytes);
}

static int walk_thread(walk *w)
{
    uint64_t bytes = 1 + (uint64_t)w->id_bytes + 8;
    int rc = need(w, bytes);

    if (rc == TM_OK)
        rc = w->visitor->thread(w->visitor->payload,
                                tm__hprof_id(w->at + 1, w->id_bytes),
                                tm__hprof_u4(w->at + 1 + w->id_bytes),
                                tm__hprof_u4(w->at + 1 + w->id_bytes + 4));
    if (rc < 0)
        return rc;
    w->counts->roots++;
    return pass(w, bytes);
}

static int walk_root(walk *w, uint64_t bytes)
{
    w->counts->roots++;
    return pass(w, bytes);
}

static int walk_record(walk *w)
{
    uint64_t id_bytes = w->id_bytes;
    int rc = need(w, 1);

    if (rc < 0)
        return rc;
    switch (w->at[0]) {
    case INSTANCE_DUMP: return walk_instance(w);
    case PRIMITIVE_ARRAY_DUMP: return walk_values(w);
    case OBJECT_ARRAY_DUMP: return walk_object_array(w);
    case CLASS_DUMP: return walk_class(w);
    case ROOT_THREAD_OBJECT: return walk_thread(w);
    case ROOT_UNKNOWN:
    case ROOT_STICKY_CLASS:
    case ROOT_MONITOR_USED: return walk_root(w, 1 + id_bytes);
    case ROOT_JNI_GLOBAL: return walk_root(w, 1 + 2 * id_bytes);
    case ROOT_NATIVE_STACK:
    case ROOT_THREAD_BLOCK: return walk_root(w, 1 + id_bytes + 4);
    case ROOT_JNI_LOCAL:
    case ROOT_JAVA_FRAME: return walk_root(w, 1 + id_bytes + 8);
    default: return TM_EDAMAGED;
    }
}

int tm__hprof_walk(tm__input *input, uint32_t id_bytes, uint64_t *at, uint64_t until,
                   uint64_t limit, const tm__hprof_visitor *visitor,
                   tm__hprof_counts *counts)
{
    walk w = {.input = input,
              .visitor = visitor,
              .counts = counts,
              .id_bytes = id_bytes,
              .offset = *at,
              .limit = limit};
    int rc = TM_OK;

    if (until > limit)
        until = limit;
    while (rc == TM_OK && w.offset < until)
        rc = walk_record(&w);
    *at = w.offset;
    return rc;
}

int tm__hprof_heap_caveats(const tm__hprof_counts *counts, tm__notes *notes)
{
    int rc = tm__notes_caveat(
        notes, "A heap dump does not contain which monitors threads hold, "
               "wait on or are blocked by: deadlocks of monitors cannot be "
               "seen in it. Owners of java.util.concurrent locks can.");

    return rc < 0 ? rc
                  : tm__notes_caveat(
                        notes,
                        "Of the heap %llu objects, %llu arrays, %llu classes and %llu "
                        "roots were searched only for facts of threads.",
                        (unsigned long long)counts->objects,
                        (unsigned long long)counts->arrays,
                        (unsigned long long)counts->classes,
                        (unsigned long long)counts->roots);
}
