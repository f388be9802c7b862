/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON dump: which value belongs where. */
#ifndef TM_FORMATS_JSON_MEMBERS_H
#define TM_FORMATS_JSON_MEMBERS_H

#include "formats/json/parser.h"
#include "formats/dump/snapshot.h"

#ifndef TM_WITHOUT_YAJL

/** Why the parsing of a dump stopped. */
enum tm__json_stop {
    TM__JSON_NOT_STOPPED,
    TM__JSON_DUMP_ENDS,
    TM__JSON_NO_MEMORY,
    TM__JSON_TOO_DEEP,
    TM__JSON_TOO_NEW,   ///< its formatVersion is unknown
    TM__JSON_NO_DUMP,   ///< the text has no threadDump in it
    TM__JSON_NO_THREAD, ///< a thread has no number
};

enum { TM__JSON_LEVELS = 32 };

/** The dump that is being read. */
typedef struct tm__json_dump {
    tm__dump *dump;
    tm__json_parser *parser;
    tm__snapshot thread;
    uint8_t levels[TM__JSON_LEVELS]; ///< enum level, of what is open
    uint32_t depth;                  ///< how much is open
    uint32_t skipped;                ///< of that within a member that is not wanted
    uint8_t member;                  ///< whose value comes next
    int stop;                        ///< enum tm__json_stop

    int is_begun;     ///< its time was handed on
    uint64_t met;     ///< threads of this text so far
    uint64_t taken;   ///< of these: were taken before it had to be begun again
    int64_t time_ns;  ///< INT64_MIN: not said
    uint64_t version; ///< 0: not said
    uint64_t process_id;
    tm__snapshot_text runtime;
    uint64_t in_container;    ///< threads so far
    uint64_t container_count; ///< threads that it says it has
    uint64_t left_out;        ///< threads of containers that are not listed
    uint32_t item_depth;      ///< of the item of monitorsOwned
    int has_states;           ///< some thread has a state
} tm__json_dump;

extern const yajl_callbacks tm__json_callbacks;

/** A new text begins. @param is_again 1: what was taken of it stays taken */
void tm__json_dump_start(tm__json_dump *it, int is_again);

#endif

#endif
