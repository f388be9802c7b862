/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any content of a data block, behind checksums that are right: what fuzz_source
 * seldom gets to. The first byte says how many events the header claims, the second
 * how long they last.
 */
#include <threadmodel/error.h>

#include "../unit/recorder.h"
#include "formats/source.h"
#include "replay.h"
#include "trace/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tm__block_header header = {.type = TM__BLOCK_DATA};
    tm__memory memory;
    tm__packer packer = {&memory, NULL};
    tm__bytes raw = {.memory = &memory}, out = {.memory = &memory};
    recorder recorder;
    tm_source *source;

    if (size < 2)
        return 0;
    tm__memory_init(&memory, NULL);
    if (tm__bytes_append(&raw, data + 2, size - 2) < 0 ||
        tm__bytes_reserve(&out, 56) < 0)
        abort();
    out.length = 56;
    if (tm__pack(&packer, &out, &raw, -5) < 0)
        abort();
    header.packed_bytes = (uint32_t)out.length - 56;
    header.raw_bytes = (uint32_t)raw.length;
    header.events = data[0];
    header.last_ns = data[0] ? data[1] : 0;
    tm__file_header_put(out.data);
    tm__block_header_put(out.data + TM__FILE_HEADER_BYTES, &header);
    if (tm__source_open_memory(&source, "fuzz", out.data, out.length, NULL) < 0)
        abort();
    recorder_init(&recorder);
    while (tm_source_read(source, &recorder.sink) == TM_MORE)
        ;
    tm_source_close(source);
    recorder_free(&recorder);
    tm__packer_free(&packer);
    tm__bytes_free(&raw);
    tm__bytes_free(&out);
    if (memory.used_bytes != 0)
        abort();
    return 0;
}

#ifdef TM_REPLAY
int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    return failed;
}
#endif
