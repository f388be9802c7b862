/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk with types of the paper's, some of them laid out otherwise. */
#ifndef TM_TESTS_CHUNK_LAYOUT_H
#define TM_TESTS_CHUNK_LAYOUT_H

#include "support/chunk_paper.h"
#include "support/hardship.h"

enum { MORE_TYPES = 21 };

static chunk_paper paper;
static chunk_class types[CHUNK_CLASSES + MORE_TYPES];
static size_t type_count;

/* Those of the paper, but for some that are like this. */
static inline void lay_out(const chunk_class *others, size_t count)
{
    memcpy(types, chunk_classes, sizeof(chunk_classes));
    type_count = CHUNK_CLASSES;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        while (at < type_count && types[at].id != others[i].id)
            at++;
        type_count += at == type_count;
        assert_true(type_count <= CHUNK_CLASSES + MORE_TYPES);
        types[at] = others[i];
    }
}

#define LAY_OUT(others) lay_out(others, sizeof(others) / sizeof(*(others)))

static inline void begin(void)
{
    begin_chunk(&paper, 5000000, 1000000000);
}

static inline void end(void)
{
    put_constants(&paper);
    put_metadata(&paper, types, type_count);
    end_chunk(&paper);
}

static inline void assert_reads(int code, const char *text)
{
    assert_emits((const char *)paper.bytes, paper.length, code, text);
}

static inline void assert_never(const char *text)
{
    int rc;
    recorder all = emit_all((const char *)paper.bytes, paper.length, &rc);

    assert_int_equal(rc, TM_OK);
    if (strstr(all.text, text))
        fail_msg("\"%s\" in:\n%s", text, all.text);
    recorder_free(&all);
}

static inline void begin_constants(uint64_t pools)
{
    begin_event(&paper, 1);
    PUT(&paper, 1000, 0, 0);
    put_byte(&paper, 0);
    PUT(&paper, pools);
}

static inline void end_types(void)
{
    put_metadata(&paper, types, type_count);
    end_chunk(&paper);
}

static inline void put_text_or_none(const char *text)
{
    if (text)
        put_text(&paper, text);
    else
        put_byte(&paper, 0);
}

#endif
