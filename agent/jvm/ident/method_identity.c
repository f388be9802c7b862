/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that first has a method on a stack asks for its name and lines: there its
 * class cannot be unloaded, and a moment later, when the writer comes by, it may have
 * been. They go into that thread's ring, and so outlive the process, too.
 *
 * A program has some thousand methods that stand on stacks that block, seen a million
 * times: nearly every look-up is one load. Threads add to the set without a lock:
 *
 *      segment 0  1,024 places      a method goes into the first free one of eight
 *      segment 1  4,096             from where its number leads; where all eight are
 *      ...                          taken, into the next segment
 *
 * Places are never freed, so a search ends at the first free one. Two threads that see
 * a method for the first time at once both put it down, and the writer takes one.
 *
 * An event is committed before the methods of its stack. The writer takes it when its
 * thread has no event in work any more, and all definitions up to then before that.
 */
#include "ident/method_identity.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ident/definition_records.h"
#include "ident/monitor_ranges.h"
#include "ident/object_identity.h"
#include "ring/buffer.h"
#include "vm/options.h"
#include "vm/vm.h"

enum { SYNCHRONIZED = 0x20 }; ///< of a method's modifiers
enum { SEGMENTS = 8, FIRST_BITS = 10, MORE_BITS = 2, WINDOW = 8 };

/* With them, name and signature a record has its most bytes. */
enum {
    LINES = (TM__RECORD_BYTES_MAX - sizeof(tm__record) - 2 * TM__TEXT_BYTES - 4) /
                sizeof(tm__record_line) -
            TM__METHOD_MONITORS
};

typedef _Atomic uintptr_t place;
static place *_Atomic segments[SEGMENTS];

static place *first_place(place *segment, int number, uintptr_t method, uint64_t *mask)
{
    int bits = FIRST_BITS + number * MORE_BITS;

    *mask = (UINT64_C(1) << bits) - 1;
    return segment + ((uint64_t)method * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

static int is_known(uintptr_t method)
{
    for (int i = 0; i < SEGMENTS; i++) {
        place *segment = atomic_load_explicit(&segments[i], memory_order_acquire);
        uint64_t mask, at;

        if (!segment)
            return 0;
        at = (uint64_t)(first_place(segment, i, method, &mask) - segment);
        for (int n = 0; n < WINDOW; n++, at = (at + 1) & mask) {
            uintptr_t there = atomic_load_explicit(&segment[at], memory_order_relaxed);

            if (there == method)
                return 1;
            if (there == 0)
                return 0;
        }
    }
    return 0;
}

/* NULL: no memory, and then what would be in there is put down whenever it is seen. */
static place *segment_of(int number)
{
    place *segment = atomic_load_explicit(&segments[number], memory_order_acquire);
    place *made;

    if (segment)
        return segment;
    made = calloc((size_t)1 << (FIRST_BITS + number * MORE_BITS), sizeof(*made));
    if (made && !atomic_compare_exchange_strong(&segments[number], &segment, made)) {
        free(made);
        return segment;
    }
    return made;
}

static void know(uintptr_t method)
{
    for (int i = 0; i < SEGMENTS; i++) {
        place *segment = segment_of(i);
        uint64_t mask, at;

        if (!segment)
            return;
        at = (uint64_t)(first_place(segment, i, method, &mask) - segment);
        for (int n = 0; n < WINDOW; n++, at = (at + 1) & mask) {
            uintptr_t there = 0;

            if (atomic_compare_exchange_strong(&segment[at], &there, method) ||
                there == method)
                return;
        }
    }
}

/* The VM's table is nearly sorted, and ours has to be. */
static void sort(jvmtiLineNumberEntry *lines, jint count)
{
    for (jint i = 1; i < count; i++)
        for (jint j = i; j > 0 && lines[j].start_location < lines[j - 1].start_location;
             j--) {
            jvmtiLineNumberEntry swap = lines[j];

            lines[j] = lines[j - 1];
            lines[j - 1] = swap;
        }
}

/* Write the line table of a method. Where it is too long, the code behind the entries
 * that fit has no lines. @return entries */
static jint put_lines(tm__record_line *out, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiLineNumberEntry *lines = NULL;
    jint count = 0;

    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &lines) != JVMTI_ERROR_NONE)
        return 0;
    sort(lines, count);
    for (jint i = 0; i < count && i < LINES; i++)
        out[i] = (tm__record_line){
            .location = (uint16_t)lines[i].start_location,
            .line = i < LINES - 1 ? (uint16_t)lines[i].line_number : 0,
        };
    tm__deallocate(lines);
    return count < LINES ? count : LINES;
}

/* Write where a method enters and exits monitors, behind its line table. @return how
 * many, and 1; 0: not known */
static uint16_t put_monitors(tm__record_line *out, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__code_range ranges[TM__METHOD_MONITORS];
    unsigned char *code = NULL;
    jint size = 0, modifiers = 0;
    int count, is_whole;

    if ((*jvmti)->GetMethodModifiers(jvmti, method, &modifiers) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetBytecodes(jvmti, method, &size, &code) != JVMTI_ERROR_NONE)
        return 0;
    is_whole = (modifiers & SYNCHRONIZED) != 0;
    count = tm__monitor_ranges(code, (size_t)size, ranges + is_whole,
                               TM__METHOD_MONITORS - is_whole);
    tm__deallocate(code);
    if (count < 0)
        return 0;
    if (is_whole)
        ranges[0] = (tm__code_range){.enter = 0, .end = (uint16_t)size};
    for (int i = 0; i < count + is_whole; i++)
        out[i] = (tm__record_line){ranges[i].enter, ranges[i].end};
    return (uint16_t)(count + is_whole + 1);
}

/* @return the id of a method's class, which is defined by then; 0: not known */
static uint64_t declaring_class(tm__buffer *buffer, JNIEnv *jni, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass class = NULL;
    uint64_t id;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE ||
        !class)
        return 0;
    id = tm__class_id(buffer, jni, class);
    (*jni)->DeleteLocalRef(jni, class);
    return id;
}

static void define(tm__buffer *buffer, JNIEnv *jni, jmethodID method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    uint64_t class_id = declaring_class(buffer, jni, method);
    char *name = NULL, *signature = NULL;
    tm__record *record;
    tm__record_line *lines;
    uint32_t name_bytes;
    size_t lines_at, count;
    char *text;

    if ((*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) !=
        JVMTI_ERROR_NONE)
        return;
    record =
        tm__thread_ring_reserve(&buffer->ring, TM__RECORD_BYTES_MAX - sizeof(*record));
    if (record) {
        record->kind = TM__RECORD_METHOD;
        text = (char *)(record + 1);
        name_bytes = tm__text_copy(text, name);
        record->method = (tm__method_record){
            .name_bytes = (uint16_t)name_bytes,
            .signature_bytes = tm__text_copy(text + name_bytes, signature),
            .id = (uint64_t)(uintptr_t)method,
            .class_id = class_id,
        };
        lines_at = tm__record_lines_at(&record->method);
        lines = (tm__record_line *)(text + lines_at);
        record->method.line_count = put_lines(lines, method);
        count = (size_t)record->method.line_count;
        record->method.monitors = put_monitors(lines + count, method);
        count += tm__record_monitors(&record->method);
        tm__thread_ring_commit(&buffer->ring, record,
                               lines_at + count * sizeof(*lines));
        know((uintptr_t)method);
    }
    tm__deallocate(name);
    tm__deallocate(signature);
}

/* Once for each method of the program. The frames are the writer's when the event has
 * been committed, and their place may be used again. */
__attribute__((noinline)) static void commit_new(tm__buffer *buffer, tm__record *record,
                                                 size_t bytes)
{
    const jvmtiFrameInfo *frames = (const jvmtiFrameInfo *)(record + 1);
    jmethodID methods[TM__DEPTH_MAX + 1];
    JavaVM *vm = tm__the_vm.java;
    JNIEnv *jni = NULL;
    size_t count = 0;

    for (size_t i = 0; i < bytes / sizeof(*frames); i++)
        if (!is_known((uintptr_t)frames[i].method))
            methods[count++] = frames[i].method;
    tm__thread_ring_commit(&buffer->ring, record, bytes);
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (!is_known((uintptr_t)methods[i]))
            define(buffer, jni, methods[i]);
}

void tm__methods_commit(tm__buffer *buffer, tm__record *record, size_t bytes)
{
    const jvmtiFrameInfo *frames = (const jvmtiFrameInfo *)(record + 1);

    for (size_t i = 0; i < bytes / sizeof(*frames); i++)
        if (!is_known((uintptr_t)frames[i].method)) {
            commit_new(buffer, record, bytes);
            return;
        }
    tm__thread_ring_commit(&buffer->ring, record, bytes);
}

void tm__methods_forget(int is_quiet)
{
    for (int i = 0; i < SEGMENTS; i++) {
        place *segment = atomic_exchange(&segments[i], NULL);

        /* A thread that was stopped in here may still read one: keeping it costs memory
         * only. */
        if (is_quiet == 0)
            free(segment);
    }
}
