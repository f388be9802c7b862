/* SPDX-License-Identifier: Apache-2.0 */
/* Methods, put down when they are first seen in a stack. */
#ifndef TM_AGENT_IDENT_METHOD_IDENTITY_H
#define TM_AGENT_IDENT_METHOD_IDENTITY_H

#include <stddef.h>

#include "ring/buffer.h"

/**
 * Let the writer see an event that is in work, and then what is new among the methods
 * of its stack.
 * @param bytes  of frames behind it
 */
void tm__methods_commit(tm__buffer *buffer, tm__record *record, size_t bytes);

/** Another trace will need them anew. @param is_quiet  0: nobody is in work */
void tm__methods_forget(int is_quiet);

#endif
