/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/system_call.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Calls that threads block in; the first argument of some is a descriptor. */
static const struct {
    long call;
    const char *name;
    int has_descriptor;
    int kind;
} CALLS[] = {
    {SYS_futex, "futex", 0, TM__CALL_FUTEX},
    {SYS_restart_syscall, "restart_syscall", 0, TM__CALL_OTHER},
    {SYS_nanosleep, "nanosleep", 0, TM__CALL_SLEEP},
    {SYS_clock_nanosleep, "clock_nanosleep", 0, TM__CALL_SLEEP},
    {SYS_read, "read", 1, TM__CALL_OTHER},
    {SYS_write, "write", 1, TM__CALL_OTHER},
    {SYS_readv, "readv", 1, TM__CALL_OTHER},
    {SYS_writev, "writev", 1, TM__CALL_OTHER},
    {SYS_pread64, "pread", 1, TM__CALL_OTHER},
    {SYS_pwrite64, "pwrite", 1, TM__CALL_OTHER},
    {SYS_recvfrom, "recv", 1, TM__CALL_OTHER},
    {SYS_recvmsg, "recvmsg", 1, TM__CALL_OTHER},
    {SYS_sendto, "send", 1, TM__CALL_OTHER},
    {SYS_sendmsg, "sendmsg", 1, TM__CALL_OTHER},
    {SYS_accept, "accept", 1, TM__CALL_OTHER},
    {SYS_accept4, "accept", 1, TM__CALL_OTHER},
    {SYS_connect, "connect", 1, TM__CALL_OTHER},
    {SYS_fsync, "fsync", 1, TM__CALL_OTHER},
    {SYS_fdatasync, "fdatasync", 1, TM__CALL_OTHER},
    {SYS_flock, "flock", 1, TM__CALL_OTHER},
    {SYS_fcntl, "fcntl", 1, TM__CALL_OTHER},
    {SYS_ioctl, "ioctl", 1, TM__CALL_OTHER},
    {SYS_ppoll, "poll", 0, TM__CALL_OTHER},
    {SYS_pselect6, "select", 0, TM__CALL_OTHER},
    {SYS_epoll_pwait, "epoll_wait", 1, TM__CALL_OTHER},
    {SYS_io_getevents, "io_getevents", 0, TM__CALL_OTHER},
    {SYS_wait4, "wait for a process", 0, TM__CALL_OTHER},
    {SYS_waitid, "wait for a process", 0, TM__CALL_OTHER},
    {SYS_rt_sigtimedwait, "sigwait", 0, TM__CALL_OTHER},
    {SYS_rt_sigsuspend, "sigsuspend", 0, TM__CALL_OTHER},
    {SYS_msgrcv, "msgrcv", 0, TM__CALL_OTHER},
    {SYS_msgsnd, "msgsnd", 0, TM__CALL_OTHER},
    {SYS_semop, "semop", 0, TM__CALL_OTHER},
    {SYS_semtimedop, "semtimedop", 0, TM__CALL_OTHER},
#ifdef SYS_poll
    {SYS_poll, "poll", 0, TM__CALL_OTHER},
    {SYS_select, "select", 0, TM__CALL_OTHER},
    {SYS_epoll_wait, "epoll_wait", 1, TM__CALL_OTHER},
    {SYS_pause, "pause", 0, TM__CALL_OTHER},
#endif
#ifdef SYS_io_uring_enter
    {SYS_io_uring_enter, "io_uring_enter", 1, TM__CALL_OTHER},
#endif
};

static void add_descriptor(const tm__target *target, const tm__task *task, char *text,
                           size_t room)
{
    char link[64], path[256];
    size_t length = strlen(text);
    ssize_t bytes;

    snprintf(link, sizeof(link), "/proc/%u/fd/%d", target->pid,
             (int)task->arguments[0]);
    bytes = readlink(link, path, sizeof(path) - 1);
    path[bytes > 0 ? bytes : 0] = 0;
    snprintf(text + length, room - length, " of descriptor %d%s%s",
             (int)task->arguments[0], *path ? ", " : "", path);
}

int tm__call_describe(const tm__target *target, const tm__task *task, char *text,
                      size_t room)
{
    *text = 0;
    if (task->call < 0)
        return TM__CALL_OTHER;
    for (size_t i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++) {
        if (CALLS[i].call != task->call)
            continue;
        snprintf(text, room, "%s", CALLS[i].name);
        if (CALLS[i].has_descriptor)
            add_descriptor(target, task, text, room);
        return CALLS[i].kind;
    }
    snprintf(text, room, "system call %ld", task->call);
    return TM__CALL_OTHER;
}
