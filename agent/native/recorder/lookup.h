/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses, found by a thread of their own: to open the debug information of
 * a large program takes a second, in which rings would run over. Requests are done one
 * after the other, in the order in which they were made, for all programs.
 */
#ifndef TM_NATIVE_RECORDER_LOOKUP_H
#define TM_NATIVE_RECORDER_LOOKUP_H

#include "names/symbols.h"

typedef struct tm__lookup tm__lookup;

/** From here on a file is loaded. @param module  is freed in the end */
void tm__lookup_module(tm__symbols *symbols, tm__module *module);

/** The functions at an address. @return NULL: there is no memory */
tm__lookup *tm__lookup_code(tm__symbols *symbols, uint64_t address);

/** The variable at an address. @return NULL: there is no memory */
tm__lookup *tm__lookup_data(tm__symbols *symbols, uint64_t address);

/** All that was asked of them is not wanted any more: they are freed. */
void tm__lookup_end(tm__symbols *symbols);

int tm__lookup_is_done(const tm__lookup *lookup);

/** The symbols of a lookup that is done. @return how many there are */
size_t tm__lookup_result(const tm__lookup *lookup, const tm__symbol **symbols);

/** It need not be done. */
void tm__lookup_free(tm__lookup *lookup);

/** Until all that was asked is done. */
void tm__lookups_wait(void);

#endif
