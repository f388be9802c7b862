# SPDX-License-Identifier: Apache-2.0
"""Tables by name. Made by ./dev describe from libthreadmodel/table/tables.toml."""

from typing import Final

#: The method of Model that answers with a table, by its name.
QUESTIONS: Final = {
    "threads": "threads",
    "locks": "locks",
    "callers": "callers",
    "objects": "objects",
    "timeline": "timeline",
    "stacks": "stacks",
    "interactions": "interactions",
    "context": "context",
    "context_totals": "context_totals",
    "deadlocks": "deadlocks",
    "critical_path": "critical_path",
    "whatif": "whatif_rank",
    "lock_order": "lock_order",
    "blame": "blame",
    "blockers": "blockers",
    "holds": "holds",
    "hold_times": "hold_times",
    "resources": "resources",
    "resource_uses": "resource_uses",
    "units": "units",
    "unit_kinds": "unit_kinds",
    "unit_parts": "unit_parts",
    "causes": "causes",
    "findings": "findings",
    "verdict": "verdict",
    "verdict_members": "verdict_members",
    "finding_kinds": "finding_kinds",
    "modules": "modules",
    "diagnostics": "diagnostics",
}
