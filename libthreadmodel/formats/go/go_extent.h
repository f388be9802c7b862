/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a file a generation ends. */
#ifndef TM_FORMATS_GO_EXTENT_H
#define TM_FORMATS_GO_EXTENT_H

#include "base/input.h"
#include "formats/notes.h"

typedef struct tm__go_extent_of {
    const uint8_t *bytes; ///< lent until the next view of the input
    size_t length;        ///< 0: there is none
    int is_last;          ///< nothing can be read behind it
} tm__go_extent_of;

/**
 * View the generation that begins at an offset.
 * @param has_ends  each ends with an event that says so
 * @return TM_OK; TM_ENOMEM, TM_EIO: view it again
 */
int tm__go_extent(tm__input *input, tm__notes *notes, uint64_t offset, int has_ends,
                  tm__go_extent_of *extent);

#endif
