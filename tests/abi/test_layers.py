# SPDX-License-Identifier: Apache-2.0
"""Folders are layers: who may know whom, and that the build enforces it."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from headers import ROOT, map_nodes

LIBRARY = ROOT / "libthreadmodel"
BELOW = {
    "base": set(),
    "table": {"base"},
    "model": {"base", "table"},
    "analysis": {"base", "table", "model"},
    "trace": {"base"},
    "formats": {"base", "trace"},
    "export": {"base"},
}
LAYERS = sorted(path.name for path in LIBRARY.iterdir() if path.is_dir())


def compile_command(build: Path, layer: str) -> list[str]:
    """How the build compiles the first source of a layer, without input and output."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = (build / entry["file"]).resolve()
        if source.parent == LIBRARY / layer:
            words = shlex.split(entry["command"])
            return words[: words.index("-MD")]
    pytest.skip(f"{layer} has no sources")


def test_every_folder_is_a_known_layer() -> None:
    assert set(LAYERS) <= set(BELOW)


@pytest.mark.parametrize("other", LAYERS)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_header_compiles_just_where_it_may_be_known(
    build: Path, layer: str, other: str
) -> None:
    headers = sorted((LIBRARY / other).glob("*.h"))
    command = compile_command(build, layer)
    if not headers:
        pytest.skip(f"{other} has no headers")
    for header in headers:
        done = subprocess.run(
            [*command, "-fsyntax-only", "-x", "c", "-"],
            cwd=build,
            input=f'#include "{other}/{header.name}"\nint tm__layer_test;\n',
            capture_output=True,
            text=True,
            check=False,
        )
        if other == layer or other in BELOW[layer]:
            assert done.returncode == 0, done.stderr
        else:
            assert done.returncode != 0, f"{layer} can include {other}/{header.name}"
            assert f"{other}/{header.name}: No such file" in done.stderr


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_calls_only_what_it_may_know(build: Path, layer: str) -> None:
    """By linking too: a private declaration copied into a source would show here."""
    archives = {name: build / "libthreadmodel" / f"libtm_{name}.a" for name in LAYERS}
    theirs = set()
    for name in {layer} | BELOW[layer]:
        theirs |= symbols(archives[name], "--defined-only")
    wanted = {name for name in symbols(archives[layer], "--undefined-only")}
    internal = {name for name in wanted if name.startswith("tm__")}
    assert internal <= theirs
    assert {name for name in wanted - internal if name.startswith("tm_")} <= set(
        map_nodes()
    )


def symbols(archive: Path, which: str) -> set[str]:
    text = subprocess.check_output(["nm", which, "--format=posix", archive], text=True)
    return set(re.findall(r"^(tm_\w+) [A-Z]", text, re.MULTILINE))
