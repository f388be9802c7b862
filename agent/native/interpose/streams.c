/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library's streams, which call the kernel by functions of their own. The calls
 * that are followed move a line or a block. Those of single characters are not:
 * programs call them for each one, and nearly always find the character in the buffer.
 */
#include "interpose/followed_call.h"

#define NOTHING (void)0
#define READ TM__USE_READ
#define WRITE TM__USE_WRITE

/* Some streams have no descriptor: those in memory. errno stays. */
static int descriptor_of(FILE *stream)
{
    int error = errno, fd = stream ? fileno(stream) : -1;

    errno = error;
    return fd;
}

#define STREAM(result, name, parameters, call, use, bytes)                             \
    TM__CALL_IF(descriptor_of(stream) >= 0, result, name, parameters, call, use,       \
                descriptor_of(stream), bytes,                                          \
                tm__endpoint_at_begin(ring, use, descriptor_of(stream)), NOTHING)

/* The product may be more than memory has, and is then large all the same. */
static size_t product(size_t size, size_t count)
{
    return size && count > TM__LARGE_BYTES / size ? TM__LARGE_BYTES : size * count;
}

STREAM(size_t, fread, (void *restrict to, size_t size, size_t n, FILE *restrict stream),
       (to, size, n, stream), READ, product(size, n))
STREAM(size_t, fwrite,
       (const void *restrict from, size_t size, size_t n, FILE *restrict stream),
       (from, size, n, stream), WRITE, product(size, n))
STREAM(char *, fgets, (char *restrict to, int size, FILE *restrict stream),
       (to, size, stream), READ, 0)
STREAM(int, fputs, (const char *restrict from, FILE *restrict stream), (from, stream),
       WRITE, 0)
STREAM(ssize_t, getline,
       (char **restrict line, size_t *restrict room, FILE *restrict stream),
       (line, room, stream), READ, 0)
STREAM(ssize_t, getdelim,
       (char **restrict line, size_t *restrict room, int end, FILE *restrict stream),
       (line, room, end, stream), READ, 0)
STREAM(int, fflush, (FILE * stream), (stream), WRITE, 0)

#ifdef __GLIBC__
/* For programs that are compiled with checks or optimized, glibc has other names. */
ssize_t __getdelim(char **restrict line, size_t *restrict room, int end,
                   FILE *restrict stream);
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t n,
                   FILE *restrict stream);
char *__fgets_chk(char *restrict to, size_t room, int size, FILE *restrict stream);

STREAM(ssize_t, __getdelim,
       (char **restrict line, size_t *restrict room, int end, FILE *restrict stream),
       (line, room, end, stream), READ, 0)
STREAM(size_t, __fread_chk,
       (void *restrict to, size_t room, size_t size, size_t n, FILE *restrict stream),
       (to, room, size, n, stream), READ, product(size, n))
STREAM(char *, __fgets_chk,
       (char *restrict to, size_t room, int size, FILE *restrict stream),
       (to, room, size, stream), READ, 0)
#endif
