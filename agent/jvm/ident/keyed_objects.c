/* SPDX-License-Identifier: Apache-2.0 */
#include "ident/keyed_objects.h"

#include "ring/recording_state.h"

static uint64_t find(const tm__keyed_objects *all, uint64_t key, size_t *place)
{
    size_t at = (size_t)(key >> 7) % TM__KEYED_PLACES;

    for (;; at = (at + 1) % TM__KEYED_PLACES) {
        uint64_t there =
            atomic_load_explicit(&all->places[at].key, memory_order_acquire);

        *place = at;
        if (there == key)
            return atomic_load_explicit(&all->places[at].number, memory_order_acquire);
        if (there == 0)
            return 0;
    }
}

static void forget_all(tm__keyed_objects *all)
{
    for (size_t i = 0; i < TM__KEYED_PLACES; i++) {
        atomic_store(&all->places[i].key, 0);
        atomic_store(&all->places[i].number, 0);
    }
    all->used = 0;
    atomic_store(&all->session, tm__session());
}

/* Some places stay free for the keys of others, and one at least so that find() ends.
 */
static uint64_t add(tm__keyed_objects *all, uint64_t key, uint64_t others_key,
                    tm__keyed_define *define, const void *payload)
{
    int is_of_others = all->used >= TM__KEYED_MOST;
    size_t place;
    uint64_t number;

    key = is_of_others ? others_key : key;
    number = find(all, key, &place);
    if (number || all->used == TM__KEYED_PLACES - 1)
        return number;
    number = define(payload, is_of_others);
    if (number) {
        atomic_store_explicit(&all->places[place].number, number, memory_order_relaxed);
        atomic_store_explicit(&all->places[place].key, key, memory_order_release);
        all->used++;
    }
    return number;
}

uint64_t tm__keyed_object(tm__keyed_objects *all, uint64_t key, uint64_t others_key,
                          tm__keyed_define *define, const void *payload)
{
    uint64_t number = 0;
    size_t place;

    if (atomic_load_explicit(&all->session, memory_order_acquire) == tm__session())
        number = find(all, key, &place);
    if (number)
        return number;
    pthread_mutex_lock(&all->lock);
    if (atomic_load(&all->session) != tm__session())
        forget_all(all);
    number = add(all, key, others_key, define, payload);
    pthread_mutex_unlock(&all->lock);
    return number;
}
