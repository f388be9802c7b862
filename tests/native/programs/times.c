/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that know where their time went. Each prints when it began and ended, by the
 * clock of the recording, for how long it was in its waits as it measured them, what
 * the kernel counted of it on a processor, and waiting for one, and its number.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MOST = 1000 };

typedef struct task {
    const char *name;
    int64_t (*body)(void); /* @return the ns that it waited, as it measured */
} task;

static int rounds, connections;
static int64_t spin_ns;
static int slow[2];
static struct sockaddr_in address = {.sin_family = AF_INET};
static int listener;
static volatile unsigned long sum;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The counts of this thread; the file is read by calls that no recorder sees. */
static void read_counts(int64_t counts[2])
{
    char text[128] = "";
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", 0, 0);

    syscall(SYS_read, file, text, sizeof(text) - 1);
    syscall(SYS_close, file);
    if (sscanf(text, "%" SCNd64 " %" SCNd64, &counts[0], &counts[1]) != 2)
        abort();
}

static void *run(void *of)
{
    const task *it = of;
    int64_t before[2], after[2], first, begun, ended, waited;

    pthread_setname_np(pthread_self(), it->name);
    first = now_ns();
    read_counts(before);
    begun = now_ns();
    waited = it->body();
    ended = now_ns();
    read_counts(after);
    printf("thread %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
           " %" PRId64 " %ld\n",
           it->name, begun, ended, waited, after[0] - before[0], after[1] - before[1],
           now_ns() - first, syscall(SYS_gettid));
    return NULL;
}

static void pause_ms(int ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static int64_t answer(void)
{
    int64_t waited = 0;
    char octet;

    while (read(slow[1], &octet, 1) == 1) {
        int64_t begun = now_ns();

        pause_ms(50);
        waited += now_ns() - begun;
        if (write(slow[1], &octet, 1) != 1)
            abort();
    }
    return waited;
}

static int64_t ask(void)
{
    int64_t waited = 0;
    char octet = 'x';

    for (int i = 0; i < rounds; i++) {
        int64_t begun;

        if (write(slow[0], &octet, 1) != 1)
            abort();
        begun = now_ns();
        if (read(slow[0], &octet, 1) != 1)
            abort();
        waited += now_ns() - begun;
    }
    close(slow[0]);
    return waited;
}

/* How long a call took that the recorder may count as a wait. */
static int64_t if_long_ns(int64_t begun)
{
    int64_t ns = now_ns() - begun;

    return ns >= 20000 ? ns : 0;
}

/* An event loop that returns each byte. */
static int64_t serve(void)
{
    int epoll = epoll_create1(0), seen = 0, open = 0;
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener}, all[64];
    int64_t waited = 0;

    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &wanted);
    while (seen < connections || open > 0) {
        int64_t begun = now_ns();
        int count = epoll_wait(epoll, all, 64, -1);

        waited += if_long_ns(begun);
        for (int i = 0; i < count; i++) {
            char bytes[64];
            ssize_t length;

            begun = now_ns();

            if (all[i].data.fd == listener) {
                wanted.data.fd = accept(listener, NULL, NULL);
                waited += if_long_ns(begun);
                epoll_ctl(epoll, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
                seen++;
                open++;
                continue;
            }
            length = read(all[i].data.fd, bytes, sizeof(bytes));
            if (length > 0 && write(all[i].data.fd, bytes, (size_t)length) != length)
                abort();
            waited += if_long_ns(begun);
            if (length > 0)
                continue;
            close(all[i].data.fd);
            open--;
        }
    }
    close(epoll);
    return waited;
}

/* Many connections; one in a hundred is used. */
static int64_t use(void)
{
    static int all[CONNECTIONS_MOST];
    int64_t waited = 0, begun;
    char octet = 'x';

    for (int i = 0; i < connections; i++) {
        all[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(all[i], (struct sockaddr *)&address, sizeof(address)) != 0)
            abort();
    }
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < connections; j += 100) {
            if (write(all[j], &octet, 1) != 1)
                abort();
            begun = now_ns();
            if (read(all[j], &octet, 1) != 1)
                abort();
            waited += now_ns() - begun;
        }
        begun = now_ns();
        pause_ms(20);
        waited += now_ns() - begun;
    }
    for (int i = 0; i < connections; i++)
        close(all[i]);
    return waited;
}

/* A loop that polls for input, which never comes. */
static int64_t poll_nothing(void)
{
    struct pollfd it = {.events = POLLIN};
    int ends[2], ignored = pipe(ends);
    int64_t waited = 0;

    (void)ignored;
    it.fd = ends[0];
    for (int i = 0; i < 5 * rounds; i++) {
        int64_t begun = now_ns();

        poll(&it, 1, 10);
        waited += now_ns() - begun;
    }
    return waited;
}

static int64_t sleep_often(void)
{
    int64_t waited = 0;

    for (int i = 0; i < 5 * rounds; i++) {
        int64_t begun = now_ns();

        pause_ms(10);
        waited += now_ns() - begun;
    }
    return waited;
}

/* Sleeps that no recorder sees: the program makes the system calls itself. */
static int64_t sleep_unseen(void)
{
    struct timespec time = {0, 10000000};
    int64_t waited = 0;

    for (int i = 0; i < 5 * rounds; i++) {
        int64_t begun = now_ns();

        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
        waited += now_ns() - begun;
    }
    return waited;
}

static int64_t spin(void)
{
    int64_t end = now_ns() + spin_ns;
    unsigned long turns = 0;

    while (now_ns() < end)
        turns++;
    sum += turns;
    return 0;
}

/* Each page is touched once. */
static int64_t touch(void)
{
    size_t bytes = (size_t)64 << 20;

    for (int round = 0; round < 8; round++) {
        unsigned char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (pages == MAP_FAILED)
            abort();
        for (size_t at = 0; at < bytes; at += 4096)
            pages[at] = (unsigned char)at;
        munmap(pages, bytes);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const task tasks[] = {
        {"answerer", answer},     {"reader", ask},          {"server", serve},
        {"clients", use},         {"poller", poll_nothing}, {"sleeper", sleep_often},
        {"unseen", sleep_unseen}, {"spinner-0", spin},      {"spinner-1", spin},
        {"spinner-2", spin},      {"spinner-3", spin},      {"toucher", touch},
    };
    enum { COUNT = sizeof(tasks) / sizeof(*tasks) };
    pthread_t threads[COUNT];
    socklen_t length = sizeof(address);
    struct rlimit files;

    if (argc != 4 || getrlimit(RLIMIT_NOFILE, &files) != 0)
        return 2;
    files.rlim_cur = files.rlim_max; /* each connection has two */
    setrlimit(RLIMIT_NOFILE, &files);
    rounds = atoi(argv[1]);
    connections = atoi(argv[2]);
    spin_ns = (int64_t)atoi(argv[3]) * 1000000;
    if (connections > CONNECTIONS_MOST ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, slow) != 0)
        return 2;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, CONNECTIONS_MOST) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return 2;
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, run, (void *)&tasks[i]);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
