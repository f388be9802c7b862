/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the life of a goroutine: created, started, blocked, woken. */
#ifndef TM_FORMATS_GO_GO_GOROUTINES_H
#define TM_FORMATS_GO_GO_GOROUTINES_H

#include "formats/go/go_step.h"

int tm__go_on_status(const tm__go_step *at);
int tm__go_on_create(const tm__go_step *at);
int tm__go_on_start(const tm__go_step *at);
int tm__go_on_leave(const tm__go_step *at);
int tm__go_on_unblock(const tm__go_step *at);
int tm__go_on_switch(const tm__go_step *at);

#endif
