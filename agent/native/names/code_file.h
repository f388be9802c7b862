/* SPDX-License-Identifier: Apache-2.0 */
/* A file of code, as far as the loader and the unwinder read it: without symbols. Its
 * addresses are those before the loader moves it by its bias. */
#ifndef TM_NATIVE_NAMES_CODE_FILE_H
#define TM_NATIVE_NAMES_CODE_FILE_H

#include <stdint.h>

/**
 * @param begin  the address of the file's first byte
 * @param end  of its data, with the part that is not in the file
 * @return 0: it is not a file that the loader takes
 */
int tm__file_extent(int file, uint64_t *begin, uint64_t *end);

/** @return where the function begins that an address is in; 0: it is not known */
uint64_t tm__file_function(int file, uint64_t address);

#endif
