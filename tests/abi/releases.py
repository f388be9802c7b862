# SPDX-License-Identifier: Apache-2.0
"""A header made of a dump of the binary interface, so that a program of an earlier
release can be compiled when its headers are gone, or one of a release to come."""

import re
from collections import defaultdict

NAME = re.compile(r"(?<!struct )\btm_\w+")
# How much longer a struct of the next release is, for all that this one knows.
MORE = "uint64_t more_[2]"


def named(kind: str, name: str) -> str:
    """A declaration: a pointer to a function has its name in the middle."""
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})", 1)
    return f"{kind} {name}"


class Dump:
    """What a dump promises, by kind."""

    def __init__(self, text: str) -> None:
        self.functions: dict[str, tuple[str, str]] = {}
        self.nodes: dict[str, str] = {}
        self.callbacks: dict[str, str] = {}
        self.enums: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        fields = defaultdict(list)
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            name, _, rest = rest.partition(" ")
            if kind == "function":
                self.nodes[name], _, rest = rest.partition(" ")
                result, _, arguments = rest.partition("(")
                self.functions[name] = (result, arguments[:-1])
            elif kind == "callback":
                self.callbacks[name] = rest
            elif kind == "enum":
                self.enums[name] = rest
            elif kind == "size":
                self.sizes[name] = int(rest)
            elif kind == "field":
                struct, field = name.split(".")
                _, at, type_ = rest.split(" ", 2)
                fields[struct].append((int(at), field, type_))
        self.fields = {name: sorted(all_) for name, all_ in fields.items()}

    def grows(self, struct: str) -> bool:
        return self.fields[struct][0][1:] == ("size", "size_t")

    def grow(self, newer: "Dump") -> None:
        """Have structs that carry their size end as they do in a newer dump."""
        for name, fields in self.fields.items():
            if self.grows(name) and name in newer.fields:
                end = fields[-1][0]
                fields += [field for field in newer.fields[name] if field[0] > end]
                self.sizes[name] = newer.sizes[name]

    def header(self, unused: set[str] | None = None, *, longer: bool = False) -> str:
        """The header.

        @param unused  fields that structs need not have at their end: those of them
                       that carry their size are one shorter
        @param longer  those that carry their size have something more
        """
        text = repr(self.functions) + repr(self.callbacks) + repr(self.fields)
        opaque = set(NAME.findall(text)) - {*self.functions, *self.callbacks}
        lines = ["#pragma once", "#include <stddef.h>", "#include <stdint.h>"]
        lines += [
            f"struct {name};" for name in sorted(set(re.findall(r"struct (\w+)", text)))
        ]
        lines += [
            f"typedef struct {name} {name};"
            for name in sorted(opaque | {*self.fields})
            if name.startswith("tm_")
        ]
        lines += [f"enum {{ {name} = {n} }};" for name, n in self.enums.items()]
        lines += [f"typedef {named(t, n)};" for n, t in self.callbacks.items()]
        for struct, fields in self.fields.items():
            kept = [named(type_, field) for _, field, type_ in fields]
            if self.grows(struct) and longer:
                kept.append(MORE)
            elif self.grows(struct) and unused and fields[-1][1] in unused:
                kept.pop()
            body = "".join(f"    {declared};\n" for declared in kept)
            lines.append(f"struct {struct} {{\n{body}}};")
            if not unused and not longer:
                size = f"sizeof(struct {struct}) == {self.sizes[struct]}"
                lines.append(f'_Static_assert({size}, "as it was");')
        lines += [f"{r} {name}({args});" for name, (r, args) in self.functions.items()]
        return "\n".join([*lines, ""])

    def symbol_map(self) -> str:
        """Which function is in which version node: without it libabigail compares none
        of their types."""
        lines = []
        for node in sorted(set(self.nodes.values())):
            names = [f"{name};" for name, own in self.nodes.items() if own == node]
            lines.append(f"{node} {{ global: {' '.join(names)} }};")
        return "\n".join([*lines, ""])

    def stand_ins(self) -> str:
        """Source of a library with the same functions, which do nothing."""
        lines = ["#include <threadmodel/threadmodel.h>"]
        for name, (result, arguments) in self.functions.items():
            types = [] if arguments == "void" else arguments.split(", ")
            taken = ", ".join(f"{type_} a{i}" for i, type_ in enumerate(types))
            body = "" if result.strip() == "void" else "return 0; "
            lines.append(f"{result} {name}({taken or 'void'}) {{ {body}}}")
        return "\n".join([*lines, ""])
