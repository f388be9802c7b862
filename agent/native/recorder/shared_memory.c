/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file has no name in any folder and no room for change: whoever opens it can fill
 * it with nonsense, which the recorder checks, but cannot cut it, which would end the
 * program. It is as large as all rings together; pages that are not used do not exist.
 */
#include "recorder/shared_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/memory_limit.h"

enum { RINGS_LEAST = 16, RINGS_WANTED = 1024 };

/* The most that the rings may take. The program, which has the same limits, needs the
 * rest. */
static uint64_t rings_most_bytes(uint64_t memory_limit)
{
    const uint64_t unlimited = UINT64_C(8) << 30, limited = 64 << 20;
    uint64_t most = unlimited;
    struct rlimit limit;

    for (int which = 0; which < 2; which++) {
        if (getrlimit(which ? RLIMIT_DATA : RLIMIT_AS, &limit) != 0 ||
            limit.rlim_cur == RLIM_INFINITY)
            continue;
        if (most > limited)
            most = limited;
        if (most > limit.rlim_cur / 8)
            most = limit.rlim_cur / 8;
    }
    return memory_limit / 16 < most ? memory_limit / 16 : most;
}

/* Where memory is scarce rings are small, before they are few. */
static uint32_t fitting_ring_bytes(uint32_t ring_bytes, uint64_t memory_limit)
{
    while (ring_bytes > TM__RING_BYTES_LEAST &&
           tm__region_bytes(ring_bytes, RINGS_WANTED) > memory_limit / 16)
        ring_bytes /= 2;
    return ring_bytes;
}

/* The memory for a model that follows a process while it runs. */
static size_t fitting_live_bytes(uint64_t memory_limit)
{
    const size_t most = 32 << 20;

    return memory_limit / 16 < most ? (size_t)(memory_limit / 16) : most;
}

/* Whether the kernel's own clock trusts the processor's counter. */
static uint32_t may_use_counter(void)
{
    char name[64] = "";
    FILE *file =
        fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (!file)
        return 0;
    if (!fgets(name, sizeof(name), file))
        *name = 0;
    fclose(file);
    name[strcspn(name, "\n")] = 0;
    return strcmp(name, "tsc") == 0 || strcmp(name, "arch_sys_counter") == 0;
}

/* So much address space that the rings of all threads have room in it, where so much
 * may be taken. @return MAP_FAILED: there is none */
static void *map_all(tm__memory *memory, int descriptor, uint64_t most)
{
    void *bytes = MAP_FAILED;

    memory->rings_most = TM__RINGS_MOST;
    while (memory->rings_most > RINGS_LEAST &&
           tm__region_bytes(memory->ring_bytes, memory->rings_most) > most)
        memory->rings_most /= 2;
    for (; bytes == MAP_FAILED && memory->rings_most >= RINGS_LEAST;
         memory->rings_most /= 2) {
        bytes = mmap(NULL, tm__region_bytes(memory->ring_bytes, memory->rings_most),
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
        if (bytes != MAP_FAILED)
            break;
    }
    return bytes;
}

int tm__memory_open(tm__memory *memory, uint32_t ring_bytes, int may_be_less)
{
    uint64_t limit = tm__memory_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    int descriptor = memfd_create("threadmodel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *bytes = MAP_FAILED;
    struct stat facts;

    if (may_be_less)
        ring_bytes = fitting_ring_bytes(ring_bytes, limit);
    memory->ring_bytes = ring_bytes;
    memory->live_bytes = fitting_live_bytes(limit);
    if (descriptor < 0)
        return -1;
    bytes = map_all(memory, descriptor, rings_most_bytes(limit));
    if (bytes == MAP_FAILED ||
        ftruncate(descriptor,
                  (off_t)tm__region_bytes(ring_bytes, memory->rings_most)) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return -1;
    memory->control = bytes;
    memory->rings = (unsigned char *)bytes + TM__CONTROL_BYTES;
    memory->inode = fstat(descriptor, &facts) == 0 ? (uint64_t)facts.st_ino : 0;
    memory->control->uses_counter = may_use_counter();
    memory->control->ring_bytes = ring_bytes;
    memory->control->rings_most = memory->rings_most;
    memory->control->magic = TM__REGION_MAGIC;
    snprintf(memory->path, sizeof(memory->path), "/proc/%d/fd/%d", (int)getpid(),
             descriptor);
    return 0;
}
