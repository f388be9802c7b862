/* SPDX-License-Identifier: Apache-2.0 */
/* Native methods of the JDK, and of Netty, that may wait in the kernel and have a form
 * of parameters that others have, too. */
#ifndef TM_AGENT_CAPTURE_IO_METHODS_H
#define TM_AGENT_CAPTURE_IO_METHODS_H

/* Methods by the form of their parameters: ID, class, name. */
#define READS_INT(X)                                                                   \
    X(SOCKET_READ, "Lsun/nio/ch/SocketDispatcher;", "read0")                           \
    X(DATAGRAM_READ, "Lsun/nio/ch/DatagramDispatcher;", "read0")                       \
    X(FILE_READ_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "read0")                       \
    X(FILE_READ, "Lsun/nio/ch/UnixFileDispatcherImpl;", "read0")
#define WRITES_INT(X)                                                                  \
    X(SOCKET_WRITE, "Lsun/nio/ch/SocketDispatcher;", "write0")                         \
    X(DATAGRAM_WRITE, "Lsun/nio/ch/DatagramDispatcher;", "write0")                     \
    X(FILE_WRITE_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "write0")                     \
    X(FILE_WRITE, "Lsun/nio/ch/UnixFileDispatcherImpl;", "write0")
#define READS_LONG(X)                                                                  \
    X(SOCKET_READV, "Lsun/nio/ch/SocketDispatcher;", "readv0")                         \
    X(DATAGRAM_READV, "Lsun/nio/ch/DatagramDispatcher;", "readv0")                     \
    X(FILE_READV_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "readv0")                     \
    X(FILE_READV, "Lsun/nio/ch/UnixFileDispatcherImpl;", "readv0")
#define WRITES_LONG(X)                                                                 \
    X(SOCKET_WRITEV, "Lsun/nio/ch/SocketDispatcher;", "writev0")                       \
    X(DATAGRAM_WRITEV, "Lsun/nio/ch/DatagramDispatcher;", "writev0")                   \
    X(FILE_WRITEV_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "writev0")                   \
    X(FILE_WRITEV, "Lsun/nio/ch/UnixFileDispatcherImpl;", "writev0")
#define READS_AT(X)                                                                    \
    X(FILE_PREAD_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "pread0")                     \
    X(FILE_PREAD, "Lsun/nio/ch/UnixFileDispatcherImpl;", "pread0")
#define WRITES_AT(X)                                                                   \
    X(FILE_PWRITE_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "pwrite0")                   \
    X(FILE_PWRITE, "Lsun/nio/ch/UnixFileDispatcherImpl;", "pwrite0")
#define FORCES(X)                                                                      \
    X(FILE_FORCE_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "force0")                     \
    X(FILE_FORCE, "Lsun/nio/ch/UnixFileDispatcherImpl;", "force0")
#define LOCKS(X)                                                                       \
    X(FILE_LOCK_OLD, "Lsun/nio/ch/FileDispatcherImpl;", "lock0")                       \
    X(FILE_LOCK, "Lsun/nio/ch/UnixFileDispatcherImpl;", "lock0")
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
