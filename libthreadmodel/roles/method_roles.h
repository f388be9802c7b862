/* SPDX-License-Identifier: Apache-2.0 */
/* The roles of methods of runtimes and libraries, by their names. */
#ifndef TM_ROLES_METHOD_ROLES_H
#define TM_ROLES_METHOD_ROLES_H

#include <stddef.h>
#include <stdint.h>

/** The class names that count as library; see tm_statistics_options. */
typedef struct tm__libraries {
    const char *const *prefixes; ///< NULL: the default ones
    size_t count;
} tm__libraries;

/** The roles of a method, in bits. */
enum tm__role {
    TM__ROLE_LIBRARY = 1,
    TM__ROLE_PRIMITIVE = 2, ///< a thread goes there to be blocked
    TM__ROLE_IDLES = 4,     ///< waits for work
    TM__ROLE_LOOPS = 8,     ///< waits for work and does it
    TM__ROLE_LOCKS = 16,
    TM__ROLE_NAMELESS = 32, ///< its class or its name is not known
    TM__ROLE_LOADS = 64,
    TM__ROLE_INITIALISES = 128, ///< a class
    TM__ROLE_DISPATCHES = 256,  ///< an event loop, which calls handlers
    TM__ROLE_SLEEPS = 512,      ///< stops the caller for as long as that asks
    TM__ROLE_JOINS = 1024,      ///< stops it until a thread or task has ended
    TM__ROLE_NAMED_SLEEP =
        2048, ///< is called like what sleeps: a helper, if it calls it
    TM__ROLE_NAMED_JOIN = 4096,
    TM__ROLE_LAMBDA = 8192,   ///< the VM's own, between a lambda's body and its caller
    TM__ROLE_OUTSIDE = 16384, ///< what waits in it is woken from outside of the program
    TM__ROLE_DELAYS = 32768, ///< a queue of timers, from which the wait's end is a task
};

/**
 * @param name       package.Class.method
 * @param libraries  NULL: the default ones
 * @return enum tm__role
 */
uint16_t tm__role(const char *class_name, const char *name,
                  const tm__libraries *libraries);

/** Whether the VM locks objects of a class while it initialises another. */
int tm__is_initialisation_lock(const char *class_name);

/** Whether a server or framework has the method, which calls what a program does for a
 * request. */
int tm__is_of_server(const char *name);
/** Whether a method, by its full name, is of a pool of the JDK or of a server: what it
 * calls is a task. */
int tm__runs_tasks(const char *name);
/** Whether a class, which may be NULL, is that of a condition of the JDK. */
int tm__is_condition_class(const char *class_name);

/** Whether a thread that waits for an object of a class, in a method, waits for its
 * turn to run an interpreter, as one at a time can. @param class_name, method  may be
 * NULL */
int tm__is_interpreter_lock(const char *class_name, const char *method);

#endif
