/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that a thread waits for in the kernel: endpoints and not descriptors. All
 * connections to one database are one endpoint, and so are all connections of clients
 * to one port.
 *
 * A connection whose local port listens was opened by a client: what the client sends
 * next, it sends of its own accord, so that a read of it is idle.
 *
 * All functions but tm__endpoint_name() may be called in a signal handler: they
 * allocate nothing, take no lock, and change nothing but errno and the set of ports.
 */
#ifndef TM_AGENT_ENDPOINT_ENDPOINT_H
#define TM_AGENT_ENDPOINT_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <threadmodel/definition.h>

enum { TM__ENDPOINT_TEXT_BYTES = 512 };

/** Bits as in tm_run.object_kinds: sockets, files and the rest. */
#define TM__ENDPOINT_KINDS                                                             \
    ((UINT64_C(1) << (TM_OBJECT_KIND_PROCESS + 1)) -                                   \
     (UINT64_C(1) << TM_OBJECT_KIND_SOCKET))

/** The purpose of a call. */
enum tm__call_use {
    TM__USE_READ,       ///< of a descriptor: a socket, file, pipe
    TM__USE_WRITE,      ///< or the end of a connect, lock or sync
    TM__USE_POLL,       ///< of several descriptors
    TM__USE_NAME,       ///< looks a name up
    TM__USE_PROCESS,    ///< waits for the end of any child process
    TM__USE_CHILD,      ///< waits for the end of a certain one
    TM__USE_KINDS = 15, ///< the bits of those
    TM__USE_LARGE = 16, ///< a bit: it may use a processor for long
    TM__USE_WAITS = 32, ///< a bit: it moves no bytes, and does nothing but wait
    TM__USE_OPENS = 64  ///< a bit: its descriptor is new at its end
};

/** The source of an endpoint's name. */
enum tm__endpoint_what {
    TM__WHAT_ADDRESS, ///< of an address
    TM__WHAT_PATH,    ///< of a file's path
    TM__WHAT_HOST,    ///< of a host that is looked up
    TM__WHAT_FILE,    ///< of nothing: the rest
    TM__WHAT_PIPE,
    TM__WHAT_DEVICE,
    TM__WHAT_EVENTS,
    TM__WHAT_SOCKET,
    TM__WHAT_PEERLESS,
    TM__WHAT_SELECTOR,
    TM__WHAT_NAME,
    TM__WHAT_CHILD,
    TM__WHAT_END
};

typedef struct tm__endpoint {
    uint64_t key; ///< never 0; equal for equal endpoints; has the three that follow
    uint8_t kind; ///< enum tm_object_kind
    uint8_t is_of_clients;
    uint8_t what;        ///< enum tm__endpoint_what
    uint8_t family;      ///< of an address: AF_INET, AF_INET6, AF_UNIX
    uint32_t port;       ///< of an address
    uint8_t address[16]; ///< of an address: the first 4 of AF_INET
} tm__endpoint;

/**
 * The endpoint of a call.
 * @param use  enum tm__call_use; the bits beyond its kinds do not matter
 * @param fd   -1: none
 */
tm__endpoint tm__endpoint_of(uint32_t use, int fd);

/** The same of a descriptor that is a socket. @return 0; -1: it is not */
int tm__endpoint_of_socket(tm__endpoint *it, int fd);

/** The endpoint of the peer that a connect names. */
tm__endpoint tm__endpoint_of_peer(const struct sockaddr *address, socklen_t bytes);

/** The endpoint of a file, by its facts; NULL: these are not known. */
tm__endpoint tm__endpoint_of_file(const struct stat *facts);

/** The endpoint of a host that is looked up; NULL: its name is not known. */
tm__endpoint tm__endpoint_of_host(const char *name);

/** One that is known by its key alone, as far as that goes. */
tm__endpoint tm__endpoint_of_key(uint64_t key);

/** Whether a wait is idle: others begin of their own accord what it waits for. */
int tm__endpoint_is_idle(uint64_t key, uint32_t use, int fd);

/**
 * The text that its name needs beside it: the path of a file or of a socket, or "".
 * @param fd  of the call; a path is asked of the kernel
 */
size_t tm__endpoint_text(const tm__endpoint *it, int fd,
                         char text[TM__ENDPOINT_TEXT_BYTES]);

/** A socket listens: connections to its port are those of clients. */
void tm__endpoint_listens(int fd);

#endif
