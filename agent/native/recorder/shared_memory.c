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
#include <sys/stat.h>
#include <unistd.h>

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

int tm__memory_open(tm__memory *memory)
{
    int descriptor = memfd_create("threadmodel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *bytes = MAP_FAILED;
    struct stat facts;

    if (descriptor < 0 || ftruncate(descriptor, (off_t)TM__REGION_BYTES) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return -1;
    bytes = mmap(NULL, TM__REGION_BYTES, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return -1;
    memory->control = bytes;
    memory->rings = (unsigned char *)bytes + TM__CONTROL_BYTES;
    memory->inode = fstat(descriptor, &facts) == 0 ? (uint64_t)facts.st_ino : 0;
    memory->control->uses_counter = may_use_counter();
    memory->control->magic = TM__REGION_MAGIC;
    snprintf(memory->path, sizeof(memory->path), "/proc/%d/fd/%d", (int)getpid(),
             descriptor);
    return 0;
}
