/* SPDX-License-Identifier: Apache-2.0 */
/* ThreadInfo as JSON, value by value. */
#ifndef TM_FORMATS_JSON_THREAD_INFO_VALUES_H
#define TM_FORMATS_JSON_THREAD_INFO_VALUES_H

#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"
#include "formats/json/parser.h"

#ifndef TM_WITHOUT_YAJL

enum { TM__THREAD_INFO_LEVELS = 32 };

/** A frame or lock, while its members are read. */
typedef struct tm__thread_info_item {
    tm__slice class_name, method, file;
    int64_t hash, depth, line;
    int is_native;
} tm__thread_info_item;

/** Threads, while they are read. */
typedef struct tm__thread_infos {
    tm__memory *memory;
    tm__json_parser parser;
    tm__jstack_dump parsed;
    int has_no_memory;

    uint8_t levels[TM__THREAD_INFO_LEVELS];
    uint32_t open;
    char key[40];
    tm__jstack_thread thread;
    tm__thread_info_item it;
    tm__slice *frames; ///< of the thread at hand
    uint32_t frame_count, frame_capacity;
    tm__jstack_lock *locks;
    uint32_t lock_count, lock_capacity;
} tm__thread_infos;

/** @param infos  0 @return TM_OK or TM_ENOMEM; to be freed whatever is returned */
int tm__thread_infos_init(tm__thread_infos *infos, tm__memory *memory);

/** A text begins, which `parser` reads. */
void tm__thread_infos_start(tm__thread_infos *infos, const tm__grammar *nature);

void tm__thread_infos_free(tm__thread_infos *infos);

#endif

#endif
