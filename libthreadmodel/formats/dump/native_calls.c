/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Java calls a thread RUNNABLE that waits in the kernel. Its innermost method is then
 * one of a few native ones of the JDK or of Netty, whose names tell what it waits for.
 */
#include "formats/dump/dump_names.h"
#include "formats/dump/java_state.h"
#include "formats/dump/native_calls.h"

#include <string.h>

/* Frames within which the method stands that asked for it. */
enum { FRAMES_ABOVE = 6 };

static const struct {
    const char *class_name;
    const char *method; ///< how it begins
    int kind;           ///< enum tm_object_kind
} calls[] = {
    {"sun.nio.ch.SocketDispatcher", "", TM_OBJECT_KIND_SOCKET},
    {"sun.nio.ch.UnixDispatcher", "", TM_OBJECT_KIND_SOCKET},
    {"sun.nio.ch.DatagramDispatcher", "", TM_OBJECT_KIND_SOCKET},
    {"sun.nio.ch.DatagramChannelImpl", "receive0", TM_OBJECT_KIND_SOCKET},
    {"sun.nio.ch.Net", "accept", TM_OBJECT_KIND_ACCEPT},
    {"sun.nio.ch.Net", "poll", TM_OBJECT_KIND_SOCKET},
    {"sun.nio.ch.Net", "connect", TM_OBJECT_KIND_SOCKET},
    {"sun.nio.ch.ServerSocketChannelImpl", "accept0", TM_OBJECT_KIND_ACCEPT},
    {"sun.nio.ch.UnixDomainSockets", "accept", TM_OBJECT_KIND_ACCEPT},
    {"sun.nio.ch.EPoll", "wait", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.EPollArrayWrapper", "epollWait", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.KQueue", "poll", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.KQueueArrayWrapper", "kevent0", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.WEPoll", "wait", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.WindowsSelectorImpl$SubSelector", "poll0", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.PollArrayWrapper", "poll0", TM_OBJECT_KIND_POLL},
    {"sun.nio.fs.LinuxWatchService", "poll", TM_OBJECT_KIND_POLL},
    {"io.netty.channel.epoll.Native", "epollWait", TM_OBJECT_KIND_POLL},
    {"io.netty.channel.kqueue.Native", "keventWait", TM_OBJECT_KIND_POLL},
    {"sun.nio.ch.FileDispatcherImpl", "", TM_OBJECT_KIND_FILE},
    {"sun.nio.ch.UnixFileDispatcherImpl", "", TM_OBJECT_KIND_FILE},
    {"java.net.SocketInputStream", "socketRead0", TM_OBJECT_KIND_SOCKET},
    {"java.net.SocketOutputStream", "socketWrite0", TM_OBJECT_KIND_SOCKET},
    {"java.net.PlainSocketImpl", "socketAccept", TM_OBJECT_KIND_ACCEPT},
    {"java.net.PlainSocketImpl", "socketConnect", TM_OBJECT_KIND_SOCKET},
    {"java.net.PlainDatagramSocketImpl", "receive0", TM_OBJECT_KIND_SOCKET},
    {"java.net.Inet4AddressImpl", "", TM_OBJECT_KIND_NAME},
    {"java.net.Inet6AddressImpl", "", TM_OBJECT_KIND_NAME},
    {"java.io.FileInputStream", "read", TM_OBJECT_KIND_FILE},
    {"java.io.FileOutputStream", "write", TM_OBJECT_KIND_FILE},
    {"java.io.RandomAccessFile", "read", TM_OBJECT_KIND_FILE},
    {"java.io.RandomAccessFile", "write", TM_OBJECT_KIND_FILE},
    {"java.io.FileDescriptor", "sync", TM_OBJECT_KIND_FILE},
    {"java.lang.ProcessHandleImpl", "waitForProcessExit0", TM_OBJECT_KIND_PROCESS},
    {"java.lang.ProcessImpl", "waitFor", TM_OBJECT_KIND_PROCESS},
    {"java.lang.UNIXProcess", "waitForProcessExit", TM_OBJECT_KIND_PROCESS},
    {"android.os.MessageQueue", "nativePollOnce", TM_OBJECT_KIND_POLL},
    {"libcore.io.Linux", "poll", TM_OBJECT_KIND_POLL},
    {"libcore.io.Linux", "accept", TM_OBJECT_KIND_ACCEPT},
    {"libcore.io.Linux", "connect", TM_OBJECT_KIND_SOCKET},
    {"libcore.io.Linux", "recvfrom", TM_OBJECT_KIND_SOCKET},
    {"libcore.io.Linux", "android_getaddrinfo", TM_OBJECT_KIND_NAME},
};

static const char *const names[TM_OBJECT_KIND_END] = {
    [TM_OBJECT_KIND_SOCKET] = "a socket", [TM_OBJECT_KIND_FILE] = "a file",
    [TM_OBJECT_KIND_POLL] = "a selector", [TM_OBJECT_KIND_ACCEPT] = "a connection",
    [TM_OBJECT_KIND_NAME] = "a name",     [TM_OBJECT_KIND_PROCESS] = "a process",
};

/* One call serves several purposes; frames further out tell which. */
static int purpose_of(const tm__dump *dump, const uint32_t *frames, uint32_t count,
                      int kind)
{
    for (uint32_t i = 0; i < count && i < FRAMES_ABOVE; i++) {
        if (kind == TM_OBJECT_KIND_FILE &&
            tm__dump_is_method(dump, frames[i], "sun.nio.ch.SocketDispatcher", ""))
            return TM_OBJECT_KIND_SOCKET;
        if (kind == TM_OBJECT_KIND_SOCKET &&
            (tm__dump_is_method(dump, frames[i], "sun.nio.ch.NioSocketImpl",
                                "accept") ||
             tm__dump_is_method(dump, frames[i], "sun.nio.ch.NioSocketImpl",
                                "timedAccept")))
            return TM_OBJECT_KIND_ACCEPT;
    }
    return kind;
}

const char *tm__dump_io_name(int object_kind)
{
    return object_kind > 0 && object_kind < TM_OBJECT_KIND_END ? names[object_kind]
                                                               : NULL;
}

int tm__dump_own_object(tm__dump *dump, uint64_t thread, int object_kind,
                        uint32_t class_id, const char *name, uint64_t *id)
{
    tm_object object = {.size = sizeof(object),
                        .class_id = class_id,
                        .kind = (uint64_t)object_kind,
                        .name = name};

    object.id = UINT64_C(3) << 62 | (uint64_t)object_kind << 56 |
                (thread * UINT64_C(0x9e3779b97f4a7c15) >> 8);
    *id = object.id;
    return tm__dump_object(dump, &object);
}

int tm__dump_native_wait(tm__dump *dump, tm__dump_thread *thread)
{
    int kind = TM_OBJECT_KIND_UNKNOWN;

    if ((thread->state != TM_STATE_RUNNING && thread->state != TM_STATE_UNKNOWN &&
         thread->state != TM_STATE_NATIVE) ||
        thread->frame_count == 0)
        return TM_OK;
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && !kind; i++)
        if (tm__dump_is_method(dump, thread->frames[0], calls[i].class_name,
                               calls[i].method))
            kind = purpose_of(dump, thread->frames, thread->frame_count, calls[i].kind);
    if (!kind)
        return TM_OK;
    /* No dump says which descriptor it is: one for each thread. */
    thread->state = TM_STATE_IO;
    return tm__dump_own_object(dump, thread->thread.id, kind,
                               tm__dump_class_of(dump, thread->frames[0]), names[kind],
                               &thread->wanted);
}
