/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for any of several descriptors. One that polls a single descriptor waits for
 * that: as clients of databases do. One that polls none sleeps.
 */
#include "interpose/followed_call.h"

#include <limits.h>

/* The parameters of a poll: `use` and `fd` as for a call of one descriptor. */
typedef struct polled {
    uint32_t use;
    int fd;
    size_t count;
} polled;

static void add(polled *it, int fd, int reads)
{
    if (it->count == 0 || it->fd != fd)
        it->count++;
    it->use = (reads ? TM__USE_READ : TM__USE_WRITE) | TM__USE_WAITS;
    it->fd = fd;
}

static polled finish(polled it)
{
    return it.count == 1 ? it : (polled){TM__USE_POLL, -1, it.count};
}

static polled of_array(const struct pollfd *all, nfds_t count)
{
    polled it = {0};

    for (nfds_t i = 0; i < count && it.count < 2; i++)
        if (all[i].fd >= 0)
            add(&it, all[i].fd, all[i].events & POLLIN);
    return finish(it);
}

static polled of_sets(int end, const fd_set *read, const fd_set *write,
                      const fd_set *other)
{
    polled it = {0};

    for (int fd = 0; fd < end && fd < FD_SETSIZE && it.count < 2; fd++) {
        if (write && FD_ISSET(fd, write))
            add(&it, fd, 0);
        if (read && FD_ISSET(fd, read))
            add(&it, fd, 1);
        if (other && FD_ISSET(fd, other))
            add(&it, fd, 1);
    }
    return end > FD_SETSIZE ? (polled){TM__USE_POLL, -1, 2} : finish(it);
}

static int64_t ns_of_spec(const struct timespec *length)
{
    if (!length)
        return -1;
    return length->tv_sec > INT32_MAX
               ? INT64_MAX
               : (int64_t)length->tv_sec * 1000000000 + length->tv_nsec;
}

static int64_t ns_of_val(const struct timeval *length)
{
    if (!length)
        return -1;
    return length->tv_sec > INT32_MAX
               ? INT64_MAX
               : (int64_t)length->tv_sec * 1000000000 + length->tv_usec * 1000;
}

typedef struct sleeping {
    tm__ring *ring;
    uint32_t end_flags;
} sleeping;

static void end_sleep(void *payload)
{
    const sleeping *it = payload;
    tm__fact fact = {.kind = TM_EVENT_SLEPT, .flags = it->end_flags};

    tm__record_now(it->ring, &fact);
}

static void begin_sleep(tm__ring *ring, int64_t timeout_ns, const void *site)
{
    tm__fact fact = {TM_EVENT_SLEEP, 0, 0, NULL, 0, timeout_ns, site};

    tm__record_now(ring, &fact);
}

/* `timeout_ns`: below 0 none, 0 a look that does not wait. */
#define POLL(name, parameters, call, WHAT, timeout)                                    \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        int64_t timeout_ns = timeout;                                                  \
        sleeping sleep = {ring, TM_EVENT_BY_INTERRUPT};                                \
        tm__kernel_wait wait;                                                          \
        polled it;                                                                     \
        int rc;                                                                        \
                                                                                       \
        if (timeout_ns == 0 || !tm__kernel_wait_may_begin(ring))                       \
            return TM__REAL(name) call;                                                \
        it = WHAT;                                                                     \
        if (it.count == 0 && timeout_ns > 0) {                                         \
            begin_sleep(ring, timeout_ns, TM__SITE);                                   \
            pthread_cleanup_push(end_sleep, &sleep);                                   \
            rc = TM__FOUND(name) call;                                                 \
            if (rc == 0)                                                               \
                sleep.end_flags = 0;                                                   \
            pthread_cleanup_pop(1);                                                    \
            return rc;                                                                 \
        }                                                                              \
        tm__kernel_wait_begin(&wait, ring, it.use, it.fd, 0,                           \
                              tm__endpoint_at_begin(ring, it.use, it.fd), TM__SITE);   \
        wait.timeout_ns = timeout_ns > 0 ? timeout_ns : 0;                             \
        pthread_cleanup_push(tm__kernel_wait_end, &wait);                              \
        rc = TM__FOUND(name) call;                                                     \
        TM__TIMED_OUT_IF(rc == 0);                                                     \
        pthread_cleanup_pop(1);                                                        \
        return rc;                                                                     \
    }

#define MS(ms) ((ms) < 0 ? -1 : (int64_t)(ms)*1000000)
#define SEVERAL ((polled){TM__USE_POLL, -1, 2})

POLL(poll, (struct pollfd * all, nfds_t count, int ms), (all, count, ms),
     of_array(all, count), MS(ms))
POLL(ppoll,
     (struct pollfd * all, nfds_t count, const struct timespec *timeout,
      const sigset_t *signals),
     (all, count, timeout, signals), of_array(all, count), ns_of_spec(timeout))
POLL(select,
     (int end, fd_set *restrict read, fd_set *restrict write, fd_set *restrict other,
      struct timeval *restrict timeout),
     (end, read, write, other, timeout), of_sets(end, read, write, other),
     ns_of_val(timeout))
POLL(pselect,
     (int end, fd_set *restrict read, fd_set *restrict write, fd_set *restrict other,
      const struct timespec *restrict timeout, const sigset_t *restrict signals),
     (end, read, write, other, timeout, signals), of_sets(end, read, write, other),
     ns_of_spec(timeout))
POLL(epoll_wait, (int epoll, struct epoll_event *events, int most, int ms),
     (epoll, events, most, ms), SEVERAL, MS(ms))
POLL(epoll_pwait,
     (int epoll, struct epoll_event *events, int most, int ms, const sigset_t *signals),
     (epoll, events, most, ms, signals), SEVERAL, MS(ms))

#ifdef __GLIBC__
int __poll_chk(struct pollfd *all, nfds_t count, int ms, size_t room);
int __ppoll_chk(struct pollfd *all, nfds_t count, const struct timespec *timeout,
                const sigset_t *signals, size_t room);
int epoll_pwait2(int epoll, struct epoll_event *events, int most,
                 const struct timespec *timeout, const sigset_t *signals);

POLL(__poll_chk, (struct pollfd * all, nfds_t count, int ms, size_t room),
     (all, count, ms, room), of_array(all, count), MS(ms))
POLL(__ppoll_chk,
     (struct pollfd * all, nfds_t count, const struct timespec *timeout,
      const sigset_t *signals, size_t room),
     (all, count, timeout, signals, room), of_array(all, count), ns_of_spec(timeout))
POLL(epoll_pwait2,
     (int epoll, struct epoll_event *events, int most, const struct timespec *timeout,
      const sigset_t *signals),
     (epoll, events, most, timeout, signals), SEVERAL, ns_of_spec(timeout))
#endif
