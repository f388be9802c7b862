/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of I/O are endpoints and not descriptors: a service has some dozens. */
#include "ident/io_objects.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "endpoint/endpoint.h"
#include "endpoint/endpoint_name.h"
#include "ident/definition_records.h"
#include "ident/keyed_objects.h"
#include "vm/options.h"

static tm__keyed_objects endpoints = TM__KEYED_OBJECTS_INIT;

/** An endpoint that may be new, and where its definition goes. */
typedef struct definition {
    tm__buffer *own;
    const tm_sink *sink;
    const tm__endpoint *endpoint;
    int fd;
    const char *host;
} definition;

static uint64_t define(const void *payload, int is_of_others)
{
    const definition *it = payload;
    char name[TM__ENDPOINT_TEXT_BYTES] = "others", text[TM__ENDPOINT_TEXT_BYTES];
    tm_object object = TM_OBJECT_INIT;

    if (!is_of_others) {
        tm__endpoint_text(it->endpoint, it->fd, text);
        tm__endpoint_name(it->endpoint, it->host ? it->host : text,
                          (int)tm__the_options.paths, name, sizeof(name));
    }
    if (it->own)
        return tm__object_by_name(it->own, 0, it->endpoint->kind, name);
    object.id = tm__identity_new();
    object.name = name;
    object.kind = it->endpoint->kind;
    return it->sink->define_object(it->sink->payload, &object) < 0 ? 0 : object.id;
}

tm__io_object tm__io_object_of(tm__buffer *own, const tm_sink *sink, uint32_t use,
                               int fd, const char *name)
{
    tm__endpoint it = name ? tm__endpoint_of_host(name) : tm__endpoint_of(use, fd);
    definition new = {own, sink, &it, fd, name};
    uint64_t id =
        tm__keyed_object(&endpoints, it.key, (uint64_t)it.kind + 1, define, &new);

    return (tm__io_object){id, tm__endpoint_is_idle(it.key, use, fd)};
}

void tm__io_objects_look(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        int fd = (int)strtol(entry->d_name, NULL, 10), listens = 0;
        socklen_t bytes = sizeof(listens);

        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) == 0 && listens)
            tm__endpoint_listens(fd);
    }
    if (folder)
        closedir(folder);
}
