/* SPDX-License-Identifier: Apache-2.0 */
/* Names of objects and classes on cards. */
#ifndef TM_ANALYSIS_FINDINGS_CARD_NAMES_H
#define TM_ANALYSIS_FINDINGS_CARD_NAMES_H

#include "analysis/findings/finding.h"

/** "Account" of demo.Account, or "an unknown class". A condition of the JDK is called
 * by what it belongs to, "ArrayBlockingQueue".
 * @param method  strings: in which threads wait for it, or TM__NONE */
tm__object_name tm__class_name_of(const tm__findings *findings, uint32_t class_name,
                                  uint32_t method);

/** "Account#7" of demo.Account#7, "class Feed" of "class demo.Feed" */
tm__object_name tm__object_name_of(tm__findings *findings, uint32_t object);

#endif
