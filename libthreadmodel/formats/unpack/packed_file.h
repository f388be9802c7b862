/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that were packed or encoded on their way: gzip, zip, zstd, xz, lz4, UTF-16,
 * line ends of old Macs. Their content is read as if it were the file,
 * from front to end, without a copy of it anywhere.
 */
#ifndef TM_FORMATS_UNPACK_PACKED_FILE_H
#define TM_FORMATS_UNPACK_PACKED_FILE_H

#include "base/input.h"

/**
 * Have an input be what is in it, as often as that is packed itself.
 * @return TM_OK, TM_ENOMEM, TM_EIO, TM_EFORMAT (packed in a way that is not read),
 *         TM_EUNSUPPORTED (this build was made without what reads it); the input is to
 *         be closed in any case
 */
int tm__packed_open(tm__input *input, tm__memory *memory);

#endif
