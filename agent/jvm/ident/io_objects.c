/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of I/O are endpoints and not descriptors: all connections to one database are
 * one object, and so are all connections of clients to one port. A service has some
 * dozens. A table of fixed size holds their numbers; it is read without a lock, and
 * what finds no place in it shares one object a kind.
 *
 * A connection whose local port listens was opened by a client: what the client sends
 * next, it sends of its own accord, so that a read of it is idle.
 */
#include "ident/io_objects.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ident/definition_records.h"
#include "ring/recording_state.h"
#include "vm/options.h"

enum { PLACES = 4096, MOST = 3072, PORTS = 65536, NAME_BYTES = 512 };

/* What an object is known by, before it has a number. */
typedef struct endpoint {
    int kind; ///< enum tm_object_kind
    int is_of_clients;
    int is_idle;
    int fd;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
        struct sockaddr_storage storage;
    } address;
    uint64_t key;
    const char *name; ///< NULL: it is made from the rest
} endpoint;

static struct {
    _Atomic uint64_t key;
    _Atomic uint64_t id;
} places[PLACES];
static _Atomic uint32_t places_session; ///< whose recording they are of
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint8_t listening[PORTS / 8];
static atomic_int any_listens;

static uint64_t hash_of(uint64_t seed, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* An IPv4 address in the clothes of IPv6 is one of IPv4. */
static void simplify(endpoint *it)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};

    if (it->address.any.sa_family != AF_INET6 ||
        !IN6_IS_ADDR_V4MAPPED(&it->address.v6.sin6_addr))
        return;
    v4.sin_port = it->address.v6.sin6_port;
    memcpy(&v4.sin_addr, &it->address.v6.sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
    it->address.v4 = v4;
}

static int port_of(const endpoint *it)
{
    switch (it->address.any.sa_family) {
    case AF_INET: return ntohs(it->address.v4.sin_port);
    case AF_INET6: return ntohs(it->address.v6.sin6_port);
    default: return 0;
    }
}

static int is_listening(int port)
{
    return atomic_load_explicit(&listening[port / 8], memory_order_relaxed) >>
               (port % 8) &
           1;
}

static int read_own(endpoint *it, int fd)
{
    socklen_t length = sizeof(it->address);

    memset(&it->address, 0, sizeof(it->address));
    return getsockname(fd, &it->address.any, &length);
}

/* Connections of clients are one object, by the port that they came to. */
static void find_clients(endpoint *it, int fd)
{
    endpoint own = *it;

    if (!atomic_load_explicit(&any_listens, memory_order_relaxed) ||
        read_own(&own, fd) != 0)
        return;
    simplify(&own);
    it->is_of_clients = own.address.any.sa_family == AF_UNIX
                            ? own.address.local.sun_path[0] != 0
                            : is_listening(port_of(&own));
    if (it->is_of_clients)
        it->address = own.address;
}

static void key_of_address(endpoint *it)
{
    uint64_t seed = (uint64_t)it->kind << 8 | (uint64_t)it->is_of_clients;
    int port = port_of(it);

    if (it->address.any.sa_family == AF_INET && !it->is_of_clients)
        seed ^= (uint64_t)ntohl(it->address.v4.sin_addr.s_addr) << 24;
    if (it->address.any.sa_family == AF_INET6 && !it->is_of_clients)
        seed = hash_of(seed, &it->address.v6.sin6_addr, 16);
    if (it->address.any.sa_family == AF_UNIX)
        seed = hash_of(
            seed, it->address.local.sun_path,
            strnlen(it->address.local.sun_path, sizeof(it->address.local.sun_path)));
    it->key = hash_of(seed, &port, sizeof(port));
}

/* @return 0; -1: it is not a socket */
static int find_socket(endpoint *it, int fd)
{
    socklen_t length = sizeof(it->address);
    int listens = 0;
    socklen_t listens_bytes = sizeof(listens);

    it->kind = TM_OBJECT_KIND_SOCKET;
    memset(&it->address, 0, sizeof(it->address));
    if (getpeername(fd, &it->address.any, &length) == 0) {
        simplify(it);
        find_clients(it, fd);
    } else if (errno != ENOTCONN) {
        return -1;
    } else if (read_own(it, fd) == 0) {
        simplify(it);
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_bytes) == 0 &&
            listens) {
            it->kind = TM_OBJECT_KIND_ACCEPT;
            tm__io_object_listens(fd);
        } else {
            it->name = "a socket without a peer";
            memset(&it->address, 0, sizeof(it->address));
        }
    }
    key_of_address(it);
    return 0;
}

static void find_file(endpoint *it, int fd)
{
    struct stat about;

    it->kind = TM_OBJECT_KIND_FILE;
    if (fd < 0 || fstat(fd, &about) != 0) {
        it->name = "a file";
        it->key = 1;
        return;
    }
    it->fd = fd;
    it->key = hash_of((uint64_t)about.st_dev, &about.st_ino, sizeof(about.st_ino));
    if (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || S_ISBLK(about.st_mode))
        return;
    it->key = about.st_mode & S_IFMT;
    it->name = S_ISFIFO(about.st_mode)  ? "a pipe"
               : S_ISCHR(about.st_mode) ? "a terminal or device"
                                        : "an event descriptor";
    if (!S_ISFIFO(about.st_mode) && !S_ISCHR(about.st_mode))
        it->kind = TM_OBJECT_KIND_POLL;
}

static endpoint endpoint_of(uint32_t use, int fd, const char *name)
{
    endpoint it = {.kind = TM_OBJECT_KIND_POLL, .fd = -1, .name = name};

    switch (use & ~(uint32_t)TM__USE_LARGE) {
    case TM__USE_READ:
    case TM__USE_WRITE:
        if (fd < 0 || find_socket(&it, fd) != 0)
            find_file(&it, fd);
        /* The next request, or what is typed. */
        it.is_idle = (use & ~(uint32_t)TM__USE_LARGE) == TM__USE_READ &&
                     (it.is_of_clients || fd == STDIN_FILENO);
        break;
    case TM__USE_NAME:
        it.kind = TM_OBJECT_KIND_NAME;
        it.name = name ? name : "a name";
        it.key = hash_of(2, it.name, strlen(it.name));
        break;
    case TM__USE_PROCESS:
        it.kind = TM_OBJECT_KIND_PROCESS;
        it.name = "a child process";
        it.is_idle = 1; /* a thread of the JDK that does nothing else */
        break;
    default: it.name = "a selector"; break;
    }
    it.key ^= (uint64_t)it.kind << 56 | (uint64_t)it.is_of_clients << 55;
    it.key += it.key == 0;
    return it;
}

static void name_path(char *to, const endpoint *it)
{
    char link[64], path[TM__PATH_BYTES];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", it->fd);
    length = readlink(link, path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = 0;
    if (tm__the_options.paths && length > 0)
        snprintf(to, NAME_BYTES, "%.*s", NAME_BYTES - 1, path);
    else
        snprintf(to, NAME_BYTES, "file %08x", (unsigned)hash_of(0, path, strlen(path)));
}

static void name_socket(char *to, const endpoint *it)
{
    const char *clients = it->kind == TM_OBJECT_KIND_ACCEPT ? "connections to "
                          : it->is_of_clients               ? "clients of "
                                                            : "";
    int is_local = it->is_of_clients || it->kind == TM_OBJECT_KIND_ACCEPT;
    char text[INET6_ADDRSTRLEN] = "";

    switch (it->address.any.sa_family) {
    case AF_INET:
        inet_ntop(AF_INET, &it->address.v4.sin_addr, text, sizeof(text));
        snprintf(to, NAME_BYTES, "%s%s:%d", clients, is_local ? "" : text, port_of(it));
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &it->address.v6.sin6_addr, text, sizeof(text));
        if (is_local)
            snprintf(to, NAME_BYTES, "%s:%d", clients, port_of(it));
        else
            snprintf(to, NAME_BYTES, "[%s]:%d", text, port_of(it));
        break;
    case AF_UNIX:
        if (tm__the_options.paths && it->address.local.sun_path[0])
            snprintf(to, NAME_BYTES, "%sunix:%.*s", clients,
                     (int)sizeof(it->address.local.sun_path),
                     it->address.local.sun_path);
        else
            snprintf(to, NAME_BYTES, "%sunix socket %08x", clients, (unsigned)it->key);
        break;
    default: snprintf(to, NAME_BYTES, "a socket"); break;
    }
}

static uint64_t define(tm__buffer *own, const tm_sink *sink, const endpoint *it,
                       const char *name)
{
    tm_object object = TM_OBJECT_INIT;

    if (own)
        return tm__object_by_name(own, 0, it->kind, name);
    object.id = tm__identity_new();
    object.name = name;
    object.kind = (uint64_t)it->kind;
    return sink->define_object(sink->payload, &object) < 0 ? 0 : object.id;
}

static uint64_t find(uint64_t key, size_t *place)
{
    size_t at = (size_t)(key >> 7) % PLACES;

    for (;; at = (at + 1) % PLACES) {
        uint64_t there = atomic_load_explicit(&places[at].key, memory_order_acquire);

        *place = at;
        if (there == key)
            return atomic_load_explicit(&places[at].id, memory_order_acquire);
        if (there == 0)
            return 0;
    }
}

static void forget_all(void)
{
    for (size_t i = 0; i < PLACES; i++) {
        atomic_store(&places[i].key, 0);
        atomic_store(&places[i].id, 0);
    }
    used = 0;
    atomic_store(&places_session, tm__session());
}

static uint64_t add(tm__buffer *own, const tm_sink *sink, endpoint *it)
{
    static const char OTHERS[] = "others";
    char name[NAME_BYTES];
    size_t place;
    uint64_t id;

    pthread_mutex_lock(&lock);
    if (atomic_load(&places_session) != tm__session())
        forget_all();
    if (used >= MOST) {
        it->key = (uint64_t)it->kind + 1;
        it->name = OTHERS;
    }
    id = find(it->key, &place);
    if (!id && used < PLACES - 1) {
        if (it->name)
            snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, it->name);
        else if (it->kind == TM_OBJECT_KIND_FILE)
            name_path(name, it);
        else
            name_socket(name, it);
        id = define(own, sink, it, name);
        if (id) {
            atomic_store_explicit(&places[place].id, id, memory_order_relaxed);
            atomic_store_explicit(&places[place].key, it->key, memory_order_release);
            used++;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

tm__io_object tm__io_object_of(tm__buffer *own, const tm_sink *sink, uint32_t use,
                               int fd, const char *name)
{
    endpoint it = endpoint_of(use, fd, name);
    size_t place;
    uint64_t id = 0;

    if (atomic_load_explicit(&places_session, memory_order_acquire) == tm__session())
        id = find(it.key, &place);
    if (!id)
        id = add(own, sink, &it);
    return (tm__io_object){id, it.is_idle};
}

void tm__io_object_listens(int fd)
{
    endpoint own = {0};
    int port;

    if (read_own(&own, fd) != 0)
        return;
    port = port_of(&own);
    if (port && !is_listening(port))
        atomic_fetch_or(&listening[port / 8], (uint8_t)(1 << port % 8));
    atomic_store_explicit(&any_listens, 1, memory_order_relaxed);
}

void tm__io_objects_look(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        int fd = (int)strtol(entry->d_name, NULL, 10), listens = 0;
        socklen_t bytes = sizeof(listens);

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) == 0 && listens)
            tm__io_object_listens(fd);
    }
    if (folder)
        closedir(folder);
}
