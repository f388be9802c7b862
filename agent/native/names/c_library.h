/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the C library. */
#ifndef TM_NATIVE_NAMES_C_LIBRARY_H
#define TM_NATIVE_NAMES_C_LIBRARY_H

/** Whether a file's name is that of the C library, of its threads, or of its loader. */
int tm__is_c_library(const char *file_name);

#endif
