/* SPDX-License-Identifier: Apache-2.0 */
/* The classes and methods of a contention log, from the files beside it. */
#ifndef TM_FORMATS_CONTENTION_LOG_METADATA_H
#define TM_FORMATS_CONTENTION_LOG_METADATA_H

#include <threadmodel/definition.h>

#include "base/input.h"
#include "base/map.h"
#include "base/strings.h"
#include "formats/notes.h"

typedef struct tm__log_class {
    uint32_t name;   ///< texts[]
    uint32_t source; ///< texts[], or TM__NONE
} tm__log_class;

typedef struct tm__log_method {
    uint32_t class_; ///< classes[]
    uint32_t name;   ///< texts[]
    uint32_t signature;
    uint32_t first_line; ///< lines[]
    uint32_t line_count;
} tm__log_method;

typedef struct tm__log_metadata {
    tm__memory *memory;
    tm__notes *notes; ///< gets what is damaged
    tm__strings texts;
    tm__map class_map;  ///< texts[] of a name: classes[]
    tm__map method_map; ///< number: methods[]
    tm__log_class *classes;
    tm__log_method *methods;
    tm_line *lines;
    uint32_t class_count, class_capacity;
    uint32_t method_count, method_capacity;
    uint32_t line_count, line_capacity;
    uint32_t file_count; ///< that were found and read
    char *text;          ///< to make names in
    uint32_t text_capacity;
} tm__log_metadata;

void tm__log_metadata_init(tm__log_metadata *metadata, tm__memory *memory,
                           tm__notes *notes);

/**
 * Read what lies beside a log: "x.meta", or "x.classtable" and "x.method", for "x.log"
 * as for "x". Files that are not there are no error.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO
 */
int tm__log_metadata_load(tm__log_metadata *metadata, const char *log_path);

/** @return methods[] of a number, TM__NONE when none describes it */
uint32_t tm__log_metadata_method(const tm__log_metadata *metadata, uint64_t number);

/** @return 1: a line of metadata and of no log; else 0 */
int tm__log_metadata_is_line(const char *text, size_t length);

/** Refuse a file of metadata: somebody who opened it wants the log.
 * @return TM_OK: it is a log; TM_EFORMAT, TM_ENOMEM, TM_EIO */
int tm__log_metadata_refuse(tm__input *input);

void tm__log_metadata_free(tm__log_metadata *metadata);

#endif
