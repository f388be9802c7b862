/* SPDX-License-Identifier: Apache-2.0 */
/* The event callback of a model's sink; payload is the model. */
#ifndef TM_MODEL_INGEST_H
#define TM_MODEL_INGEST_H

#include <threadmodel/event.h>

int tm__ingest(void *payload, const tm_event *events, size_t count);

#endif
