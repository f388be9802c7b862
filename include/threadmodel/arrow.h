/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/arrow.h: tables through the Arrow C data and stream interfaces.
 *
 * The structs are those of https://arrow.apache.org/docs/format/CDataInterface.html
 * and CStreamInterface.html, under the guards which that specification names, so
 * that they agree with any other header that declares them.
 */
#ifndef THREADMODEL_ARROW_H
#define THREADMODEL_ARROW_H

#include <threadmodel/common.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/**
 * Export a table to an Arrow consumer, without a copy of its columns: a struct
 * array, a child a column; bool as "b", strings as dictionary of "u" by "i".
 *
 * The structs are filled; the consumer calls their release, in any order, in any
 * thread. The columns stay alive until then, even past tm_table_free(); the model's
 * allocator is then called in that thread.
 *
 * @param[out] schema  yours to release; may be NULL when not wanted
 * @param[out] array   yours to release; may be NULL when not wanted
 * @param table        shared, not consumed
 * @return TM_OK or TM_ENOMEM, and then both are untouched
 * @since 0.1
 */
TM_API int tm_table_export_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                                 const tm_table *table);

/**
 * The same as a stream of one batch.
 *
 * @param[out] stream  yours to release
 * @param table        shared, not consumed
 * @return TM_OK or TM_ENOMEM, and then the stream is untouched
 * @since 0.1
 */
TM_API int tm_table_export_arrow_stream(struct ArrowArrayStream *stream,
                                        const tm_table *table);

TM_END_DECLS

#endif
