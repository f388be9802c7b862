/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/unpack/packed.h"

#include <string.h>

#include "base/error.h"

enum { SEEN_BYTES = 64 << 10 };

int tm__packed_refill(tm__packed *packed)
{
    const uint8_t *bytes = NULL;
    size_t available = 0;
    int rc;

    if (packed->at != packed->end)
        return TM_OK;
    rc = tm__input_view(&packed->inner, packed->offset, SEEN_BYTES, &bytes, &available);
    if (rc < 0)
        return rc;
    packed->at = bytes;
    packed->end = bytes + available;
    packed->offset += available;
    return TM_OK;
}

int tm__packed_get(tm__packed *packed, uint8_t *to, size_t bytes)
{
    while (bytes > 0) {
        size_t held;
        int rc = tm__packed_refill(packed);

        held = (size_t)(packed->end - packed->at);
        if (rc < 0 || held == 0)
            return rc < 0 ? rc : tm__packed_damage(packed, "it ends too early");
        held = held < bytes ? held : bytes;
        memcpy(to, packed->at, held);
        packed->at += held;
        to += held;
        bytes -= held;
    }
    return TM_OK;
}

int tm__packed_skip(tm__packed *packed, uint64_t bytes)
{
    uint8_t passed[256];

    while (bytes > 0) {
        size_t some = bytes < sizeof(passed) ? (size_t)bytes : sizeof(passed);
        int rc = tm__packed_get(packed, passed, some);

        if (rc < 0)
            return rc;
        bytes -= some;
    }
    return TM_OK;
}

int tm__packed_damage(tm__packed *packed, const char *what)
{
    return tm__fail(
        TM_EDAMAGED, "%s: %s: %s at byte %llu", packed->inner.path,
        packed->packing->name, what,
        (unsigned long long)(packed->offset - (uint64_t)(packed->end - packed->at)));
}
