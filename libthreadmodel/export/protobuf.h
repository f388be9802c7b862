/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of protocol buffers, as far as a trace needs them. */
#ifndef TM_EXPORT_PROTOBUF_H
#define TM_EXPORT_PROTOBUF_H

#include "base/memory.h"

/** A message in the making; messages in it are open while they are filled. */
typedef struct tm__message {
    tm__memory *memory;
    char *bytes;
    uint32_t length;
    uint32_t capacity;
    int failure; ///< TM_OK; or TM_ENOMEM, TM_ELIMIT: nothing is added any more
} tm__message;

void tm__message_number(tm__message *message, uint32_t field, uint64_t value);
void tm__message_fixed64(tm__message *message, uint32_t field, uint64_t value);
/** Nothing for NULL. */
void tm__message_text(tm__message *message, uint32_t field, const char *text);

/** Begin a message within. @return for the end */
uint32_t tm__message_begin(tm__message *message, uint32_t field);
void tm__message_end(tm__message *message, uint32_t begin);

void tm__message_free(tm__message *message);

#endif
