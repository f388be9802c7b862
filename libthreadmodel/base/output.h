/* SPDX-License-Identifier: Apache-2.0 */
/* Text on its way into a file or elsewhere: gathered, and written a buffer at a time.
 */
#ifndef TM_BASE_OUTPUT_H
#define TM_BASE_OUTPUT_H

#include <stdint.h>

#include <threadmodel/table.h>

#include "base/file.h"
#include "base/printf.h"

typedef struct tm__output {
    tm__memory *memory;
    tm__file file; ///< where there is one
    tm_write_fn write;
    void *payload;
    char *bytes;
    size_t held;
    uint64_t written;
    int failure; ///< of the first write that failed; TM_OK: none did
    char failure_text[256];
} tm__output;

/** Make a file, or empty it. @return TM_OK, TM_ENOMEM, TM_EIO */
int tm__output_open(tm__output *output, tm__memory *memory, const char *path);

/** Write to anywhere. @param write  takes all bytes or returns a negative code
 * @return TM_OK, TM_ENOMEM */
int tm__output_begin(tm__output *output, tm__memory *memory, tm_write_fn write,
                     void *payload);

/** Add bytes. After a failed write nothing is taken any more. */
void tm__output_put(tm__output *output, const char *bytes, size_t count);

/** Add text. */
void tm__output_text(tm__output *output, const char *text);

/** Add formatted text of at most 255 bytes. */
void tm__output_format(tm__output *output, const char *format, ...) TM__PRINTF(2, 3);

/** Write what is held. @return TM_OK or the first failure */
int tm__output_flush(tm__output *output);

/** @return TM_OK, or the code and text of the first failure */
int tm__output_state(const tm__output *output);

/** Write what is held and close the file, if there is one. @return TM_OK or the first
 * failure */
int tm__output_close(tm__output *output);

#endif
