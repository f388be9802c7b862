/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/watchdog.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rings/clock.h"

/* However many threads want the processors, the writer has had one by then. */
static const int64_t QUEUED_MOST_NS = INT64_C(8000000000);

/* A lateness of the writer, as the calling thread has seen it. */
typedef struct lateness {
    int64_t came_ns;   ///< when the writer had last come by
    int64_t since_ns;  ///< noted then
    int64_t queued_ns; ///< for how long the thread had waited for a processor by then
    int64_t due_ns;    ///< to be looked at again
} lateness;

static __thread lateness seen __attribute__((tls_model("initial-exec")));

/* When any thread first saw it. One noted no longer after the writer came by than that
 * it was late then is of an earlier lateness: so nobody has to clear it. */
static _Atomic int64_t first_seen_ns;

void tm__watchdog_came(void)
{
    atomic_store(&tm__the_recording.came_ns, tm__now_ns());
}

void tm__watchdog_away(void)
{
    atomic_store(&tm__the_recording.came_ns, INT64_MAX);
}

void tm__watchdog_begin(void)
{
    atomic_store(&tm__the_recording.ended_ns, 0);
    tm__watchdog_came();
}

/* How long the calling thread has waited for a processor, ever: the second number of
 * its file; 0: this kernel does not say. */
static int64_t queued_ns(void)
{
    char text[96];
    ssize_t length = -1;
    const char *second;
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

    if (file >= 0) {
        length = read(file, text, sizeof(text) - 1);
        close(file);
    }
    if (length <= 0)
        return 0;
    text[length] = 0;
    second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) : 0;
}

/* Since when it has been late, as some thread has seen it. */
static int64_t late_since(int64_t came_ns, int64_t now_ns)
{
    int64_t since_ns = atomic_load(&first_seen_ns);

    while (since_ns - came_ns <= TM__LATE_NS)
        if (atomic_compare_exchange_weak(&first_seen_ns, &since_ns, now_ns))
            return now_ns;
    return since_ns;
}

static void end_recording(int64_t now_ns)
{
    int64_t none = 0;

    if (atomic_compare_exchange_strong(&tm__the_recording.ended_ns, &none, now_ns))
        atomic_store(&tm__the_recording.is_on, 0);
}

void tm__watchdog_late(int64_t now_ns)
{
    int64_t came_ns = atomic_load(&tm__the_recording.came_ns);
    int64_t left_ns, queued;

    if (now_ns - came_ns <= TM__LATE_NS)
        return; /* it has come by just now */
    /* A thread that has not seen it late before does not know how long it would have
     * had to wait for a processor meanwhile: assume the longest wait. */
    if (now_ns - late_since(came_ns, now_ns) >= TM__LATE_NS + QUEUED_MOST_NS) {
        end_recording(now_ns);
        return;
    }
    if (seen.came_ns != came_ns) {
        seen = (lateness){came_ns, now_ns, queued_ns(), now_ns + TM__LATE_NS};
        return;
    }
    if (now_ns < seen.due_ns)
        return;
    queued = queued_ns() - seen.queued_ns;
    left_ns = TM__LATE_NS - (now_ns - seen.since_ns) +
              (queued < QUEUED_MOST_NS ? queued : QUEUED_MOST_NS);
    if (left_ns > 0)
        seen.due_ns = now_ns + left_ns;
    else
        end_recording(now_ns);
}
