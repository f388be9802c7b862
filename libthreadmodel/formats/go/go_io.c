/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace does not say what a goroutine reads from. Go's own functions on its stack
 * do: whether it is a connection, a file, a name or a process; and that a connection is
 * one that a client uses, whose next request comes when that client will. An endpoint
 * is the place that asks for it.
 */
#include "formats/go/go_io.h"
#include "formats/go/go_packages.h"

#include <string.h>

#include <threadmodel/definition.h>

/* The outermost rule of Go's own frames that fits decides. */
static const struct rule {
    const char *function; ///< that a frame's name begins with
    uint8_t kind;         ///< enum tm_object_kind
    uint8_t is_idle;
} rules[] = {
    {"internal/poll.(*FD).", TM_OBJECT_KIND_SOCKET, 0},
    {"os.(*File).", TM_OBJECT_KIND_FILE, 0},
    {"os.(*Process).", TM_OBJECT_KIND_PROCESS, 0},
    {"net.(*netFD).accept", TM_OBJECT_KIND_ACCEPT, 1},
    {"net.(*netFD).connect", TM_OBJECT_KIND_SOCKET, 0},
    {"net.(*Resolver).", TM_OBJECT_KIND_NAME, 0},
    {"net.cgoLookup", TM_OBJECT_KIND_NAME, 0},
    /* A goroutine that sends a request waits for another one, which reads the answer.
     */
    {"net/http.(*Transport).getConn", TM_OBJECT_KIND_SOCKET, 0},
    {"net/http.(*persistConn).roundTrip", TM_OBJECT_KIND_SOCKET, 0},
    {"net/http.(*persistConn).readLoop", TM_OBJECT_KIND_SOCKET, 1},
    {"net/http.(*http2ClientConn).RoundTrip", TM_OBJECT_KIND_SOCKET, 0},
    {"net/http.(*http2ClientConn).roundTrip", TM_OBJECT_KIND_SOCKET, 0},
    {"net/http.(*http2clientConnReadLoop).", TM_OBJECT_KIND_SOCKET, 1},
    {"net/http.(*connReader).", TM_OBJECT_KIND_SOCKET, 1},
    {"net/http.(*http2serverConn).", TM_OBJECT_KIND_SOCKET, 1},
};

enum { RULES = sizeof(rules) / sizeof(*rules) };

static const struct rule *rule_of(tm__go_text function)
{
    for (size_t i = 0; i < RULES; i++)
        if (tm__go_begins_with(function, rules[i].function))
            return &rules[i];
    return NULL;
}

static int is_own(tm__go_text function)
{
    return tm__go_is_own_package(
        (tm__go_text){function.bytes, tm__go_package_length(function)});
}

/* A goroutine waits for a lock or a channel in these functions as well. */
static int may_be_io(tm__go_text reason)
{
    return tm__go_begins_with(reason, "network") ||
           tm__go_begins_with(reason, "syscall") ||
           tm__go_begins_with(reason, "select") ||
           tm__go_begins_with(reason, "chan receive");
}

/* Texts of two generations lie apart. */
static uint64_t hash_of(const tm__go_frame *place)
{
    uint64_t hash = UINT64_C(14695981039346656037) + (uint32_t)place->line;

    for (uint32_t i = 0; i < place->function.length; i++)
        hash = (hash ^ (uint8_t)place->function.bytes[i]) * UINT64_C(1099511628211);
    return hash | 1;
}

static void name_it(tm__go_io *io)
{
    io->reason = "network";
    io->name = "the network in";
    switch (io->kind) {
    case TM_OBJECT_KIND_ACCEPT: io->name = "connections in"; return;
    case TM_OBJECT_KIND_FILE:
        io->reason = "file";
        io->name = "a file in";
        return;
    case TM_OBJECT_KIND_PROCESS:
        io->reason = "process";
        io->name = "a process in";
        return;
    case TM_OBJECT_KIND_NAME:
        io->reason = "name";
        io->name = "a name in";
        return;
    default: return;
    }
}

tm__go_io tm__go_io_of(const tm__go_generation *generation, const tm__go_stack *stack,
                       tm__go_text reason)
{
    tm__cursor cursor = stack ? stack->frames : (tm__cursor){0};
    tm__go_io io = {.kind = TM_OBJECT_KIND_UNKNOWN};
    int is_read = 0;

    if (!stack || !may_be_io(reason))
        return io;
    for (uint32_t i = 0; i < stack->frame_count; i++) {
        tm__go_frame it = tm__go_next_frame(generation, &cursor);
        const struct rule *rule = rule_of(it.function);

        is_read |= tm__go_begins_with(it.function, "internal/poll.(*FD).Read");
        if (rule) {
            io.kind = rule->kind;
            io.is_idle = rule->is_idle;
        }
        if (i == 0 || !is_own(it.function) || rule)
            io.place = it;
        if (!is_own(it.function))
            break;
    }
    /* A terminal, a pipe, a watch of files: what comes is others' to begin. */
    if (io.kind == TM_OBJECT_KIND_FILE && tm__go_begins_with(reason, "network"))
        io.is_idle = 1;
    if (is_read && io.kind == TM_OBJECT_KIND_SOCKET)
        io.read_place = hash_of(&io.place);
    io.is_accept = io.kind == TM_OBJECT_KIND_ACCEPT;
    /* Go's sockets do not block: a goroutine waits for them on the network alone. */
    if ((io.kind == TM_OBJECT_KIND_SOCKET || io.kind == TM_OBJECT_KIND_ACCEPT) &&
        tm__go_begins_with(reason, "syscall"))
        io.kind = TM_OBJECT_KIND_UNKNOWN;
    if (io.kind)
        name_it(&io);
    return io;
}
