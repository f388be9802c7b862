/* SPDX-License-Identifier: Apache-2.0 */
/* Sources other than files. */
#ifndef TM_FORMATS_SOURCE_H
#define TM_FORMATS_SOURCE_H

#include <threadmodel/source.h>

/**
 * As tm_source_open(), over memory.
 * @param name  stands for the path in texts
 * @param data  lent until the source is closed
 */
int tm__source_open_memory(tm_source **out, const char *name, const void *data,
                           size_t length, const tm_source_options *options);

#endif
