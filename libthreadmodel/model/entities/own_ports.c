/* SPDX-License-Identifier: Apache-2.0 */
#include "model/entities/own_ports.h"

#include <string.h>

#include "model/entities/object.h"

static const char *const served[] = {"connections to ", "clients of "};
static const char *const local[] = {"127.", "[::1]", "[::ffff:127."};

enum {
    SERVED = sizeof(served) / sizeof(*served),
    LOCAL = sizeof(local) / sizeof(*local)
};

static const char *name_of(const tm__entities *entities, uint32_t object)
{
    uint32_t name = entities->details[object].name;

    return name == TM__NONE ? NULL : tm__strings_get(&entities->strings, name);
}

/* The text after one of several prefixes; NULL: it has none of them. */
static const char *after(const char *text, const char *const *begins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(begins[i]);

        if (strncmp(text, begins[i], length) == 0)
            return text + length;
    }
    return NULL;
}

static int is_known(const tm__own_ports *own, const char *name)
{
    for (uint32_t i = 0; i < own->count; i++)
        if (strcmp(own->names[i], name) == 0)
            return 1;
    return 0;
}

void tm__own_ports_find(tm__own_ports *own, const tm__entities *entities)
{
    own->count = own->left_out = 0;
    for (uint32_t i = 0; i < entities->objects_count; i++) {
        int kind = entities->objects[i].kind;
        const char *name =
            kind == TM_OBJECT_KIND_ACCEPT || kind == TM_OBJECT_KIND_SOCKET
                ? name_of(entities, i)
                : NULL;
        const char *port = name ? after(name, served, SERVED) : NULL;

        if (!port || is_known(own, port))
            continue;
        if (own->count < TM__OWN_PORTS_MAX)
            own->names[own->count++] = port;
        else
            own->left_out++;
    }
}

int tm__is_own_connection(const tm__own_ports *own, const tm__entities *entities,
                          uint32_t object)
{
    const char *name = entities->objects[object].kind == TM_OBJECT_KIND_SOCKET
                           ? name_of(entities, object)
                           : NULL;
    const char *port;

    if (!name)
        return 0;
    if (is_known(own, name))
        return 1;
    port = after(name, local, LOCAL) ? strrchr(name, ':') : NULL;
    return port && is_known(own, port);
}
