/* SPDX-License-Identifier: Apache-2.0 */
/* The two tables about monitors. */
#ifndef TM_FORMATS_HPROF_HPROF_MONITORS_H
#define TM_FORMATS_HPROF_HPROF_MONITORS_H

#include "formats/hprof/profile.h"

int tm__profile_dump_start(tm__profile *profile);
int tm__profile_dump_line(tm__profile *profile, tm__slice line);
int tm__profile_dump_end(tm__profile *profile, int is_whole);
int tm__profile_table_start(tm__profile *profile, tm__slice rest);
int tm__profile_table_row(tm__profile *profile, tm__slice row);

#endif
