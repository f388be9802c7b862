/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a class file, and as the constants of one: what the VM hands the agent
 * may have been rewritten by others. A class that was patched is as long as it may be,
 * and has none of the calls that were replaced.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ident/lambda_name.h"
#include "virtual/class_patch.h"

#define VIRTUAL "java/lang/VirtualThread"

static const tm__patch PATCHES[] = {
    {NULL, {VIRTUAL, "joinNanos", "(J)Z"}, {"a/B", "c", "(L" VIRTUAL ";J)Z"}},
    {"interrupt", {VIRTUAL, "unpark", "()V"}, {"a/B", "d", "(L" VIRTUAL ";)V"}},
};
enum { COUNT = sizeof(PATCHES) / sizeof(*PATCHES) };

static void patch(const uint8_t *bytes, size_t count)
{
    size_t room = count + tm__patch_bytes(PATCHES, COUNT), made;
    unsigned found[COUNT] = {0};
    unsigned char *out = malloc(room);
    unsigned char *again = malloc(room + tm__patch_bytes(PATCHES, COUNT));

    if (out && again) {
        made = tm__patch_class(out, bytes, count, PATCHES, COUNT, found);
        FUZZ_CHECK(made <= room);
        FUZZ_CHECK(made == 0 || found[0] + found[1] > 0);
        if (made > 0)
            FUZZ_CHECK(tm__patch_class(again, out, made, PATCHES, COUNT, found) == 0);
    }
    free(out);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char name[64];
    uint32_t constants = count >= 2 ? (uint32_t)bytes[0] << 8 | bytes[1] : 0;

    patch(bytes, count);
    if (count >= 2 && tm__lambda_signature(name, sizeof(name), "La/B$$Lambda$1.0x1;",
                                           bytes + 2, count - 2, constants) == 0)
        FUZZ_CHECK(memchr(name, 0, sizeof(name)) != NULL);
    return 0;
}
