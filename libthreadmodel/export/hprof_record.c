/* SPDX-License-Identifier: Apache-2.0 */
/* A record that there is no memory for leaves no piece of itself behind. */
#include "export/hprof_record.h"

#include <string.h>

#include <threadmodel/error.h>

#include "base/error.h"

/* Before the length: the tag, and the time in microseconds. */
enum { BEFORE_LENGTH = 5 };

int tm__hprof_put(tm__hprof_output *records, uint64_t value, unsigned width)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * (width - 1 - i)));
    return tm__bytes_append(&records->out, bytes, width);
}

int tm__hprof_head(tm__hprof_output *records, int64_t wall_ns)
{
    static const char NAME[] = "JAVA PROFILE 1.0.2";
    int rc = tm__bytes_append(&records->out, NAME, sizeof(NAME));

    if (rc == TM_OK)
        rc = tm__hprof_put(records, TM__HPROF_ID_BYTES, 4);
    return rc < 0 ? rc : tm__hprof_put(records, (uint64_t)wall_ns / 1000000, 8);
}

int tm__hprof_begin(tm__hprof_output *records, enum tm__hprof_tag tag)
{
    int64_t since_ns = records->time_ns - records->begin_ns;

    if (tm__bytes_reserve(&records->out, BEFORE_LENGTH + 4) < 0)
        return tm__failure();
    tm__hprof_put(records, tag, 1);
    tm__hprof_put(records, since_ns > 0 ? (uint64_t)since_ns / 1000 : 0, 4);
    records->length_at = records->out.length;
    return tm__hprof_put(records, 0, 4);
}

int tm__hprof_end(tm__hprof_output *records, int rc)
{
    size_t bytes = records->out.length - records->length_at - 4;

    if (rc < 0) {
        records->out.length = records->length_at - BEFORE_LENGTH;
        return rc;
    }
    for (unsigned i = 0; i < 4; i++)
        records->out.data[records->length_at + i] = (uint8_t)(bytes >> (8 * (3 - i)));
    return rc;
}

int tm__hprof_record(tm__hprof_output *records, enum tm__hprof_tag tag,
                     const char *widths, const uint64_t *values)
{
    int rc = tm__hprof_begin(records, tag);

    if (rc < 0)
        return rc;
    for (size_t i = 0; widths[i] && rc == TM_OK; i++)
        rc = tm__hprof_put(records, values[i], (unsigned)(widths[i] - '0'));
    return tm__hprof_end(records, rc);
}

int tm__hprof_string(tm__hprof_output *records, uint64_t *id, const char *text)
{
    int rc;

    *id = 0;
    if (!text)
        return TM_OK;
    rc = tm__hprof_begin(records, TM__HPROF_TEXT);
    if (rc < 0)
        return rc;
    *id = ++records->last_id;
    rc = tm__hprof_put(records, *id, TM__HPROF_ID_BYTES);
    if (rc == TM_OK)
        rc = tm__bytes_append(&records->out, text, strlen(text));
    return tm__hprof_end(records, rc);
}
