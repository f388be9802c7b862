/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy in a mapped file of what lies in memory: it outlives the process, and nobody
 * here reads it. So others may cut the file, write to it or remove it, and what we work
 * with stays what it was.
 */
#ifndef TM_RINGS_MIRROR_H
#define TM_RINGS_MIRROR_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct tm__mirror {
    unsigned char *bytes; ///< mapped, whole pages; NULL: there is none
    size_t length;
    atomic_int *was_cut; ///< set when a store found its file cut
} tm__mirror;

/** From here on a store to a mirror whose file was cut does no harm. */
void tm__mirrors_open(void);

/** As often as opened: no thread is in tm__mirror_put() any more, and faults are the
 * program's own. */
void tm__mirrors_close(void);

/** Copy `bytes`, a multiple of 8, to an offset that is one, too. Any thread may call
 * this. */
void tm__mirror_put(const tm__mirror *mirror, size_t offset, const void *from,
                    size_t bytes);

#endif
