/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint/endpoint.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <threadmodel/definition.h>

enum { PORTS = 65536, KIND_SHIFT = 57, CLIENTS_SHIFT = 56 };

/* Below that, the rest of a key is enum tm__endpoint_what. */
enum { HASH_LEAST = 256 };

static _Atomic uint8_t listening[PORTS / 8];
static atomic_int any_listens;

typedef union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
    struct sockaddr_storage storage;
} any_address;

static uint64_t hash_of(uint64_t seed, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static void set_key(tm__endpoint *it, uint64_t hash)
{
    hash &= (UINT64_C(1) << CLIENTS_SHIFT) - 1;
    it->key = (uint64_t)it->kind << KIND_SHIFT |
              (uint64_t)it->is_of_clients << CLIENTS_SHIFT |
              (hash < HASH_LEAST ? hash + HASH_LEAST : hash);
}

/* An endpoint that stands for all of its kind. */
static tm__endpoint plain(int kind, int what)
{
    return (tm__endpoint){.kind = (uint8_t)kind,
                          .what = (uint8_t)what,
                          .key = (uint64_t)kind << KIND_SHIFT | (uint64_t)what};
}

/* An IPv4 address in the form of IPv6 is one of IPv4. */
static void set_address(tm__endpoint *it, const any_address *from)
{
    it->family = (uint8_t)from->any.sa_family;
    it->port = 0;
    memset(it->address, 0, sizeof(it->address));
    if (it->family == AF_INET) {
        it->port = ntohs(from->v4.sin_port);
        memcpy(it->address, &from->v4.sin_addr, 4);
    } else if (it->family == AF_INET6) {
        it->port = ntohs(from->v6.sin6_port);
        if (IN6_IS_ADDR_V4MAPPED(&from->v6.sin6_addr)) {
            it->family = AF_INET;
            memcpy(it->address, &from->v6.sin6_addr.s6_addr[12], 4);
        } else {
            memcpy(it->address, &from->v6.sin6_addr, 16);
        }
    }
}

/* The path of a socket is at most so long; what follows it is not to be relied on. */
static size_t path_bytes(const any_address *it, socklen_t bytes)
{
    size_t begin = offsetof(struct sockaddr_un, sun_path);
    size_t room = bytes > begin ? bytes - begin : 0;

    return room < sizeof(it->local.sun_path) ? room : sizeof(it->local.sun_path);
}

static int is_listening(uint32_t port)
{
    return atomic_load_explicit(&listening[port / 8 % (PORTS / 8)],
                                memory_order_relaxed) >>
               (port % 8) &
           1;
}

static void finish_address(tm__endpoint *it, const any_address *from, socklen_t bytes)
{
    uint64_t hash;

    it->what = TM__WHAT_ADDRESS;
    if (it->is_of_clients || it->kind == TM_OBJECT_KIND_ACCEPT)
        memset(it->address, 0, sizeof(it->address));
    if (it->family != AF_UNIX && it->family != AF_INET && it->family != AF_INET6) {
        *it = plain(it->kind, TM__WHAT_SOCKET);
        return;
    }
    hash = hash_of(it->family, it->address, sizeof(it->address));
    if (it->family == AF_UNIX)
        hash = hash_of(hash, from->local.sun_path, path_bytes(from, bytes));
    set_key(it, hash_of(hash, &it->port, sizeof(it->port)));
}

/* Connections of clients are one endpoint, by the port that they came to. */
static int is_of_clients(any_address *own, socklen_t *bytes, int fd)
{
    tm__endpoint it = {0};

    *bytes = sizeof(*own);
    if (!atomic_load_explicit(&any_listens, memory_order_relaxed) ||
        getsockname(fd, &own->any, bytes) != 0)
        return 0;
    set_address(&it, own);
    return it.family == AF_UNIX ? path_bytes(own, *bytes) > 0 && *own->local.sun_path
                                : is_listening(it.port);
}

int tm__endpoint_of_socket(tm__endpoint *it, int fd)
{
    any_address address = {0}, own = {0};
    socklen_t bytes = sizeof(address), own_bytes;
    int listens = 0;
    socklen_t listens_bytes = sizeof(listens);

    *it = (tm__endpoint){.kind = TM_OBJECT_KIND_SOCKET};
    if (getpeername(fd, &address.any, &bytes) == 0) {
        it->is_of_clients = (uint8_t)is_of_clients(&own, &own_bytes, fd);
        set_address(it, it->is_of_clients ? &own : &address);
        finish_address(it, it->is_of_clients ? &own : &address,
                       it->is_of_clients ? own_bytes : bytes);
        return 0;
    }
    if (errno != ENOTCONN)
        return -1;
    bytes = sizeof(address);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_bytes) == 0 &&
        listens && getsockname(fd, &address.any, &bytes) == 0) {
        it->kind = TM_OBJECT_KIND_ACCEPT;
        tm__endpoint_listens(fd);
        set_address(it, &address);
        finish_address(it, &address, bytes);
    } else {
        *it = plain(TM_OBJECT_KIND_SOCKET, TM__WHAT_PEERLESS);
    }
    return 0;
}

tm__endpoint tm__endpoint_of_peer(const struct sockaddr *address, socklen_t bytes)
{
    tm__endpoint it = {.kind = TM_OBJECT_KIND_SOCKET};
    any_address copy = {0};

    if (!address || bytes > sizeof(copy) || bytes < sizeof(copy.any.sa_family))
        return plain(TM_OBJECT_KIND_SOCKET, TM__WHAT_SOCKET);
    memcpy(&copy, address, bytes);
    set_address(&it, &copy);
    finish_address(&it, &copy, bytes);
    return it;
}

tm__endpoint tm__endpoint_of_file(const struct stat *facts)
{
    tm__endpoint it = {.kind = TM_OBJECT_KIND_FILE, .what = TM__WHAT_PATH};

    if (!facts)
        return plain(TM_OBJECT_KIND_FILE, TM__WHAT_FILE);
    switch (facts->st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
        set_key(&it, hash_of((uint64_t)facts->st_dev, &facts->st_ino,
                             sizeof(facts->st_ino)));
        return it;
    case S_IFIFO: return plain(TM_OBJECT_KIND_FILE, TM__WHAT_PIPE);
    case S_IFCHR: return plain(TM_OBJECT_KIND_FILE, TM__WHAT_DEVICE);
    case S_IFSOCK: return plain(TM_OBJECT_KIND_SOCKET, TM__WHAT_SOCKET);
    default: return plain(TM_OBJECT_KIND_POLL, TM__WHAT_EVENTS);
    }
}

tm__endpoint tm__endpoint_of_host(const char *name)
{
    tm__endpoint it = {.kind = TM_OBJECT_KIND_NAME, .what = TM__WHAT_HOST};

    if (!name || !*name)
        return plain(TM_OBJECT_KIND_NAME, TM__WHAT_NAME);
    set_key(&it, hash_of(2, name, strnlen(name, TM__ENDPOINT_TEXT_BYTES - 1)));
    return it;
}

tm__endpoint tm__endpoint_of_key(uint64_t key)
{
    uint64_t what = key & ((UINT64_C(1) << CLIENTS_SHIFT) - 1);
    int kind = (int)(key >> KIND_SHIFT);

    if (what >= TM__WHAT_FILE && what < TM__WHAT_END)
        return plain(kind, (int)what);
    switch (kind) {
    case TM_OBJECT_KIND_SOCKET:
    case TM_OBJECT_KIND_ACCEPT: return plain(kind, TM__WHAT_SOCKET);
    case TM_OBJECT_KIND_POLL: return plain(kind, TM__WHAT_SELECTOR);
    case TM_OBJECT_KIND_NAME: return plain(kind, TM__WHAT_NAME);
    case TM_OBJECT_KIND_PROCESS: return plain(kind, TM__WHAT_CHILD);
    default: return plain(TM_OBJECT_KIND_FILE, TM__WHAT_FILE);
    }
}

tm__endpoint tm__endpoint_of(uint32_t use, int fd)
{
    tm__endpoint it;
    struct stat facts;

    switch (use & TM__USE_KINDS) {
    case TM__USE_READ:
    case TM__USE_WRITE:
        if (fd >= 0 && tm__endpoint_of_socket(&it, fd) == 0)
            return it;
        return tm__endpoint_of_file(fd >= 0 && fstat(fd, &facts) == 0 ? &facts : NULL);
    case TM__USE_NAME: return tm__endpoint_of_host(NULL);
    case TM__USE_PROCESS:
    case TM__USE_CHILD: return plain(TM_OBJECT_KIND_PROCESS, TM__WHAT_CHILD);
    default: return plain(TM_OBJECT_KIND_POLL, TM__WHAT_SELECTOR);
    }
}

int tm__endpoint_is_idle(uint64_t key, uint32_t use, int fd)
{
    switch (use & TM__USE_KINDS) {
    case TM__USE_READ: /* the next request, or what is typed */
        return (key >> CLIENTS_SHIFT & 1) || fd == STDIN_FILENO ||
               key >> KIND_SHIFT == TM_OBJECT_KIND_ACCEPT;
    case TM__USE_POLL:
    case TM__USE_PROCESS: return 1;
    default: return 0;
    }
}

/* "/proc/self/fd/7" */
static void write_link(char *to, int fd)
{
    static const char FOLDER[] = "/proc/self/fd/";
    char digits[12];
    int count = 0;

    do
        digits[count++] = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    memcpy(to, FOLDER, sizeof(FOLDER) - 1);
    to += sizeof(FOLDER) - 1;
    while (count > 0)
        *to++ = digits[--count];
    *to = 0;
}

static size_t text_of_socket(const tm__endpoint *it, int fd, char *text)
{
    any_address address = {0};
    socklen_t bytes = sizeof(address);
    int is_own = it->is_of_clients || it->kind == TM_OBJECT_KIND_ACCEPT;
    size_t length;

    if ((is_own ? getsockname(fd, &address.any, &bytes)
                : getpeername(fd, &address.any, &bytes)) != 0)
        return 0;
    length = strnlen(address.local.sun_path, path_bytes(&address, bytes));
    memcpy(text, address.local.sun_path, length);
    return length;
}

size_t tm__endpoint_text(const tm__endpoint *it, int fd,
                         char text[TM__ENDPOINT_TEXT_BYTES])
{
    char link[32];
    ssize_t length = 0;

    if (it->what == TM__WHAT_ADDRESS && it->family == AF_UNIX && fd >= 0) {
        length = (ssize_t)text_of_socket(it, fd, text);
    } else if (it->what == TM__WHAT_PATH && fd >= 0) {
        write_link(link, fd);
        length = readlink(link, text, TM__ENDPOINT_TEXT_BYTES - 1);
    }
    text[length > 0 ? length : 0] = 0;
    return length > 0 ? (size_t)length : 0;
}

void tm__endpoint_listens(int fd)
{
    tm__endpoint it = {0};
    any_address own = {0};
    socklen_t bytes = sizeof(own);

    if (getsockname(fd, &own.any, &bytes) != 0)
        return;
    set_address(&it, &own);
    if (it.port && !is_listening(it.port))
        atomic_fetch_or(&listening[it.port / 8], (uint8_t)(1 << it.port % 8));
    atomic_store_explicit(&any_listens, 1, memory_order_relaxed);
}
