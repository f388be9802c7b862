/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-ins for native methods that may wait in the kernel. Each notes what is called,
 * on which descriptor, and calls the original. JDK 11 to 25 have different ones: a
 * method that a JDK lacks is never bound.
 */
#include "capture/io_hooks.h"

#include <string.h>

#include "capture/io_arguments.h"
#include "capture/io_methods.h"
#include "capture/kernel_wait.h"
#include "endpoint/endpoint.h"
#include "ring/kernel_call.h"

/* ---- one function a method ---- */

#define ORIGINAL(id)                                                                   \
    atomic_load_explicit(&tm__io_hooks[id].original, memory_order_acquire)

/* A function of a method that returns something. */
#define CALL(type, id, use, fd, bytes, end, parameters, ...)                           \
    static type JNICALL call_##id parameters                                           \
    {                                                                                  \
        union {                                                                        \
            void *address;                                                             \
            type(JNICALL *function) parameters;                                        \
        } original = {ORIGINAL(id)};                                                   \
        tm__kernel_wait wait;                                                          \
        type result;                                                                   \
                                                                                       \
        tm__kernel_wait_begin(&wait, jni, use, fd, bytes);                             \
        result = original.function(__VA_ARGS__);                                       \
        end;                                                                           \
        return result;                                                                 \
    }

/* A function of one that returns nothing. */
#define CALL_VOID(id, use, fd, bytes, parameters, ...)                                 \
    static void JNICALL call_##id parameters                                           \
    {                                                                                  \
        union {                                                                        \
            void *address;                                                             \
            void(JNICALL * function) parameters;                                       \
        } original = {ORIGINAL(id)};                                                   \
        tm__kernel_wait wait;                                                          \
                                                                                       \
        tm__kernel_wait_begin(&wait, jni, use, fd, bytes);                             \
        original.function(__VA_ARGS__);                                                \
        tm__kernel_wait_end(&wait, NULL);                                              \
    }

#define END tm__kernel_wait_end(&wait, NULL)
#define FD tm__io_number_of(jni, file)
#define FD_IN(id) tm__io_number_in(jni, self, &tm__io_hooks[id].file_field)

#define NAMED(id, class, name) id,
enum {
    READS_INT(NAMED) WRITES_INT(NAMED) READS_LONG(NAMED) WRITES_LONG(NAMED)
        READS_AT(NAMED) WRITES_AT(NAMED) FORCES(NAMED) LOCKS(NAMED) READS_ARRAY(NAMED)
            READS_BYTE(NAMED) WRITES_ARRAY(NAMED) SYNCS(NAMED) LOOK_UPS(NAMED)
                REVERSE_LOOK_UPS(NAMED) URINGS(NAMED) NET_POLL,
    NET_POLL_CONNECT,
    NET_CONNECT,
    NET_ACCEPT,
    NET_ACCEPT_OLD,
    DOMAIN_CONNECT,
    DOMAIN_ACCEPT,
    DATAGRAM_RECEIVE,
    DATAGRAM_RECEIVE_OLD,
    EPOLL_WAIT,
    SELECTOR_POLL,
    WATCH_POLL,
    STREAM_WRITE,
    STREAM_WRITE_BYTE,
    RANDOM_WRITE_BYTE,
    LOOK_UP_6,
    PROCESS_EXIT,
    OLD_ACCEPT,
    OLD_CONNECT,
    OLD_READ,
    OLD_WRITE,
    OLD_RECEIVE,
    OLD_PEEK,
    NETTY_EPOLL_WAIT,
    NETTY_EPOLL_WAIT_OLD,
    NETTY_EPOLL_WAIT_TIMER,
    CLOSE_OLD,
    PRE_CLOSE_OLD,
    CLOSE_UNIX,
    PRE_CLOSE_UNIX,
    CLOSE_NUMBER_OLD,
    CLOSE_NUMBER,
    CLOSE_SOCKET,
    CLOSE_CLEANED,
    CLOSE_ITSELF,
    OLD_CLOSE,
    HOOK_COUNT
};

#define AT_ADDRESS (JNIEnv * jni, jobject self, jobject file, jlong address, jint bytes)
#define READ_INT(id, class, name)                                                      \
    CALL(jint, id, TM__USE_READ, FD, bytes, END, AT_ADDRESS, jni, self, file, address, \
         bytes)
#define WRITE_INT(id, class, name)                                                     \
    CALL(jint, id, TM__USE_WRITE, FD, bytes, END, AT_ADDRESS, jni, self, file,         \
         address, bytes)
/* How many bytes are in a vector is not worth a look. */
#define READ_LONG(id, class, name)                                                     \
    CALL(jlong, id, TM__USE_READ, FD, 0, END, AT_ADDRESS, jni, self, file, address,    \
         bytes)
#define WRITE_LONG(id, class, name)                                                    \
    CALL(jlong, id, TM__USE_WRITE, FD, 0, END, AT_ADDRESS, jni, self, file, address,   \
         bytes)
#define AT_POSITION                                                                    \
    (JNIEnv * jni, jobject self, jobject file, jlong address, jint bytes, jlong at)
#define READ_AT(id, class, name)                                                       \
    CALL(jint, id, TM__USE_READ, FD, bytes, END, AT_POSITION, jni, self, file,         \
         address, bytes, at)
#define WRITE_AT(id, class, name)                                                      \
    CALL(jint, id, TM__USE_WRITE, FD, bytes, END, AT_POSITION, jni, self, file,        \
         address, bytes, at)
#define FORCE(id, class, name)                                                         \
    CALL(jint, id, TM__USE_WRITE, FD, 0, END,                                          \
         (JNIEnv * jni, jobject self, jobject file, jboolean all), jni, self, file,    \
         all)
#define LOCK(id, class, name)                                                          \
    CALL(jint, id, TM__USE_WRITE, FD, 0, END,                                          \
         (JNIEnv * jni, jobject self, jobject file, jboolean waits, jlong from,        \
          jlong bytes, jboolean shared),                                               \
         jni, self, file, waits, from, bytes, shared)
#define IN_ARRAY (JNIEnv * jni, jobject self, jbyteArray array, jint from, jint bytes)
#define READ_ARRAY(id, class, name)                                                    \
    CALL(jint, id, TM__USE_READ, FD_IN(id), bytes, END, IN_ARRAY, jni, self, array,    \
         from, bytes)
#define READ_BYTE(id, class, name)                                                     \
    CALL(jint, id, TM__USE_READ, FD_IN(id), 1, END, (JNIEnv * jni, jobject self), jni, \
         self)
#define WRITE_ARRAY(id, class, name)                                                   \
    CALL_VOID(id, TM__USE_WRITE, FD_IN(id), bytes, IN_ARRAY, jni, self, array, from,   \
              bytes)
#define SYNCHRONIZE(id, class, name)                                                   \
    CALL_VOID(id, TM__USE_WRITE, tm__io_number_of(jni, self), 0,                       \
              (JNIEnv * jni, jobject self), jni, self)
#define LOOK_UP(id, class, name)                                                       \
    CALL(jobject, id, TM__USE_NAME, -1, 0, tm__io_end_with_name(&wait, jni, host),     \
         (JNIEnv * jni, jobject self, jstring host), jni, self, host)
#define REVERSE(id, class, name)                                                       \
    CALL(jobject, id, TM__USE_NAME, -1, 0, END,                                        \
         (JNIEnv * jni, jobject self, jbyteArray address), jni, self, address)
#define URING(id, class, name)                                                         \
    CALL(                                                                              \
        jint, id, TM__USE_POLL, -1, 0, END,                                            \
        (JNIEnv * jni, jobject self, jint ring, jint submits, jint least, jint flags), \
        jni, self, ring, submits, least, flags)

READS_INT(READ_INT)
WRITES_INT(WRITE_INT)
READS_LONG(READ_LONG)
WRITES_LONG(WRITE_LONG)
READS_AT(READ_AT)
WRITES_AT(WRITE_AT)
FORCES(FORCE)
LOCKS(LOCK)
READS_ARRAY(READ_ARRAY)
READS_BYTE(READ_BYTE)
WRITES_ARRAY(WRITE_ARRAY)
SYNCS(SYNCHRONIZE)
LOOK_UPS(LOOK_UP)
REVERSE_LOOK_UPS(REVERSE)
URINGS(URING)

/* The bits show whether it waits to read or to write: POLLIN is 1. */
CALL(jint, NET_POLL, events & 1 ? TM__USE_READ : TM__USE_WRITE, FD, 0, END,
     (JNIEnv * jni, jobject self, jobject file, jint events, jlong timeout), jni, self,
     file, events, timeout)
CALL(jboolean, NET_POLL_CONNECT, TM__USE_WRITE, FD, 0, END,
     (JNIEnv * jni, jobject self, jobject file, jlong timeout), jni, self, file,
     timeout)
CALL(jint, NET_CONNECT, TM__USE_WRITE, FD, 0, END,
     (JNIEnv * jni, jobject self, jboolean is_6, jobject file, jobject to, jint port),
     jni, self, is_6, file, to, port)

/* A listening descriptor is noted before the first connection is read. */
static int listener(int fd)
{
    if (fd >= 0)
        tm__endpoint_listens(fd);
    return fd;
}

#define ACCEPT(id)                                                                     \
    CALL(jint, id, TM__USE_READ, listener(FD), 0, END,                                 \
         (JNIEnv * jni, jobject self, jobject file, jobject made, jobjectArray from),  \
         jni, self, file, made, from)
ACCEPT(NET_ACCEPT)
ACCEPT(NET_ACCEPT_OLD)
ACCEPT(DOMAIN_ACCEPT)

CALL(jint, DOMAIN_CONNECT, TM__USE_WRITE, FD, 0, END,
     (JNIEnv * jni, jobject self, jobject file, jbyteArray to), jni, self, file, to)
CALL(jint, DATAGRAM_RECEIVE, TM__USE_READ, FD, bytes, END,
     (JNIEnv * jni, jobject self, jobject file, jlong address, jint bytes, jlong from,
      jboolean connected),
     jni, self, file, address, bytes, from, connected)
CALL(jint, DATAGRAM_RECEIVE_OLD, TM__USE_READ, FD, bytes, END,
     (JNIEnv * jni, jobject self, jobject file, jlong address, jint bytes,
      jboolean connected),
     jni, self, file, address, bytes, connected)
CALL(jint, EPOLL_WAIT, TM__USE_POLL, -1, 0, END,
     (JNIEnv * jni, jobject self, jint epoll, jlong events, jint count, jint timeout),
     jni, self, epoll, events, count, timeout)
CALL(jint, SELECTOR_POLL, TM__USE_POLL, -1, 0, END,
     (JNIEnv * jni, jobject self, jlong polled, jint count, jint timeout), jni, self,
     polled, count, timeout)
CALL(jint, WATCH_POLL, TM__USE_POLL, -1, 0, END,
     (JNIEnv * jni, jobject self, jint one, jint other), jni, self, one, other)
CALL_VOID(STREAM_WRITE, TM__USE_WRITE, FD_IN(STREAM_WRITE), bytes,
          (JNIEnv * jni, jobject self, jbyteArray array, jint from, jint bytes,
           jboolean append),
          jni, self, array, from, bytes, append)
CALL_VOID(STREAM_WRITE_BYTE, TM__USE_WRITE, FD_IN(STREAM_WRITE_BYTE), 1,
          (JNIEnv * jni, jobject self, jint value, jboolean append), jni, self, value,
          append)
CALL_VOID(RANDOM_WRITE_BYTE, TM__USE_WRITE, FD_IN(RANDOM_WRITE_BYTE), 1,
          (JNIEnv * jni, jobject self, jint value), jni, self, value)
CALL(jobject, LOOK_UP_6, TM__USE_NAME, -1, 0, tm__io_end_with_name(&wait, jni, host),
     (JNIEnv * jni, jobject self, jstring host, jint which), jni, self, host, which)
CALL(jint, PROCESS_EXIT, TM__USE_PROCESS, -1, 0, END,
     (JNIEnv * jni, jobject self, jlong pid, jboolean reap), jni, self, pid, reap)

/* java.net up to JDK 12, and later by option. */
CALL_VOID(OLD_ACCEPT, TM__USE_READ, listener(FD_IN(OLD_ACCEPT)), 0,
          (JNIEnv * jni, jobject self, jobject made), jni, self, made)
CALL_VOID(OLD_CONNECT, TM__USE_WRITE, FD_IN(OLD_CONNECT), 0,
          (JNIEnv * jni, jobject self, jobject to, jint port, jint timeout), jni, self,
          to, port, timeout)
CALL(jint, OLD_READ, TM__USE_READ, FD, bytes, END,
     (JNIEnv * jni, jobject self, jobject file, jbyteArray array, jint from, jint bytes,
      jint timeout),
     jni, self, file, array, from, bytes, timeout)
CALL_VOID(OLD_WRITE, TM__USE_WRITE, FD, bytes,
          (JNIEnv * jni, jobject self, jobject file, jbyteArray array, jint from,
           jint bytes),
          jni, self, file, array, from, bytes)
CALL_VOID(OLD_RECEIVE, TM__USE_READ, FD_IN(OLD_RECEIVE), 0,
          (JNIEnv * jni, jobject self, jobject packet), jni, self, packet)
CALL(jint, OLD_PEEK, TM__USE_READ, FD_IN(OLD_PEEK), 0, END,
     (JNIEnv * jni, jobject self, jobject packet), jni, self, packet)

CALL(jint, NETTY_EPOLL_WAIT, TM__USE_POLL, -1, 0, END,
     (JNIEnv * jni, jobject self, jint epoll, jlong events, jint count, jint timeout),
     jni, self, epoll, events, count, timeout)
CALL(jint, NETTY_EPOLL_WAIT_OLD, TM__USE_POLL, -1, 0, END,
     (JNIEnv * jni, jobject self, jint epoll, jlong events, jint count, jint timer,
      jint seconds, jint ns),
     jni, self, epoll, events, count, timer, seconds, ns)
CALL(jlong, NETTY_EPOLL_WAIT_TIMER, TM__USE_POLL, -1, 0, END,
     (JNIEnv * jni, jobject self, jint epoll, jlong events, jint count, jint timer,
      jint seconds, jint ns, jlong least_ms),
     jni, self, epoll, events, count, timer, seconds, ns, least_ms)

/* A close, before and after which a descriptor may be looked up. */
#define CLOSE(id, parameters, ...)                                                     \
    static void JNICALL call_##id parameters                                           \
    {                                                                                  \
        union {                                                                        \
            void *address;                                                             \
            void(JNICALL * function) parameters;                                       \
        } original = {ORIGINAL(id)};                                                   \
                                                                                       \
        atomic_fetch_add(&tm__the_closes, 1);                                          \
        original.function(__VA_ARGS__);                                                \
        atomic_fetch_add(&tm__the_closes, 1);                                          \
    }

#define CLOSES_FILE(X)                                                                 \
    X(CLOSE_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "close0")                          \
    X(PRE_CLOSE_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "preClose0")                   \
    X(CLOSE_UNIX, "Lsun/nio/ch/UnixDispatcher;", "close0")                             \
    X(PRE_CLOSE_UNIX, "Lsun/nio/ch/UnixDispatcher;", "preClose0")
#define CLOSES_NUMBER(X)                                                               \
    X(CLOSE_NUMBER_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "closeIntFD")               \
    X(CLOSE_NUMBER, "Lsun/nio/ch/UnixFileDispatcherImpl;", "closeIntFD")               \
    X(CLOSE_SOCKET, "Ljava/net/SocketCleanable;", "cleanupClose0")
#define CLOSE_FILE(id, class, name)                                                    \
    CLOSE(id, (JNIEnv * jni, jobject self, jobject file), jni, self, file)
#define CLOSE_INT(id, class, name)                                                     \
    CLOSE(id, (JNIEnv * jni, jobject self, jint fd), jni, self, fd)

CLOSES_FILE(CLOSE_FILE)
CLOSES_NUMBER(CLOSE_INT)
CLOSE(CLOSE_CLEANED, (JNIEnv * jni, jobject self, jint fd, jlong handle), jni, self, fd,
      handle)
CLOSE(CLOSE_ITSELF, (JNIEnv * jni, jobject self), jni, self)
CLOSE(OLD_CLOSE, (JNIEnv * jni, jobject self, jboolean is_half), jni, self, is_half)

/* ---- the table ---- */

#define FILE_TYPE "Ljava/io/FileDescriptor;"
#define ROW(id, class, name, signature)                                                \
    [id] = {class, name, signature, {.function = (void (*)(void))call_##id}, NULL, NULL}
#define ROW_INT(id, class, name) ROW(id, class, name, "(" FILE_TYPE "JI)I"),
#define ROW_LONG(id, class, name) ROW(id, class, name, "(" FILE_TYPE "JI)J"),
#define ROW_AT(id, class, name) ROW(id, class, name, "(" FILE_TYPE "JIJ)I"),
#define ROW_FORCE(id, class, name) ROW(id, class, name, "(" FILE_TYPE "Z)I"),
#define ROW_LOCK(id, class, name) ROW(id, class, name, "(" FILE_TYPE "ZJJZ)I"),
#define ROW_READ_ARRAY(id, class, name) ROW(id, class, name, "([BII)I"),
#define ROW_READ_BYTE(id, class, name) ROW(id, class, name, "()I"),
#define ROW_WRITE_ARRAY(id, class, name) ROW(id, class, name, "([BII)V"),
#define ROW_SYNC(id, class, name) ROW(id, class, name, "()V"),
#define ROW_LOOK_UP(id, class, name)                                                   \
    ROW(id, class, name, "(Ljava/lang/String;)[Ljava/net/InetAddress;"),
#define ROW_REVERSE(id, class, name) ROW(id, class, name, "([B)Ljava/lang/String;"),
#define ROW_CLOSE_FILE(id, class, name) ROW(id, class, name, "(" FILE_TYPE ")V"),
#define ROW_CLOSE_INT(id, class, name) ROW(id, class, name, "(I)V"),
#define ROW_URING(id, class, name) ROW(id, class, name, "(IIII)I"),

#define NET "Lsun/nio/ch/Net;"
#define DOMAIN "Lsun/nio/ch/UnixDomainSockets;"
#define DATAGRAM "Lsun/nio/ch/DatagramChannelImpl;"
#define OLD_SOCKET "Ljava/net/PlainSocketImpl;"
#define OLD_DATAGRAM "Ljava/net/PlainDatagramSocketImpl;"
#define NETTY_EPOLL "*io/netty/channel/epoll/Native;"

/* clang-format off */
tm__io_hook tm__io_hooks[] = {
    READS_INT(ROW_INT) WRITES_INT(ROW_INT) READS_LONG(ROW_LONG) WRITES_LONG(ROW_LONG)
    READS_AT(ROW_AT) WRITES_AT(ROW_AT) FORCES(ROW_FORCE) LOCKS(ROW_LOCK)
    READS_ARRAY(ROW_READ_ARRAY) READS_BYTE(ROW_READ_BYTE)
    WRITES_ARRAY(ROW_WRITE_ARRAY) SYNCS(ROW_SYNC) LOOK_UPS(ROW_LOOK_UP)
    REVERSE_LOOK_UPS(ROW_REVERSE) URINGS(ROW_URING) CLOSES_FILE(ROW_CLOSE_FILE)
    CLOSES_NUMBER(ROW_CLOSE_INT)
    ROW(NET_POLL, NET, "poll", "(" FILE_TYPE "IJ)I"),
    ROW(NET_POLL_CONNECT, NET, "pollConnect", "(" FILE_TYPE "J)Z"),
    ROW(NET_CONNECT, NET, "connect0", "(Z" FILE_TYPE "Ljava/net/InetAddress;I)I"),
    ROW(NET_ACCEPT, NET, "accept",
        "(" FILE_TYPE FILE_TYPE "[Ljava/net/InetSocketAddress;)I"),
    ROW(NET_ACCEPT_OLD, "Lsun/nio/ch/ServerSocketChannelImpl;", "accept0",
        "(" FILE_TYPE FILE_TYPE "[Ljava/net/InetSocketAddress;)I"),
    ROW(DOMAIN_CONNECT, DOMAIN, "connect0", "(" FILE_TYPE "[B)I"),
    ROW(DOMAIN_ACCEPT, DOMAIN, "accept0",
        "(" FILE_TYPE FILE_TYPE "[Ljava/lang/Object;)I"),
    ROW(DATAGRAM_RECEIVE, DATAGRAM, "receive0", "(" FILE_TYPE "JIJZ)I"),
    ROW(DATAGRAM_RECEIVE_OLD, DATAGRAM, "receive0", "(" FILE_TYPE "JIZ)I"),
    ROW(EPOLL_WAIT, "Lsun/nio/ch/EPoll;", "wait", "(IJII)I"),
    ROW(SELECTOR_POLL, "Lsun/nio/ch/PollSelectorImpl;", "poll", "(JII)I"),
    ROW(WATCH_POLL, "Lsun/nio/fs/LinuxWatchService;", "poll", "(II)I"),
    ROW(STREAM_WRITE, "Ljava/io/FileOutputStream;", "writeBytes", "([BIIZ)V"),
    ROW(STREAM_WRITE_BYTE, "Ljava/io/FileOutputStream;", "write", "(IZ)V"),
    ROW(RANDOM_WRITE_BYTE, "Ljava/io/RandomAccessFile;", "write0", "(I)V"),
    ROW(LOOK_UP_6, "Ljava/net/Inet6AddressImpl;", "lookupAllHostAddr",
        "(Ljava/lang/String;I)[Ljava/net/InetAddress;"),
    ROW(PROCESS_EXIT, "Ljava/lang/ProcessHandleImpl;", "waitForProcessExit0", "(JZ)I"),
    ROW(OLD_ACCEPT, OLD_SOCKET, "socketAccept", "(Ljava/net/SocketImpl;)V"),
    ROW(OLD_CONNECT, OLD_SOCKET, "socketConnect", "(Ljava/net/InetAddress;II)V"),
    ROW(OLD_READ, "Ljava/net/SocketInputStream;", "socketRead0",
        "(" FILE_TYPE "[BIII)I"),
    ROW(OLD_WRITE, "Ljava/net/SocketOutputStream;", "socketWrite0",
        "(" FILE_TYPE "[BII)V"),
    ROW(OLD_RECEIVE, OLD_DATAGRAM, "receive0", "(Ljava/net/DatagramPacket;)V"),
    ROW(OLD_PEEK, OLD_DATAGRAM, "peekData", "(Ljava/net/DatagramPacket;)I"),
    ROW(NETTY_EPOLL_WAIT, NETTY_EPOLL, "epollWait", "(IJII)I"),
    ROW(NETTY_EPOLL_WAIT_OLD, NETTY_EPOLL, "epollWait0", "(IJIIII)I"),
    ROW(NETTY_EPOLL_WAIT_TIMER, NETTY_EPOLL, "epollWait0", "(IJIIIIJ)J"),
    ROW(CLOSE_CLEANED, "Ljava/io/FileCleanable;", "cleanupClose0", "(IJ)V"),
    ROW(CLOSE_ITSELF, "Ljava/io/FileDescriptor;", "close0", "()V"),
    ROW(OLD_CLOSE, OLD_SOCKET, "socketClose0", "(Z)V"),
};
/* clang-format on */
_Static_assert(sizeof(tm__io_hooks) / sizeof(*tm__io_hooks) == HOOK_COUNT,
               "each has its row");
const size_t tm__io_hook_count = HOOK_COUNT;

int tm__io_hook_is_of(const tm__io_hook *hook, const char *class)
{
    size_t length, tail;

    if (hook->class[0] != '*')
        return strcmp(hook->class, class) == 0;
    length = strlen(class);
    tail = strlen(hook->class + 1);
    return length > tail && strcmp(class + length - tail, hook->class + 1) == 0;
}
