/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines, Ms and Ps, as far as a trace has been read. */
#ifndef TM_FORMATS_GO_STATE_H
#define TM_FORMATS_GO_STATE_H

#include "formats/go/go_names.h"

enum { TM__GO_OUT_EVENTS = 2048, TM__GO_OUT_SPARE = 8 };

/** Goroutines have numbers below. Lives after the first are counted from here on: a
 * double holds these numbers, too, as JSON needs. */
#define TM__GO_LATER_LIVES (UINT64_C(1) << 52)

typedef struct tm__go_goroutine {
    uint64_t id;
    uint64_t generation; ///< in which its counter began
    uint64_t counter;
    uint64_t thread;    ///< what the sink calls its present life
    uint64_t by;        ///< who created it, while it is new; who woke it, since it
                        ///< waits; 0: nobody who is known
    uint64_t object;    ///< that it waits for; 0: none
    uint64_t client;    ///< a hash of where it reads from the client that it serves
    int64_t stopped_ns; ///< when it stopped the world; 0: it runs
    uint32_t regions;   ///< open, of those whose begin is in the trace
    uint32_t lives;     ///< a thread of C may get the goroutine of one that ended
    uint8_t status;     ///< enum tm__go_status
    uint8_t wait;       ///< enum tm__go_wait
    uint8_t is_new;     ///< it never ran
    uint8_t is_named;
    uint8_t is_idle; ///< it waits for what others begin of their own accord
    uint8_t is_io;   ///< it waits for something outside of the program
    uint8_t accepts; ///< it has accepted connections
    uint8_t serves;  ///< one that accepts created it
} tm__go_goroutine;

/** The wait or sleep that ends when it runs again. */
enum tm__go_wait { TM__GO_NO_WAIT, TM__GO_AWAITS, TM__GO_SLEEPS };

typedef struct tm__go_p {
    uint64_t id;
    uint64_t generation;
    uint64_t counter;
    uint8_t status; ///< enum tm__go_p_status
} tm__go_p;

typedef struct tm__go_m {
    uint32_t goroutine; ///< goroutines[] that it runs, TM__NONE
    uint32_t p;         ///< ps[] that it has, TM__NONE
} tm__go_m;

typedef struct tm__go_scheduler {
    tm__memory *memory;
    tm__go_names names;
    tm__go_goroutine *goroutines;
    tm__go_p *ps;
    tm__go_m *ms;
    uint32_t goroutine_count, goroutine_capacity;
    uint32_t p_count, p_capacity;
    uint32_t m_count, m_capacity;
    tm__map goroutine_map, p_map, m_map;
    uint64_t processors;  ///< GOMAXPROCS, the most that was seen
    uint64_t later_lives; ///< of all goroutines, without the first ones
    int64_t last_ns;
    tm_event *out; ///< TM__GO_OUT_EVENTS and TM__GO_OUT_SPARE
    uint32_t out_count;
} tm__go_scheduler;

#endif
