/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes of a trace go: a file, a listener, or both. The writer's thread may
 * be blocked here by a disk or a peer that takes nothing; nobody else is. Knows
 * nothing of the VM.
 */
#ifndef TM_AGENT_WRITER_DESTINATION_H
#define TM_AGENT_WRITER_DESTINATION_H

#include <stddef.h>
#include <stdint.h>

#include "vm/options.h"

/**
 * Make the file, if there is to be one. One that another process is writing is left
 * alone: then this one's has the process id in its name, which a message says. Data for
 * a listener are kept until there is one.
 *
 * @param[out] error  one line, when there is nothing to write to
 * @return 0 or -1
 */
int tm__destination_open(const tm__options *options, uint64_t pid, char *error,
                         size_t error_bytes);

/** The final name of the file; NULL: there is no regular file. */
const char *tm__destination_path(void);

/** A tm_write_fn, of whole blocks. @return TM_OK or TM_EIO, see tm__destination_error()
 */
int tm__destination_write(void *payload, const char *bytes, size_t count);

/**
 * Find the listener, and wait for a full disk from now on. An error of a listener is
 * reported here if there is a file besides.
 * @return 0; -1: there is nothing to write to, see tm__destination_error()
 */
int tm__destination_begin(void);

/** @return bytes that the file, or else the listener, took */
uint64_t tm__destination_bytes(void);

/** @return whether another program removed the file */
int tm__destination_is_removed(void);

/** One line on what went wrong; "": nothing did. */
const char *tm__destination_error(void);

/** @return 0; -1: see tm__destination_error() */
int tm__destination_close(void);

#endif
