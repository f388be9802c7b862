/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of a JSON dump, collected member by member, in whatever order they come. */
#ifndef TM_FORMATS_JSON_THREAD_H
#define TM_FORMATS_JSON_THREAD_H

#include "formats/dump/dump.h"

/** A text of its own, with a zero byte behind it. */
typedef struct tm__json_text {
    char *bytes; ///< NULL: there never was one
    uint32_t capacity;
    uint32_t length;
    int is_set;
} tm__json_text;

typedef struct tm__json_thread {
    tm__memory *memory;
    tm__dump *dump;
    uint64_t id;
    uint64_t carrier;
    uint64_t blocker_owner;
    int is_virtual;
    tm__json_text name;
    tm__json_text group; ///< the container, of all its threads
    tm__json_text state;
    uint64_t blocked_on, waiting_on, blocker; ///< objects; 0: none
    uint32_t *frames;
    uint32_t frame_count, frame_capacity;
    tm__dump_hold *locks;
    uint32_t lock_count, lock_capacity;
    uint32_t lock_first; ///< of the item of monitorsOwned at hand
} tm__json_thread;

void tm__json_thread_init(tm__json_thread *thread, tm__memory *memory, tm__dump *dump);

/** Set a text. Zero bytes in it become U+FFFD. @return TM_OK or TM_ENOMEM */
int tm__json_text_set(tm__json_thread *thread, tm__json_text *text, tm__slice value);

/** Begin a thread: all but its group is unknown. */
void tm__json_thread_start(tm__json_thread *thread);

/** Add the next frame outward. @return TM_OK or TM_ENOMEM */
int tm__json_thread_frame(tm__json_thread *thread, tm__slice text);

/** Add a monitor that it owns. @return TM_OK or TM_ENOMEM */
int tm__json_thread_lock(tm__json_thread *thread, tm__slice identity);

/** The monitors since the last call are of the frame at this depth. */
void tm__json_thread_depth(tm__json_thread *thread, uint32_t depth);

/** The object of an identity string, "java.lang.Object@1b2c". */
int tm__json_object(tm__json_thread *thread, tm__slice identity, int is_synchronizer,
                    uint64_t *object);

/** The thread is complete: hand it to the dump. @return TM_OK or TM_ENOMEM */
int tm__json_thread_end(tm__json_thread *thread);

void tm__json_thread_free(tm__json_thread *thread);

#endif
