/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock orders, one case a run, named by its argument. Nobody ever queues: threads
 * take turns, in no way that a recorder sees unless the case is about that. The
 * headings say which cases can deadlock in another run; test_orders.py expects that.
 */
#include "program.h"

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER,
                       C = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t R = PTHREAD_RWLOCK_INITIALIZER, S = PTHREAD_RWLOCK_INITIALIZER;

/* A turn that is given without the C library: a thread spins for it. */
static atomic_int the_turn;

static void await_turn(int turn)
{
    while (atomic_load(&the_turn) < turn)
        sched_yield();
}

static void end_turn(void)
{
    atomic_fetch_add(&the_turn, 1);
}

static void nest(pthread_mutex_t *outer, pthread_mutex_t *inner)
{
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

/* Run routines in threads that all live from the first turn to the last. */
static void in_turns(void *(*const *routines)(void *), int count)
{
    pthread_t threads[16];

    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

#define IN_TURNS(...)                                                                  \
    do {                                                                               \
        void *(*const routines[])(void *) = {__VA_ARGS__};                             \
                                                                                       \
        in_turns(routines, sizeof(routines) / sizeof(*routines));                      \
    } while (0)

#define TURN(name, number, ...)                                                        \
    static void *name(void *unused)                                                    \
    {                                                                                  \
        await_turn(number);                                                            \
        __VA_ARGS__                                                                    \
        end_turn();                                                                    \
        return unused;                                                                 \
    }

TURN(a_then_b, 0, nest(&A, &B);)
TURN(b_then_a, 1, nest(&B, &A);)
TURN(b_then_c, 1, nest(&B, &C);)
TURN(c_then_a, 2, nest(&C, &A);)

/* ---- cases that cannot deadlock ---- */

TURN(gated_one, 0, pthread_mutex_lock(&gate); nest(&A, &B);
     pthread_mutex_unlock(&gate);)
TURN(gated_two, 1, pthread_mutex_lock(&gate); nest(&B, &A);
     pthread_mutex_unlock(&gate);)

static void gated(void)
{
    IN_TURNS(gated_one, gated_two);
}

static void before_start(void)
{
    nest(&A, &B);
    end_turn();
    IN_TURNS(b_then_a);
}

static void after_join(void)
{
    IN_TURNS(a_then_b);
    nest(&B, &A);
}

TURN(both_orders, 0, nest(&A, &B); nest(&B, &A);)

static void one_thread(void)
{
    IN_TURNS(both_orders);
}

TURN(tries, 1, pthread_mutex_lock(&B);
     if (pthread_mutex_trylock(&A) == 0) pthread_mutex_unlock(&A);
     pthread_mutex_unlock(&B);)

static void tried(void)
{
    IN_TURNS(a_then_b, tries);
}

static void timed_lock(pthread_mutex_t *lock)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    pthread_mutex_timedlock(lock, &until);
}

TURN(waits_for_a_while, 1, pthread_mutex_lock(&B); timed_lock(&A);
     pthread_mutex_unlock(&A); pthread_mutex_unlock(&B);)

static void timed(void)
{
    IN_TURNS(a_then_b, waits_for_a_while);
}

/* One address, two locks: the first was destroyed. */
static pthread_mutex_t reused;

TURN(first_life, 0, pthread_mutex_init(&reused, NULL); nest(&A, &reused);
     pthread_mutex_destroy(&reused);)
TURN(second_life, 1, pthread_mutex_init(&reused, NULL); nest(&reused, &A);
     pthread_mutex_destroy(&reused);)

static void destroyed(void)
{
    IN_TURNS(first_life, second_life);
}

TURN(read_r_s, 0, pthread_rwlock_rdlock(&R); pthread_rwlock_rdlock(&S);
     pthread_rwlock_unlock(&S); pthread_rwlock_unlock(&R);)
TURN(read_s_r, 1, pthread_rwlock_rdlock(&S); pthread_rwlock_rdlock(&R);
     pthread_rwlock_unlock(&R); pthread_rwlock_unlock(&S);)

static void readers(void)
{
    IN_TURNS(read_r_s, read_s_r);
}

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* The second time that the thread has `recursive` it does not wait for it. */
TURN(recurses, 0, pthread_mutex_lock(&recursive); nest(&A, &recursive);
     pthread_mutex_unlock(&recursive);)
TURN(recurses_too, 1, pthread_mutex_lock(&recursive); nest(&A, &recursive);
     pthread_mutex_unlock(&recursive);)

static void again(void)
{
    IN_TURNS(recurses, recurses_too);
}

/* Each node is locked before the one before it is released, always in one direction. */
enum { NODES = 300 };
static pthread_mutex_t nodes[NODES];

static void walk(void)
{
    pthread_mutex_lock(&nodes[0]);
    for (int i = 1; i < NODES; i++) {
        pthread_mutex_lock(&nodes[i]);
        pthread_mutex_unlock(&nodes[i - 1]);
    }
    pthread_mutex_unlock(&nodes[NODES - 1]);
}

TURN(walks_first, 0, walk();)
TURN(walks_second, 1, walk();)

static void hand_over_hand(void)
{
    for (int i = 0; i < NODES; i++)
        pthread_mutex_init(&nodes[i], NULL);
    IN_TURNS(walks_first, walks_second);
}

/* ---- cases that can ---- */

static void two(void)
{
    IN_TURNS(a_then_b, b_then_a);
}

static void three(void)
{
    IN_TURNS(a_then_b, b_then_c, c_then_a);
}

/* The mutex of the condition is acquired again at the end of the wait, with A owned. */
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void wait_a_moment(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    pthread_cond_timedwait(&condition, &B, &until);
}

TURN(waits_with_a, 0, pthread_mutex_lock(&B); pthread_mutex_lock(&A); wait_a_moment();
     pthread_mutex_unlock(&A); pthread_mutex_unlock(&B);)

static void condition_wait(void)
{
    IN_TURNS(waits_with_a, b_then_a);
}

TURN(
    tries_outer, 1, if (pthread_mutex_trylock(&B) == 0) {
        pthread_mutex_lock(&A);
        pthread_mutex_unlock(&A);
        pthread_mutex_unlock(&B);
    })

/* A lock that was tried is owned all the same. */
static void tried_outer(void)
{
    IN_TURNS(a_then_b, tries_outer);
}

TURN(read_then_lock, 0, pthread_rwlock_rdlock(&R); pthread_mutex_lock(&A);
     pthread_mutex_unlock(&A); pthread_rwlock_unlock(&R);)
TURN(lock_then_write, 1, pthread_mutex_lock(&A); pthread_rwlock_wrlock(&R);
     pthread_rwlock_unlock(&R); pthread_mutex_unlock(&A);)

static void reader_and_writer(void)
{
    IN_TURNS(read_then_lock, lock_then_write);
}

/* Released in the order of their acquisition, and not the other way round. */
TURN(crossed_one, 0, pthread_mutex_lock(&C); pthread_mutex_lock(&A);
     pthread_mutex_unlock(&C); pthread_mutex_lock(&B); pthread_mutex_unlock(&A);
     pthread_mutex_unlock(&B);)

static void crossed(void)
{
    IN_TURNS(crossed_one, b_then_a);
}

/* One thread began with the order before it started the other, and goes on with it. */
static void goes_on(void)
{
    pthread_t thread;

    nest(&A, &B);
    nest(&A, &B);
    nest(&A, &B);
    end_turn();
    pthread_create(&thread, NULL, b_then_a, NULL);
    await_turn(2);
    nest(&A, &B);
    pthread_join(thread, NULL);
}

/* A lock of another instance each time: accounts that are locked from, then to. */
enum { ACCOUNTS = 4 };
static pthread_mutex_t accounts[ACCOUNTS];

static void transfer(int from, int to)
{
    pthread_mutex_lock(&accounts[from]);
    pthread_mutex_lock(&accounts[to]);
    pthread_mutex_unlock(&accounts[to]);
    pthread_mutex_unlock(&accounts[from]);
}

TURN(pays, 0,
     for (int i = 0; i < ACCOUNTS; i++) for (int j = 0; j < i; j++) transfer(i, j);)
TURN(is_paid, 1,
     for (int i = 0; i < ACCOUNTS; i++) for (int j = 0; j < i; j++) transfer(j, i);)

static void instances(void)
{
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_mutex_init(&accounts[i], NULL);
    IN_TURNS(pays, is_paid);
}

enum { PHILOSOPHERS = 10 };
static pthread_mutex_t forks[PHILOSOPHERS];

static void *dine(void *number)
{
    int i = (int)(intptr_t)number;

    await_turn(i);
    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % PHILOSOPHERS]);
    pthread_mutex_unlock(&forks[(i + 1) % PHILOSOPHERS]);
    pthread_mutex_unlock(&forks[i]);
    end_turn();
    await_turn(PHILOSOPHERS);
    return NULL;
}

static void philosophers(void)
{
    pthread_t threads[PHILOSOPHERS];

    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (intptr_t i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- cases that cannot as long as they always run so ---- */

static sem_t semaphore;

static void *after_post(void *unused)
{
    about_to_block();
    sem_wait(&semaphore);
    nest(&B, &A);
    return unused;
}

static void posted(void)
{
    sem_init(&semaphore, 0, 0);
    start("waits", after_post);
    nest(&A, &B);
    sem_post(&semaphore);
    join();
}

/* ---- in a destructor of a thread's own value ---- */

static pthread_key_t key;

static void destroy_value(void *value)
{
    await_turn(1);
    nest(value, &A);
    end_turn();
}

static void *ends_with_value(void *unused)
{
    pthread_setspecific(key, &B);
    return unused;
}

static void destructor(void)
{
    pthread_key_create(&key, destroy_value);
    IN_TURNS(a_then_b, ends_with_value);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"gated", gated},
        {"before_start", before_start},
        {"after_join", after_join},
        {"one_thread", one_thread},
        {"tried", tried},
        {"timed", timed},
        {"destroyed", destroyed},
        {"readers", readers},
        {"again", again},
        {"hand_over_hand", hand_over_hand},
        {"two", two},
        {"three", three},
        {"condition_wait", condition_wait},
        {"tried_outer", tried_outer},
        {"reader_and_writer", reader_and_writer},
        {"crossed", crossed},
        {"goes_on", goes_on},
        {"instances", instances},
        {"philosophers", philosophers},
        {"destructor", destructor},
        {"posted", posted},
    };

    for (size_t i = 0; count == 2 && i < sizeof(cases) / sizeof(*cases); i++)
        if (strcmp(words[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
