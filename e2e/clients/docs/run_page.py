"""Runs what a page of docs/nouns tells people to type, against a live server: run_page.py PAGE PROGRAM…

The page must have a section `## With PROGRAM` for each of the programs. The steps at the beginning of docs/nouns/README.md come
first; then each section has a shell of its own, so that none needs another. What is printed has to be what the page shows. At the end
the organization is deleted, which works when the page has left nothing behind. Of a page without Terraform, nothing is run with it.

Environment: PROVOST_ADDRESS (host:port of the server), PROVOST_DATA (its data folder), PATH (with every program), and for Terraform
TF_CLI_CONFIG_FILE. Prints how many blocks were run.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import page
import shape

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The address that the documents speak of.
ADDRESS = "127.0.0.1:8080"
# Stands before the output of what is at that line of the file.
BORDER = re.compile(r"=== (\S+):(\d+) ===\n")
SECONDS = 240


class Failed(Exception):
    """What is wrong, and where."""


def border(path: pathlib.Path, line: int) -> str:
    return f"printf '=== %s:%s ===\\n' '{path}' {line}\n"


def quiet(command: str, otherwise: str = "") -> str:
    """The command, which prints something only when it fails: what is `otherwise` to be said, and its output."""
    return f"{command} >told 2>&1 || {{ echo '{otherwise}'; cat told; exit 1; }}\n"


def shell(path: pathlib.Path, section: page.Section, preamble: str) -> str:
    """The section as a script."""
    steps = "".join(border(path, step.commands.line) + step.commands.text for step in section.steps)
    if section.program != "Terraform":
        return steps
    pathlib.Path("main.tf").write_text(preamble + section.configuration, encoding="utf-8")
    made = quiet("tofu init") + quiet("tofu apply -auto-approve") + quiet("tofu plan -detailed-exitcode")
    return made + steps + border(path, section.line) + quiet("tofu destroy -auto-approve")


def script(path: pathlib.Path, sections: list[page.Section], first: pathlib.Path, start: list[page.Section]) -> str:
    preamble = "".join(section.configuration for section in start)
    parts = ["exec 2>&1\n"]
    parts += [shell(first, section, preamble) for section in start]
    # What a shell cannot read is told of the section.
    parts += [f"{border(path, section.line)}(\n{shell(path, section, preamble)})\n" for section in sections]
    parts += [border(path, 1), quiet('provost iam organizations delete "$ORG" -y', "the page leaves something behind")]
    return "".join(parts).replace(ADDRESS, os.environ["PROVOST_ADDRESS"])


def environment(folder: str) -> dict[str, str]:
    """That of a new user, who works in the folder."""
    kept = {name: os.environ[name] for name in ("PATH", "PROVOST_DATA", "TF_CLI_CONFIG_FILE") if name in os.environ}
    return kept | {"HOME": folder, "NO_PROXY": "*", "NO_COLOR": "1", "TF_CLI_ARGS": "-no-color", "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}


def compare(steps: dict[tuple[str, int], page.Step], printed: str) -> None:
    pieces = BORDER.split(printed)[1:]
    for path, line, text in zip(pieces[::3], pieces[1::3], pieces[2::3]):
        step = steps.get((path, int(line)))
        answer = step.answer if step else None
        differs = shape.difference(answer.text if answer else "", text)
        if differs:
            at, what = differs
            raise Failed(f"{path}:{answer.line + at if answer else line}: not what is printed\n{what}\nall of it:\n{text}")


def run(path: pathlib.Path, programs: list[str]) -> int:
    first = path.with_name("README.md")
    try:
        sections = page.sections(path.read_text(encoding="utf-8"))
        start = page.sections(first.read_text(encoding="utf-8"), everywhere=True)
        wanted = [section for section in sections if section.program in programs]
        if programs != ["Terraform"] or any(section.program == "Terraform" for section in sections):
            page.require(sections, programs)
    except page.Unreadable as error:
        raise Failed(f"{path.relative_to(ROOT)}:{error}") from error
    if not wanted:
        return 0
    name, first = path.relative_to(ROOT), first.relative_to(ROOT)
    steps = {(str(name), step.commands.line): step for section in wanted for step in section.steps}
    steps |= {(str(first), step.commands.line): step for section in start for step in section.steps}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        command = ["timeout", str(SECONDS), "bash", "-euo", "pipefail", "-c", script(name, wanted, first, start)]
        done = subprocess.run(command, env=environment(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8", check=False)
        os.chdir("/")
    if done.returncode != 0:
        *_, where, line, told = BORDER.split(done.stdout)
        raise Failed(f"{where}:{line}: the commands end with {done.returncode}:\n{told}")
    compare(steps, done.stdout)
    return sum(len(section.steps) + bool(section.configuration) for section in wanted)


if __name__ == "__main__":
    try:
        print(run(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
    except Failed as failed:
        sys.exit(f"FAILED: {failed}")
