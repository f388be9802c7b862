/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder of native programs, a process beside the program. Its first argument is
 * the trace, the second how many KiB a ring has, 0: as many as usual, the third after
 * how many seconds it reports threads that cannot go on, 0: never. It prints what the
 * program needs in its environment, and records until its standard input ends; a line
 * there reports how the program ended, "PID STATUS". Then it prints, each up to a byte
 * 0, "trace" and where that is, if there is one, "also" and where that of another
 * process is, and where the trace shows nothing "unseen" and a program that has none.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "recorder/image_ending.h"
#include "recorder/kernel_switches.h"
#include "recorder/rounds.h"

enum { ROUND_NS = 10000000, LISTENERS = 64, STUCK_S = 5, STUCK_S_MOST = 1000000 };

/* FNV-1a: a name of any length in a short key. */
static uint64_t hash(const char *text)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    while (*text)
        sum = (sum ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
    return sum;
}

/* Whether a process of ours, or of root, listens at a name. Anybody may have taken it.
 */
static int is_ours(const struct sockaddr_un *address, socklen_t length)
{
    int handle = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct ucred peer;
    socklen_t bytes = sizeof(peer);
    int is_it = handle >= 0 &&
                connect(handle, (const struct sockaddr *)address, length) == 0 &&
                getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
                (peer.uid == geteuid() || peer.uid == 0);

    if (handle >= 0)
        close(handle);
    return is_it;
}

/* A name in no file system, which the kernel forgets with the process. */
static int is_alone(const char *output)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[4096];
    const char *slash = strrchr(output, '/');
    struct stat facts;
    socklen_t bytes;
    int length, handle = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - output) + 1 : 1,
             slash ? output : ".");
    if (handle < 0 || stat(folder, &facts) != 0)
        return 1;
    length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                      "threadmodel/%llx/%llx/%llx", (unsigned long long)facts.st_dev,
                      (unsigned long long)facts.st_ino,
                      (unsigned long long)hash(slash ? slash + 1 : output));
    bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (bind(handle, (struct sockaddr *)&address, bytes) == 0) {
        listen(handle, LISTENERS);
        return 1;
    }
    return errno != EADDRINUSE || !is_ours(&address, bytes);
}

/* Read what there is of a line, which ends as the input does. */
static int input_has_ended(tm__recorder *it)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    size_t room = sizeof(it->input) - 1 - it->input_length;
    ssize_t length;
    char rest[64];

    if (poll(&input, 1, 0) <= 0)
        return 0;
    length = read(STDIN_FILENO, room ? it->input + it->input_length : rest,
                  room ? room : sizeof(rest));
    if (length > 0 && room)
        it->input_length += (size_t)length;
    if (length > 0)
        return 0;
    if (sscanf(it->input, "%u %d", &it->reported_pid, &it->reported_status) != 2)
        it->reported_pid = 0;
    return 1;
}

static void pause_for_round(tm__control *control)
{
    struct timespec until = {0, ROUND_NS};
    uint32_t woken = atomic_load(&control->woken);

    syscall(SYS_futex, &control->woken, FUTEX_WAIT, woken, &until, NULL, 0);
}

/* The next power of 2; 0: out of bounds */
static uint32_t ring_bytes_of(const char *kib)
{
    unsigned long given = kib ? strtoul(kib, NULL, 10) : 0;
    unsigned long wanted = given ? given * 1024 : TM__RING_BYTES;
    uint32_t bytes = TM__RING_BYTES_LEAST;

    if (wanted < TM__RING_BYTES_LEAST || wanted > TM__RING_BYTES_MOST)
        return 0;
    while (bytes < wanted)
        bytes *= 2;
    return bytes;
}

static int64_t stuck_ns_of(const char *seconds)
{
    unsigned long given = seconds ? strtoul(seconds, NULL, 10) : STUCK_S;

    return (int64_t)(given < STUCK_S_MOST ? given : STUCK_S_MOST) * 1000000000;
}

/* Options come last. */
static int has_option(char **argv, const char *option)
{
    for (int i = 2; argv[i]; i++)
        if (strcmp(argv[i], option) == 0)
            return 1;
    return 0;
}

/* The thread that will start the program, "launcher=TASK"; 0: none is named. */
static uint32_t launcher_of(char **argv)
{
    static const char option[] = "launcher=";

    for (int i = 2; argv[i]; i++)
        if (strncmp(argv[i], option, sizeof(option) - 1) == 0)
            return (uint32_t)strtoul(argv[i] + sizeof(option) - 1, NULL, 10);
    return 0;
}

int main(int argc, char **argv)
{
    static tm__recorder it;
    uint32_t ringless, ring_bytes;
    int is_usual = argc < 3 || strtoul(argv[2], NULL, 10) == 0;

    if (argc < 2 || (ring_bytes = ring_bytes_of(argv[2])) == 0) {
        fprintf(stderr, "usage: threadmodel-native-recorder TRACE "
                        "[RING_KIB [STUCK_S [io=n] [paths=y] [processes=y] "
                        "[launcher=TASK]]]\n");
        return 2;
    }
    it.output = argv[1];
    it.stuck_ns = stuck_ns_of(argc > 3 ? argv[3] : NULL);
    it.readers.all = calloc(TM__RINGS_MOST, sizeof(*it.readers.all));
    if (!is_alone(it.output)) {
        fprintf(stderr, "threadmodel: %s: another recording writes this trace\n",
                it.output);
        return 2;
    }
    if (!it.readers.all || tm__memory_open(&it.memory, ring_bytes, is_usual) != 0) {
        fprintf(stderr, "threadmodel: no memory to share: %s\n", strerror(errno));
        return 2;
    }
    if (it.memory.rings_most < TM__RINGS_MOST)
        fprintf(stderr,
                "threadmodel: at most %u threads at once are recorded: memory is "
                "limited, or "
                "the rings are large\n",
                it.memory.rings_most);
    /* Symbols come from this machine: a download would hold up all rings. */
    unsetenv("DEBUGINFOD_URLS");
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    tm__tick_clock_open(&it.clock, it.memory.control->uses_counter);
    it.memory.control->leaves_io_out = (uint32_t)has_option(argv, "io=n");
    it.shows_paths = has_option(argv, "paths=y");
    it.keeps_all = has_option(argv, "processes=y");
    it.memory.control->ticks_per_ms = tm__tick_clock_ticks(&it.clock, 1000000);
    tm__kernel_switches_open(launcher_of(argv));
    it.begin = tm__tick_clock_read(&it.clock);
    it.rounds = 1;
    printf("%s\n", it.memory.path);
    fflush(stdout);
    while (!input_has_ended(&it)) {
        tm__recorder_round(&it, 0);
        pause_for_round(it.memory.control);
    }
    atomic_store(&it.memory.control->stopped, 1);
    tm__recorder_round(&it, 0);
    tm__recorder_round(&it, 1);
    if (!it.is_named && *it.spare.path) {
        tm__recorder_name_trace(&it, it.spare.path);
        it.trace_events = it.spare.events;
    }
    tm__recorder_print_traces(&it);
    ringless = atomic_load(&it.memory.control->ringless);
    if (ringless)
        fprintf(stderr,
                "threadmodel: %u threads were not recorded: more than %u at once\n",
                ringless, it.memory.rings_most);
    free(it.readers.all);
    free(it.others);
    return it.rc;
}
