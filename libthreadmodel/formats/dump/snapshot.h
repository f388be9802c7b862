/* SPDX-License-Identifier: Apache-2.0 */
/* A thread as `jcmd Thread.dump_to_file` shows it, as JSON or as text: collected piece
 * by piece, in whatever order they come. */
#ifndef TM_FORMATS_DUMP_SNAPSHOT_H
#define TM_FORMATS_DUMP_SNAPSHOT_H

#include "formats/dump/dump_state.h"

/** A text of its own, with a zero byte behind it. */
typedef struct tm__snapshot_text {
    char *bytes; ///< NULL: there never was one
    uint32_t capacity;
    uint32_t length;
    int is_set;
} tm__snapshot_text;

typedef struct tm__snapshot {
    tm__memory *memory;
    tm__dump *dump;
    uint64_t id;
    uint64_t carrier;
    uint64_t blocker_owner;
    int is_virtual;
    tm__snapshot_text name;
    tm__snapshot_text group; ///< the container, of all its threads
    tm__snapshot_text state;
    uint64_t blocked_on, waiting_on, blocker; ///< objects; 0: none
    uint32_t *frames;
    uint32_t frame_count, frame_capacity;
    tm__dump_hold *locks;
    uint32_t lock_count, lock_capacity;
    uint32_t lock_first; ///< of the item of monitorsOwned at hand
} tm__snapshot;

void tm__snapshot_init(tm__snapshot *thread, tm__memory *memory, tm__dump *dump);

/** Set a text. Zero bytes in it become U+FFFD. @return TM_OK or TM_ENOMEM */
int tm__snapshot_set(tm__snapshot *thread, tm__snapshot_text *text, tm__slice value);

/** Begin a thread: all but its group is unknown. */
void tm__snapshot_start(tm__snapshot *thread);

/** Add the next frame outward. @return TM_OK or TM_ENOMEM */
int tm__snapshot_frame(tm__snapshot *thread, tm__slice text);

/** Add a monitor that it owns. @return TM_OK or TM_ENOMEM */
int tm__snapshot_lock(tm__snapshot *thread, tm__slice identity);

/** The monitors since the last call are of the frame at this depth. */
void tm__snapshot_depth(tm__snapshot *thread, uint32_t depth);

/** The object of an identity string, "java.lang.Object@1b2c". */
int tm__snapshot_object(tm__snapshot *thread, tm__slice identity, int is_synchronizer,
                        uint64_t *object);

/** The thread is complete: hand it to the dump. @return TM_OK or TM_ENOMEM */
int tm__snapshot_end(tm__snapshot *thread);

void tm__snapshot_free(tm__snapshot *thread);

#endif
