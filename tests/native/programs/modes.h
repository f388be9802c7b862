/* SPDX-License-Identifier: Apache-2.0 */
/* A program that does one of many things: its first argument names the mode. */
#ifndef TM_TEST_NATIVE_MODES_H
#define TM_TEST_NATIVE_MODES_H

#include <string.h>

typedef struct mode {
    const char *name;
    int (*run)(void);
} mode;

/** Modes end with one without a name.
 * @return 0: the mode is not there */
static inline int run_mode(const mode *modes, const char *name, int *rc)
{
    for (; modes->name; modes++)
        if (strcmp(modes->name, name) == 0) {
            *rc = modes->run();
            return 1;
        }
    return 0;
}

#endif
