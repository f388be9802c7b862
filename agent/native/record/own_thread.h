/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the calling thread and of its process while they are recorded. */
#ifndef TM_NATIVE_RECORD_OWN_THREAD_H
#define TM_NATIVE_RECORD_OWN_THREAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/region.h"
#include "layout/ticks.h"

/** A rare path: apart, so that the common one has few registers to save. */
#define TM__RARELY __attribute__((noinline, cold))

enum { TM__VAIN_SLOTS = 8 };

typedef struct tm__self {
    tm__ring *ring;
    uint64_t image;         ///< whose ring it is; another after a fork
    uint64_t recorded_time; ///< of its last record
    uintptr_t record; ///< frame of the record in work, 0: none is. A signal handler
                      ///< that comes now is not recorded
    int error;        ///< errno before it
    int destructor_rounds;
    struct tm__known_stack *stacks; ///< NULL: not asked for yet
    uint64_t
        stacks_used; ///< bits: those that are this thread's, and not the one's before
    uint32_t next_stack; ///< which of them gives way to a new one
    uint32_t creations;  ///< of threads, by it
    uint32_t armed;      ///< so many locks more are looked at for where that is
    uint64_t armed_site; ///< return address of the acquisition to be looked at
    uint64_t *nestings;  ///< that it has reported; NULL: not asked for yet
    uint64_t vain[TM__VAIN_SLOTS]; ///< when a signal that met nobody was recorded last
    uint32_t unlisted;             ///< locks that it owns beyond TM__HOLDS_MOST
    uintptr_t call;                ///< frame of the call into the kernel that it is in
    long voluntary;                ///< switches by itself, as read last
    uint64_t voluntary_time;       ///< its last record by then
    struct tm__guard_call *guard; ///< its call of the C++ library for a static variable
} tm__self;

extern __thread tm__self tm__the_self __attribute__((tls_model("initial-exec")));

/** The image that this process is; 0 in a fork, where the kernel wipes it. */
extern const uint64_t *tm__the_image;
extern tm__control *tm__the_control;
extern uint32_t tm__the_ring_bytes; ///< a power of 2

/** The process's number, as the recorder knows it. */
extern uint32_t tm__the_process;

/** In a fork: whether it is one, and the kernel's number of the thread that forked. */
extern int tm__is_fork;
extern uint32_t tm__the_forker;

static inline uint64_t tm__now(void)
{
    return tm__ticks(tm__the_control->uses_counter);
}

/** Set for good when the program asks for a sandbox: what the kernel is asked from then
 * on beyond futexes may be the program's end. */
extern atomic_int tm__is_sandboxed;

/** While another thread is about to do something: asleep for a moment, since that may
 * have a lower priority. In a sandbox nothing is asked of the kernel. */
void tm__let_others_run(void);

#endif
