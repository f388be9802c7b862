/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/lookup.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CODE, DATA, MODULE, END };

enum { PATIENCE_S = 10 };

/* States of a lookup. */
enum { ASKED, DONE, UNWANTED };

struct tm__lookup {
    tm__lookup *next;
    tm__symbols *symbols;
    int what;
    atomic_int state;
    uint64_t address;
    tm__module *module;
    size_t count;
    tm__symbol *found;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_asked = PTHREAD_COND_INITIALIZER;
static pthread_cond_t is_idle = PTHREAD_COND_INITIALIZER;
static tm__lookup *first, **last = &first;
static size_t left; /* with the one that is in work */

static void dispose(tm__lookup *it)
{
    free(it->found);
    free(it);
}

static void find(tm__lookup *it)
{
    tm__symbol chain[TM__INLINED_MOST];
    size_t count = 1;

    if (atomic_load(&it->state) == UNWANTED)
        return;
    if (it->what == CODE)
        count = tm__symbols_find_code(it->symbols, it->address, chain);
    else
        tm__symbols_find_data(it->symbols, it->address, chain);
    it->found = malloc(count * sizeof(*chain));
    if (!it->found)
        return;
    memcpy(it->found, chain, count * sizeof(*chain));
    it->count = count;
}

static void perform(tm__lookup *it)
{
    switch (it->what) {
    case MODULE: tm__symbols_add(it->symbols, it->module); break;
    case END: tm__symbols_free(it->symbols); break;
    default: find(it); break;
    }
    if (atomic_exchange(&it->state, DONE) == UNWANTED)
        dispose(it);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        tm__lookup *it = first;

        if (!it) {
            pthread_cond_signal(&is_idle);
            pthread_cond_wait(&is_asked, &lock);
            continue;
        }
        first = it->next;
        if (!first)
            last = &first;
        pthread_mutex_unlock(&lock);
        perform(it);
        pthread_mutex_lock(&lock);
        left--;
    }
    return unused;
}

/* @return whether there is a thread for it */
static int has_worker(void)
{
    static enum { UNTRIED, RUNS, FAILED } worker;
    pthread_t thread;

    if (worker == UNTRIED)
        worker = pthread_create(&thread, NULL, work, NULL) == 0 ? RUNS : FAILED;
    return worker == RUNS;
}

static void ask(tm__lookup *it)
{
    if (!has_worker()) {
        perform(it);
        return;
    }
    pthread_mutex_lock(&lock);
    *last = it;
    last = &it->next;
    left++;
    pthread_cond_signal(&is_asked);
    pthread_mutex_unlock(&lock);
}

static tm__lookup *new_lookup(tm__symbols *symbols, int what, uint64_t address)
{
    tm__lookup *it = calloc(1, sizeof(*it));

    if (!it)
        return NULL;
    it->symbols = symbols;
    it->what = what;
    it->address = address;
    return it;
}

void tm__lookup_module(tm__symbols *symbols, tm__module *module)
{
    tm__lookup *it = new_lookup(symbols, MODULE, 0);

    if (!it) {
        free(module);
        return;
    }
    it->module = module;
    atomic_store(&it->state, UNWANTED);
    ask(it);
}

static tm__lookup *ask_for(tm__symbols *symbols, int what, uint64_t address)
{
    tm__lookup *it = new_lookup(symbols, what, address);

    if (it)
        ask(it);
    return it;
}

tm__lookup *tm__lookup_code(tm__symbols *symbols, uint64_t address)
{
    return ask_for(symbols, CODE, address);
}

tm__lookup *tm__lookup_data(tm__symbols *symbols, uint64_t address)
{
    return ask_for(symbols, DATA, address);
}

void tm__lookup_end(tm__symbols *symbols)
{
    tm__lookup *it = new_lookup(symbols, END, 0);

    if (!it)
        return;
    atomic_store(&it->state, UNWANTED);
    ask(it);
}

int tm__lookup_is_done(const tm__lookup *lookup)
{
    return atomic_load(&lookup->state) == DONE;
}

size_t tm__lookup_result(const tm__lookup *lookup, const tm__symbol **symbols)
{
    *symbols = lookup->found;
    return lookup->count;
}

void tm__lookup_free(tm__lookup *lookup)
{
    if (lookup && atomic_exchange(&lookup->state, UNWANTED) == DONE)
        dispose(lookup);
}

void tm__lookups_wait(void)
{
    size_t before = 0;
    struct timespec until;

    pthread_mutex_lock(&lock);
    /* A file that cannot be read to its end costs the rest their names. */
    while (left && left != before) {
        before = left;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += PATIENCE_S;
        while (left == before &&
               pthread_cond_timedwait(&is_idle, &lock, &until) != ETIMEDOUT)
            ;
    }
    pthread_mutex_unlock(&lock);
}
