/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the agent beside the trace. */
#ifndef TM_AGENT_VM_MESSAGE_H
#define TM_AGENT_VM_MESSAGE_H

#include <stddef.h>

/** One line on stderr, with the agent's name before it. */
void tm__message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * The receiver of messages besides stderr; NULL: none.
 * @return 1: it was for the receiver alone
 */
typedef int (*tm__message_fn)(const char *text, size_t length);
void tm__message_to(tm__message_fn listener);

/** Say some lines as they are. */
void tm__message_lines(const char *text, size_t length);

#endif
