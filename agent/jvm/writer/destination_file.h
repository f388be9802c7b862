/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a trace: its name, and that no other producer writes it. */
#ifndef TM_AGENT_WRITER_DESTINATION_FILE_H
#define TM_AGENT_WRITER_DESTINATION_FILE_H

#include "writer/destination_target.h"

/**
 * Make or empty a file.
 * @param force  one of that name may be there
 * @param pid    for the name, if another process is writing the file
 * @return 0 or -1
 */
int tm__target_open_file(tm__target *target, const char *path, int force, uint64_t pid);

#endif
