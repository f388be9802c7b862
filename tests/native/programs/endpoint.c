/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves bytes on a port that it prints: for each it asks the database on a port, and
 * computes for so many ms. Ends with its input.
 */
#include "program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int the_listener, the_database_port;
static int64_t the_compute_ns;
static volatile unsigned long the_sum;

static struct sockaddr_in here(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void compute(void)
{
    unsigned long turns = 0;

    for (int64_t end = now_ns() + the_compute_ns; now_ns() < end;)
        turns++;
    the_sum += turns;
}

static int read_line(int fd)
{
    char byte = 0;
    ssize_t got;

    while ((got = read(fd, &byte, 1)) == 1 && byte != '\n')
        continue;
    return got == 1;
}

static __attribute__((noinline)) int query(int database)
{
    char byte = 0;

    if (write(database, "select\n", 7) != 7)
        return 0;
    while (byte != '\n')
        if (read(database, &byte, 1) != 1)
            return 0;
    return 1;
}

static void *serve(void *of)
{
    int client = (int)(intptr_t)of, database = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = here(the_database_port);

    pthread_setname_np(pthread_self(), "server");
    if (connect(database, (struct sockaddr *)&address, sizeof(address)) != 0)
        abort();
    while (read_line(client)) {
        if (!query(database))
            abort();
        compute();
        if (write(client, "done\n", 5) != 5)
            break;
    }
    close(database);
    close(client);
    return NULL;
}

static void *accept_all(void *unused)
{
    int client;

    (void)unused;
    pthread_setname_np(pthread_self(), "acceptor");
    while ((client = accept(the_listener, NULL, NULL)) >= 0) {
        pthread_t thread;

        pthread_create(&thread, NULL, serve, (void *)(intptr_t)client);
        pthread_detach(thread);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = here(0);
    socklen_t bytes = sizeof(address);
    pthread_t acceptor;

    if (argc != 3)
        return 2;
    the_database_port = atoi(argv[1]);
    the_compute_ns = (int64_t)atoi(argv[2]) * 1000000;
    the_listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(the_listener, (struct sockaddr *)&address, bytes) != 0 ||
        listen(the_listener, 50) != 0 ||
        getsockname(the_listener, (struct sockaddr *)&address, &bytes) != 0)
        return 2;
    pthread_create(&acceptor, NULL, accept_all, NULL);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    while (read_line(STDIN_FILENO))
        continue;
    shutdown(the_listener, SHUT_RDWR);
    pthread_join(acceptor, NULL);
    return 0;
}
