/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that one finding is about. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_GROUPS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_GROUPS_H

#include "analysis/findings/findings_queues.h"

/** Make them, once all blocks were noted. @return TM_OK or TM_ENOMEM; to be closed */
int tm__lock_groups_open(tm__lock_groups *groups, const tm__queues *queues);
/** "Lock", "7 Lock": what a title calls it. */
tm__lock_name tm__lock_name_of(const tm__lock_groups *groups, uint32_t number);
/** The rows of blame that it is made of. @return TM_OK or TM_ENOMEM */
int tm__where_lock_group(tm__finding *finding, const tm__lock_groups *groups,
                         uint32_t number);
void tm__lock_groups_close(tm__lock_groups *groups);

#endif
