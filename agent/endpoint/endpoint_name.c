/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint/endpoint.h"
#include "endpoint/endpoint_name.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <threadmodel/definition.h>

static const char *const NAMES[TM__WHAT_END] = {
    [TM__WHAT_FILE] = "a file",
    [TM__WHAT_PIPE] = "a pipe",
    [TM__WHAT_DEVICE] = "a terminal or device",
    [TM__WHAT_EVENTS] = "an event descriptor",
    [TM__WHAT_SOCKET] = "a socket",
    [TM__WHAT_PEERLESS] = "a socket without a peer",
    [TM__WHAT_SELECTOR] = "a selector",
    [TM__WHAT_NAME] = "a name",
    [TM__WHAT_CHILD] = "a child process",
};

/* FNV-1a: a name of any length in 32 bits. */
static unsigned short_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    while (*text)
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
    return (unsigned)(hash ^ hash >> 29);
}

static void name_address(const tm__endpoint *it, const char *text, int is_plain,
                         char *to, size_t bytes)
{
    const char *clients = it->kind == TM_OBJECT_KIND_ACCEPT ? "connections to "
                          : it->is_of_clients               ? "clients of "
                                                            : "";
    int is_own = it->is_of_clients || it->kind == TM_OBJECT_KIND_ACCEPT;
    char address[INET6_ADDRSTRLEN] = "";

    if (it->family == AF_UNIX && is_plain && *text)
        snprintf(to, bytes, "%sunix:%s", clients, text);
    else if (it->family == AF_UNIX)
        snprintf(to, bytes, "%sunix socket %08x", clients, (unsigned)it->key);
    else if (is_own)
        snprintf(to, bytes, "%s:%u", clients, it->port);
    else if (inet_ntop(it->family, it->address, address, sizeof(address)))
        snprintf(to, bytes, it->family == AF_INET6 ? "[%s]:%u" : "%s:%u", address,
                 it->port);
    else
        snprintf(to, bytes, "a socket");
}

void tm__endpoint_name(const tm__endpoint *it, const char *text, int is_plain, char *to,
                       size_t bytes)
{
    switch (it->what) {
    case TM__WHAT_ADDRESS: name_address(it, text, is_plain, to, bytes); break;
    case TM__WHAT_PATH:
        if (is_plain && *text)
            snprintf(to, bytes, "%s", text);
        else
            snprintf(to, bytes, "file %08x",
                     *text ? short_hash(text) : (unsigned)it->key);
        break;
    case TM__WHAT_HOST: snprintf(to, bytes, "%s", *text ? text : "a name"); break;
    default:
        snprintf(to, bytes, "%s", it->what < TM__WHAT_END ? NAMES[it->what] : "a file");
        break;
    }
}
