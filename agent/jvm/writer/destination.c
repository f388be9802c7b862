/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that never wait for ever. A pipe that nobody empties and a disk that is full
 * hold the writer's thread up, while the rings fill and count what they lose; when
 * there is room again the trace goes on where it was, with the losses marked. Only
 * the end of the program does not wait for that, nor does a recording that a file
 * stops, and a file not for a listener.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "writer/destination.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "rings/clock.h"
#include "ring/watchdog.h"
#include "vm/message.h"
#include "vm/options.h"
#include "writer/destination_file.h"
#include "writer/destination_socket.h"
#include "writer/hurry.h"
#include "writer/limits.h"
#include "writer/destination_target.h"

enum { RETRY_MS = 50, KEPT_BYTES = 4096 };

/* A destination without progress for so long is stuck, and not just slow. */
static const int64_t STUCK_NS = INT64_C(100000000);
/* How long a file is waited for on behalf of a peer. */
static const int64_t PATIENCE_NS = INT64_C(3000000000);

static tm__target file = {.file = -1};
static tm__target peer = {.file = -1};
static const char *address = ""; /* of the peer */
static const char *token = "";   /* file of what it asks for */
static char kept[KEPT_BYTES];    /* for the peer, until it is there */
static size_t kept_bytes;
static int may_wait;

int tm__destination_open(const tm__options *options, uint64_t pid, char *error,
                         size_t error_bytes)
{
    file = peer = (tm__target){.file = -1};
    kept_bytes = 0;
    may_wait = 0;
    tm__hurry_begin();
    address = options->net;
    token = options->token;
    if (!options->file[0])
        return 0;
    if (tm__target_open_file(&file, options->file, options->force != 0, pid) == 0)
        return 0;
    if (address[0]) {
        tm__message("%s; the trace goes to %s alone", file.failure, address);
        return 0;
    }
    snprintf(error, error_bytes, "%s", file.failure);
    return -1;
}

const char *tm__destination_path(void)
{
    return file.is_regular ? file.name : NULL;
}

/* A listener that is slow may be waited for very often, and for an instant. */
static void look_for_file(int64_t now_ns)
{
    static int64_t looked_ns;

    if (now_ns - looked_ns < RETRY_MS * INT64_C(1000000))
        return;
    looked_ns = now_ns;
    tm__limits_look_for_file();
}

/* Wait until a target may take more. @return 0; -1: it is given up */
static int wait_for_room(tm__target *target, int error, int64_t since_ns)
{
    struct pollfd room = {.fd = target->file, .events = POLLOUT};
    int64_t now = tm__now_ns();

    tm__watchdog_came();
    if (!may_wait)
        return -1;
    look_for_file(now);
    if (now - since_ns >= STUCK_NS)
        tm__limits_stuck();
    if (tm__hurry_is_over(now))
        return -1;
    if (error == EAGAIN) {
        if (target->is_socket && file.file >= 0 && now - since_ns > PATIENCE_NS)
            return -1;
        poll(&room, 1, RETRY_MS);
        return 0;
    }
    if (!target->reported_full++)
        tm__message("%s: %s; events without room meanwhile are dropped and counted",
                    target->name, strerror(error));
    poll(NULL, 0, RETRY_MS);
    return 0;
}

/* A reader is better off with an end than with a piece of a block. */
static int stop_writing(tm__target *target, const char *why)
{
    if (target->is_regular && ftruncate(target->file, (off_t)target->whole_bytes) < 0)
        why = strerror(errno);
    return tm__target_fail(target, why);
}

static const char *what_is(const tm__target *target, int error)
{
    if (error == EAGAIN)
        return target->is_socket ? "the listener does not read" : "nobody reads";
    if (error == EPIPE || error == ECONNRESET)
        return target->is_socket ? "the listener has gone" : "the reader has gone";
    return strerror(error);
}

/* The definitions in the file are gone, so the rest would be useless to a reader.
 * @return what others have done to the file; NULL: nothing */
static const char *what_others_did(tm__target *target)
{
    struct stat status;

    if (!target->is_regular || fstat(target->file, &status) < 0)
        return NULL;
    target->is_removed = status.st_nlink == 0;
    if (target->is_removed)
        return "another program removed it";
    return (uint64_t)status.st_size < target->whole_bytes
               ? "another program truncated it"
               : NULL;
}

static int put(tm__target *target, const char *bytes, size_t count)
{
    int64_t since_ns = tm__now_ns();
    const char *changed = what_others_did(target);
    size_t done = 0;

    if (changed)
        return tm__target_fail(target, changed);
    while (done < count) {
        ssize_t written =
            target->is_socket
                ? send(target->file, bytes + done, count - done, MSG_NOSIGNAL)
                : write(target->file, bytes + done, count - done);
        int error = written < 0 ? errno : ENOSPC;

        if (written > 0) {
            done += (size_t)written;
            since_ns = tm__now_ns();
            continue;
        }
        if (error == EINTR)
            continue;
        if ((error == EAGAIN || error == ENOSPC || error == EDQUOT) &&
            wait_for_room(target, error, since_ns) == 0)
            continue;
        return stop_writing(target, what_is(target, error));
    }
    target->whole_bytes += count;
    target->reported_full = 0;
    return 0;
}

/* Go on without the peer, if there is a file. @return -1: there is none */
static int lose_peer(void)
{
    tm__target_close(&peer);
    address = "";
    if (file.file < 0)
        return -1;
    tm__message("%s; the trace goes on in %s", peer.failure, file.name);
    return 0;
}

int tm__destination_begin(void)
{
    int rc = 0;

    may_wait = 1;
    if (!address[0])
        return 0;
    tm__limits_watch();
    rc = tm__target_connect(&peer, address, token);
    tm__limits_watch_no_more();
    if (rc == 0)
        rc = put(&peer, kept, kept_bytes);
    return rc < 0 ? lose_peer() : 0;
}

static int keep(const char *bytes, size_t count)
{
    if (count > sizeof(kept) - kept_bytes)
        return tm__target_fail(&peer, "too much was written before it was there");
    memcpy(kept + kept_bytes, bytes, count);
    kept_bytes += count;
    return 0;
}

int tm__destination_write(void *payload, const char *bytes, size_t count)
{
    int rc = 0;

    (void)payload;
    if (file.file >= 0)
        rc = put(&file, bytes, count);
    if (rc == 0 && peer.file >= 0) {
        rc = put(&peer, bytes, count);
        if (rc < 0)
            rc = lose_peer();
    } else if (rc == 0 && address[0]) {
        rc = keep(bytes, count);
    }
    return rc < 0 ? TM_EIO : TM_OK;
}

uint64_t tm__destination_bytes(void)
{
    return file.whole_bytes > 0 ? file.whole_bytes : peer.whole_bytes;
}

int tm__destination_is_removed(void)
{
    return file.is_removed;
}

const char *tm__destination_error(void)
{
    return file.failure[0] ? file.failure : peer.failure;
}

int tm__destination_close(void)
{
    int rc = tm__target_close(&file);

    return tm__target_close(&peer) < 0 ? -1 : rc;
}
