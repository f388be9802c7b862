/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any content of one ring beside a trace. The first byte says how many of the records
 * get the check that they should have; then come the numbers of the control page, and
 * the records. The last byte is how many allocations succeed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include "trace/leftover.h"
#include "trace/ring_record.h"
#include "trace/ring_layout.h"

enum { RING_BYTES = TM__RING_BYTES_MIN, RUN_ID = 77 };
enum { FILE_BYTES = 2 * TM__RING_PAGE_BYTES + RING_BYTES };
enum { NUMBERS = sizeof(tm__ring) - offsetof(tm__ring, head) };

static char folder[] = "/tmp/threadmodel-fuzz-XXXXXX";
static char trace_path[64], rings_path[80];
static uint8_t image[FILE_BYTES] __attribute__((aligned(4096)));
static int file = -1; /* in memory, with a link to it where rings are looked for */

static void remove_folder(void)
{
    unlink(rings_path);
    rmdir(folder);
}

static void make_folder(void)
{
    char path[32];

    file = memfd_create("rings", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    FUZZ_CHECK(mkdtemp(folder) != NULL);
    snprintf(trace_path, sizeof(trace_path), "%s/run.tmt", folder);
    snprintf(rings_path, sizeof(rings_path), "%s" TM__RINGS_SUFFIX, trace_path);
    FUZZ_CHECK(symlink(path, rings_path) == 0);
    atexit(remove_folder);
}

static void make_image(const uint8_t *bytes, size_t count)
{
    tm__rings_header *header = (tm__rings_header *)image;
    tm__ring *ring = (tm__ring *)(image + TM__RING_PAGE_BYTES);
    uint8_t *base = image + 2 * TM__RING_PAGE_BYTES;
    uint8_t right = bytes[0];
    size_t at = 0, records;

    memset(image, 0, sizeof(image));
    tm__rings_header_init(header, RUN_ID);
    tm__ring_init(ring, RING_BYTES, TM__RING_PAGE_BYTES);
    memcpy(&ring->head, bytes + 1, NUMBERS);
    /* One of the marks has to be right, or nothing is read at all. */
    tm__ring_mark_set(&ring->tail, atomic_load(&ring->tail.value) % RING_BYTES);
    records = count - 1 - NUMBERS < RING_BYTES ? count - 1 - NUMBERS : RING_BYTES;
    memcpy(base, bytes + 1 + NUMBERS, records);
    while (right-- > 0 && at + sizeof(tm__record) <= records) {
        tm__record *record = (tm__record *)(base + at);

        record->bytes &= (uint16_t)~7u;
        if (record->bytes < sizeof(*record) || record->bytes > records - at)
            break;
        record->check = tm__record_check(record, record->bytes, at);
        at += record->bytes;
    }
}

static void recover(const tm_allocator *allocator)
{
    tm__leftover leftover;
    tm__memory memory;
    tm_model *model;
    int rc;

    tm__memory_init(&memory, allocator);
    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    rc = tm__leftover_open(&leftover, &memory, trace_path, RUN_ID, 0, INT64_MAX);
    while (rc == TM_OK &&
           (rc = tm__leftover_emit(&leftover, tm_model_sink(model), 10)) == TM_MORE)
        rc = TM_OK;
    FUZZ_CHECK(rc == TM_OK || rc == TM_ENOMEM);
    tm__leftover_free(&leftover);
    FUZZ_CHECK(memory.used_bytes == 0);
    fuzz_ask_all(model);
    tm_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_memory scarce;
    tm_allocator allocator = fuzz_allocator(&scarce);

    if (count < 2 + NUMBERS)
        return 0;
    if (file < 0)
        make_folder();
    make_image(bytes, count);
    FUZZ_CHECK(pwrite(file, image, sizeof(image), 0) == sizeof(image));
    scarce.calls_left = bytes[count - 1];
    recover(&allocator);
    recover(NULL);
    return 0;
}
