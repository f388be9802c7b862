/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's file: whose it is, and what else may have its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/error.h>
#include <threadmodel/writer.h>

static char folder[] = "/tmp/trace-file-XXXXXX";
static char path[64], other[64];

static int make_folder(void **state)
{
    (void)state;
    umask(0);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/run.tmt", folder);
    snprintf(other, sizeof(other), "%s/other", folder);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails where a file of another name was left */
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(FILE *file, const char *text)
{
    char found[100] = "";

    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof(found) - 1, file), strlen(text));
    assert_string_equal(found, text);
    fclose(file);
}

static void write_trace(void)
{
    tm_writer *writer;

    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
}

static void assert_is_private_trace(void)
{
    struct stat status;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    assert_int_equal(fgetc(file), 0xb1);
    fclose(file);
    assert_int_equal(lstat(path, &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0600);
}

static void a_trace_is_its_owners_alone(void **state)
{
    (void)state;
    write_trace();
    assert_is_private_trace();
}

static void a_trace_has_its_name_before_anything_is_written(void **state)
{
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_OK);
    assert_is_private_trace();
    assert_int_equal(tm_writer_close(writer), TM_OK);
}

static void who_reads_the_old_one_keeps_it(void **state)
{
    FILE *old;

    (void)state;
    put(path, "old");
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(link(path, other), 0);
    old = fopen(path, "r");
    write_trace();
    assert_holds(old, "old");
    assert_holds(fopen(other, "r"), "old");
    assert_is_private_trace();
}

static void a_symbolic_link_is_refused_and_what_it_names_left_alone(void **state)
{
    tm_writer *writer;

    (void)state;
    put(other, "kept");
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_EIO);
    assert_null(writer);
    /* One C library begins with it. */
    assert_non_null(strstr(tm_error_text(), "ymbolic link"));
    assert_holds(fopen(other, "r"), "kept");
}

static void a_device_stays_what_it_is(void **state)
{
    tm_writer *writer;
    struct stat status;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, "/dev/null", NULL), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_int_equal(lstat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void assert_is_refused(void)
{
    tm_writer *writer;

    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_EIO);
    assert_null(writer);
    assert_non_null(strstr(tm_error_text(), path));
    assert_non_null(strstr(tm_error_text(), "another producer is writing it"));
}

static void what_another_producer_has_locked_is_left_alone(void **state)
{
    int file;

    (void)state;
    put(path, "kept");
    file = open(path, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(flock(file, LOCK_EX), 0);
    assert_is_refused();
    assert_holds(fopen(path, "r"), "kept");
    close(file);
    write_trace();
    assert_is_private_trace();
}

static void what_another_writer_has_open_is_left_alone(void **state)
{
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_OK);
    assert_is_refused();
    assert_is_private_trace();
    assert_int_equal(tm_writer_close(writer), TM_OK);
    write_trace();
}

static void a_child_that_lives_longer_keeps_no_lock(void **state)
{
    tm_writer *writer;
    int ends[2];
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_OK);
    child = fork();
    if (child == 0) {
        char byte;

        close(ends[1]);
        _exit((int)read(ends[0], &byte, 1));
    }
    assert_int_equal(tm_writer_close(writer), TM_OK);
    write_trace();
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Wait for the end of a pipe that this process has no end of to write to. */
static void wait_for_end(const int *ends)
{
    char byte;

    while (read(ends[0], &byte, 1) > 0)
        continue;
}

static void end(const int *ends)
{
    close(ends[0]);
    close(ends[1]);
}

/* A process that opens a writer when `ready` ends, writes to `done` whether it could,
 * and has it open until `all` ends. */
static void begin_one(const int *ready, const int *done, const int *all)
{
    tm_writer *writer;
    int rc;

    if (fork() != 0)
        return;
    close(ready[1]);
    close(all[1]);
    wait_for_end(ready);
    rc = tm_writer_open(&writer, path, NULL);
    if (write(done[1], rc == TM_OK ? "1" : "0", 1) != 1)
        _exit(2);
    wait_for_end(all);
    _exit(rc == TM_OK || rc == TM_EIO ? 0 : 2);
}

static void of_writers_that_begin_together_one_writes(void **state)
{
    enum { ROUNDS = 60, AT_ONCE = 3 };

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int ready[2], done[2], all[2], writers = 0, status;
        char byte;

        if (round % 2)
            unlink(path);
        assert_int_equal(pipe(ready) | pipe(done) | pipe(all), 0);
        for (int i = 0; i < AT_ONCE; i++)
            begin_one(ready, done, all);
        end(ready);
        for (int i = 0; i < AT_ONCE; i++) {
            assert_int_equal(read(done[0], &byte, 1), 1);
            writers += byte == '1';
        }
        end(done);
        end(all);
        for (int i = 0; i < AT_ONCE; i++) {
            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        assert_int_equal(writers, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_trace_is_its_owners_alone, remove_files),
        cmocka_unit_test_teardown(a_trace_has_its_name_before_anything_is_written,
                                  remove_files),
        cmocka_unit_test_teardown(who_reads_the_old_one_keeps_it, remove_files),
        cmocka_unit_test_teardown(
            a_symbolic_link_is_refused_and_what_it_names_left_alone, remove_files),
        cmocka_unit_test_teardown(a_device_stays_what_it_is, remove_files),
        cmocka_unit_test_teardown(what_another_producer_has_locked_is_left_alone,
                                  remove_files),
        cmocka_unit_test_teardown(what_another_writer_has_open_is_left_alone,
                                  remove_files),
        cmocka_unit_test_teardown(a_child_that_lives_longer_keeps_no_lock,
                                  remove_files),
        cmocka_unit_test_teardown(of_writers_that_begin_together_one_writes,
                                  remove_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
