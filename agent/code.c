/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods and stacks. Events bring frames as the VM gives them; a program has some
 * hundred different stacks that block, seen a million times, so nearly every look-up
 * ends with one hash, one find and one comparison.
 *
 * A method is looked up when it is first seen. Its class may have been unloaded
 * by then; the VM never gives its number to another method, and answers with an
 * error: such a frame is an unknown method, for ever.
 */
#include "agent.h"

#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>

#include "base/map.h"
#include "trace/text.h"

enum { UNKNOWN, KNOWN };
enum { NAME_BYTES = 2048 };

typedef struct stack {
    size_t first; ///< frames[]
    uint32_t count;
    int truncated;
} stack;

static tm__memory memory;
static tm__map methods; /* jmethodID to KNOWN or UNKNOWN */
static tm__map stacks;  /* hash of frames to stack_list[]; id is one more */
static stack *stack_list;
static uint32_t stack_count, stack_capacity;
static jvmtiFrameInfo *frame_list;
static uint32_t frame_count, frame_capacity;

void tm__code_open(void)
{
    tm__memory_init(&memory, NULL);
    tm__map_init(&methods, &memory);
    tm__map_init(&stacks, &memory);
}

static void deallocate(void *block)
{
    if (block)
        (*tm__the_agent.jvmti)->Deallocate(tm__the_agent.jvmti, block);
}

/* The VM's table is nearly sorted, and ours has to be. */
static void sort_lines(tm_line *lines, jint count)
{
    for (jint i = 1; i < count; i++)
        for (jint j = i; j > 0 && lines[j].location < lines[j - 1].location; j--) {
            tm_line swap = lines[j];

            lines[j] = lines[j - 1];
            lines[j - 1] = swap;
        }
}

/* @return for free(); NULL where there is no table */
static tm_line *line_table(jmethodID method, size_t *count)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jvmtiLineNumberEntry *entries = NULL;
    jint entry_count = 0;
    tm_line *lines = NULL;

    *count = 0;
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &entry_count, &entries) !=
        JVMTI_ERROR_NONE)
        return NULL;
    if (entry_count > 0)
        lines = calloc((size_t)entry_count, sizeof(*lines));
    if (lines) {
        for (jint i = 0; i < entry_count; i++) {
            lines[i].location = entries[i].start_location;
            lines[i].line = entries[i].line_number;
        }
        sort_lines(lines, entry_count);
        *count = (size_t)entry_count;
    }
    deallocate(entries);
    return lines;
}

static int define_method(jmethodID method, uint64_t id, uint64_t class_id,
                         const char *name, const char *signature)
{
    char name_text[NAME_BYTES], signature_text[NAME_BYTES];
    tm_method definition = {
        .id = id,
        .class_id = class_id,
        .name = name_text,
        .signature = signature_text,
    };
    tm_line *lines = line_table(method, &definition.line_count);
    int rc;

    tm__text_utf8(name_text, sizeof(name_text), name, strlen(name));
    tm__text_utf8(signature_text, sizeof(signature_text), signature, strlen(signature));
    definition.lines = lines;
    rc = tm__the_agent.sink->define_method(tm__the_agent.sink->payload, &definition);
    free(lines);
    return rc;
}

/* @return the class's id, once it is poured; 0 where the VM does not know it */
static uint64_t declaring_class(JNIEnv *jni, tm__buffer *own, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jclass class = NULL;
    uint64_t id;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE ||
        !class)
        return 0;
    id = tm__class_id(own, jni, class);
    (*jni)->DeleteLocalRef(jni, class);
    return id;
}

static int method_id(uint64_t *id, JNIEnv *jni, tm__buffer *own, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    uint64_t key = (uint64_t)(uintptr_t)method;
    uint32_t found = tm__map_find(&methods, key);
    char *name = NULL, *signature = NULL;
    int rc = TM_OK;

    /* A ring that is read without a VM holds the VM's number: so it is the trace's. */
    *id = found == UNKNOWN ? 0 : key;
    if (found != TM__NONE)
        return TM_OK;
    found = UNKNOWN;
    *id = 0;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        uint64_t class_id = declaring_class(jni, own, method);

        *id = key;
        found = KNOWN;
        rc = tm__define_all(own);
        if (rc >= 0)
            rc = define_method(method, *id, class_id, name, signature);
    }
    deallocate(name);
    deallocate(signature);
    return rc < 0 ? rc : tm__map_put(&methods, key, found);
}

static uint64_t hash_frames(const jvmtiFrameInfo *frames, uint32_t count, int truncated)
{
    uint64_t hash = count * 2 + (truncated != 0);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t frame =
            (uint64_t)(uintptr_t)frames[i].method << 16 ^ (uint64_t)frames[i].location;

        hash = (hash ^ frame) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static int same(const stack *known, const jvmtiFrameInfo *frames, uint32_t count,
                int truncated)
{
    return known->count == count && known->truncated == truncated &&
           memcmp(frame_list + known->first, frames, count * sizeof(*frames)) == 0;
}

/* Number a new stack. */
static int add_stack(uint32_t *id, uint64_t key, const jvmtiFrameInfo *frames,
                     uint32_t count, int truncated)
{
    int rc = tm__reserve(&memory, &stack_list, &stack_capacity, stack_count + (size_t)1,
                         sizeof(*stack_list));

    if (rc == TM_OK)
        rc = tm__reserve(&memory, &frame_list, &frame_capacity,
                         (size_t)frame_count + count, sizeof(*frame_list));
    if (rc == TM_OK)
        rc = tm__map_put(&stacks, key, stack_count);
    if (rc != TM_OK)
        return rc;
    memcpy(frame_list + frame_count, frames, count * sizeof(*frames));
    stack_list[stack_count++] = (stack){frame_count, count, truncated};
    frame_count += count;
    *id = stack_count;
    return TM_OK;
}

static int define_stack(uint32_t id, JNIEnv *jni, tm__buffer *own,
                        const jvmtiFrameInfo *frames, uint32_t count, int truncated)
{
    tm_frame named[TM__DEPTH_MAX] = {0};
    tm_stack definition = {
        .id = id,
        .flags = truncated ? TM_STACK_TRUNCATED : 0,
        .frames = named,
        .frame_count = count,
    };

    for (uint32_t i = 0; i < count; i++) {
        int rc = method_id(&named[i].method, jni, own, frames[i].method);

        if (rc < 0)
            return rc;
        named[i].location = frames[i].location;
    }
    return tm__the_agent.sink->define_stack(tm__the_agent.sink->payload, &definition);
}

int tm__code_stack(uint32_t *id, JNIEnv *jni, tm__buffer *own,
                   const jvmtiFrameInfo *frames, uint32_t count, int truncated)
{
    uint64_t key;
    uint32_t found;
    int rc;

    *id = 0;
    if (count == 0)
        return TM_OK;
    key = hash_frames(frames, count, truncated);
    /* Two stacks of one hash stand at neighbouring keys. */
    while ((found = tm__map_find(&stacks, key)) != TM__NONE) {
        if (same(&stack_list[found], frames, count, truncated)) {
            *id = found + 1;
            return TM_OK;
        }
        key++;
    }
    rc = add_stack(id, key, frames, count, truncated);
    return rc < 0 ? rc : define_stack(*id, jni, own, frames, count, truncated);
}

void tm__code_close(void)
{
    tm__map_clear(&methods);
    tm__map_clear(&stacks);
    tm__free(&memory, stack_list, stack_capacity * sizeof(*stack_list));
    tm__free(&memory, frame_list, frame_capacity * sizeof(*frame_list));
    stack_list = NULL;
    frame_list = NULL;
    stack_capacity = 0;
    frame_capacity = 0;
    stack_count = 0;
    frame_count = 0;
}
