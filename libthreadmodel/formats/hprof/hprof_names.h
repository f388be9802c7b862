/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, classes, frames and stack traces of a binary HPROF file, by their ids. */
#ifndef TM_FORMATS_HPROF_HPROF_NAMES_H
#define TM_FORMATS_HPROF_HPROF_NAMES_H

#include "base/map.h"
#include "formats/dump/dump_state.h"

/** Classes whose objects tell of threads, and their subclasses. */
enum tm__hprof_kind {
    TM__HPROF_UNKNOWN, ///< a superclass of it was not described yet
    TM__HPROF_OTHER,
    TM__HPROF_THREAD,
    TM__HPROF_VIRTUAL, ///< a thread, too
    TM__HPROF_HOLDER,  ///< of fields of a thread, from JDK 19 on
    TM__HPROF_GROUP,
    TM__HPROF_SYNCHRONIZER, ///< that a thread may own
    TM__HPROF_STRING,
};

/** Fields that matter, of whatever class. */
enum tm__hprof_slot {
    TM__HPROF_NAME,
    TM__HPROF_TID,
    TM__HPROF_HOLDER_OF,
    TM__HPROF_STATUS,
    TM__HPROF_DAEMON,
    TM__HPROF_PRIORITY,
    TM__HPROF_GROUP_OF,
    TM__HPROF_PARK_BLOCKER,
    TM__HPROF_STATE,
    TM__HPROF_CARRIER,
    TM__HPROF_BLOCK_PERMIT, ///< JDK 24 or later
    TM__HPROF_OWNER,
    TM__HPROF_VALUE,
    TM__HPROF_CODER,
    TM__HPROF_SLOTS
};

typedef struct tm__hprof_field {
    uint32_t offset; ///< in the object
    uint8_t slot;
    uint8_t type;
    uint16_t reserved;
} tm__hprof_field;

typedef struct tm__hprof_class {
    uint64_t id;
    uint64_t name;                   ///< string
    uint64_t super;                  ///< 0: none, or not described
    uint32_t own_first, own_count;   ///< fields[], as described: name and type
    uint32_t slot_first, slot_count; ///< slots[], where `kind` is not OTHER
    uint8_t is_described;
    uint8_t kind;
} tm__hprof_class;

typedef struct tm__hprof_own_field {
    uint64_t name;
    uint8_t type;
} tm__hprof_own_field;

typedef struct tm__hprof_frame {
    uint64_t method, source; ///< strings
    uint32_t class_serial;
    int32_t line;
    uint32_t number; ///< of the dump; TM__NONE: not looked up yet
} tm__hprof_frame;

typedef struct tm__hprof_trace {
    uint32_t first, count; ///< frame_ids[]
    uint32_t thread;       ///< serial
} tm__hprof_trace;

typedef struct tm__hprof_text {
    uint32_t offset, length;
} tm__hprof_text;

typedef struct tm__hprof_names {
    tm__memory *memory;
    uint32_t id_bytes;
    char *letters;
    uint32_t letter_count, letter_capacity;
    tm__map text_map; ///< id: texts[]
    tm__hprof_text *texts;
    uint32_t text_count, text_capacity;
    tm__map class_map;  ///< id: classes[]
    tm__map serial_map; ///< serial: classes[]
    tm__hprof_class *classes;
    uint32_t class_count, class_capacity;
    tm__hprof_own_field *fields;
    uint32_t field_count, field_capacity;
    tm__hprof_field *slots;
    uint32_t slot_count, slot_capacity;
    tm__map frame_map;
    tm__hprof_frame *frames;
    uint32_t frame_count, frame_capacity;
    tm__map trace_map; ///< serial: traces[]
    tm__hprof_trace *traces;
    uint32_t trace_count, trace_capacity;
    uint64_t *frame_ids;
    uint32_t frame_id_count, frame_id_capacity;
    char *line; ///< room for a frame as text
    uint32_t line_capacity;
} tm__hprof_names;

void tm__hprof_names_init(tm__hprof_names *names, tm__memory *memory,
                          uint32_t id_bytes);

/* Records, by their bodies; a later one of an id that is known is passed over, since a
 * file may be read several times. @return TM_OK, TM_ENOMEM; TM_EDAMAGED: too short */
int tm__hprof_add_text(tm__hprof_names *names, const uint8_t *body, size_t length);
int tm__hprof_add_class(tm__hprof_names *names, const uint8_t *body, size_t length);
int tm__hprof_add_frame(tm__hprof_names *names, const uint8_t *body, size_t length);
int tm__hprof_add_trace(tm__hprof_names *names, const uint8_t *body, size_t length);

/** Describe a class: its superclass, and its own fields in `count` entries. */
int tm__hprof_describe(tm__hprof_names *names, uint64_t id, uint64_t super,
                       const uint8_t *entries, uint32_t count);

/** @return the text of an id; its bytes are NULL where there is none */
tm__slice tm__hprof_text_of(const tm__hprof_names *names, uint64_t id);

/** The number of a class of the dump, by the id of the class. 0: it has no name. */
int tm__hprof_class_number(tm__hprof_names *names, tm__dump *dump, uint64_t id,
                           uint32_t *number);

/**
 * The frames of a trace as numbers of the dump.
 * @param frames  room of its own that grows
 */
int tm__hprof_trace_frames(tm__hprof_names *names, tm__dump *dump, uint32_t serial,
                           uint32_t **frames, uint32_t *capacity, uint32_t *count);

void tm__hprof_names_free(tm__hprof_names *names);

#endif
