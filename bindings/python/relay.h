/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a file in one thread while another fills a model from it. */
#ifndef THREADMODEL_PYTHON_RELAY_H
#define THREADMODEL_PYTHON_RELAY_H

#include <threadmodel/sink.h>

typedef struct threadmodel_relay threadmodel_relay;

/** @param room  events that may be under way. @return NULL: no memory */
threadmodel_relay *threadmodel_relay_new(size_t room);

/** The sink into which the reading thread emits. @return lent until the relay is
 * freed */
const tm_sink *threadmodel_relay_sink(threadmodel_relay *relay);

/** The reading thread has nothing more. */
void threadmodel_relay_close(threadmodel_relay *relay);

/**
 * Pass on what has come, for some hundred thousand events or a fifth of a second. The
 * sink is called within this call alone, but for definitions in the reading thread.
 * @return TM_MORE; TM_OK: closed, and all was passed on; or what the sink said
 */
int threadmodel_relay_read(threadmodel_relay *relay, const tm_sink *sink);

/** Nothing more is taken: the reading thread's callbacks fail from now on. */
void threadmodel_relay_stop(threadmodel_relay *relay);

/** Free a relay that no thread uses any more; NULL is fine. */
void threadmodel_relay_free(threadmodel_relay *relay);

#endif
