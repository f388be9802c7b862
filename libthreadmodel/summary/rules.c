/* SPDX-License-Identifier: Apache-2.0 */
/* How the columns of each table merge. Made by ./dev describe from tables.toml. */
#include "summary/rules.h"

#include <threadmodel/table.h>

#define RULES(table, rules)                                                            \
    {                                                                                  \
        table, rules, sizeof(rules) / sizeof(*(rules))                                 \
    }

static const tm__merge_rule groups[] = {
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"idle", TM__MERGE_KEY, TM_TYPE_BOOL},
    {"objects", TM__MERGE_SUM, TM_TYPE_INT64},
    {"threads", TM__MERGE_SUM, TM_TYPE_INT64},
    {"blocked_count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"blocked_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"blocked_min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"blocked_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"waiting_count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"waiting_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"waiting_min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"waiting_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"reentering_count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"reentering_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"reentering_min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"reentering_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"joining_count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"joining_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"joining_min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"joining_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"parked_count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"parked_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"parked_min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"parked_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"io_count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"io_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"io_min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"io_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"blocked_latency_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"waiting_latency_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"reentering_latency_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"parked_latency_ns", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule histogram[] = {
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"idle", TM__MERGE_KEY, TM_TYPE_BOOL},
    {"low_ns", TM__MERGE_KEY, TM_TYPE_INT64},
    {"high_ns", TM__MERGE_KEY, TM_TYPE_INT64},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule class_sums[] = {
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"state", TM__MERGE_KEY, TM_TYPE_STRING},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
};

static const tm__merge_rule context_totals[] = {
    {"kind", TM__MERGE_KEY, TM_TYPE_STRING},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
};

static const tm__merge_rule deadlocks[] = {
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"kind", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"provenance", TM__MERGE_KEY, TM_TYPE_STRING},
};

static const tm__merge_rule path_rollup[] = {
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"state", TM__MERGE_KEY, TM_TYPE_STRING},
    {"segments", TM__MERGE_SUM, TM_TYPE_INT64},
    {"total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"unexplained_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"latency_ns", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule whatif[] = {
    {"change", TM__MERGE_KEY, TM_TYPE_STRING},
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"factor", TM__MERGE_KEY, TM_TYPE_DOUBLE},
    {"permits", TM__MERGE_KEY, TM_TYPE_INT32},
    {"gain_ns", TM__MERGE_SIGNED, TM_TYPE_INT64},
    {"gain_low_ns", TM__MERGE_SIGNED, TM_TYPE_INT64},
    {"gain_high_ns", TM__MERGE_SIGNED, TM_TYPE_INT64},
    {"scaled", TM__MERGE_SUM, TM_TYPE_INT64},
    {"scaled_ns", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule lock_edges[] = {
    {"held_class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"wanted_class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"held_method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"held_source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"held_line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"provenance", TM__MERGE_KEY, TM_TYPE_STRING},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule blamed[] = {
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"owner_method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"owner_source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"owner_line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"latency_ns", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule hold_times[] = {
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
    {"total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"min_ns", TM__MERGE_MIN, TM_TYPE_INT64},
    {"max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"not_running_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"exact", TM__MERGE_SUM, TM_TYPE_INT64},
    {"unmeasured", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule resources[] = {
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"waiting_method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"releasing_method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"idle", TM__MERGE_KEY, TM_TYPE_BOOL},
    {"provenance", TM__MERGE_KEY, TM_TYPE_STRING},
    {"objects", TM__MERGE_SUM, TM_TYPE_INT64},
    {"threads", TM__MERGE_SUM, TM_TYPE_INT64},
    {"waits", TM__MERGE_SUM, TM_TYPE_INT64},
    {"wait_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"wait_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"permits", TM__MERGE_MAX, TM_TYPE_INT64},
    {"uses", TM__MERGE_SUM, TM_TYPE_INT64},
    {"use_max_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"use_total_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"releasers", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule findings[] = {
    {"kind", TM__MERGE_KEY, TM_TYPE_STRING},
    {"minor", TM__MERGE_KEY, TM_TYPE_BOOL},
    {"suspected", TM__MERGE_KEY, TM_TYPE_BOOL},
    {"class", TM__MERGE_KEY, TM_TYPE_STRING},
    {"method", TM__MERGE_KEY, TM_TYPE_STRING},
    {"source", TM__MERGE_KEY, TM_TYPE_STRING},
    {"line", TM__MERGE_KEY, TM_TYPE_INT32},
    {"impact_ns", TM__MERGE_SUM, TM_TYPE_INT64},
    {"bound_ns", TM__MERGE_MAX, TM_TYPE_INT64},
    {"gain_ns", TM__MERGE_SIGNED, TM_TYPE_INT64},
    {"gain_low_ns", TM__MERGE_SIGNED, TM_TYPE_INT64},
    {"gain_high_ns", TM__MERGE_SIGNED, TM_TYPE_INT64},
};

static const tm__merge_rule finding_kinds[] = {
    {"kind", TM__MERGE_KEY, TM_TYPE_STRING},
    {"looked_for", TM__MERGE_KEY, TM_TYPE_BOOL},
};

static const tm__merge_rule diagnostics[] = {
    {"cause", TM__MERGE_KEY, TM_TYPE_STRING},
    {"count", TM__MERGE_SUM, TM_TYPE_INT64},
};

static const tm__merge_rule caveats[] = {
    {"caveat", TM__MERGE_KEY, TM_TYPE_STRING},
};

const tm__merge_rules tm__merge_tables[] = {
    RULES("groups", groups),
    RULES("locks", groups),
    RULES("callers", groups),
    RULES("objects", groups),
    RULES("total", groups),
    RULES("histogram", histogram),
    RULES("class_sums", class_sums),
    RULES("context_totals", context_totals),
    RULES("deadlocks", deadlocks),
    RULES("path_rollup", path_rollup),
    RULES("whatif", whatif),
    RULES("lock_edges", lock_edges),
    RULES("blamed", blamed),
    RULES("blockers", blamed),
    RULES("hold_times", hold_times),
    RULES("resources", resources),
    RULES("findings", findings),
    RULES("finding_kinds", finding_kinds),
    RULES("diagnostics", diagnostics),
    RULES("caveats", caveats),
};
const size_t tm__merge_table_count =
    sizeof(tm__merge_tables) / sizeof(*tm__merge_tables);
