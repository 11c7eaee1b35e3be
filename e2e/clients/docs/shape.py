"""Comparing what was printed with what a page shows, as crates/cli/tests/program/docs/shape.rs does for the other documents."""

import re

# What differs from machine to machine, and the widths of columns that follow from it.
KINDS = [
    (re.compile(r"[0-9a-f]{40}(/[0-9a-f]{16})*"), "[uid]"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "[time]"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:[port]"),
    (re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+"), "[token]"),
    (re.compile(r"-{2,}"), "--"),
    (re.compile(r" {2,}"), " "),
    (re.compile(r" +$", re.MULTILINE), ""),
]


def shape(text: str) -> list[str]:
    """The lines of the text, with what differs by its kind alone."""
    text = text.rstrip()
    for pattern, kind in KINDS:
        text = pattern.sub(kind, text)
    return text.splitlines()


def covers(shown: str, printed: str) -> bool:
    """Whether the line was printed as shown, where `…` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), printed) is not None


def difference(shown: str, printed: str) -> tuple[int, str] | None:
    """The first line, from 0, that is not as shown, with what is there instead; none when all are."""
    want, got = shape(shown), shape(printed)
    for at in range(max(len(want), len(got))):
        shown_line = want[at] if at < len(want) else None
        printed_line = got[at] if at < len(got) else None
        if shown_line is None or printed_line is None or not covers(shown_line, printed_line):
            return at, f"  shown:   {'nothing' if shown_line is None else shown_line}\n  printed: {'nothing' if printed_line is None else printed_line}"
    return None
