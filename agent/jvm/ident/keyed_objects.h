/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions that go by a key of the agent's own: a number a key, and one recording's.
 * A table of fixed size is read without a lock; a key that finds no place in it shares
 * another one's number.
 */
#ifndef TM_AGENT_IDENT_KEYED_OBJECTS_H
#define TM_AGENT_IDENT_KEYED_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { TM__KEYED_PLACES = 8192, TM__KEYED_MOST = 6144 };

typedef struct tm__keyed_objects {
    struct {
        _Atomic uint64_t key; ///< 0: free
        _Atomic uint64_t number;
    } places[TM__KEYED_PLACES];
    _Atomic uint32_t session; ///< whose numbers they have
    size_t used;
    pthread_mutex_t lock;
} tm__keyed_objects;

#define TM__KEYED_OBJECTS_INIT                                                         \
    {                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER                                              \
    }

/** Define what a key stands for. @return its number; 0: there is no room */
typedef uint64_t tm__keyed_define(const void *payload, int is_of_others);

/**
 * The number of a key, which is defined where it is new.
 * @param key         not 0
 * @param others_key  in its place where the table is full
 */
uint64_t tm__keyed_object(tm__keyed_objects *all, uint64_t key, uint64_t others_key,
                          tm__keyed_define *define, const void *payload);

#endif
