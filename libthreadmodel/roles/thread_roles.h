/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a JVM that do no work of the program, by their names and groups. */
#ifndef TM_ROLES_THREAD_ROLES_H
#define TM_ROLES_THREAD_ROLES_H

/**
 * Whether a thread is the JVM's own, or the flight recorder's.
 * @param name   NULL: not known
 * @param group  of threads; NULL: not known
 */
int tm__is_runtime_name(const char *name, const char *group);
/** Whether a thread waits for a child process to end, and then does what the program
 * asked for. @param name  may be NULL */
int tm__is_reaper_name(const char *name);
/** Whether it is the one in which a JVM waits for all others to end.
 * @param name  may be NULL */
int tm__is_destroyer_name(const char *name);

#endif
