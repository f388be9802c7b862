/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that files and listeners have in common. */
#include "writer/destination_target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int tm__target_fail(tm__target *target, const char *what)
{
    snprintf(target->failure, sizeof(target->failure), "%s: %s", target->name, what);
    return -1;
}

int tm__target_close(tm__target *target)
{
    int rc = target->file >= 0 ? close(target->file) : 0;

    target->file = -1;
    return rc < 0 && errno != EINTR ? tm__target_fail(target, strerror(errno)) : 0;
}
