/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever attached to this VM, and what is said to them. */
#ifndef TM_AGENT_SESSION_ATTACH_H
#define TM_AGENT_SESSION_ATTACH_H

/** The recording is over: nothing is said any more. @param is_told  by `control` */
void tm__attach_end(int is_told);

#endif
