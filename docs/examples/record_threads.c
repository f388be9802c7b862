/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that records its own threads: two sell from one stock, and each sale takes
 * the lock. Read the trace by `threadmodel report run.tmt`.
 *
 *     cc record_threads.c -pthread $(pkg-config --cflags --libs threadmodel)
 *     ./a.out run.tmt
 *     ./a.out run.tmt crash
 *
 * A crash loses nothing: what was not in the trace yet is in the file beside it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/threadmodel.h>

enum { SELLERS = 2, SALES = 1000, LOCK_CLASS = 1, SHOP_CLASS = 2, SELL = 1, STOCK = 1 };

static tm_recorder *recorder;
static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static long stock = SELLERS * SALES;
static int crashes;
static _Thread_local tm_recorder_thread *me;

static void check(int rc)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "record_threads: %s\n", tm_error_text());
    exit(1);
}

/* Where: the line of sell() that asked for the lock. An event that finds no room is
 * counted, and the trace says how many. */
static void report(uint16_t kind, int line)
{
    tm_event event = {.kind = kind, .object = STOCK};
    tm_frame frame = {.method = SELL, .location = -1, .line = line};

    check(tm_recorder_report(me, &event, &frame, line > 0));
}

static void lock(int line)
{
    if (pthread_mutex_trylock(&stock_lock) == 0) {
        report(TM_EVENT_ACQUIRED, line);
        return;
    }
    report(TM_EVENT_CONTENDED_ENTER, line);
    pthread_mutex_lock(&stock_lock);
    report(TM_EVENT_CONTENDED_ENTERED, 0);
}

/* Before it is free: its next owner cannot report first. */
static void unlock(void)
{
    report(TM_EVENT_RELEASED, 0);
    pthread_mutex_unlock(&stock_lock);
}

static void sell(void)
{
    lock(__LINE__);
    stock--;
    /* The other is to come meanwhile. */
    sched_yield();
    unlock();
}

static void *seller(void *payload)
{
    static const char *const names[SELLERS] = {"Ann", "Bob"};
    uint64_t number = *(const uint64_t *)payload;
    tm_thread self = {.size = sizeof(self), .id = number, .name = names[number - 1]};

    check(tm_recorder_attach(recorder, &self, &me));
    report(TM_EVENT_THREAD_START, 0);
    for (int i = 0; i < SALES; i++)
        sell();
    if (crashes)
        return NULL;
    report(TM_EVENT_THREAD_END, 0);
    tm_recorder_detach(me);
    return NULL;
}

/* Define the numbers in events; the thread that does so has a ring as well. */
static void define(void)
{
    tm_thread self = {.size = sizeof(self), .id = SELLERS + 1, .name = "main"};
    tm_class lock_class = {
        .size = sizeof(lock_class), .id = LOCK_CLASS, .name = "stock"};
    tm_class shop = {
        .size = sizeof(shop), .id = SHOP_CLASS, .name = "shop", .source = "shop.c"};
    tm_method method = {
        .size = sizeof(method), .id = SELL, .class_id = SHOP_CLASS, .name = "sell"};
    tm_object object = {.size = sizeof(object), .id = STOCK, .class_id = LOCK_CLASS};

    check(tm_recorder_attach(recorder, &self, &me));
    check(tm_recorder_define_class(me, &lock_class));
    check(tm_recorder_define_class(me, &shop));
    check(tm_recorder_define_method(me, &method));
    check(tm_recorder_define_object(me, &object));
}

int main(int count, char **arguments)
{
    /* Both kinds: every hold of the lock is reported, and owners are exact. */
    tm_run run = {.size = sizeof(run),
                  .producer = "record_threads",
                  .identity = TM_IDENTITY_EXACT,
                  .kinds = UINT64_C(1) << TM_EVENT_THREAD_START |
                           UINT64_C(1) << TM_EVENT_THREAD_END |
                           UINT64_C(1) << TM_EVENT_CONTENDED_ENTER |
                           UINT64_C(1) << TM_EVENT_CONTENDED_ENTERED |
                           UINT64_C(1) << TM_EVENT_ACQUIRED |
                           UINT64_C(1) << TM_EVENT_RELEASED};
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    uint64_t numbers[SELLERS] = {1, 2};
    pthread_t threads[SELLERS];

    if (count < 2)
        return 2;
    crashes = count > 2 && strcmp(arguments[2], "crash") == 0;
    options.path = arguments[1];
    options.run = &run;
    check(tm_recorder_open(&recorder, &options));
    check(tm_recorder_start(recorder, 50));
    define();
    for (int i = 0; i < SELLERS; i++)
        pthread_create(&threads[i], NULL, seller, &numbers[i]);
    for (int i = 0; i < SELLERS; i++)
        pthread_join(threads[i], NULL);
    if (crashes)
        abort();
    check(tm_recorder_close(recorder));
    printf("%ld left\n", stock);
    return 0;
}
