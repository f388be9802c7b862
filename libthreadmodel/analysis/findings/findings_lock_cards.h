/* SPDX-License-Identifier: Apache-2.0 */
/* The card of a group of locks. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_LOCK_CARDS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_LOCK_CARDS_H

#include "analysis/findings/lock_sums.h"

/** A finding for each group that is worth one. @return TM_OK or TM_ENOMEM */
int tm__lock_cards(const tm__lock_sums *sums);

#endif
