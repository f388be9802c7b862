/* SPDX-License-Identifier: Apache-2.0 */
/* An object in the model: a lock, a condition, or anything else that is waited for. */
#ifndef TM_MODEL_OBJECT_H
#define TM_MODEL_OBJECT_H

#include <stdint.h>

#include <threadmodel/definition.h>

/** Whether a notify may have gone to another waiter than thought, the least first. */
enum tm__doubt {
    TM__DOUBT_NONE = 0,
    TM__DOUBT_LEFT = 1,  ///< one thought to wait may be gone; over when all that
                         ///< waited by then are back
    TM__DOUBT_STAYS = 2, ///< one thought to be gone may wait; over as that
    TM__DOUBT_LOSS = 3   ///< there may be waiters never seen; over with a notifyAll
};

/* One cache line; with a million objects each event misses it. */
typedef struct tm__object {
    uint32_t owner;           ///< threads[], or TM__NONE
    uint32_t wanted;          ///< threads whose `wants` it is
    int64_t owner_ns;         ///< since when
    uint32_t owner_interval;  ///< the owner's blocking interval in which it cannot let
                              ///< go, by number; of a notified waiter, its wait
    uint32_t tenure;          ///< the object's last record; 0: none
    uint8_t owner_provenance; ///< enum tm_provenance, in owner_interval
    uint8_t doubt;            ///< enum tm__doubt
    uint8_t listed;           ///< bindings in the list at most, of reported ones
    uint8_t is_owned : 1;  ///< a thread was reported to own it: no latch, no semaphore
    uint8_t is_shared : 1; ///< and several at once, by what was read of it
    uint32_t losses;       ///< loss markers seen when it was last touched
    uint32_t class_index;  ///< classes[]; TM__NONE: unknown
    uint32_t thread;       ///< threads[] whose thread object it is, or TM__NONE
    uint16_t flags;        ///< enum tm_object_flag
    uint8_t kind;          ///< enum tm_object_kind
    uint8_t named; ///< entities.evictions when an event last named it, or it was made
    uint32_t waiter_head; ///< wait set, oldest first
    uint32_t waiter_tail;
    uint32_t binding_head; ///< notifies that are not settled, oldest first; newest
                           ///< first where the producer itself names notifiers
    uint32_t pending;      ///< woken waiters that have not come back yet
    uint32_t useless;      ///< interactions[]: the last notify that woke nobody
} tm__object;

_Static_assert(sizeof(tm__object) == 64, "an object is a cache line");

/** An object's place in its owner's list. Apart from it, so that taking one from
 * between two others touches little memory. */
typedef struct tm__object_links {
    uint32_t next; ///< objects[] or TM__NONE
    uint32_t previous;
} tm__object_links;

/** Facts that are seldom asked of an object. */
typedef struct tm__object_detail {
    uint64_t id;
    uint32_t binding_tail; ///< of the list that begins with its binding_head
    uint32_t hash;
    uint32_t doubtful;     ///< interactions: the last notify that was in doubt
    uint32_t latest_all;   ///< interactions[]: of the last notifyAll, or TM__NONE
    uint32_t first_tenure; ///< the first record that is kept; 0: none
    uint32_t first_reader; ///< the first record of those who share it, or have shared
                           ///< it and nobody waited; 0: none
    uint32_t post_head;    ///< posts that a waiter is thought to have got, oldest first
    uint32_t post_tail;
    uint32_t post_spare; ///< posts: the last that nobody waited for, or TM__NONE
    uint32_t name;       ///< strings; TM__NONE: it has none
} tm__object_detail;

/** A wait for an object of such a kind, enum tm_object_kind, is I/O. */
static inline int tm__object_is_io(int kind)
{
    return kind >= TM_OBJECT_KIND_SOCKET && kind <= TM_OBJECT_KIND_PROCESS;
}

#endif
