# SPDX-License-Identifier: Apache-2.0
"""What a check found, in the formats that CI systems read: JUnit XML and SARIF."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree

import threadmodel
from threadmodel.text import clean

RULES: Final = {
    "no-deadlock": "No deadlock may be found",
    "no-lock-inversion": "No locks may be acquired in two orders that can deadlock",
    "verdict": "No thread may be deadlocked, stuck or starved",
    "max-blocked-share": "Threads may queue for locks for a part of their time only",
    "max-p99": "99 of 100 requests may take a given time at most",
    "no-regression": "Requests, or else locks, may not take longer than in the base",
}
SARIF_VERSION: Final = "2.1.0"
SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json"
)
# What no XML document can hold, escaped or not.
NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Broken:
    """A limit that was broken, and a row that did it.

    Attributes:
        limit: the option that set it
        text: what broke it, in one line
        method: where in the program, ``package.Class.method``; None: no one place
        source: file name of that
        line: of that, from 1; 0: unknown
    """

    limit: str
    text: str
    method: str | None = None
    source: str | None = None
    line: int = 0


def junit(run: str, limits: Iterable[str], broken: Sequence[Broken]) -> bytes:
    """Write a test suite with a case for each limit, failed where it is broken."""
    suite = ElementTree.Element("testsuite", name=f"threadmodel check {_xml(run)}")
    for limit in limits:
        case = ElementTree.SubElement(
            suite, "testcase", classname="threadmodel.check", name=limit
        )
        lines = [_xml(clean(item.text)) for item in broken if item.limit == limit]
        if lines:
            failure = ElementTree.SubElement(case, "failure", message=lines[0])
            failure.text = "\n".join(lines)
    failures = len({item.limit for item in broken})
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failures))
    suite.set("errors", "0")
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _xml(text: str) -> str:
    return NO_XML.sub("\ufffd", text)


def sarif(run: str, broken: Sequence[Broken]) -> bytes:
    """Write a SARIF log with a result for each row that broke a limit."""
    rules = [
        {"id": limit, "shortDescription": {"text": text}}
        for limit, text in RULES.items()
    ]
    document = {
        "$schema": SARIF_SCHEMA,
        "version": SARIF_VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "threadmodel",
                        "semanticVersion": threadmodel.__version__,
                        "rules": rules,
                    }
                },
                "results": [_result(run, item) for item in broken],
            }
        ],
    }
    return json.dumps(document, indent=2).encode()


def _result(run: str, broken: Broken) -> dict[str, Any]:
    return {
        "ruleId": broken.limit,
        "ruleIndex": list(RULES).index(broken.limit),
        "level": "error",
        "message": {"text": clean(broken.text)},
        "locations": [_location(run, broken)],
    }


def _location(run: str, broken: Broken) -> dict[str, Any]:
    """Say where in the program; without a source file, which recording shows it."""
    if broken.source is None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(run)}}
    else:
        package = (broken.method or "").split(".")[:-2]
        path = PurePosixPath(*package, broken.source)
        physical = {"artifactLocation": {"uri": _uri(str(path))}}
        if broken.line > 0:
            physical["region"] = {"startLine": broken.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if broken.method:
        location["logicalLocations"] = [
            {"fullyQualifiedName": clean(broken.method), "kind": "function"}
        ]
    return location


def _uri(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))
