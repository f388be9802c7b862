/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of every table. Made by ./dev describe from tables.toml. */
#ifndef TM_TABLE_TABLES_H
#define TM_TABLE_TABLES_H

#include "table/builder.h"

extern const tm__table_spec tm__threads_table;
extern const tm__table_spec tm__groups_table;
extern const tm__table_spec tm__locks_table;
extern const tm__table_spec tm__callers_table;
extern const tm__table_spec tm__objects_table;
extern const tm__table_spec tm__total_table;
extern const tm__table_spec tm__histogram_table;
extern const tm__table_spec tm__class_sums_table;
extern const tm__table_spec tm__timeline_table;
extern const tm__table_spec tm__tiles_table;
extern const tm__table_spec tm__stacks_table;
extern const tm__table_spec tm__interactions_table;
extern const tm__table_spec tm__context_table;
extern const tm__table_spec tm__context_totals_table;
extern const tm__table_spec tm__deadlocks_table;
extern const tm__table_spec tm__critical_path_table;
extern const tm__table_spec tm__explanation_table;
extern const tm__table_spec tm__path_rollup_table;
extern const tm__table_spec tm__whatif_table;
extern const tm__table_spec tm__lock_order_table;
extern const tm__table_spec tm__lock_edges_table;
extern const tm__table_spec tm__blame_table;
extern const tm__table_spec tm__blamed_table;
extern const tm__table_spec tm__blockers_table;
extern const tm__table_spec tm__holds_table;
extern const tm__table_spec tm__hold_times_table;
extern const tm__table_spec tm__resources_table;
extern const tm__table_spec tm__resource_uses_table;
extern const tm__table_spec tm__units_table;
extern const tm__table_spec tm__unit_kinds_table;
extern const tm__table_spec tm__unit_parts_table;
extern const tm__table_spec tm__causes_table;
extern const tm__table_spec tm__findings_table;
extern const tm__table_spec tm__verdict_table;
extern const tm__table_spec tm__verdict_members_table;
extern const tm__table_spec tm__finding_kinds_table;
extern const tm__table_spec tm__modules_table;
extern const tm__table_spec tm__diagnostics_table;
extern const tm__table_spec tm__caveats_table;

#endif
