/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to a listener, made once, on the writer's thread. */
#ifndef TM_AGENT_WRITER_DESTINATION_SOCKET_H
#define TM_AGENT_WRITER_DESTINATION_SOCKET_H

#include "writer/destination_target.h"

/**
 * Connect to a listener. It may take as long as names take to be found.
 * @param address  "host:port" or "unix:path"
 * @param token    file of the word that is said first; "": none
 * @return 0 or -1
 */
int tm__target_connect(tm__target *target, const char *address, const char *token);

#endif
