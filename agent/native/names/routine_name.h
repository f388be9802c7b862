/* SPDX-License-Identifier: Apache-2.0 */
/* Threads without a name are called after the routine that they run. */
#ifndef TM_NATIVE_NAMES_ROUTINE_NAME_H
#define TM_NATIVE_NAMES_ROUTINE_NAME_H

#include "names/symbols.h"

/** @return whether a place in a function shows which function it is */
int tm__routine_is_known(const tm__symbol *place);

/**
 * Name a routine: its function without parameters, or its file and offset.
 * @param routine  where it begins, or somewhere in it
 * @param[out] name  ""; of a language's runtime, as that of std::thread, which all
 *                   threads run; or where nothing is known of it
 */
void tm__routine_name(const tm__symbol *routine, char *name, size_t room);

#endif
