/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record of a ring: an event with its frames, or a definition with its texts.
 * `kind` states which of them it is; the layout is docs/trace-format.md's.
 */
#ifndef TM_TRACE_RING_RECORD_H
#define TM_TRACE_RING_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <threadmodel/definition.h>
#include <threadmodel/event.h>
#include <threadmodel/sink.h>

enum { TM__RECORD_BYTES_MAX = 16 << 10 };

/** Kinds of record that are not events: they have no time and are not sorted. */
enum {
    TM__RECORD_CLASS = 0x100,
    TM__RECORD_OBJECT = 0x101,
    TM__RECORD_THREAD = 0x102,
    TM__RECORD_PAD = 0x103, ///< nothing up to the ring's end, which was too near
    TM__RECORD_METHOD = 0x104,
    /** A bit beside these: texts are UTF-8, a class's name is as in source code, and an
     *  object's flags say whether it has a hash. Without it they are the VM's. */
    TM__RECORD_PLAIN = 0x200
};

/** Beside enum tm_stack_flag: frames are tm_frame, with lines, and not
 * tm__record_frame. */
enum { TM__STACK_LINES = 1 << 8 };

/** An event; frames follow. */
typedef struct tm__event_record {
    uint16_t frame_count;
    uint16_t stack_flags;   ///< enum tm_stack_flag, TM__STACK_LINES
    uint32_t producer_word; ///< not for readers
    tm_event fact;          ///< its stack is not for readers
} tm__event_record;

/** A class; its signature follows, then its source file, then its build id. */
typedef struct tm__class_record {
    uint16_t name_bytes;
    uint16_t unused_2;
    uint32_t source_bytes;
    uint64_t unused_8[2];
    uint64_t id;
    uint64_t unused_32[2];
    uint32_t build_id_bytes; ///< 0: none
    uint16_t flags;          ///< enum tm_class_flag
    uint16_t has_source;
} tm__class_record;

/** An object; its name follows. */
typedef struct tm__object_record {
    uint16_t name_bytes;  ///< 0: it has none
    uint16_t object_kind; ///< enum tm_object_kind
    uint32_t unused_4;
    uint64_t unused_8;
    uint64_t thread; ///< whose object this is; 0: nobody's
    uint64_t id;
    uint64_t class_id;
    int64_t hash;
    uint32_t unused_48;
    uint16_t unused_52;
    uint16_t flags; ///< enum tm_object_flag
} tm__object_record;

/** A thread; its name follows, then its group. */
typedef struct tm__thread_record {
    uint16_t name_bytes;
    uint16_t unused_2;
    uint32_t group_bytes;
    uint64_t pid; ///< 0: the run's
    uint64_t id;
    uint64_t object;
    uint64_t os_id;
    int64_t priority;
    uint32_t flags; ///< enum tm_thread_flag
    uint16_t has_no_name;
    uint16_t has_group;
} tm__thread_record;

/** A method; its name follows, then its signature, its lines and its monitors. */
typedef struct tm__method_record {
    uint16_t name_bytes;
    uint16_t monitors; ///< how many, and 1; 0: not known
    uint32_t signature_bytes;
    uint64_t unused_8[2];
    uint64_t id;
    uint64_t class_id;
    int64_t line_count;
    uint64_t flags; ///< enum tm_method_flag
} tm__method_record;

typedef struct tm__record {
    uint32_t check; ///< of all of it and its position
    uint16_t bytes; ///< all of it, a multiple of 8; a pad: 0
    uint16_t kind;  ///< enum tm_event_kind or one of the above
    union {
        tm__event_record event;
        tm__class_record class;
        tm__object_record object;
        tm__thread_record thread;
        tm__method_record method;
    };
} tm__record;

/** One frame behind an event, of a producer that has line tables. */
typedef struct tm__record_frame {
    uint64_t method; ///< tm_method.id
    int64_t location;
} tm__record_frame;

/** One entry of the line table that follows a method's texts, at the next multiple of
 * 4 bytes. A class file has no larger numbers. */
typedef struct tm__record_line {
    uint16_t location;
    uint16_t line; ///< 0: from here on it is not known
} tm__record_line;

/** Monitors of a method that a record states; of a method with more none. */
enum { TM__METHOD_MONITORS = 32 };

/** State how long a record is, and give it its check: the last that is done to it. */
void tm__record_seal(tm__record *record, size_t bytes, uint64_t position);

/** The check of a record of `bytes`, a multiple of 8, that is to stand at `position`.
 */
uint32_t tm__record_check(const tm__record *record, size_t bytes, uint64_t position);

/** @return bytes of a record that has so much behind it */
static inline size_t tm__record_bytes(size_t extra_bytes)
{
    return (sizeof(tm__record) + extra_bytes + 7) & ~(size_t)7;
}

/** @return bytes of an event's frame */
static inline size_t tm__record_frame_bytes(const tm__event_record *event)
{
    return event->stack_flags & TM__STACK_LINES ? sizeof(tm_frame)
                                                : sizeof(tm__record_frame);
}

static inline int tm__record_is_event(const tm__record *record)
{
    return record->kind < TM_EVENT_KIND_END;
}

/** @return bytes from the beginning of a method's texts to its line table */
static inline size_t tm__record_lines_at(const tm__method_record *method)
{
    return ((size_t)method->name_bytes + method->signature_bytes + 3) & ~(size_t)3;
}

/** @return monitors behind the line table: of each its enter and its end, as a line */
static inline size_t tm__record_monitors(const tm__method_record *method)
{
    return method->monitors ? method->monitors - 1u : 0;
}

/**
 * Tell whether a record is one and was completed: its sizes fit, and its check.
 * @param room  bytes from its beginning that may be looked at
 */
int tm__record_is_whole(const tm__record *record, size_t room, uint64_t position);

/** Emit what a whole record defines; of other kinds nothing. @return as the sink */
int tm__record_define(const tm__record *record, const tm_sink *sink);

#endif
