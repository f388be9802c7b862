# SPDX-License-Identifier: Apache-2.0
"""What C has of the description: columns to build tables by, names of enums' values."""

import re
import subprocess
from collections.abc import Iterable

from describe import INCLUDE, MADE, ROOT
from describe.columns import Column, Table, Wrong, read_tables
from describe.enums import Enum, read_enums

LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */"
# Names are there to be asked for; those of errors are their spelling, see base/error.c.
NAME_FUNCTION = re.compile(r"TM_API const char \*(tm_\w+)_name\(int (\w+)\);")

# TM__MOST_RULES, less the two columns that every summary has.
MOST_RULES = 62


def formatted(text: str) -> str:
    """C as clang-format has it."""
    done = subprocess.run(
        ["clang-format", f"--style=file:{ROOT / '.clang-format'}"],
        input=text,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout


def owning() -> list[Table]:
    """Tables with columns of their own."""
    return [table for table in read_tables().values() if not table.of]


def spec_header() -> str:
    lines = [
        LICENCE,
        f"/* The columns of every table. {MADE} from tables.toml. */",
        "#ifndef TM_TABLE_TABLES_H",
        "#define TM_TABLE_TABLES_H",
        "",
        '#include "table/builder.h"',
        "",
        *(f"extern const tm__table_spec tm__{name}_table;" for name in read_tables()),
        "",
        "#endif",
        "",
    ]
    return formatted("\n".join(lines))


def bits(keys: Iterable[str]) -> str:
    return " | ".join(keys) or "0"


def spec_row(column: Column) -> str:
    return (
        f'{{"{column.name}", TM_TYPE_{column.type.upper()}, '
        f"{bits(column.keys)}, {bits(column.without)}}},"
    )


def spec_source() -> str:
    keys = {key for table in owning() for c in table.columns for key in c.keys}
    headers = {
        enum.header for enum in read_enums().values() if keys & set(enum.spellings)
    }
    lines = [
        LICENCE,
        f"/* The columns of every table. {MADE} from tables.toml. */",
        '#include "table/tables.h"',
        "",
        *(f"#include <threadmodel/{header}>" for header in sorted(headers)),
        "",
        "#define SPEC(name, columns) "
        "{name, columns, sizeof(columns) / sizeof(*(columns))}",
        "",
    ]
    for table in owning():
        lines.append(f"static const tm__column_spec {table.name}[] = {{")
        lines += [spec_row(column) for column in table.columns]
        lines += ["};", ""]
    for table in read_tables().values():
        name = table.name
        spec = f'SPEC("{name}", {table.of or name})'
        lines.append(f"const tm__table_spec tm__{name}_table = {spec};")
    lines.append("")
    return formatted("\n".join(lines))


def merge_rule(column: Column) -> str:
    # Sums of many runs are larger than those of one.
    type_ = column.type if column.merge == "key" else "int64"
    return (
        f'{{"{column.name}", TM__MERGE_{column.merge.upper()}, '
        f"TM_TYPE_{type_.upper()}}},"
    )


def merge_source() -> str:
    tables = [table for table in read_tables().values() if table.merge]
    lines = [
        LICENCE,
        f"/* How the columns of each table merge. {MADE} from tables.toml. */",
        '#include "summary/rules.h"',
        "",
        "#include <threadmodel/table.h>",
        "",
        "#define RULES(table, rules) {table, rules, sizeof(rules) / sizeof(*(rules))}",
        "",
    ]
    for table in tables:
        if not table.of:
            if len(table.merging) > MOST_RULES:
                raise Wrong(f"table {table.name}: more rules than summary/rules.h has")
            lines.append(f"static const tm__merge_rule {table.name}[] = {{")
            lines += [merge_rule(column) for column in table.merging.values()]
            lines += ["};", ""]
    lines.append("const tm__merge_rules tm__merge_tables[] = {")
    lines += [f'RULES("{table.name}", {table.of or table.name}),' for table in tables]
    lines += [
        "};",
        "const size_t tm__merge_table_count ="
        "    sizeof(tm__merge_tables) / sizeof(*tm__merge_tables);",
        "",
    ]
    return formatted("\n".join(lines))


def named_enums() -> list[tuple[Enum, str]]:
    """Enums whose values a function names, and the name of its parameter."""
    enums = read_enums()
    return [
        (enums[name], parameter)
        for path in sorted(INCLUDE.glob("*.h"))
        for name, parameter in NAME_FUNCTION.findall(path.read_text())
        if name in enums and name != "tm_error"
    ]


def names_source() -> str:
    lines = [
        LICENCE,
        "/* Names of states, kinds and causes, as answers and files have them.",
        f" * {MADE} from the enums of the public headers. */",
        "#include <threadmodel/threadmodel.h>",
        "",
        "#define NAME_OF(names, number) \\",
        "((number) >= 0 && (size_t)(number) < sizeof(names) / sizeof(*(names)) \\",
        "? (names)[number] : NULL)",
        "",
    ]
    for enum, parameter in named_enums():
        lines.append(f"const char *{enum.name}_name(int {parameter})")
        lines.append("{ static const char *const names[] = {")
        lines += [f'[{value.spelling}] = "{value.name}",' for value in enum.values]
        lines.append("};\n")
        lines.append(f"return NAME_OF(names, {parameter}); }}\n")
    return formatted("\n".join(lines))
