/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes of sockets and files: which endpoint a thread waited for. */
#ifndef TM_FORMATS_JFR_JFR_IO_H
#define TM_FORMATS_JFR_JFR_IO_H

#include "formats/jfr/events.h"

/**
 * Note the peers of all connections of a chunk, before its events are decoded: which of
 * them are clients is known from all of them together.
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_peers_note(tm__jfr_events *events, const uint8_t *base);

/**
 * Read what the event that was run last waited for.
 * @param what  TM__JFR_SOCKET_READ to TM__JFR_FILE_FORCE
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_io_read(tm__jfr_events *events, int what, tm__jfr_fact *fact);

#endif
