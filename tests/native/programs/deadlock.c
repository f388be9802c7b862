/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument chooses which threads wait for one another. The program ends when its
 * standard input does.
 */
#include "program.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t third = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinning;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t all;
static pthread_t joined;

static void *left_first(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&right);
    return unused;
}

static void *right_first(void *unused)
{
    pthread_mutex_lock(&right);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&left);
    return unused;
}

static void *lock_twice(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&left);
    return unused;
}

static void *right_to_third(void *unused)
{
    pthread_mutex_lock(&right);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&third);
    return unused;
}

static void *third_to_left(void *unused)
{
    pthread_mutex_lock(&third);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&left);
    return unused;
}

static void *spin_first(void *unused)
{
    pthread_spin_lock(&spinning);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&left);
    return unused;
}

static void *left_to_spin(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_barrier_wait(&all);
    pthread_spin_lock(&spinning);
    return unused;
}

static void nothing(void)
{
}

static void lock_left(void)
{
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&left);
}

static void *run_once(void *unused)
{
    pthread_once(&once, lock_left);
    return unused;
}

static void *left_to_once(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_barrier_wait(&all);
    pthread_once(&once, nothing);
    return unused;
}

static void *read_to_write(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_wrlock(&table);
    return unused;
}

static void *reads_first(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&left);
    return unused;
}

static void *left_to_write(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_barrier_wait(&all);
    pthread_rwlock_wrlock(&table);
    return unused;
}

static void *is_joined(void *unused)
{
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&left);
    return unused;
}

static void *left_to_join(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_barrier_wait(&all);
    pthread_join(joined, NULL);
    return unused;
}

/* No deadlock: the second lock of the same mutex is an error. */
static void *check_often(void *unused)
{
    pthread_mutex_lock(&checking);
    for (;;)
        pthread_mutex_lock(&checking);
    return unused;
}

typedef struct routine {
    void *(*function)(void *);
    const char *name;
} routine;

static const struct {
    const char *name;
    routine routines[3];
} CASES[] = {
    {"two", {{left_first, "left_first"}, {right_first, "right_first"}}},
    {"self", {{lock_twice, "lock_twice"}}},
    {"ring",
     {{left_first, "left_first"},
      {right_to_third, "right_to_third"},
      {third_to_left, "third_to_left"}}},
    {"spin", {{spin_first, "spin_first"}, {left_to_spin, "left_to_spin"}}},
    {"once", {{run_once, "run_once"}, {left_to_once, "left_to_once"}}},
    {"upgrade", {{read_to_write, "read_to_write"}}},
    {"reader", {{reads_first, "reads_first"}, {left_to_write, "left_to_write"}}},
    {"join", {{is_joined, "is_joined"}, {left_to_join, "left_to_join"}}},
    /* Escape, line feed, a separator of lines, a turn of direction: 15 bytes at most.
     */
    {"hostile",
     {{left_first, "a\x1b[2J\nb\xe2\x80\xa8"
                   "c"},
      {right_first, "d\xe2\x80\xae"
                    "e"}}},
    {"checks", {{check_often, "check_often"}}},
};

static void start_all(const routine *routines)
{
    unsigned count = 0;

    while (count < 3 && routines[count].function)
        count++;
    pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&all, NULL, count);
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, routines[i].function, NULL);
        pthread_setname_np(thread, routines[i].name);
        if (i == 0)
            joined = thread;
    }
}

int main(int argc, char **argv)
{
    char byte;

    for (size_t i = 0; argc > 1 && i < sizeof(CASES) / sizeof(*CASES); i++)
        if (strcmp(argv[1], CASES[i].name) == 0)
            start_all(CASES[i].routines);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    _exit(0);
}
