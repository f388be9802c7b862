/* SPDX-License-Identifier: Apache-2.0 */
/* Native methods of the JDK, and of Netty, that may wait in the kernel and have a form
 * of parameters that others have, too. */
#ifndef TM_AGENT_CAPTURE_IO_METHODS_H
#define TM_AGENT_CAPTURE_IO_METHODS_H

/* Methods by the form of their parameters: ID, class, name. Newer JDKs have those of
 * files in another class. */
#define OF_FILES(X, id, name)                                                          \
    X(FILE_##id##_OLD, "Lsun/nio/ch/FileDispatcherImpl;", name)                        \
    X(FILE_##id, "Lsun/nio/ch/UnixFileDispatcherImpl;", name)
#define OF_CHANNELS(X, id, name)                                                       \
    X(SOCKET_##id, "Lsun/nio/ch/SocketDispatcher;", name)                              \
    X(DATAGRAM_##id, "Lsun/nio/ch/DatagramDispatcher;", name)                          \
    OF_FILES(X, id, name)
#define READS_INT(X) OF_CHANNELS(X, READ, "read0")
#define WRITES_INT(X) OF_CHANNELS(X, WRITE, "write0")
#define READS_LONG(X) OF_CHANNELS(X, READV, "readv0")
#define WRITES_LONG(X) OF_CHANNELS(X, WRITEV, "writev0")
#define READS_AT(X) OF_FILES(X, PREAD, "pread0")
#define WRITES_AT(X) OF_FILES(X, PWRITE, "pwrite0")
#define FORCES(X) OF_FILES(X, FORCE, "force0")
#define LOCKS(X) OF_FILES(X, LOCK, "lock0")
#define READS_ARRAY(X)                                                                 \
    X(STREAM_READ, "Ljava/io/FileInputStream;", "readBytes")                           \
    X(RANDOM_READ_OLD, "Ljava/io/RandomAccessFile;", "readBytes")                      \
    X(RANDOM_READ, "Ljava/io/RandomAccessFile;", "readBytes0")
#define READS_BYTE(X)                                                                  \
    X(STREAM_READ_BYTE, "Ljava/io/FileInputStream;", "read0")                          \
    X(RANDOM_READ_BYTE, "Ljava/io/RandomAccessFile;", "read0")
#define WRITES_ARRAY(X)                                                                \
    X(RANDOM_WRITE_OLD, "Ljava/io/RandomAccessFile;", "writeBytes")                    \
    X(RANDOM_WRITE, "Ljava/io/RandomAccessFile;", "writeBytes0")
#define SYNCS(X)                                                                       \
    X(SYNC_OLD, "Ljava/io/FileDescriptor;", "sync")                                    \
    X(SYNC, "Ljava/io/FileDescriptor;", "sync0")
#define LOOK_UPS(X)                                                                    \
    X(LOOK_UP_4, "Ljava/net/Inet4AddressImpl;", "lookupAllHostAddr")                   \
    X(LOOK_UP_6_OLD, "Ljava/net/Inet6AddressImpl;", "lookupAllHostAddr")
#define REVERSE_LOOK_UPS(X)                                                            \
    X(REVERSE_4, "Ljava/net/Inet4AddressImpl;", "getHostByAddr")                       \
    X(REVERSE_6, "Ljava/net/Inet6AddressImpl;", "getHostByAddr")
#define URINGS(X)                                                                      \
    X(NETTY_URING, "*io/netty/channel/uring/Native;", "ioUringEnter")                  \
    X(NETTY_URING_OLD, "*io/netty/incubator/channel/uring/Native;", "ioUringEnter")

#endif
