/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place that bounds a service: its main kind of units of work, requests for
 * instance, spends most of its time there, waiting for a pool, a queue or another
 * thread, asleep, or in I/O. It is asked for where no lock bounds the run.
 */
#include <string.h>

#include <threadmodel/unit.h>

#include "analysis/verdict/judge.h"

/* So many units at least have that part; it takes this share of the time of all units
 * of the kind, and that of the busy time of all threads. */
enum { UNITS_AT_LEAST = 20, UNIT_SHARE = 50, PROGRAM_SHARE = 25 };

/* Ways to be kept from going on. */
static const char *const states[] = {"blocked",  "reentering", "waiting", "parked",
                                     "sleeping", "joining",    "io"};

static int is_kept(const char *state)
{
    for (size_t i = 0; state && i < sizeof(states) / sizeof(*states); i++)
        if (strcmp(states[i], state) == 0)
            return 1;
    return 0;
}

static int is_bound(const tm__judgement *it, const tm_table *parts)
{
    int64_t busy_ns = it->spent.lived_ns - it->spent.idle_ns;

    return is_kept(tm_table_string(parts, "state", 0)) &&
           tm_table_string(parts, "kind", 0) &&
           tm_table_int64(parts, "units")[0] >= UNITS_AT_LEAST &&
           100 * tm_table_double(parts, "share")[0] >= UNIT_SHARE &&
           tm_table_int64(parts, "total_ns")[0] / PROGRAM_SHARE >= busy_ns / 100;
}

/* The first row of the table is the largest part of the kind with most time. */
int tm__find_bound_of_units(tm__judgement *it)
{
    int rc = tm_unit_part_list(&it->unit_parts, it->model, NULL, NULL);

    if (rc < 0)
        return rc;
    if (tm_table_row_count(it->unit_parts) && is_bound(it, it->unit_parts))
        return TM_OK;
    tm_table_free(it->unit_parts);
    it->unit_parts = NULL;
    return TM_OK;
}
