"""A page of docs/nouns, read as what people type under each of its headings."""

import dataclasses
import re

# The sections of a page, by the program that each is about, and what a block of it must call.
CALLS = {
    "provost": re.compile(r"\bprovost "),
    "curl": re.compile(r"\bcurl "),
    "grpcurl": re.compile(r"\bgrpcurl "),
    "Terraform": re.compile(r"\bresource |\bdata "),
}


class Unreadable(Exception):
    """The page is not as pages have to be."""


@dataclasses.dataclass
class Block:
    """What stands between two fences."""

    mark: str  # what follows the opening fence, such as `sh run`
    line: int  # the line after the opening fence
    text: str


@dataclasses.dataclass
class Step:
    """Commands, and the block that shows what they print; none when they print nothing."""

    commands: Block
    answer: Block | None = None


@dataclasses.dataclass
class Section:
    """All to be run under one heading, `## With PROGRAM`."""

    program: str
    line: int
    configuration: str = ""  # what is in `hcl run` blocks
    steps: list[Step] = dataclasses.field(default_factory=list)

    def calls_its_program(self) -> bool:
        texts = [self.configuration] if self.program == "Terraform" else [step.commands.text for step in self.steps]
        return any(CALLS[self.program].search(text) for text in texts)


def blocks(text: str):
    """Headings as `(line, heading)` and blocks, in their order."""
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if line.startswith("## "):
            yield number, line.removeprefix("## ")
        elif line.startswith("```"):
            body = []
            for _, inner in lines:
                if inner == "```":
                    break
                body.append(inner + "\n")
            else:
                raise Unreadable(f"{number}: the block does not end")
            yield Block(line.removeprefix("```"), number + 1, "".join(body))


def sections(text: str, everywhere: bool = False) -> list[Section]:
    """What the page has to run. Outside the sections there may be such blocks only `everywhere`: in a section without a program."""
    found: list[Section] = []
    section = Section("", 1)
    last = None  # the step that an answer belongs to
    for part in blocks(text):
        if isinstance(part, tuple):
            line, heading = part
            program = heading.removeprefix("With ") if heading.startswith("With ") else ""
            if program and program not in CALLS:
                raise Unreadable(f"{line}: no program is called {program}")
            section, last = Section(program, line), None
        elif part.mark in ("sh run", "hcl run"):
            if not section.program and not everywhere:
                raise Unreadable(f"{part.line}: a block is run outside of the sections With …")
            if section not in found:
                found.append(section)
            if part.mark == "hcl run":
                section.configuration += part.text
            else:
                last = Step(part)
                section.steps.append(last)
        elif part.mark == "text" and last:
            last.answer, last = part, None
        else:
            last = None
    return found


def require(found: list[Section], programs: list[str]) -> None:
    """Raises `Unreadable` unless there is a section with a block for each of the programs."""
    for program in programs:
        if not any(section.program == program and section.calls_its_program() for section in found):
            raise Unreadable(f"1: the page has no {program} block")
