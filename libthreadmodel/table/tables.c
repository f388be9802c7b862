/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of every table. Made by ./dev describe from tables.toml. */
#include "table/tables.h"

#include <threadmodel/blame.h>
#include <threadmodel/hold.h>
#include <threadmodel/path.h>
#include <threadmodel/statistics.h>

#define SPEC(name, columns)                                                            \
    {                                                                                  \
        name, columns, sizeof(columns) / sizeof(*(columns))                            \
    }

static const tm__column_spec threads[] = {
    {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"name", TM_TYPE_STRING, 0, 0},
    {"group", TM_TYPE_STRING, 0, 0},
    {"virtual", TM_TYPE_BOOL, 0, 0},
    {"daemon", TM_TYPE_BOOL, 0, 0},
    {"state", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},
    {"end_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_count", TM_TYPE_INT64, 0, 0},
    {"blocked_total_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_count", TM_TYPE_INT64, 0, 0},
    {"waiting_total_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_count", TM_TYPE_INT64, 0, 0},
    {"reentering_total_ns", TM_TYPE_INT64, 0, 0},
    {"joining_count", TM_TYPE_INT64, 0, 0},
    {"joining_total_ns", TM_TYPE_INT64, 0, 0},
    {"sleeping_count", TM_TYPE_INT64, 0, 0},
    {"sleeping_total_ns", TM_TYPE_INT64, 0, 0},
    {"parked_count", TM_TYPE_INT64, 0, 0},
    {"parked_total_ns", TM_TYPE_INT64, 0, 0},
    {"runnable_count", TM_TYPE_INT64, 0, 0},
    {"runnable_total_ns", TM_TYPE_INT64, 0, 0},
    {"io_count", TM_TYPE_INT64, 0, 0},
    {"io_total_ns", TM_TYPE_INT64, 0, 0},
    {"native_count", TM_TYPE_INT64, 0, 0},
    {"native_total_ns", TM_TYPE_INT64, 0, 0},
    {"carrier_id", TM_TYPE_UINT64, 0, 0},
    {"cpu_samples", TM_TYPE_UINT64, 0, 0},
    {"cpu_time_ns", TM_TYPE_INT64, 0, 0},
    {"cpu_wait_ns", TM_TYPE_INT64, 0, 0},
    {"pid", TM_TYPE_UINT64, 0, 0},
};

static const tm__column_spec groups[] = {
    {"class", TM_TYPE_STRING, TM_STATISTICS_BY_CLASS, 0},
    {"method", TM_TYPE_STRING, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD, 0},
    {"source", TM_TYPE_STRING, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_LINE, 0},
    {"line", TM_TYPE_INT32, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_LINE, 0},
    {"idle", TM_TYPE_BOOL, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD, 0},
    {"object", TM_TYPE_STRING, TM_STATISTICS_BY_OBJECT, 0},
    {"class", TM_TYPE_STRING, TM_STATISTICS_BY_OBJECT, TM_STATISTICS_BY_CLASS},
    {"thread_id", TM_TYPE_UINT64, TM_STATISTICS_BY_THREAD, 0},
    {"thread", TM_TYPE_STRING, TM_STATISTICS_BY_THREAD, 0},
    {"group", TM_TYPE_STRING, TM_STATISTICS_BY_GROUP, 0},
    {"stack", TM_TYPE_INT32, TM_STATISTICS_BY_STACK, 0},
    {"objects", TM_TYPE_INT64, 0, 0},
    {"threads", TM_TYPE_INT64, 0, 0},
    {"blocked_count", TM_TYPE_INT64, 0, 0},
    {"blocked_total_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_min_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_max_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_mean_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_p50_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_p90_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_p99_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_count", TM_TYPE_INT64, 0, 0},
    {"waiting_total_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_min_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_max_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_mean_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_p50_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_p90_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_p99_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_count", TM_TYPE_INT64, 0, 0},
    {"reentering_total_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_min_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_max_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_mean_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_p50_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_p90_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_p99_ns", TM_TYPE_INT64, 0, 0},
    {"joining_count", TM_TYPE_INT64, 0, 0},
    {"joining_total_ns", TM_TYPE_INT64, 0, 0},
    {"joining_min_ns", TM_TYPE_INT64, 0, 0},
    {"joining_max_ns", TM_TYPE_INT64, 0, 0},
    {"joining_mean_ns", TM_TYPE_INT64, 0, 0},
    {"joining_p50_ns", TM_TYPE_INT64, 0, 0},
    {"joining_p90_ns", TM_TYPE_INT64, 0, 0},
    {"joining_p99_ns", TM_TYPE_INT64, 0, 0},
    {"parked_count", TM_TYPE_INT64, 0, 0},
    {"parked_total_ns", TM_TYPE_INT64, 0, 0},
    {"parked_min_ns", TM_TYPE_INT64, 0, 0},
    {"parked_max_ns", TM_TYPE_INT64, 0, 0},
    {"parked_mean_ns", TM_TYPE_INT64, 0, 0},
    {"parked_p50_ns", TM_TYPE_INT64, 0, 0},
    {"parked_p90_ns", TM_TYPE_INT64, 0, 0},
    {"parked_p99_ns", TM_TYPE_INT64, 0, 0},
    {"io_count", TM_TYPE_INT64, 0, 0},
    {"io_total_ns", TM_TYPE_INT64, 0, 0},
    {"io_min_ns", TM_TYPE_INT64, 0, 0},
    {"io_max_ns", TM_TYPE_INT64, 0, 0},
    {"io_mean_ns", TM_TYPE_INT64, 0, 0},
    {"io_p50_ns", TM_TYPE_INT64, 0, 0},
    {"io_p90_ns", TM_TYPE_INT64, 0, 0},
    {"io_p99_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_share", TM_TYPE_DOUBLE, 0, 0},
    {"waiting_share", TM_TYPE_DOUBLE, 0, 0},
    {"reentering_share", TM_TYPE_DOUBLE, 0, 0},
    {"joining_share", TM_TYPE_DOUBLE, 0, 0},
    {"parked_share", TM_TYPE_DOUBLE, 0, 0},
    {"io_share", TM_TYPE_DOUBLE, 0, 0},
    {"blocked_latency_ns", TM_TYPE_INT64, TM_STATISTICS_BY_LATENCY, 0},
    {"waiting_latency_ns", TM_TYPE_INT64, TM_STATISTICS_BY_LATENCY, 0},
    {"reentering_latency_ns", TM_TYPE_INT64, TM_STATISTICS_BY_LATENCY, 0},
    {"parked_latency_ns", TM_TYPE_INT64, TM_STATISTICS_BY_LATENCY, 0},
};

static const tm__column_spec histogram[] = {
    {"class", TM_TYPE_STRING, TM_STATISTICS_BY_CLASS, 0},
    {"method", TM_TYPE_STRING, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD, 0},
    {"source", TM_TYPE_STRING, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_LINE, 0},
    {"line", TM_TYPE_INT32, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_LINE, 0},
    {"idle", TM_TYPE_BOOL, TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD, 0},
    {"object", TM_TYPE_STRING, TM_STATISTICS_BY_OBJECT, 0},
    {"class", TM_TYPE_STRING, TM_STATISTICS_BY_OBJECT, TM_STATISTICS_BY_CLASS},
    {"thread_id", TM_TYPE_UINT64, TM_STATISTICS_BY_THREAD, 0},
    {"thread", TM_TYPE_STRING, TM_STATISTICS_BY_THREAD, 0},
    {"group", TM_TYPE_STRING, TM_STATISTICS_BY_GROUP, 0},
    {"stack", TM_TYPE_INT32, TM_STATISTICS_BY_STACK, 0},
    {"low_ns", TM_TYPE_INT64, 0, 0},
    {"high_ns", TM_TYPE_INT64, 0, 0},
    {"count", TM_TYPE_INT64, 0, 0},
};

static const tm__column_spec class_sums[] = {
    {"class", TM_TYPE_STRING, 0, 0},  {"state", TM_TYPE_STRING, 0, 0},
    {"count", TM_TYPE_INT64, 0, 0},   {"total_ns", TM_TYPE_INT64, 0, 0},
    {"min_ns", TM_TYPE_INT64, 0, 0},  {"max_ns", TM_TYPE_INT64, 0, 0},
    {"mean_ns", TM_TYPE_INT64, 0, 0}, {"p50_ns", TM_TYPE_INT64, 0, 0},
    {"p90_ns", TM_TYPE_INT64, 0, 0},  {"p99_ns", TM_TYPE_INT64, 0, 0},
};

static const tm__column_spec timeline[] = {
    {"thread_id", TM_TYPE_UINT64, 0, 0},  {"thread", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},    {"end_ns", TM_TYPE_INT64, 0, 0},
    {"state", TM_TYPE_STRING, 0, 0},      {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},      {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},     {"line", TM_TYPE_INT32, 0, 0},
    {"peer_id", TM_TYPE_UINT64, 0, 0},    {"peer", TM_TYPE_STRING, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0}, {"open", TM_TYPE_BOOL, 0, 0},
    {"stack", TM_TYPE_INT32, 0, 0},       {"unsplit", TM_TYPE_BOOL, 0, 0},
    {"sampled", TM_TYPE_BOOL, 0, 0},      {"idle", TM_TYPE_BOOL, 0, 0},
};

static const tm__column_spec tiles[] = {
    {"thread_id", TM_TYPE_UINT64, 0, 0}, {"thread", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},   {"end_ns", TM_TYPE_INT64, 0, 0},
    {"intervals", TM_TYPE_INT64, 0, 0},  {"state", TM_TYPE_STRING, 0, 0},
    {"unknown_ns", TM_TYPE_INT64, 0, 0}, {"new_ns", TM_TYPE_INT64, 0, 0},
    {"running_ns", TM_TYPE_INT64, 0, 0}, {"blocked_ns", TM_TYPE_INT64, 0, 0},
    {"waiting_ns", TM_TYPE_INT64, 0, 0}, {"reentering_ns", TM_TYPE_INT64, 0, 0},
    {"joining_ns", TM_TYPE_INT64, 0, 0}, {"sleeping_ns", TM_TYPE_INT64, 0, 0},
    {"parked_ns", TM_TYPE_INT64, 0, 0},  {"deadlocked_ns", TM_TYPE_INT64, 0, 0},
    {"dead_ns", TM_TYPE_INT64, 0, 0},    {"runnable_ns", TM_TYPE_INT64, 0, 0},
    {"io_ns", TM_TYPE_INT64, 0, 0},      {"native_ns", TM_TYPE_INT64, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},    {"class", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},    {"source", TM_TYPE_STRING, 0, 0},
    {"line", TM_TYPE_INT32, 0, 0},       {"peer_id", TM_TYPE_UINT64, 0, 0},
    {"peer", TM_TYPE_STRING, 0, 0},      {"provenance", TM_TYPE_STRING, 0, 0},
    {"open", TM_TYPE_BOOL, 0, 0},        {"stack", TM_TYPE_INT32, 0, 0},
    {"unsplit", TM_TYPE_BOOL, 0, 0},     {"sampled", TM_TYPE_BOOL, 0, 0},
    {"idle", TM_TYPE_BOOL, 0, 0},
};

static const tm__column_spec stacks[] = {
    {"stack", TM_TYPE_INT32, 0, 0},    {"depth", TM_TYPE_INT32, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},  {"class", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},  {"line", TM_TYPE_INT32, 0, 0},
    {"truncated", TM_TYPE_BOOL, 0, 0},
};

static const tm__column_spec interactions[] = {
    {"kind", TM_TYPE_STRING, 0, 0},        {"time_ns", TM_TYPE_INT64, 0, 0},
    {"woken_ns", TM_TYPE_INT64, 0, 0},     {"from_thread_id", TM_TYPE_UINT64, 0, 0},
    {"from_thread", TM_TYPE_STRING, 0, 0}, {"to_thread_id", TM_TYPE_UINT64, 0, 0},
    {"to_thread", TM_TYPE_STRING, 0, 0},   {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},       {"from_method", TM_TYPE_STRING, 0, 0},
    {"to_method", TM_TYPE_STRING, 0, 0},   {"provenance", TM_TYPE_STRING, 0, 0},
    {"effect", TM_TYPE_STRING, 0, 0},      {"candidates", TM_TYPE_INT32, 0, 0},
    {"group", TM_TYPE_INT32, 0, 0},
};

static const tm__column_spec context[] = {
    {"kind", TM_TYPE_STRING, 0, 0},   {"start_ns", TM_TYPE_INT64, 0, 0},
    {"end_ns", TM_TYPE_INT64, 0, 0},  {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0}, {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},  {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0}, {"line", TM_TYPE_INT32, 0, 0},
    {"stack", TM_TYPE_INT32, 0, 0},   {"cause", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec context_totals[] = {
    {"kind", TM_TYPE_STRING, 0, 0},    {"count", TM_TYPE_UINT64, 0, 0},
    {"total_ns", TM_TYPE_INT64, 0, 0}, {"max_ns", TM_TYPE_INT64, 0, 0},
    {"share", TM_TYPE_DOUBLE, 0, 0},
};

static const tm__column_spec deadlocks[] = {
    {"deadlock", TM_TYPE_INT32, 0, 0},    {"position", TM_TYPE_INT32, 0, 0},
    {"time_ns", TM_TYPE_INT64, 0, 0},     {"resolved_ns", TM_TYPE_INT64, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},  {"thread", TM_TYPE_STRING, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},     {"class", TM_TYPE_STRING, 0, 0},
    {"owner_id", TM_TYPE_UINT64, 0, 0},   {"owner", TM_TYPE_STRING, 0, 0},
    {"kind", TM_TYPE_STRING, 0, 0},       {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},     {"line", TM_TYPE_INT32, 0, 0},
    {"stack", TM_TYPE_INT32, 0, 0},       {"deadline_ns", TM_TYPE_INT64, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec critical_path[] = {
    {"start_ns", TM_TYPE_INT64, 0, 0},    {"end_ns", TM_TYPE_INT64, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},  {"thread", TM_TYPE_STRING, 0, 0},
    {"state", TM_TYPE_STRING, 0, 0},      {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},     {"line", TM_TYPE_INT32, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},     {"class", TM_TYPE_STRING, 0, 0},
    {"via", TM_TYPE_STRING, 0, 0},        {"unexplained", TM_TYPE_STRING, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0}, {"latency", TM_TYPE_BOOL, 0, 0},
};

static const tm__column_spec explanation[] = {
    {"step", TM_TYPE_INT32, 0, 0},        {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},     {"state", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},    {"end_ns", TM_TYPE_INT64, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},     {"class", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},     {"source", TM_TYPE_STRING, 0, 0},
    {"line", TM_TYPE_INT32, 0, 0},        {"reason", TM_TYPE_STRING, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0}, {"text", TM_TYPE_STRING, 0, 0},
    {"chain", TM_TYPE_INT32, 0, 0},       {"at_ns", TM_TYPE_INT64, 0, 0},
};

static const tm__column_spec path_rollup[] = {
    {"thread_id", TM_TYPE_UINT64, TM_PATH_BY_THREAD, 0},
    {"thread", TM_TYPE_STRING, TM_PATH_BY_THREAD, 0},
    {"method", TM_TYPE_STRING, TM_PATH_BY_METHOD, 0},
    {"class", TM_TYPE_STRING, TM_PATH_BY_CLASS, 0},
    {"state", TM_TYPE_STRING, TM_PATH_BY_STATE, 0},
    {"segments", TM_TYPE_INT64, 0, 0},
    {"total_ns", TM_TYPE_INT64, 0, 0},
    {"share", TM_TYPE_DOUBLE, 0, 0},
    {"unexplained_ns", TM_TYPE_INT64, 0, 0},
    {"latency_ns", TM_TYPE_INT64, 0, 0},
    {"slack_ns", TM_TYPE_INT64, TM_PATH_BY_THREAD,
     TM_PATH_BY_METHOD | TM_PATH_BY_CLASS | TM_PATH_BY_STATE},
};

static const tm__column_spec whatif[] = {
    {"change", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},
    {"factor", TM_TYPE_DOUBLE, 0, 0},
    {"permits", TM_TYPE_INT32, 0, 0},
    {"length_ns", TM_TYPE_INT64, 0, 0},
    {"gain_ns", TM_TYPE_INT64, 0, 0},
    {"gain_low_ns", TM_TYPE_INT64, 0, 0},
    {"gain_high_ns", TM_TYPE_INT64, 0, 0},
    {"scaled", TM_TYPE_INT64, 0, 0},
    {"scaled_ns", TM_TYPE_INT64, 0, 0},
    {"note", TM_TYPE_STRING, 0, 0},
    {"unit_kind", TM_TYPE_STRING, 0, 0},
    {"throughput_now", TM_TYPE_DOUBLE, 0, 0},
    {"throughput", TM_TYPE_DOUBLE, 0, 0},
    {"throughput_low", TM_TYPE_DOUBLE, 0, 0},
    {"throughput_high", TM_TYPE_DOUBLE, 0, 0},
    {"latency_now_ns", TM_TYPE_INT64, 0, 0},
    {"latency_ns", TM_TYPE_INT64, 0, 0},
    {"latency_low_ns", TM_TYPE_INT64, 0, 0},
    {"latency_high_ns", TM_TYPE_INT64, 0, 0},
    {"latency_p99_now_ns", TM_TYPE_INT64, 0, 0},
    {"latency_p99_ns", TM_TYPE_INT64, 0, 0},
    {"next_bottleneck", TM_TYPE_STRING, 0, 0},
    {"next_kind", TM_TYPE_STRING, 0, 0},
    {"next_in_use", TM_TYPE_DOUBLE, 0, 0},
    {"next_at_once", TM_TYPE_INT32, 0, 0},
};

static const tm__column_spec lock_order[] = {
    {"cycle", TM_TYPE_INT32, 0, 0},        {"position", TM_TYPE_INT32, 0, 0},
    {"level", TM_TYPE_STRING, 0, 0},       {"suspected", TM_TYPE_BOOL, 0, 0},
    {"held_class", TM_TYPE_STRING, 0, 0},  {"wanted_class", TM_TYPE_STRING, 0, 0},
    {"held_object", TM_TYPE_STRING, 0, 0}, {"wanted_object", TM_TYPE_STRING, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},   {"thread", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},      {"source", TM_TYPE_STRING, 0, 0},
    {"line", TM_TYPE_INT32, 0, 0},         {"held_method", TM_TYPE_STRING, 0, 0},
    {"held_source", TM_TYPE_STRING, 0, 0}, {"held_line", TM_TYPE_INT32, 0, 0},
    {"time_ns", TM_TYPE_INT64, 0, 0},      {"count", TM_TYPE_INT64, 0, 0},
    {"stack", TM_TYPE_INT32, 0, 0},        {"held_stack", TM_TYPE_INT32, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec lock_edges[] = {
    {"held_class", TM_TYPE_STRING, 0, 0},  {"wanted_class", TM_TYPE_STRING, 0, 0},
    {"held_object", TM_TYPE_STRING, 0, 0}, {"wanted_object", TM_TYPE_STRING, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},   {"thread", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},      {"source", TM_TYPE_STRING, 0, 0},
    {"line", TM_TYPE_INT32, 0, 0},         {"held_method", TM_TYPE_STRING, 0, 0},
    {"held_source", TM_TYPE_STRING, 0, 0}, {"held_line", TM_TYPE_INT32, 0, 0},
    {"time_ns", TM_TYPE_INT64, 0, 0},      {"count", TM_TYPE_INT64, 0, 0},
    {"stack", TM_TYPE_INT32, 0, 0},        {"held_stack", TM_TYPE_INT32, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec blame[] = {
    {"thread_id", TM_TYPE_UINT64, 0, 0},     {"thread", TM_TYPE_STRING, 0, 0},
    {"block_start_ns", TM_TYPE_INT64, 0, 0}, {"block_end_ns", TM_TYPE_INT64, 0, 0},
    {"state", TM_TYPE_STRING, 0, 0},         {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},         {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},        {"line", TM_TYPE_INT32, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},       {"end_ns", TM_TYPE_INT64, 0, 0},
    {"share", TM_TYPE_STRING, 0, 0},         {"owner_id", TM_TYPE_UINT64, 0, 0},
    {"owner", TM_TYPE_STRING, 0, 0},         {"owner_method", TM_TYPE_STRING, 0, 0},
    {"owner_source", TM_TYPE_STRING, 0, 0},  {"owner_line", TM_TYPE_INT32, 0, 0},
    {"fraction", TM_TYPE_DOUBLE, 0, 0},      {"provenance", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec blamed[] = {
    {"thread_id", TM_TYPE_UINT64, TM_BLAME_BY_THREAD, 0},
    {"thread", TM_TYPE_STRING, TM_BLAME_BY_THREAD, 0},
    {"method", TM_TYPE_STRING, TM_BLAME_BY_CALLER, 0},
    {"source", TM_TYPE_STRING, TM_BLAME_BY_CALLER, 0},
    {"line", TM_TYPE_INT32, TM_BLAME_BY_CALLER, 0},
    {"class", TM_TYPE_STRING, TM_BLAME_BY_CLASS, TM_BLAME_BY_OBJECT},
    {"object", TM_TYPE_STRING, TM_BLAME_BY_OBJECT, 0},
    {"class", TM_TYPE_STRING, TM_BLAME_BY_OBJECT, 0},
    {"owner_id", TM_TYPE_UINT64, TM_BLAME_BY_OWNER, 0},
    {"owner", TM_TYPE_STRING, TM_BLAME_BY_OWNER, 0},
    {"owner_method", TM_TYPE_STRING, TM_BLAME_BY_OWNER_METHOD, 0},
    {"owner_source", TM_TYPE_STRING, TM_BLAME_BY_OWNER_METHOD, 0},
    {"owner_line", TM_TYPE_INT32, TM_BLAME_BY_OWNER_METHOD, 0},
    {"owner_stack", TM_TYPE_INT32, TM_BLAME_BY_OWNER_STACK, 0},
    {"count", TM_TYPE_INT64, 0, 0},
    {"total_ns", TM_TYPE_INT64, 0, 0},
    {"max_ns", TM_TYPE_INT64, 0, 0},
    {"latency_ns", TM_TYPE_INT64, 0, 0},
    {"share", TM_TYPE_DOUBLE, 0, 0},
    {"reported_share", TM_TYPE_DOUBLE, 0, 0},
    {"exact_share", TM_TYPE_DOUBLE, 0, 0},
    {"inferred_share", TM_TYPE_DOUBLE, 0, 0},
};

static const tm__column_spec holds[] = {
    {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},
    {"kind", TM_TYPE_STRING, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},
    {"end_ns", TM_TYPE_INT64, 0, 0},
    {"start_earliest_ns", TM_TYPE_INT64, 0, 0},
    {"start_latest_ns", TM_TYPE_INT64, 0, 0},
    {"end_earliest_ns", TM_TYPE_INT64, 0, 0},
    {"end_latest_ns", TM_TYPE_INT64, 0, 0},
    {"start_provenance", TM_TYPE_STRING, 0, 0},
    {"end_provenance", TM_TYPE_STRING, 0, 0},
    {"to_thread_id", TM_TYPE_UINT64, 0, 0},
    {"to_thread", TM_TYPE_STRING, 0, 0},
    {"to_provenance", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},
    {"line", TM_TYPE_INT32, 0, 0},
    {"shared", TM_TYPE_BOOL, 0, 0},
    {"contested", TM_TYPE_BOOL, 0, 0},
    {"not_running_ns", TM_TYPE_INT64, 0, 0},
    {"not_running_state", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec hold_times[] = {
    {"class", TM_TYPE_STRING, TM_HOLD_BY_CLASS, TM_HOLD_BY_OBJECT},
    {"method", TM_TYPE_STRING, TM_HOLD_BY_CALLER, 0},
    {"source", TM_TYPE_STRING, TM_HOLD_BY_CALLER, 0},
    {"line", TM_TYPE_INT32, TM_HOLD_BY_CALLER, 0},
    {"object", TM_TYPE_STRING, TM_HOLD_BY_OBJECT, 0},
    {"class", TM_TYPE_STRING, TM_HOLD_BY_OBJECT, 0},
    {"thread_id", TM_TYPE_UINT64, TM_HOLD_BY_OWNER, 0},
    {"thread", TM_TYPE_STRING, TM_HOLD_BY_OWNER, 0},
    {"count", TM_TYPE_INT64, 0, 0},
    {"total_ns", TM_TYPE_INT64, 0, 0},
    {"min_ns", TM_TYPE_INT64, 0, 0},
    {"max_ns", TM_TYPE_INT64, 0, 0},
    {"mean_ns", TM_TYPE_INT64, 0, 0},
    {"p50_ns", TM_TYPE_INT64, 0, 0},
    {"p90_ns", TM_TYPE_INT64, 0, 0},
    {"p99_ns", TM_TYPE_INT64, 0, 0},
    {"not_running_ns", TM_TYPE_INT64, 0, 0},
    {"exact", TM_TYPE_INT64, 0, 0},
    {"unmeasured", TM_TYPE_INT64, 0, 0},
};

static const tm__column_spec resources[] = {
    {"class", TM_TYPE_STRING, 0, 0},
    {"waiting_method", TM_TYPE_STRING, 0, 0},
    {"releasing_method", TM_TYPE_STRING, 0, 0},
    {"objects", TM_TYPE_INT32, 0, 0},
    {"threads", TM_TYPE_INT32, 0, 0},
    {"waits", TM_TYPE_INT32, 0, 0},
    {"wait_total_ns", TM_TYPE_INT64, 0, 0},
    {"wait_max_ns", TM_TYPE_INT64, 0, 0},
    {"permits", TM_TYPE_INT32, 0, 0},
    {"uses", TM_TYPE_INT32, 0, 0},
    {"use_p50_ns", TM_TYPE_INT64, 0, 0},
    {"use_max_ns", TM_TYPE_INT64, 0, 0},
    {"use_total_ns", TM_TYPE_INT64, 0, 0},
    {"use_method", TM_TYPE_STRING, 0, 0},
    {"use_method_ns", TM_TYPE_INT64, 0, 0},
    {"releasers", TM_TYPE_INT32, 0, 0},
    {"releaser_id", TM_TYPE_UINT64, 0, 0},
    {"releaser", TM_TYPE_STRING, 0, 0},
    {"idle", TM_TYPE_BOOL, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec resource_uses[] = {
    {"class", TM_TYPE_STRING, 0, 0},
    {"waiting_method", TM_TYPE_STRING, 0, 0},
    {"releasing_method", TM_TYPE_STRING, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},
    {"end_ns", TM_TYPE_INT64, 0, 0},
    {"waited_ns", TM_TYPE_INT64, 0, 0},
    {"in_use", TM_TYPE_INT32, 0, 0},
    {"not_running_ns", TM_TYPE_INT64, 0, 0},
    {"not_running_state", TM_TYPE_STRING, 0, 0},
    {"not_running_method", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec units[] = {
    {"unit", TM_TYPE_INT32, 0, 0},          {"kind", TM_TYPE_STRING, 0, 0},
    {"label", TM_TYPE_STRING, 0, 0},        {"id", TM_TYPE_UINT64, 0, 0},
    {"parent", TM_TYPE_INT32, 0, 0},        {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},       {"start_ns", TM_TYPE_INT64, 0, 0},
    {"end_ns", TM_TYPE_INT64, 0, 0},        {"duration_ns", TM_TYPE_INT64, 0, 0},
    {"finished", TM_TYPE_BOOL, 0, 0},       {"provenance", TM_TYPE_STRING, 0, 0},
    {"queued_ns", TM_TYPE_INT64, 0, 0},     {"unknown_ns", TM_TYPE_INT64, 0, 0},
    {"new_ns", TM_TYPE_INT64, 0, 0},        {"running_ns", TM_TYPE_INT64, 0, 0},
    {"blocked_ns", TM_TYPE_INT64, 0, 0},    {"waiting_ns", TM_TYPE_INT64, 0, 0},
    {"reentering_ns", TM_TYPE_INT64, 0, 0}, {"joining_ns", TM_TYPE_INT64, 0, 0},
    {"sleeping_ns", TM_TYPE_INT64, 0, 0},   {"parked_ns", TM_TYPE_INT64, 0, 0},
    {"deadlocked_ns", TM_TYPE_INT64, 0, 0}, {"dead_ns", TM_TYPE_INT64, 0, 0},
    {"runnable_ns", TM_TYPE_INT64, 0, 0},   {"io_ns", TM_TYPE_INT64, 0, 0},
    {"native_ns", TM_TYPE_INT64, 0, 0},     {"elsewhere_ns", TM_TYPE_INT64, 0, 0},
};

static const tm__column_spec unit_kinds[] = {
    {"kind", TM_TYPE_STRING, 0, 0},          {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},        {"main", TM_TYPE_BOOL, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0},    {"threads", TM_TYPE_INT32, 0, 0},
    {"count", TM_TYPE_INT64, 0, 0},          {"unfinished", TM_TYPE_INT64, 0, 0},
    {"rate", TM_TYPE_DOUBLE, 0, 0},          {"in_flight", TM_TYPE_DOUBLE, 0, 0},
    {"steady_from_ns", TM_TYPE_INT64, 0, 0}, {"steady_to_ns", TM_TYPE_INT64, 0, 0},
    {"total_ns", TM_TYPE_INT64, 0, 0},       {"mean_ns", TM_TYPE_INT64, 0, 0},
    {"p50_ns", TM_TYPE_INT64, 0, 0},         {"p95_ns", TM_TYPE_INT64, 0, 0},
    {"p99_ns", TM_TYPE_INT64, 0, 0},         {"max_ns", TM_TYPE_INT64, 0, 0},
    {"queued_mean_ns", TM_TYPE_INT64, 0, 0}, {"queued_count", TM_TYPE_INT64, 0, 0},
    {"submitted_by", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec unit_parts[] = {
    {"kind", TM_TYPE_STRING, 0, 0},       {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},     {"state", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},      {"method", TM_TYPE_STRING, 0, 0},
    {"units", TM_TYPE_INT64, 0, 0},       {"count", TM_TYPE_INT64, 0, 0},
    {"total_ns", TM_TYPE_INT64, 0, 0},    {"share", TM_TYPE_DOUBLE, 0, 0},
    {"mean_ns", TM_TYPE_INT64, 0, 0},     {"slow_ns", TM_TYPE_INT64, 0, 0},
    {"slow_share", TM_TYPE_DOUBLE, 0, 0},
};

static const tm__column_spec causes[] = {
    {"id", TM_TYPE_INT32, 0, 0},         {"parent", TM_TYPE_INT32, 0, 0},
    {"depth", TM_TYPE_INT32, 0, 0},      {"cause", TM_TYPE_STRING, 0, 0},
    {"text", TM_TYPE_STRING, 0, 0},      {"name", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},     {"method", TM_TYPE_STRING, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0}, {"thread", TM_TYPE_STRING, 0, 0},
    {"time_ns", TM_TYPE_INT64, 0, 0},    {"share", TM_TYPE_DOUBLE, 0, 0},
    {"count", TM_TYPE_INT64, 0, 0},      {"provenance", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec findings[] = {
    {"rank", TM_TYPE_INT32, 0, 0},
    {"kind", TM_TYPE_STRING, 0, 0},
    {"title", TM_TYPE_STRING, 0, 0},
    {"impact_ns", TM_TYPE_INT64, 0, 0},
    {"bound_ns", TM_TYPE_INT64, 0, 0},
    {"gain_ns", TM_TYPE_INT64, 0, 0},
    {"gain_low_ns", TM_TYPE_INT64, 0, 0},
    {"gain_high_ns", TM_TYPE_INT64, 0, 0},
    {"minor", TM_TYPE_BOOL, 0, 0},
    {"suspected", TM_TYPE_BOOL, 0, 0},
    {"waits", TM_TYPE_STRING, 0, 0},
    {"holds", TM_TYPE_STRING, 0, 0},
    {"gain", TM_TYPE_STRING, 0, 0},
    {"advice", TM_TYPE_STRING, 0, 0},
    {"caveat", TM_TYPE_STRING, 0, 0},
    {"text", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},
    {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},
    {"line", TM_TYPE_INT32, 0, 0},
    {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},
    {"object", TM_TYPE_STRING, 0, 0},
    {"evidence_table", TM_TYPE_STRING, 0, 0},
    {"evidence_where", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec verdict[] = {
    {"kind", TM_TYPE_STRING, 0, 0},     {"title", TM_TYPE_STRING, 0, 0},
    {"since_ns", TM_TYPE_INT64, 0, 0},  {"suspected", TM_TYPE_BOOL, 0, 0},
    {"threads", TM_TYPE_INT32, 0, 0},   {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},   {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},    {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},   {"line", TM_TYPE_INT32, 0, 0},
    {"text", TM_TYPE_STRING, 0, 0},     {"advice", TM_TYPE_STRING, 0, 0},
    {"examined", TM_TYPE_STRING, 0, 0}, {"remedy", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec verdict_members[] = {
    {"position", TM_TYPE_INT32, 0, 0},    {"thread_id", TM_TYPE_UINT64, 0, 0},
    {"thread", TM_TYPE_STRING, 0, 0},     {"state", TM_TYPE_STRING, 0, 0},
    {"start_ns", TM_TYPE_INT64, 0, 0},    {"object", TM_TYPE_STRING, 0, 0},
    {"class", TM_TYPE_STRING, 0, 0},      {"method", TM_TYPE_STRING, 0, 0},
    {"source", TM_TYPE_STRING, 0, 0},     {"line", TM_TYPE_INT32, 0, 0},
    {"edge", TM_TYPE_STRING, 0, 0},       {"by_id", TM_TYPE_UINT64, 0, 0},
    {"by", TM_TYPE_STRING, 0, 0},         {"alternatives", TM_TYPE_INT32, 0, 0},
    {"provenance", TM_TYPE_STRING, 0, 0}, {"why", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec finding_kinds[] = {
    {"kind", TM_TYPE_STRING, 0, 0},
    {"looked_for", TM_TYPE_BOOL, 0, 0},
    {"why", TM_TYPE_STRING, 0, 0},
    {"remedy", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec modules[] = {
    {"module", TM_TYPE_STRING, 0, 0},
    {"build_id", TM_TYPE_STRING, 0, 0},
};

static const tm__column_spec diagnostics[] = {
    {"cause", TM_TYPE_STRING, 0, 0},
    {"count", TM_TYPE_UINT64, 0, 0},
};

static const tm__column_spec caveats[] = {
    {"caveat", TM_TYPE_STRING, 0, 0},
};

const tm__table_spec tm__threads_table = SPEC("threads", threads);
const tm__table_spec tm__groups_table = SPEC("groups", groups);
const tm__table_spec tm__locks_table = SPEC("locks", groups);
const tm__table_spec tm__callers_table = SPEC("callers", groups);
const tm__table_spec tm__objects_table = SPEC("objects", groups);
const tm__table_spec tm__total_table = SPEC("total", groups);
const tm__table_spec tm__histogram_table = SPEC("histogram", histogram);
const tm__table_spec tm__class_sums_table = SPEC("class_sums", class_sums);
const tm__table_spec tm__timeline_table = SPEC("timeline", timeline);
const tm__table_spec tm__tiles_table = SPEC("tiles", tiles);
const tm__table_spec tm__stacks_table = SPEC("stacks", stacks);
const tm__table_spec tm__interactions_table = SPEC("interactions", interactions);
const tm__table_spec tm__context_table = SPEC("context", context);
const tm__table_spec tm__context_totals_table = SPEC("context_totals", context_totals);
const tm__table_spec tm__deadlocks_table = SPEC("deadlocks", deadlocks);
const tm__table_spec tm__critical_path_table = SPEC("critical_path", critical_path);
const tm__table_spec tm__explanation_table = SPEC("explanation", explanation);
const tm__table_spec tm__path_rollup_table = SPEC("path_rollup", path_rollup);
const tm__table_spec tm__whatif_table = SPEC("whatif", whatif);
const tm__table_spec tm__lock_order_table = SPEC("lock_order", lock_order);
const tm__table_spec tm__lock_edges_table = SPEC("lock_edges", lock_edges);
const tm__table_spec tm__blame_table = SPEC("blame", blame);
const tm__table_spec tm__blamed_table = SPEC("blamed", blamed);
const tm__table_spec tm__blockers_table = SPEC("blockers", blamed);
const tm__table_spec tm__holds_table = SPEC("holds", holds);
const tm__table_spec tm__hold_times_table = SPEC("hold_times", hold_times);
const tm__table_spec tm__resources_table = SPEC("resources", resources);
const tm__table_spec tm__resource_uses_table = SPEC("resource_uses", resource_uses);
const tm__table_spec tm__units_table = SPEC("units", units);
const tm__table_spec tm__unit_kinds_table = SPEC("unit_kinds", unit_kinds);
const tm__table_spec tm__unit_parts_table = SPEC("unit_parts", unit_parts);
const tm__table_spec tm__causes_table = SPEC("causes", causes);
const tm__table_spec tm__findings_table = SPEC("findings", findings);
const tm__table_spec tm__verdict_table = SPEC("verdict", verdict);
const tm__table_spec tm__verdict_members_table =
    SPEC("verdict_members", verdict_members);
const tm__table_spec tm__finding_kinds_table = SPEC("finding_kinds", finding_kinds);
const tm__table_spec tm__modules_table = SPEC("modules", modules);
const tm__table_spec tm__diagnostics_table = SPEC("diagnostics", diagnostics);
const tm__table_spec tm__caveats_table = SPEC("caveats", caveats);
