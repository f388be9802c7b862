/* SPDX-License-Identifier: Apache-2.0 */
/* The P of each M. */
#ifndef TM_FORMATS_GO_GO_PS_H
#define TM_FORMATS_GO_GO_PS_H

#include "formats/go/go_step.h"

int tm__go_on_p_status(const tm__go_step *at);
int tm__go_on_p_start(const tm__go_step *at);
int tm__go_on_p_stop(const tm__go_step *at);
int tm__go_on_p_steal(const tm__go_step *at);

#endif
