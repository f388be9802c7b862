/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a tm__dump that the files of dumps share. */
#ifndef TM_FORMATS_DUMP_DUMP_NAMES_H
#define TM_FORMATS_DUMP_DUMP_NAMES_H

#include "formats/dump/dump_state.h"

struct tm__dump_class {
    uint32_t name;   ///< texts
    uint32_t source; ///< texts
};

struct tm__dump_method {
    uint32_t class_id;
    uint32_t name; ///< texts
};

/** A thread to be defined; its texts are offsets into the letters. */
struct tm__dump_name {
    tm_thread thread;
    uint32_t name;  ///< TM__NONE: unknown
    uint32_t group; ///< TM__NONE: unknown
};

/**
 * The stack of some frames, from the outermost to `first`.
 * @param[out] id  0: there are no frames
 * @return TM_OK or TM_ENOMEM
 */
int tm__dump_stack(tm__dump *dump, const uint32_t *frames, uint32_t count,
                   uint32_t flags, uint32_t *id);

/** Emit classes, methods and stacks that were not emitted yet. */
int tm__dump_emit_names(tm__dump *dump, const tm_sink *sink);

/* Numbers for what stands in the file. @return TM_OK or TM_ENOMEM */
int tm__dump_class(tm__dump *dump, tm__slice name, uint32_t *id);
int tm__dump_frame(tm__dump *dump, tm__slice text, uint32_t *number);

/** Define an object; one that was just defined is not defined again. */
int tm__dump_object(tm__dump *dump, const tm_object *object);

#endif
