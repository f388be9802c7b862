/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk's description of its own types, and programs that read values of them. */
#ifndef TM_FORMATS_JFR_JFR_METADATA_H
#define TM_FORMATS_JFR_JFR_METADATA_H

#include "base/map.h"
#include "base/strings.h"
#include "formats/jfr/jfr_text.h"

/** In what a field counts time. */
enum tm__jfr_unit {
    TM__JFR_UNIT_NONE,
    TM__JFR_UNIT_TICKS,
    TM__JFR_UNIT_NS,
    TM__JFR_UNIT_US,
    TM__JFR_UNIT_MS,
    TM__JFR_UNIT_S,
    TM__JFR_UNIT_EPOCH_MS,
};

typedef struct tm__jfr_field {
    uint64_t type_id;
    uint32_t name; ///< strings
    uint8_t is_constant;
    uint8_t is_array;
    uint8_t unit; ///< enum tm__jfr_unit
    uint8_t reserved;
} tm__jfr_field;

/** How a value lies in the file. */
enum tm__jfr_shape {
    TM__JFR_SHAPE_NUMBER, ///< long, char, or a key of a constant
    TM__JFR_SHAPE_INT,    ///< a number of 32 bits with a sign
    TM__JFR_SHAPE_SHORT,
    TM__JFR_SHAPE_BYTE,  ///< byte and boolean
    TM__JFR_SHAPE_FOUR,  ///< float
    TM__JFR_SHAPE_EIGHT, ///< double
    TM__JFR_SHAPE_TEXT,
    TM__JFR_SHAPE_STRUCT, ///< the values of a type's fields
};

/** One step of a program: a field, or several in a row that nobody wants. */
typedef struct tm__jfr_step {
    uint8_t shape; ///< enum tm__jfr_shape
    uint8_t is_array;
    uint8_t slot;    ///< where the value goes; TM__JFR_UNWANTED
    uint8_t unit;    ///< enum tm__jfr_unit
    uint32_t detail; ///< of STRUCT: types[]; else how many values in a row
} tm__jfr_step;

enum { TM__JFR_UNWANTED = 255 };

typedef struct tm__jfr_program {
    uint32_t first; ///< steps[]
    uint32_t count;
} tm__jfr_program;

typedef struct tm__jfr_type {
    uint64_t id;
    uint32_t name; ///< strings
    uint32_t field_first;
    uint32_t field_count;
    tm__jfr_program skipper; ///< steps over a value; made when first needed
    uint8_t state;           ///< of the skipper
    uint8_t depth;           ///< of structs in it
    uint8_t role;            ///< whoever asks for types marks them; 0: none
    uint8_t reserved;
} tm__jfr_type;

/** Roles from here on are those of events, below it those of constants. */
enum { TM__JFR_EVENT_ROLE = 16 };

typedef struct tm__jfr_metadata {
    tm__memory *memory;
    tm__strings strings;
    tm__jfr_text text;
    uint32_t *words; ///< of the event's own list: strings
    uint32_t word_count;
    uint32_t word_capacity;
    tm__map type_map; ///< id: types[]
    tm__jfr_type *types;
    uint32_t type_count;
    uint32_t type_capacity;
    tm__jfr_field *fields; ///< a type's side by side
    uint32_t field_count;
    uint32_t field_capacity;
    tm__jfr_step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t nesting; ///< of types that are being compiled
} tm__jfr_metadata;

void tm__jfr_metadata_init(tm__jfr_metadata *metadata, tm__memory *memory);

/**
 * Take in a metadata event, in place of what was known.
 * @param cursor  behind the event's size and type
 * @return TM_OK; TM_EDAMAGED: types up to the place where the cursor stands are
 *         known; TM_ENOMEM
 */
int tm__jfr_metadata_read(tm__jfr_metadata *metadata, tm__jfr_cursor *cursor);

/** @return the type's name */
const char *tm__jfr_type_name(const tm__jfr_metadata *metadata,
                              const tm__jfr_type *type);

void tm__jfr_metadata_free(tm__jfr_metadata *metadata);

#endif
