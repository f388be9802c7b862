/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload: up to some hundred thousand calls a second on some hundred connections.
 * A connection is asked for its peer once, at its first call; a file only where a call
 * waited for it, as many files are read once and never waited for.
 */
#include "record/endpoints.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "record/record.h"

enum { REPORTED = 1024 };

_Atomic uint64_t tm__the_descriptors[TM__DESCRIPTORS];

/* Keys that the recorder knows, by hash. A key that gave way to another is recorded
 * again. */
static _Atomic uint64_t the_reported[REPORTED];
static _Atomic pid_t the_pid; ///< as this process has it
static _Atomic uint64_t the_image;

/* In a fork: its recorder knows of none. */
static void begin_image(void)
{
    if (atomic_load_explicit(&the_image, memory_order_acquire) == *tm__the_image)
        return;
    memset((void *)the_reported, 0, sizeof(the_reported));
    atomic_store(&the_pid, getpid());
    atomic_store_explicit(&the_image, *tm__the_image, memory_order_release);
}

void tm__descriptors_changed(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < TM__DESCRIPTORS; fd++)
        tm__descriptor_changed((int)fd);
}

static void report(tm__ring *ring, const tm__endpoint *it, int fd, const char *given,
                   size_t given_bytes)
{
    _Atomic uint64_t *place = &the_reported[(it->key ^ it->key >> 20) % REPORTED];
    char text[TM__ENDPOINT_TEXT_BYTES];
    size_t bytes;

    begin_image();
    if (atomic_load_explicit(place, memory_order_acquire) == it->key)
        return;
    if (given) {
        bytes = given_bytes < sizeof(text) ? given_bytes : sizeof(text) - 1;
        memcpy(text, given, bytes);
    } else {
        bytes = tm__endpoint_text(it, fd, text);
    }
    if (tm__record_endpoint(ring, it, sizeof(*it), it->key, text, bytes) == 0)
        atomic_store_explicit(place, it->key, memory_order_release);
}

/* A child of vfork has descriptors of its own, and its parent's memory. */
static void remember(int fd, uint64_t key)
{
    begin_image();
    if (fd < TM__DESCRIPTORS && getpid() == atomic_load(&the_pid))
        atomic_store_explicit(&tm__the_descriptors[fd], key, memory_order_relaxed);
}

/* A socket without a peer may get one. */
static int is_settled(const tm__endpoint *it)
{
    return it->what == TM__WHAT_ADDRESS;
}

uint64_t tm__endpoint_at_begin(tm__ring *ring, uint32_t use, int fd)
{
    tm__endpoint it;
    uint64_t known;
    int error = errno;

    use &= TM__USE_KINDS;
    if ((use != TM__USE_READ && use != TM__USE_WRITE) || fd < 0)
        return tm__endpoint_of(use, -1).key;
    known = fd < TM__DESCRIPTORS
                ? atomic_load_explicit(&tm__the_descriptors[fd], memory_order_relaxed)
                : TM__NO_SOCKET;
    if (known == TM__NO_SOCKET)
        return 0;
    if (known != TM__NOT_KNOWN)
        return known;
    if (tm__endpoint_of_socket(&it, fd) != 0) {
        if (errno == ENOTSOCK)
            remember(fd, TM__NO_SOCKET);
        errno = error;
        return 0;
    }
    report(ring, &it, fd, NULL, 0);
    if (is_settled(&it))
        remember(fd, it.key);
    errno = error;
    return it.key;
}

/* Whether a descriptor of a pipe or file has come to mean another thing since its call
 * began, or nothing: what the call waited for is not known then. */
static int was_replaced(int fd)
{
    return fd >= 0 && fd < TM__DESCRIPTORS &&
           atomic_load_explicit(&tm__the_descriptors[fd], memory_order_relaxed) !=
               TM__NO_SOCKET;
}

uint64_t tm__endpoint_at_end(tm__ring *ring, uint64_t begun, uint32_t use, int fd,
                             const char *host)
{
    int is_lost = !(use & TM__USE_OPENS) && was_replaced(fd);
    tm__endpoint it;

    use &= TM__USE_KINDS;
    if (use == TM__USE_NAME && host) {
        it = tm__endpoint_of_host(host);
        report(ring, &it, -1, host, strnlen(host, TM__ENDPOINT_TEXT_BYTES));
        return it.key;
    }
    if (begun)
        return begun;
    it = tm__endpoint_of(use, is_lost ? -1 : fd);
    report(ring, &it, fd, NULL, 0);
    return it.key;
}

uint64_t tm__endpoint_at_connect(tm__ring *ring, const struct sockaddr *address,
                                 socklen_t bytes)
{
    tm__endpoint it = tm__endpoint_of_peer(address, bytes);
    const struct sockaddr_un *local = (const void *)address;
    size_t begin = offsetof(struct sockaddr_un, sun_path);

    if (it.family == AF_UNIX && bytes > begin)
        report(ring, &it, -1, local->sun_path, strnlen(local->sun_path, bytes - begin));
    else
        report(ring, &it, -1, "", 0);
    return it.key;
}
