/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports at which a program serves clients, and connections that it makes to itself, by
 * the names that producers give to endpoints:
 *
 *     connections to :8080     an accept
 *     clients of :8080         the server's end of a connection
 *     127.0.0.1:8080           the other end of one, in the same program
 */
#ifndef TM_MODEL_OWN_PORTS_H
#define TM_MODEL_OWN_PORTS_H

#include <stdint.h>

#include "model/state/entity_state.h"

enum { TM__OWN_PORTS_MAX = 16 };

typedef struct tm__own_ports {
    const char *names[TM__OWN_PORTS_MAX]; ///< ":8080", or the path of a Unix socket
    uint32_t count;
    uint32_t left_out; ///< there are so many more
} tm__own_ports;

/** Find them. Names are lent by the entities. */
void tm__own_ports_find(tm__own_ports *own, const tm__entities *entities);

/** Whether an object is a connection to one of them. The address must be one of this
 * machine: other machines have services at the same port. */
int tm__is_own_connection(const tm__own_ports *own, const tm__entities *entities,
                          uint32_t object);

#endif
