/* SPDX-License-Identifier: Apache-2.0 */
/* A heap dump that is read and compared. */
#ifndef TEST_HPROF_PAPER_H
#define TEST_HPROF_PAPER_H

#include "support/hardship.h"
#include "support/heap_paper.h"

static heap_paper paper;

static heap_paper heap;

static inline subject the_heap(void)
{
    make_heap(&heap, "1.0.2", 8);
    return (subject){(const char *)heap.bytes, heap.length, 3};
}

static inline void assert_reads(int code, const char *expected)
{
    assert_emits((const char *)paper.bytes, paper.length, code, expected);
}

#endif
