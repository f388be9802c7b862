/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of control groups, from files as the kernel writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "recorder/memory_limit.h"

static char the_folder[64];

static void write_file(const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", the_folder, name);
    for (char *slash = path + strlen(the_folder) + 1; (slash = strchr(slash, '/'));
         slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static uint64_t limit(void)
{
    char groups[80], mount[80];

    snprintf(groups, sizeof(groups), "%s/self", the_folder);
    snprintf(mount, sizeof(mount), "%s/mount", the_folder);
    return tm__memory_limit(groups, mount);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(the_folder, "/tmp/test-memory-limit-XXXXXX");
    return mkdtemp(the_folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", the_folder);
    return system(command); /* NOLINT: a name that mkdtemp made */
}

static void without_files_there_is_no_limit(void **state)
{
    (void)state;
    assert_true(limit() == UINT64_MAX);
    write_file("self", "0::/gone\n");
    assert_true(limit() == UINT64_MAX);
}

static void the_least_limit_of_a_group_and_those_above_counts(void **state)
{
    (void)state;
    write_file("self", "0::/a.slice/b.service\n");
    write_file("mount/a.slice/b.service/memory.max", "max\n");
    assert_true(limit() == UINT64_MAX);
    write_file("mount/a.slice/memory.max", "62914560\n");
    assert_true(limit() == 62914560);
    write_file("mount/a.slice/b.service/memory.max", "104857600\n");
    assert_true(limit() == 62914560);
    write_file("mount/a.slice/b.service/memory.max", "1048576\n");
    assert_true(limit() == 1048576);
}

static void a_container_has_its_limit_at_the_mount(void **state)
{
    (void)state;
    write_file("self", "0::/docker/ce679d01\n");
    write_file("mount/memory.max", "62914560\n");
    assert_true(limit() == 62914560);
}

static void groups_of_version_1_are_found_by_their_controller(void **state)
{
    (void)state;
    write_file("self", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/x/y\n0::/\n");
    write_file("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(limit() == UINT64_MAX);
    write_file("mount/memory/x/y/memory.limit_in_bytes", "62914560\n");
    assert_true(limit() == 62914560);
    write_file("self", "4:memoryless:/x/y\n");
    assert_true(limit() == UINT64_MAX);
}

static void nonsense_is_no_limit(void **state)
{
    char path[5000];

    (void)state;
    write_file("mount/memory.max", "much\n");
    write_file("self", "nonsense\n:\n::\n0::\n4:memory\n4:memory:\n");
    assert_true(limit() == UINT64_MAX);
    memset(path, '/', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    memcpy(path, "0::", 3);
    write_file("self", path);
    assert_true(limit() == UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_files_there_is_no_limit),
        TEST(the_least_limit_of_a_group_and_those_above_counts),
        TEST(a_container_has_its_limit_at_the_mount),
        TEST(groups_of_version_1_are_found_by_their_controller),
        TEST(nonsense_is_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
