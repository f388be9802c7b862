/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of C++'s own library in another file: they came there from its headers, so
 * nobody who works on that file has written them.
 */
#ifndef TM_NATIVE_NAMES_CPP_LIBRARY_H
#define TM_NATIVE_NAMES_CPP_LIBRARY_H

/**
 * @param name  of a function, mangled or with its namespaces
 * @return "libstdc++" or "libc++"; NULL: it is of neither
 */
const char *tm__cpp_library_of(const char *name);

#endif
