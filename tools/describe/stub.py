# SPDX-License-Identifier: Apache-2.0
"""_core.pyi: the types of what CFFI makes of the headers.

A pointer to a struct is a class of the struct's name, and so is an array of them: CFFI
gives the fields of both alike. Other pointers and arrays are Pointer[...]. Any pointer
may be ffi.NULL where C takes one.
"""

import re
from functools import cache

from pycparser import c_ast

from describe import MADE
from describe.headers import INCLUDE, UMBRELLA, Api, read_api
from describe.python import formatted

HEAD = f'''\
# SPDX-License-Identifier: Apache-2.0
"""The C library as CFFI has it. {MADE} from the headers.

A class with the name of a struct is a pointer to it, or an array of them.
"""

from collections.abc import Callable
from typing import Generic, Literal, Self, TypeVar, overload

_T = TypeVar("_T")
_C = TypeVar("_C", bound="CData")
_F = TypeVar("_F", bound=Callable[..., object])

class CData:
    """A value of C: pointers are equal where they point to the same."""

    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...
    def __len__(self) -> int: ...

class Pointer(CData, Generic[_T]):
    """A pointer to numbers or pointers, or an array of them."""

    def __getitem__(self, index: int) -> _T: ...
    def __setitem__(self, index: int, value: _T) -> None: ...

class Chars(CData):
    """A pointer to characters, or an array of them."""

class Null(CData):
    """No pointer, of whatever type."""

class CType:
    """A type of C."""

    @property
    def item(self) -> CType: ...

class Buffer:
    """Memory of C."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __getitem__(self, index: slice) -> bytes: ...
    def __len__(self) -> int: ...
'''
FFI = '''
class FFI:
    """What CFFI itself offers, as far as the package uses it."""

    NULL: Null
{new}
    @overload
    def new(self, cdecl: str, init: object = ...) -> CData: ...
    @overload
    def from_buffer(self, cdecl: Literal["tm_event[]"], buffer: object) -> tm_event: ...
    @overload
    def from_buffer(
        self, cdecl: Literal["uint8_t[]", "uint64_t[]"], buffer: object
    ) -> Pointer[int]: ...
    @overload
    def cast(self, cdecl: Literal["char **"], source: CData) -> Pointer[Chars]: ...
    @overload
    def cast(self, cdecl: Literal["uintptr_t"], source: CData) -> CData: ...
    def gc(
        self, cdata: _C, destructor: Callable[[_C], object] | None, size: int = ...
    ) -> _C: ...
    def string(self, cdata: Chars | Null, maxlen: int = ...) -> bytes: ...
    def buffer(self, cdata: object, size: int = ...) -> Buffer: ...
    def memmove(self, to: object, source: object, count: int) -> None: ...
    def sizeof(self, of: str | CData | CType) -> int: ...
    def alignof(self, of: str | CType) -> int: ...
    def typeof(self, of: str | CData) -> CType: ...
    def new_handle(self, of: object) -> CData: ...
    def from_handle(self, handle: CData) -> object: ...
    def def_extern(
        self,
        name: str = ...,
        error: object = ...,
        onerror: Callable[..., object] = ...,
    ) -> Callable[[_F], _F]: ...
'''
NUMBERS = {
    **dict.fromkeys(("char", "int", "unsigned int", "long", "unsigned long"), "int"),
    **dict.fromkeys(
        (f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)), "int"
    ),
    "size_t": "int",
    "double": "float",
}
# Numbers that the package makes arrays of, or gets through a pointer.
NUMBER_TYPES = ("int32_t", "int64_t", "uint32_t", "uint64_t", "size_t")
OWN_HEADERS = ("relay.h", "threads.h")
# What Python implements, see core.py.
CALLBACKS = ["threadmodel_write: tm_write_fn"]


@cache
def api() -> Api:
    return read_api(UMBRELLA, *OWN_HEADERS)


def words(kind: c_ast.TypeDecl) -> str:
    of = kind.type
    return of.name if isinstance(of, c_ast.Struct) else " ".join(of.names)


def type_of(kind: c_ast.Node, given: bool) -> str:
    """A type in Python; where one is given, C takes ffi.NULL and bytes for pointers."""
    if isinstance(kind, c_ast.TypeDecl):
        name = words(kind)
        return "None" if name == "void" else NUMBERS.get(name, name)
    if isinstance(kind, c_ast.ArrayDecl):
        return pointer(kind.type)
    text = pointer(kind.type)
    if not given or text == "object":
        return text
    return f"{text} | bytes | Null" if text == "Chars" else f"{text} | Null"


def pointer(to: c_ast.Node) -> str:
    if isinstance(to, c_ast.FuncDecl):
        taken = ", ".join(kind for _, kind in parameters(to, given=False))
        return f"Callable[[{taken}], {type_of(to.type, given=False)}]"
    if isinstance(to, c_ast.PtrDecl):
        inner = pointer(to.type)
        return f"Pointer[{inner}]"
    name = words(to)
    if name == "void":
        return "object"
    if name == "char":
        return "Chars"
    return f"Pointer[{NUMBERS[name]}]" if name in NUMBERS else name


def parameters(function: c_ast.FuncDecl, given: bool) -> list[tuple[str, str]]:
    if not function.args:
        return []
    found = []
    for number, one in enumerate(function.args.params):
        kind = type_of(one.type, given)
        if kind != "None":
            found.append((one.name or f"argument{number}", kind))
    return found


def function(name: str, declared: c_ast.FuncDecl) -> str:
    taken = [f"{key}: {kind}" for key, kind in parameters(declared, given=True)]
    back = type_of(declared.type, given=False)
    listed = ", ".join(["self", *taken, "/"] if taken else ["self"])
    return f"    def {name}({listed}) -> {back}: ..."


def pointed() -> dict[str, c_ast.Struct | None]:
    """Structs by name, those whose fields nobody sees among them: None."""
    found: dict[str, c_ast.Struct | None] = {}
    for node in api().tree.ext:
        kind = node.type.type if isinstance(node, c_ast.Typedef) else node.type
        if isinstance(node, c_ast.Typedef) and not isinstance(
            node.type, c_ast.TypeDecl
        ):
            continue
        if isinstance(kind, c_ast.Struct):
            name = node.name or kind.name
            found[name] = kind if kind.decls else found.get(name)
    return found


def struct_class(name: str, struct: c_ast.Struct | None) -> str:
    if struct is None:
        return f"class {name}(CData): ...\n"
    lines = [f"class {name}(CData):"]
    for field in struct.decls:
        if isinstance(field.type, c_ast.PtrDecl):
            kind = type_of(field.type, given=True).replace(" | bytes", "")
        else:
            kind = type_of(field.type, given=False)
        lines.append(f"    {field.name}: {kind}")
    lines.append("    def __getitem__(self, index: int) -> Self: ...")
    return "\n".join(lines) + "\n"


def news() -> str:
    """Overloads of ffi.new()."""
    made = []
    for name, struct in pointed().items():
        if name.startswith("Arrow"):
            continue
        if struct is None:
            made.append(([f"{name} **"], f"Pointer[{name}]"))
        else:
            made.append(([f"{name} *", f"{name}[]"], name))
    made += [([f"{one} *", f"{one}[]"], "Pointer[int]") for one in NUMBER_TYPES]
    made += [(["char[]"], "Chars"), (["char *[]"], "Pointer[Chars]")]
    lines = []
    for ctypes, python in made:
        listed = ", ".join(f'"{one}"' for one in ctypes)
        lines += [
            "    @overload",
            f"    def new(self, cdecl: Literal[{listed}], init: object = ...)"
            f" -> {python}: ...",
        ]
    return "\n".join(lines)


def constants() -> list[str]:
    """Values of enums and the numbers that are defined."""
    named = [name for names in api().enums.values() for name in names]
    for path in sorted((INCLUDE / "threadmodel").glob("*.h")):
        named += re.findall(r"^#define (\w+) -?\d+$", path.read_text(), re.MULTILINE)
    return [f"    {name}: int" for name in named]


def stub() -> str:
    parts = [HEAD]
    parts += [struct_class(name, struct) for name, struct in pointed().items()]
    parts += [f"class {name}(CData): ...\n" for name in api().callbacks]
    functions = [
        function(node.name, node.type)
        for node in api().tree.ext
        if not isinstance(node, c_ast.Typedef) and isinstance(node.type, c_ast.FuncDecl)
    ]
    parts.append(FFI.strip("\n").format(new=news()) + "\n")
    lines = ["class Lib:", '    """What the headers declare."""', ""]
    lines += [*constants(), *(f"    {one}" for one in CALLBACKS), *functions]
    parts.append("\n".join(lines) + "\n")
    parts.append("ffi: FFI\nlib: Lib\n")
    return formatted("\n".join(parts), ".pyi")
