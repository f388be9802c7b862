/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of a recording's classes, by the names in stacks. */
#ifndef TM_FORMATS_HPROF_HPROF_KINDS_H
#define TM_FORMATS_HPROF_HPROF_KINDS_H

#include "formats/hprof/hprof_names.h"

/** The class of an id, with its kind and slots computed; NULL: unknown. */
int tm__hprof_find_class(tm__hprof_names *names, uint64_t id,
                         const tm__hprof_class **found);

#endif
