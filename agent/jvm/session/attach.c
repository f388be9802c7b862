/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands through the VM's attach mechanism: begin to record, or act on the recording
 * that goes on, however it began. The mechanism returns a number only, so the answer is
 * a line in a file that the caller created and named; it stays open while the recording
 * goes on, for later messages.
 *
 * The answer is for the caller. The program's own output has nothing of it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NOLOAD */
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "session/load.h"
#include "session/session.h"
#include "session/writer_thread.h"
#include "vm/message.h"
#include "vm/options.h"
#include "vm/vm.h"

enum { LINE_BYTES = TM__PATH_BYTES + 512 };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static atomic_int listener = -1; /* a file; -1: nobody listens */
static int caller;               /* the same, while an attach is on its way */

/* Why it cannot begin is for who asked for it. */
static int report_to_caller(const char *text, size_t length)
{
    (void)!write(caller, text, length);
    return 1;
}

/* Later messages are for the program's users as well. */
static int report_to_listener(const char *text, size_t length)
{
    int fd = atomic_load(&listener);

    if (fd >= 0)
        (void)!write(fd, text, length);
    return 0;
}

__attribute__((format(printf, 2, 3))) static void answer(int fd, const char *format,
                                                         ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof(line) - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if ((size_t)length > sizeof(line) - 2)
        length = sizeof(line) - 2;
    line[length++] = '\n';
    (void)!write(fd, line, (size_t)length);
}

static void forget_listener(void)
{
    int fd = atomic_exchange(&listener, -1);

    if (fd >= 0)
        close(fd);
}

static void end(int is_reported)
{
    int fd = atomic_exchange(&listener, -1);

    tm__message_to(NULL);
    if (fd < 0)
        return;
    answer(fd, is_reported ? "=end reported" : "=end");
    close(fd);
}

/* The client that named the file created it, so a link that leads elsewhere is not
 * followed. */
static int open_reply(const char *path)
{
    return *path ? open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
}

/* Our code may be in use long after this: in a stand-in that waits. */
static void stay_loaded(void)
{
    Dl_info self;

    if (dladdr(&listener, &self) && self.dli_fname)
        dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static const char *where(void)
{
    const tm__options *options = &tm__the_options;

    return options->file[0] ? options->file : options->net;
}

static void obey(int fd, int what)
{
    static const char *const done[] = {
        [TM__CONTROL_DUMP] = "has all up to now",
        [TM__CONTROL_PAUSE] = "is paused",
        [TM__CONTROL_RESUME] = "goes on",
        [TM__CONTROL_STOP] = "is complete",
    };
    char file[TM__PATH_BYTES];

    if (!tm__writer_is_running()) {
        answer(fd, "=no nothing is being recorded");
        return;
    }
    snprintf(file, sizeof(file), "%.*s", (int)sizeof(file) - 1, where());
    if (tm__writer_control(what) != 0)
        answer(fd, "=no the recording has ended with an error");
    else
        answer(fd, "=ok %s %s", file, done[what]);
}

static void begin(int fd, JavaVM *vm, const tm__options *options)
{
    JNIEnv *jni = NULL;
    int begun;

    if (tm__writer_is_running()) {
        answer(fd, "=no it is being recorded already, to %s", where());
        return;
    }
    tm__the_vm.java = vm;
    tm__the_options = *options;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK) {
        answer(fd, "=no this VM does not let the agent call Java");
        return;
    }
    caller = fd;
    tm__message_to(report_to_caller);
    /* Before it begins: it may have ended when that returns. */
    atomic_store(&listener, dup(fd));
    begun = tm__agent_begin(jni, end) == 0;
    if (!begun)
        forget_listener();
    tm__message_to(begun ? report_to_listener : NULL);
    answer(fd, begun ? "=ok %s" : "=no", where());
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    tm__options options;
    char error[LINE_BYTES];
    int fd;

    (void)reserved;
    pthread_mutex_lock(&one_at_a_time);
    stay_loaded();
    if (tm__options_parse(&options, text, (uint64_t)getpid(), error, sizeof(error)) ==
        0)
        error[0] = 0;
    fd = open_reply(options.reply);
    if (fd < 0)
        fd = dup(STDERR_FILENO);
    if (error[0])
        answer(fd, "=no %s", error);
    else if (options.control)
        obey(fd, (int)options.control);
    else
        begin(fd, vm, &options);
    close(fd);
    pthread_mutex_unlock(&one_at_a_time);
    /* Any other answer would have the VM unload us, with originals in our hands. */
    return JNI_OK;
}
