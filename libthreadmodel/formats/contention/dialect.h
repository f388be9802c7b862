/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the lines of a contention log are laid out. The document of the format names the
 * fields of each event and not their order, so the order is one table, which a user
 * may change a line at a time.
 */
#ifndef TM_FORMATS_CONTENTION_DIALECT_H
#define TM_FORMATS_CONTENTION_DIALECT_H

#include <threadmodel/event.h>

/** Fields of a line. */
enum tm__log_field {
    TM__LOG_WORD,   ///< which event it is
    TM__LOG_TIME,   ///< seconds, with a decimal point
    TM__LOG_THREAD, ///< hash of the thread whose event it is
    TM__LOG_OBJECT, ///< hash of the monitor
    TM__LOG_OWNER,  ///< hash of the thread that owns the monitor
    TM__LOG_TARGET, ///< hash of the thread that is started, joined or interrupted
    TM__LOG_NAME,   ///< of the thread, which may hold commas
    TM__LOG_STACK,  ///< depth, then method and location of each frame
    TM__LOG_SKIP    ///< anything without a comma
};

#define TM__LOG_FIELDS 12
#define TM__LOG_WORD_BYTES 48

typedef struct tm__log_line {
    char word[TM__LOG_WORD_BYTES]; ///< "": the dialect does not know this kind
    uint8_t fields[TM__LOG_FIELDS];
    uint8_t field_count;
} tm__log_line;

typedef struct tm__log_dialect {
    tm__log_line lines[TM_EVENT_KIND_END]; ///< by enum tm_event_kind
    uint32_t word_place;                   ///< fields before the word, in every line
} tm__log_dialect;

/**
 * The default table, with lines of it replaced.
 *
 * @param changes  "wait=Wait,time,thread,object,stack", separated by ";" or newlines;
 *                 "wait=" drops a line; NULL: none
 * @return TM_OK, or TM_EINVAL with the text that was wrong
 */
int tm__log_dialect_init(tm__log_dialect *dialect, const char *changes);

/** @return the kind of event that has this word; 0: none has */
int tm__log_dialect_kind(const tm__log_dialect *dialect, const char *word,
                         size_t length);

#endif
