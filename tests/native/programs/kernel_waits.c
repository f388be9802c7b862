/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait in the kernel and measure it. Each prints "THREAD NS", with its sum
 * of time around the calls that wait.
 */
#include "program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

enum { WAIT_MS = 50, ROUNDS = 6 };

static int the_port, the_pipe[2], the_lines[2], the_full[2], the_listener;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#define MEASURE(sum, call)                                                             \
    do {                                                                               \
        int64_t before = now_ns();                                                     \
                                                                                       \
        if ((call) < 0)                                                                \
            abort();                                                                   \
        (sum) += now_ns() - before;                                                    \
    } while (0)

static void say(const char *thread, int64_t sum)
{
    printf("%s %lld\n", thread, (long long)sum);
}

static struct sockaddr_in here(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void listen_here(void)
{
    struct sockaddr_in address = here(0);
    socklen_t bytes = sizeof(address);

    the_listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(the_listener, (struct sockaddr *)&address, bytes) != 0 ||
        listen(the_listener, 8) != 0 ||
        getsockname(the_listener, (struct sockaddr *)&address, &bytes) != 0)
        abort();
    the_port = ntohs(address.sin_port);
    printf("port %d\n", the_port);
}

/* Answers each byte after a while; it waits for the client's next byte. */
static void *serve(void *unused)
{
    int64_t accepted = 0, read_ns = 0;
    int fd = -1;
    char byte;
    ssize_t got;

    (void)unused;
    pthread_setname_np(pthread_self(), "server");
    MEASURE(accepted, fd = accept(the_listener, NULL, NULL));
    for (;;) {
        MEASURE(read_ns, got = recv(fd, &byte, 1, 0));
        if (got == 0)
            break;
        pause_ms(WAIT_MS);
        if (write(fd, &byte, 1) != 1)
            abort();
    }
    close(fd);
    say("accepted", accepted);
    say("server", read_ns);
    return NULL;
}

static void *ask(void *unused)
{
    struct sockaddr_in address = here(the_port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd polled = {fd, POLLIN, 0};
    int64_t sum = 0;
    char byte = 1;

    (void)unused;
    pthread_setname_np(pthread_self(), "client");
    pause_ms(WAIT_MS);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        abort();
    for (int i = 0; i < ROUNDS; i++) {
        if (write(fd, &byte, 1) != 1)
            abort();
        /* Half of them as clients of databases do. */
        if (i % 2)
            MEASURE(sum, poll(&polled, 1, -1));
        MEASURE(sum, read(fd, &byte, 1));
    }
    close(fd);
    say("client", sum);
    return NULL;
}

static void *feed(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4 * ROUNDS; i++) {
        pause_ms(WAIT_MS);
        if (write(the_pipe[1], "x", 1) != 1)
            abort();
    }
    return NULL;
}

static void *read_pipe(void *unused)
{
    int64_t sum = 0;
    char byte;

    (void)unused;
    pthread_setname_np(pthread_self(), "reader");
    for (int i = 0; i < ROUNDS; i++)
        MEASURE(sum, read(the_pipe[0], &byte, 1));
    say("reader", sum);
    return NULL;
}

/* Several descriptors, by each of the three interfaces. */
static void *poll_loop(void *unused)
{
    int other[2], epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    int64_t sum = 0;
    char byte;

    (void)unused;
    pthread_setname_np(pthread_self(), "poller");
    if (pipe(other) != 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, the_pipe[0], &event) != 0)
        abort();
    for (int i = 0; i < 3 * ROUNDS; i++) {
        struct pollfd polled[2] = {{other[0], POLLIN, 0}, {the_pipe[0], POLLIN, 0}};
        fd_set set;

        FD_ZERO(&set);
        FD_SET(other[0], &set);
        FD_SET(the_pipe[0], &set);
        if (i % 3 == 0)
            MEASURE(sum, poll(polled, 2, -1));
        else if (i % 3 == 1)
            MEASURE(sum, select(FD_SETSIZE, &set, NULL, NULL, NULL));
        else
            MEASURE(sum, epoll_wait(epoll, &event, 1, -1));
        if (read(the_pipe[0], &byte, 1) != 1)
            abort();
    }
    say("poller", sum);
    return NULL;
}

static void *wait_for_child(void *unused)
{
    int64_t sum = 0;

    (void)unused;
    pthread_setname_np(pthread_self(), "parent");
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();

        if (child == 0) {
            pause_ms(WAIT_MS);
            _exit(0);
        }
        MEASURE(sum, waitpid(child, NULL, 0));
    }
    say("parent", sum);
    return NULL;
}

/* A poll of nothing is a sleep. */
static void *sleep_by_poll(void *unused)
{
    int64_t sum = 0;

    (void)unused;
    pthread_setname_np(pthread_self(), "sleeper");
    for (int i = 0; i < ROUNDS; i++)
        MEASURE(sum, poll(NULL, 0, WAIT_MS));
    say("sleeper", sum);
    return NULL;
}

/* Reads of many and of few bytes that find all of them, and never wait. */
static void *read_zeros(void *unused)
{
    static char bytes[1 << 20];
    int fd = open("/dev/zero", O_RDONLY);
    int64_t end = now_ns() + INT64_C(200000000);

    (void)unused;
    pthread_setname_np(pthread_self(), "zeros");
    while (now_ns() < end)
        for (int i = 0; i < 100; i++)
            if (read(fd, bytes, i % 50 ? 1 : sizeof(bytes)) < 1)
                abort();
    close(fd);
    return NULL;
}

static void *write_file(void *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    static char bytes[4 << 20];
    int64_t longest = 0;

    pthread_setname_np(pthread_self(), "writer");
    for (int i = 0; i < ROUNDS; i++) {
        int64_t sum = 0;

        if (pwrite(fd, bytes, sizeof(bytes), 0) < 0)
            abort();
        MEASURE(sum, fsync(fd));
        longest = sum > longest ? sum : longest;
    }
    close(fd);
    say("writer", longest);
    return NULL;
}

/* Reads lines by each of three functions; a stream in memory has no descriptor. */
static void *read_lines(void *unused)
{
    FILE *stream = fdopen(the_lines[0], "r"), *memory = fmemopen(NULL, 64, "w+");
    int64_t sum = 0;
    char text[16], *line = NULL;
    size_t room = 0;

    (void)unused;
    pthread_setname_np(pthread_self(), "lines");
    if (fwrite("x\n", 1, 2, memory) != 2 || fflush(memory) != 0)
        abort();
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3 == 0)
            MEASURE(sum, fgets(text, sizeof(text), stream) ? 0 : -1);
        else if (i % 3 == 1)
            MEASURE(sum, getline(&line, &room, stream));
        else
            MEASURE(sum, fread(text, 1, 2, stream) == 2 ? 0 : -1);
    }
    free(line);
    fclose(memory);
    fclose(stream);
    say("lines", sum);
    return NULL;
}

/* Each line comes after a while. */
static void *write_lines(void *unused)
{
    FILE *stream = fdopen(the_lines[1], "w");

    (void)unused;
    pthread_setname_np(pthread_self(), "typist");
    for (int i = 0; i < ROUNDS; i++) {
        pause_ms(WAIT_MS);
        if (fputs("x\n", stream) < 0 || fflush(stream) != 0)
            abort();
    }
    fclose(stream);
    return NULL;
}

/* Nobody reads yet: to flush waits for room. */
static void *fill_pipe(void *unused)
{
    FILE *stream = fdopen(the_full[1], "w");
    static char bytes[1 << 17];
    int64_t sum = 0;

    (void)unused;
    pthread_setname_np(pthread_self(), "filler");
    MEASURE(sum, fwrite(bytes, sizeof(bytes), 1, stream) == 1 ? 0 : -1);
    MEASURE(sum, fflush(stream));
    fclose(stream);
    say("filler", sum);
    return NULL;
}

static void *drain_pipe(void *unused)
{
    static char bytes[1 << 17];

    (void)unused;
    pause_ms(ROUNDS * WAIT_MS);
    while (read(the_full[0], bytes, sizeof(bytes)) > 0)
        ;
    return NULL;
}

static void *never_comes(void *unused)
{
    int nothing[2];
    char byte;

    (void)unused;
    pthread_setname_np(pthread_self(), "stuck");
    if (pipe(nothing) != 0 || read(nothing[0], &byte, 1) < 0)
        abort();
    return NULL;
}

static void together(void *(*one)(void *), void *(*other)(void *), void *argument)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, one, argument);
    pthread_create(&threads[1], NULL, other, argument);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int error = 0;

    if (argc < 2 || pipe(the_pipe) != 0 || pipe(the_lines) != 0 || pipe(the_full) != 0)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    listen_here();
    pthread_create(&threads[0], NULL, never_comes, NULL);
    together(serve, ask, NULL);
    pthread_create(&threads[1], NULL, feed, NULL);
    together(read_pipe, wait_for_child, NULL);
    together(poll_loop, sleep_by_poll, NULL);
    pthread_join(threads[1], NULL);
    together(write_file, read_zeros, argv[1]);
    together(read_lines, write_lines, NULL);
    together(fill_pipe, drain_pipe, NULL);
    /* errno is as the call left it. */
    errno = EDOM;
    if (write(the_pipe[1], "x", 1) != 1 || errno != EDOM)
        error = 1;
    if (read(-1, &error, 1) != -1 || errno != EBADF)
        error = 1;
    /* A thread that waits in a read is cancelled there. */
    pthread_cancel(threads[0]);
    pthread_join(threads[0], NULL);
    return error;
}
