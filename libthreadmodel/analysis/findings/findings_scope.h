/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the run that findings are asked of. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_SCOPE_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_SCOPE_H

#include "analysis/findings/finding.h"
#include "table/builder.h"

/** Set the scope and its length. @return TM_OK, TM_EINVAL */
int tm__findings_open_scope(tm__findings *findings, const tm_selection *given);

/**
 * Cut a stretch of time to the part that is asked about.
 * @return 0: nothing of it lies in there
 */
int tm__in_scope(const tm__findings *findings, int64_t *from_ns, int64_t *to_ns);

/** "run", or "part" of it: what shares of time are of. */
const char *tm__period_name(const tm__findings *findings);

/** State in a caveat which part it was. */
void tm__findings_put_part(const tm__findings *findings, tm__builder *builder);

#endif
