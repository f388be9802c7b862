/* SPDX-License-Identifier: Apache-2.0 */
/* Several files, packed or not, read as one. */
#ifndef TM_FORMATS_UNPACK_FILE_CHAIN_H
#define TM_FORMATS_UNPACK_FILE_CHAIN_H

#include "base/input.h"

/** Open several files, packed or not, as one after the other.
 *  @param paths  lent until the input is closed */
int tm__file_chain_open(tm__input *input, tm__memory *memory, const char *const *paths,
                        size_t count);

#endif
