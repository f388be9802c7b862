/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every struct with a size that comes in through the interface is read here, once a
 * call. Both sides mostly were built against the same release: one copy.
 */
#include "base/sized.h"

#include <string.h>

#include "base/error.h"

/* No struct of ours will ever be as long: such a size was never set. */
enum { ABSURD_BYTES = 4096 };

int tm__sized_read(void *out, size_t known, size_t least, const char *name,
                   const void *given)
{
    const unsigned char *bytes = given;
    size_t size = known;

    memset(out, 0, known);
    if (given)
        memcpy(&size, given, sizeof(size));
    if (size < least || size > ABSURD_BYTES)
        return tm__fail(TM_EINVAL, "%s: invalid size %zu: set its size field", name,
                        size);
    for (size_t i = known; i < size; i++)
        if (bytes[i])
            return tm__fail(TM_EINVAL,
                            "%s of size %zu: this release has %zu bytes, and a field "
                            "beyond is not 0",
                            name, size, known);
    if (given)
        memcpy(out, given, size < known ? size : known);
    memcpy(out, &known, sizeof(known));
    return TM_OK;
}
