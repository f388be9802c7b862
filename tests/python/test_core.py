# SPDX-License-Identifier: Apache-2.0
"""The extension module agrees with the headers."""

import ast
import re
import subprocess
import sys
from inspect import ismodule
from pathlib import Path

import pytest

import threadmodel
from describe.enums import read_enums
from describe.python import ENUMS, class_name
from threadmodel import _enums, _library
from threadmodel._core import ffi, lib
from threadmodel.event import EVENT_BYTES

HEADERS = sorted(
    (Path(__file__).parents[2] / "include" / "threadmodel").glob("*.h"),
)
FUNCTION = re.compile(r"\bTM_API\b[^;(]*?\b(tm_\w+)\s*\(", re.DOTALL)
ENUM = re.compile(r"\benum (tm_\w+)\s*\{([^}]*)\}")


def text_of(header: Path) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.DOTALL)


def declared() -> list[str]:
    return [name for header in HEADERS for name in FUNCTION.findall(text_of(header))]


def constants(enum: str) -> dict[str, int]:
    for header in HEADERS:
        for name, body in ENUM.findall(text_of(header)):
            if name == enum:
                names = re.findall(r"\b(TM_\w+)\s*=", body)
                return {n: getattr(lib, n) for n in names}
    raise AssertionError(enum)


def test_headers_were_found() -> None:
    assert len(HEADERS) >= 20
    assert len(declared()) >= 60
    assert "tm_model_ingest" in declared()


@pytest.mark.parametrize("name", declared())
def test_every_function_of_the_headers_is_callable(name: str) -> None:
    function = getattr(lib, name)
    assert callable(function)
    assert ffi.typeof(function).kind == "function"


def test_every_constant_of_the_headers_is_there() -> None:
    names = [
        name
        for header in HEADERS
        for _, body in ENUM.findall(text_of(header))
        for name in re.findall(r"\b(TM_\w+)\s*=", body)
    ]
    assert len(names) > 100
    for name in names:
        assert isinstance(getattr(lib, name), int)


@pytest.mark.parametrize("name", ENUMS)
def test_enums_are_those_of_the_library(name: str) -> None:
    ours = getattr(_enums, class_name(name))
    values = read_enums()[name].values
    assert {member.name: member.value for member in ours} == {
        value.name.upper(): getattr(lib, value.spelling) for value in values
    }


def stub() -> dict[str, set[str]]:
    """The classes of _core.pyi, and the names that each has."""
    text = Path(_library.__file__).with_name("_core.pyi").read_text()
    return {
        node.name: {
            part.target.id if isinstance(part, ast.AnnAssign) else part.name
            for part in node.body
            if isinstance(part, (ast.AnnAssign, ast.FunctionDef))
        }
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    }


def test_the_stub_has_what_the_module_has() -> None:
    assert stub()["Lib"] == set(dir(lib))


def fields_of(struct: str) -> set[str]:
    try:
        ffi.sizeof(struct)
    except ffi.error:  # its content is internal to the library
        return set()
    kind = ffi.typeof(struct)
    # A callback has none.
    return {name for name, _ in kind.fields} if kind.kind == "struct" else set()


def test_the_stub_has_the_fields_of_structs() -> None:
    structs = {
        name: fields - {"__getitem__"}
        for name, fields in stub().items()
        if name.startswith("tm_") and not name.endswith("_fn")
    }
    assert structs == {name: fields_of(name) for name in structs}
    assert "start_wall_ns" in structs["tm_run"]
    assert structs["tm_model"] == set()


def test_the_stub_is_exact() -> None:
    text = Path(_library.__file__).with_name("_core.pyi").read_text()
    assert "Any" not in re.findall(r"\w+", text)


def test_an_event_is_laid_out_as_in_c() -> None:
    assert ffi.sizeof("tm_event") == EVENT_BYTES
    event = threadmodel.Event(-1, 2, 3, 4, 5, -6, 7, 8)
    packed = ffi.from_buffer("tm_event[]", threadmodel.event.pack([event]))[0]
    for field in threadmodel.Event._fields:
        assert getattr(packed, field) == getattr(event, field)


def test_numpy_events_are_laid_out_as_in_c() -> None:
    pytest.importorskip("numpy")
    dtype = threadmodel.event_dtype()
    assert dtype.itemsize == EVENT_BYTES
    for field, (_, offset) in dtype.fields.items():
        assert offset == ffi.offsetof("tm_event", field)


def test_version_is_that_of_the_loaded_library() -> None:
    assert _library.version_text(lib.tm_version()) == threadmodel.__version__


def test_another_minor_release_is_refused() -> None:
    _library.check_version(100, 101)
    with pytest.raises(ImportError, match=r"built for libthreadmodel 0\.1\.0.*0\.2\.0"):
        _library.check_version(100, 200)


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        (lib.TM_ENOMEM, (MemoryError, threadmodel.OutOfMemoryError)),
        (lib.TM_EINVAL, (ValueError, threadmodel.InvalidArgumentError)),
        (lib.TM_EIO, (OSError, threadmodel.InputOutputError)),
        (lib.TM_EFORMAT, (ValueError, threadmodel.FormatError)),
        (lib.TM_EDAMAGED, (ValueError, threadmodel.DamagedError)),
        (lib.TM_EVERSION, (ValueError, threadmodel.NewerVersionError)),
        (lib.TM_ENOTFOUND, (LookupError, threadmodel.NotFoundError)),
        (lib.TM_ELIMIT, (OverflowError, threadmodel.LimitError)),
        (lib.TM_EUNSUPPORTED, (NotImplementedError, threadmodel.UnsupportedError)),
        (lib.TM_ESTOPPED, (RuntimeError, threadmodel.StoppedError)),
        (-99, (threadmodel.ThreadmodelError,)),
    ],
)
def test_every_error_code_is_an_exception(
    code: int, kinds: tuple[type[Exception], ...]
) -> None:
    for kind in (*kinds, threadmodel.ThreadmodelError):
        with pytest.raises(kind):
            _library.check(code)


def test_every_error_code_of_the_header_is_tested() -> None:
    mapped = set(_library._EXCEPTIONS)
    assert mapped == {n for n in constants("tm_error").values() if n < 0}


def test_importing_needs_no_numpy_and_no_terminal_library() -> None:
    code = (
        "import sys, threadmodel\n"
        "heavy = {'numpy', 'pandas', 'polars', 'pyarrow', 'click'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd="/")


def test_the_package_names_what_is_public_and_no_submodule() -> None:
    names = [name for name in dir(threadmodel) if not name.startswith("__")]
    assert sorted(names) == sorted(threadmodel.__all__)
    modules = [name for name in names if ismodule(getattr(threadmodel, name))]
    assert modules == ["agent"]
