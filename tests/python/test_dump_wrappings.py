# SPDX-License-Identifier: Apache-2.0
"""Dumps within other texts: logs, mails, tickets, pages. Each form is one of those in
which dumps stand in public reports, and must read as the dump that it was made of."""

import csv
import html
import io
import json
import quopri
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from test_dump_forms import RELEASES, answer, docker, lines, mailed, prefixed
from threadmodel import errors

Form = Callable[[list[str]], str | bytes]

GC_LINES = (
    "[12.345s][info][gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(64M)",
    '[12.401s][info][safepoint] Safepoint "G1CollectForAllocation", Total: 201203 ns',
    "2026-11-28T01:20:46.000+0000: 9.1: [GC (Allocation Failure) 6144K->640K(19456K)]",
)


def objects(name: str, **others: Any) -> Form:
    """Return a function that makes an object of each line."""
    return lambda dump: "".join(
        json.dumps({**others, name: line, "n": i}) + "\n" for i, line in enumerate(dump)
    )


def among(foreign: tuple[str, ...], prefix: str = "") -> Form:
    """Return a function that inserts lines of another logger before each thread."""

    def form(dump: list[str]) -> str:
        out = [foreign[0]]
        for i, line in enumerate(dump):
            if line.startswith('"'):
                out.append(foreign[i % len(foreign)])
            out.append(prefix + line)
        return "\n".join([*out, foreign[-1], ""])

    return form


def around(head: str, foot: str, each: str = "%s") -> Form:
    """Return a function that adds a text before a dump and one after it."""
    return lambda dump: head + "".join(each % line + "\n" for line in dump) + foot


def escaped(dump: list[str], **others: Any) -> str:
    """Return the dump as a member of an object within an object, over several lines."""
    return json.dumps({"data": {**others, "threadDump": "\n".join(dump)}}, indent=2)


def rtf(dump: list[str]) -> str:
    """Return a file of a text processor."""
    body = [
        line.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
        for line in dump
    ]
    return "{\\rtf1\\ansi\\deff0 " + "\\par\n".join(body) + "\\par\n}"


def quoted_printable(dump: list[str]) -> bytes:
    """Return a mail whose body is encoded so."""
    body = quopri.encodestring(("\n".join(dump) + "\n").encode())
    return (
        b"From: a@b.example\nSubject: it hangs\nContent-Type: text/plain\n"
        b"Content-Transfer-Encoding: quoted-printable\n\n" + body
    )


def table(dump: list[str]) -> str:
    """Return a page's table with a line of the dump in each row."""
    return "<table>" + "".join(
        f"<tr><td class=n>{i}</td><td>{html.escape(line)}</td></tr>\n"
        for i, line in enumerate(dump)
    )


def exported(dump: list[str]) -> str:
    """Return the export of a log server: a line of the log in each record."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["_time", "host", "message"])
    for i, line in enumerate(dump):
        writer.writerow([f"2026-11-28T01:20:46.{i:03}Z", "web-1", line])
    return text.getvalue()


def zipped(dump: list[str]) -> bytes:
    """Return an archive with another file before the dump."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README", "Taken on Monday.\n")
        archive.writestr("threads/1.tdump", "\n".join(dump))
    return packed.getvalue()


def tarred(dump: list[str]) -> bytes:
    """Return an archive of the kind that a support script makes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        body = "\n".join(dump).encode()
        about = tarfile.TarInfo("threads/1.txt")
        about.size = len(body)
        archive.addfile(about, io.BytesIO(body))
    return packed.getvalue()


def typeset(dump: list[str]) -> str:
    """Return a text with the typographic quotes and dashes of a text processor."""
    out = []
    for line in dump:
        parts = line.replace("\t- ", "\t\u2013 ").split('"')
        marks = "\u201d\u201c" * len(parts)
        made = [mark + part for mark, part in zip(marks, parts, strict=False)]
        out.append("".join(made)[1:])
    return "\n".join(out)


def records(dump: list[str]) -> str:
    """Return the export of a console: a number, and a line in quotes."""
    out = ["timestamp,message"]
    for number, line in enumerate(dump, 1795828846100):
        out.append(str(number) + ',"' + line.replace('"', '""') + '"')
    return "\n".join(out)


def yaml(dump: list[str]) -> str:
    """Return a block of YAML."""
    return "data:\n  dump: |\n" + "".join(f"    {line}\n" for line in dump)


FORMS: dict[str, Form] = {
    "splunk": prefixed("11/28/26\t1:20:46.%n AM\t"),
    "kibana": prefixed("Nov 28, 2026 @ 01:20:46.%n\t"),
    "loki": objects("line", fields={"pod": "shop-7f9c"}),
    "cloudwatch": records,
    "datadog": lambda dump: json.dumps(
        {"attributes": {"message": "\n".join(dump), "service": "shop"}}
    ),
    "array on one line": lambda dump: json.dumps(
        [{"n": i, "text": line} for i, line in enumerate(dump)]
    ),
    "block of yaml": yaml,
    "string of yaml": lambda dump: "dump: " + json.dumps("\n".join(dump)),
    "cdata": around("<log><![CDATA[", "]]></log>"),
    "event of xml": lambda dump: (
        f"<event><message>{html.escape(chr(10).join(dump))}</message></event>"
    ),
    "asciidoc": around("[source]\n----\n", "----\n"),
    "table of confluence": around("", "", "|%s|"),
    "quote of slack": lambda dump: "".join(
        f"&gt; {html.escape(line)}\n" for line in dump
    ),
    "printed by python": lambda dump: repr("\n".join(dump)),
    "less -N": lambda dump: "".join(
        f"{i:7d} {line}\n" for i, line in enumerate(dump, 1)
    ),
    "behind top": around(
        "top - 01:20:46 up 3 days\n  PID USER PR NI  VIRT  RES S %CPU COMMAND\n"
        " 7827 app  20  0 10.1g 2.1g R 99.9 exec-2\n",
        "",
    ),
    "typeset": typeset,
    "kubectl with names": prefixed("[pod/shop-7f9c-x2x4/shop] "),
    "kubectl with names and times": prefixed(
        "[pod/shop-7f9c/shop] 2026-11-28T01:20:46.%nZ "
    ),
    "stern": prefixed("shop-7f9c-x2x4 shop "),
    "journald with micros": prefixed(
        "2026-11-28T01:20:46.%n000+0000 web-1 java[812]: "
    ),
    "syslog": prefixed("<14>1 2026-11-28T01:20:46.%nZ web-1 shop 812 - - "),
    "heroku": prefixed("2026-11-28T01:20:46.%n000+00:00 app[web.1]: "),
    "cloud foundry": prefixed("   2026-11-28T01:20:46.%n+0000 [APP/PROC/WEB/0] OUT "),
    "catalina": prefixed("28-Nov-2026 01:20:46.%n INFO [Catalina-utility-1] a.B.c "),
    "jboss": prefixed("01:20:46,%n INFO  [stdout] (default task-1) "),
    "weblogic": prefixed("<Nov 28, 2026, 1:20:46,%n AM UTC> <Notice> <Stdout> <> "),
    "android logcat": prefixed("11-28 01:20:46.%n   812   830 I System.out: "),
    "systemd cat": prefixed("Nov 28 01:20:46.%n000 web-1 env[812]: "),
    "unified log of the jvm": prefixed("[12.%ns][info][os,thread] "),
    "ansible": prefixed('        "stdout: '),
    "grep": prefixed("server.log:%n:"),
    "grep with context": prefixed("server.log-%n-"),
    "cat -n": prefixed("   %n\t"),
    "git diff": prefixed("+"),
    "quoted twice": prefixed("> > "),
    "quoted without blanks": prefixed(">>"),
    "javadoc": prefixed(" * "),
    "comment": prefixed("// "),
    "jira": around("It hangs.\n{noformat}\n", "{noformat}\nAny idea?\n"),
    "jira code": around("{code:java|title=dump}\n", "{code}\n"),
    "list of markdown": around("1. the dump:\n\n   ```text\n", "   ```\n", "   %s"),
    "details": around("<details><summary>dump</summary>\n\n```\n", "```\n</details>\n"),
    "page": lambda dump: (
        "<!DOCTYPE html><html><body><p>Hi,</p><pre><code>"
        + html.escape("\n".join(dump), quote=False)
        + "</code></pre></body></html>"
    ),
    "page of spans": lambda dump: "".join(
        f'<div class="line"><span>{html.escape(line)}</span></div>\n' for line in dump
    ),
    "page of numeric entities": lambda dump: (
        html.escape("\n".join(dump))
        .replace("&lt;", "&#60;")
        .replace("&gt;", "&#x3E;")
        .replace("&quot;", "&#34;")
    ),
    "page of blanks": lambda dump: "\n".join(
        html.escape(line).replace("\t", "&nbsp;&nbsp;&nbsp;&nbsp;") for line in dump
    ),
    "table of a page": table,
    "message of logstash": objects("message", level="WARN", host={"name": "web-1"}),
    "stackdriver": objects("textPayload", severity="INFO"),
    "bunyan": objects("msg", level=30, v=0),
    "member of an object": lambda dump: escaped(dump, pid=812),
    "string in a string": lambda dump: json.dumps(
        {"log": json.dumps({"msg": "\n".join(dump)}) + "\n", "stream": "stdout"}
    ),
    "records with the dump": exported,
    "gc log": among(GC_LINES),
    "other loggers": among(
        (
            "2026-11-28 01:20:46,001 INFO  [exec-1] shop.Cart - added 3 items",
            '2026-11-28 01:20:46,002 WARN  [exec-2] shop.Db - slow: select "a" from b',
        )
    ),
    "shell": around("$ jstack -l 812 | tee dump.txt\n", "$ \n"),
    "kill": around("$ kill -3 812; tail -f console.log\n", "^C\n"),
    "jcmd": around("812:\n", ""),
    "quoted printable": quoted_printable,
    "rtf": rtf,
    "mailed and quoted": lambda dump: "".join(
        "> " + line + "\n" for line in mailed(dump).split("\n")
    ),
    "docker of kubectl": lambda dump: docker(
        ["2026-11-28T01:20:46.1Z stdout F " + line for line in dump]
    ),
    "trailing blanks": lambda dump: "".join(line + " " * 9 + "\n" for line in dump),
    "blank lines between all": lambda dump: "\n\n".join(dump),
    "no-break spaces": lambda dump: "\n".join(
        line.replace("\t", "\u00a0" * 8) for line in dump
    ),
    "tabs as text": lambda dump: "\n".join(line.replace("\t", "\\t") for line in dump),
    "lines as text": lambda dump: "\\n".join(
        line.replace("\t", "\\t") for line in dump
    ),
    "crlf as text": lambda dump: json.dumps({"dump": "\r\n".join(dump)}),
    "form feeds": lambda dump: "\f\n" + "\n".join(dump) + "\f\n",
    "nul bytes behind": lambda dump: "\n".join(dump).encode() + b"\n" + bytes(4096),
    "forum": around("[code]\n", "[/code]\n"),
    "archive": zipped,
    "archive of a script": tarred,
}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("form", FORMS)
def test_a_wrapped_dump_reads_as_the_dump_that_it_was_made_of(
    form: str, release: str, tmp_path: Path
):
    dump = lines(release)
    plain, other = tmp_path / "plain.txt", tmp_path / "other"
    plain.write_text("\n".join(dump))
    made = FORMS[form](dump)
    other.write_bytes(made if isinstance(made, bytes) else made.encode())
    assert answer(other) == answer(plain)


def test_lines_from_the_newest_to_the_oldest_are_reported(tmp_path: Path):
    path = tmp_path / "export.log"
    for release in RELEASES:
        dump = lines(release)
        times = [
            f"2026-11-28T01:20:46.{100 + i}Z {line}" for i, line in enumerate(dump)
        ]
        path.write_text("\n".join(reversed(times)))
        with pytest.warns(errors.DamagedTraceWarning, match="in reverse order"):
            threadmodel.open(path)


def test_a_record_reads_without_the_first_line_of_its_dump(tmp_path: Path):
    dump = lines("depot-jdk17.txt")
    plain, other = tmp_path / "plain.txt", tmp_path / "other.csv"
    plain.write_text("\n".join(dump[2:]))
    other.write_text(exported(dump[2:]))
    assert answer(other) == answer(plain)
