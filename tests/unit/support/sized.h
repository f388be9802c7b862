/* SPDX-License-Identifier: Apache-2.0 */
/* A call with a struct as older and newer releases lay it out. */
#ifndef TM_TESTS_SIZED_H
#define TM_TESTS_SIZED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <threadmodel/threadmodel.h>

enum { ANSWER_BYTES = 1 << 16, FIELDS = 32 };

/* The result that a call made of its struct: a table, a file. */
typedef struct answer {
    size_t length;
    char bytes[ANSWER_BYTES];
} answer;

static inline int answer_write(void *payload, const char *bytes, size_t count)
{
    answer *self = payload;

    assert_true(self->length + count <= ANSWER_BYTES);
    memcpy(self->bytes + self->length, bytes, count);
    self->length += count;
    return TM_OK;
}

/* Keep a table as text and free it. */
static inline void answer_table(answer *self, tm_table *table)
{
    assert_int_equal(tm_table_write_csv(table, answer_write, self), TM_OK);
    tm_table_free(table);
}

/* A struct and who reads it. */
typedef struct sized {
    const char *type;
    const void *value; ///< with something in every field
    size_t bytes;
    size_t ends[FIELDS]; ///< of the fields behind the size; the last is `bytes`
    int (*call)(const void *given, answer *to);
} sized;

#define END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Call with a copy of `bytes` bytes, so that a read beyond is seen. The first `kept`
 * bytes are the value's and the others 0; its size field is `size`. */
static inline int call_with(const sized *it, size_t bytes, size_t kept, size_t size,
                            answer *to)
{
    unsigned char *copy = calloc(1, bytes);
    int rc;

    assert_non_null(copy);
    memcpy(copy, it->value, kept);
    memcpy(copy, &size, sizeof(size));
    to->length = 0;
    rc = it->call(copy, to);
    free(copy);
    return rc;
}

static inline void assert_same_answer(const answer *left, const answer *right)
{
    assert_int_equal(left->length, right->length);
    assert_memory_equal(left->bytes, right->bytes, left->length);
}

/* Fields that an older release did not have are as if 0. */
static inline void check_shorter(const sized *it, answer *given, answer *expected)
{
    size_t i = 0;

    for (; it->ends[i]; i++) {
        size_t end = it->ends[i];
        int rc = call_with(it, end, end, end, given);

        assert_int_equal(rc, call_with(it, it->bytes, end, it->bytes, expected));
        assert_same_answer(given, expected);
    }
    assert_int_equal(it->ends[i - 1], it->bytes);
}

/* Fields that a newer release has may be 0. */
static inline void check_longer(const sized *it, answer *given, answer *expected)
{
    enum { MORE = 24 };
    size_t bytes = it->bytes + MORE;
    struct longer {
        const sized *of;
        unsigned char bytes[1024];
    } all = {.of = it};
    sized longer = *it;
    char text[200];
    int rc = call_with(it, bytes, it->bytes, bytes, given);

    assert_int_equal(rc, call_with(it, it->bytes, it->bytes, it->bytes, expected));
    assert_true(rc >= 0);
    assert_same_answer(given, expected);
    memcpy(all.bytes, it->value, it->bytes);
    longer.value = all.bytes;
    snprintf(text, sizeof(text),
             "%s of size %zu: this release has %zu bytes, and a field beyond is not 0",
             it->type, bytes, it->bytes);
    for (size_t i = it->bytes; i < bytes; i++) {
        all.bytes[i] = 1;
        assert_int_equal(call_with(&longer, bytes, bytes, bytes, given), TM_EINVAL);
        assert_string_equal(tm_error_text(), text);
        assert_int_equal(given->length, 0);
        all.bytes[i] = 0;
    }
}

/* A size that nobody set. */
static inline void check_absurd(const sized *it, answer *given)
{
    const size_t sizes[] = {0, 1, sizeof(size_t), it->ends[0] - 1, 4097, SIZE_MAX};
    char text[200];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        snprintf(text, sizeof(text), "%s: invalid size %zu: set its size field",
                 it->type, sizes[i]);
        assert_int_equal(call_with(it, it->ends[0], it->ends[0], sizes[i], given),
                         TM_EINVAL);
        assert_string_equal(tm_error_text(), text);
        assert_int_equal(given->length, 0);
    }
}

static inline void check_sized(const sized *it)
{
    answer *given = calloc(1, sizeof(*given)), *expected = calloc(1, sizeof(*expected));

    assert_non_null(given);
    assert_non_null(expected);
    check_shorter(it, given, expected);
    check_longer(it, given, expected);
    check_absurd(it, given);
    free(given);
    free(expected);
}

#endif
