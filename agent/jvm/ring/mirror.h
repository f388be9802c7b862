/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy in a mapped file of what lies in memory: it outlives the process, and nobody
 * here reads it. So others may cut the file, write to it or remove it, and what we work
 * with stays what it was.
 */
#ifndef TM_AGENT_RING_MIRROR_H
#define TM_AGENT_RING_MIRROR_H

#include <stddef.h>

typedef struct tm__mirror {
    unsigned char *bytes; ///< mapped, whole pages; NULL: there is none
    size_t length;
} tm__mirror;

/** From here on a store to a mirror whose file was cut does no harm. */
void tm__mirrors_open(void);

/** No thread is in tm__mirror_put() any more: faults are the program's own. */
void tm__mirrors_close(void);

/** @return whether a store ever found its file cut, since mirrors were opened */
int tm__mirrors_were_cut(void);

/** Copy `bytes`, a multiple of 8, to an offset that is one, too. Any thread may call
 * this. */
void tm__mirror_put(const tm__mirror *mirror, size_t offset, const void *from,
                    size_t bytes);

#endif
