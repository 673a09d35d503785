"""Runs the command of isolab, and returns its answers as objects. Needs the command, and leaves no file behind."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Optional, Union

from isolab._story import Story

SATISFIED, VIOLATED, UNKNOWN = 0, 1, 2
CODES = {"satisfied": SATISFIED, "violated": VIOLATED, "unknown": UNKNOWN}
SECONDS_TO_END = 10

PathLike = Union[str, "os.PathLike[str]"]


class IsolabError(Exception):
    """isolab gave no verdict: a wrong call, a wrong history, or a command that failed. The message has the remedy."""


class CommandNotFound(IsolabError):
    """There is no command of isolab on this machine."""


@dataclass(frozen=True)
class Result:
    """The answer about one history: `satisfied`, `violated` or `unknown`. Unknown is no pass."""

    verdict: str
    levels: dict[str, str]
    """The verdict on each level."""
    reason: Optional[str]
    """The reason of an unknown verdict."""
    story: Optional[Story]
    """The smallest part of the history that violates the level; None without a violation or its evidence."""
    certificate: Optional[dict[str, Any]]
    """The certificate of the verdict on one named level, for `verify`; None if there is none, which a note explains."""
    notes: tuple[str, ...]
    """Remarks of the command, line by line."""
    data: dict[str, Any] = field(repr=False)
    """Everything that `isolab check --output json` prints."""

    def __bool__(self) -> bool:
        raise TypeError("a verdict has three values; compare result.verdict with 'satisfied', 'violated' or 'unknown'")

    def __str__(self) -> str:
        return "\n\n".join(part for part in (self._brief(), None if self.story is None else str(self.story)) if part)

    def _repr_html_(self) -> str:
        story = "" if self.story is None else self.story._repr_html_()
        return "<p><strong>%s</strong></p>%s" % (escape(self._brief()), story)

    def _brief(self) -> str:
        levels = [level for level, verdict in self.levels.items() if verdict == self.verdict]
        reason = "" if self.reason is None else ": " + self.reason
        return "%s: %s%s" % (self.verdict, ", ".join(levels) or self.data.get("level", ""), reason)


@dataclass(frozen=True)
class Verification:
    """The answer about one certificate. A rejected certificate proves neither its verdict nor the opposite."""

    accepted: bool
    problem: Optional[str]
    """The reason of a rejection."""

    def __bool__(self) -> bool:
        return self.accepted


def check(
    path: Optional[PathLike] = None,
    level: Optional[str] = None,
    *,
    text: Optional[str] = None,
    format: Optional[str] = None,
    time: Optional[str] = None,
    memory: Optional[str] = None,
    allow_cut_off: bool = False,
) -> Result:
    """Checks a history: a file or folder, or `text` in any format that isolab reads.

    Without a level, it checks the level that the history claims, or all levels. `time` ("10s") and `memory` ("2GB")
    limit each checker; a check beyond its limit is unknown."""
    if (path is None) == (text is None):
        raise IsolabError("check needs either a path or text")
    with tempfile.TemporaryDirectory(prefix="isolab-") as folder:
        files = {name: Path(folder, name) for name in ("certificate.json", "story.svg", "story.html")}
        words = ["check", "--output", "json", "--shrink"]
        words += ["--output", "svg=%s" % files["story.svg"], "--output", "html=%s" % files["story.html"]]
        if level is not None:
            words += ["--level=" + level]
            if level != "all" and "," not in level:
                words += ["--certificate", str(files["certificate.json"])]
        for name, value in (("format", format), ("time", time), ("memory", memory)):
            if value is not None:
                words += ["--%s=%s" % (name, value)]
        if allow_cut_off:
            words += ["--allow-cut-off"]
        code, out, notes = _run([*words, "--", _argument(path)], text)
        certificate, svg, page = (_read(file) for file in files.values())
    data = _answer(code, out, notes)
    shrunk = data.get("shrunk")
    return Result(
        verdict=data["verdict"],
        levels=dict(data["levels"]),
        reason=data.get("reason"),
        story=None if shrunk is None else Story.of(shrunk, svg, page),
        certificate=None if certificate is None else json.loads(certificate),
        notes=notes,
        data=data,
    )


def verify(path: PathLike, certificate: dict[str, Any]) -> Verification:
    """Verifies a certificate with code that shares nothing with the checkers."""
    with tempfile.TemporaryDirectory(prefix="isolab-") as folder:
        file = Path(folder, "certificate.json")
        file.write_text(json.dumps(certificate), encoding="utf-8")
        code, out, notes = _run(["verify", "--output", "json", "--", _argument(path), str(file)], None)
    answer = _json(code, out, notes)
    accepted = answer.get("ok") is True
    if code != (SATISFIED if accepted else UNKNOWN):
        raise _no_verdict(code, notes)
    return Verification(accepted, None if accepted else str(answer.get("problem")))


def command() -> list[str]:
    """Finds the command: the variable ISOLAB, `isolab` on the PATH, or in node_modules, where `npx` finds it."""
    named = os.environ.get("ISOLAB")
    if named:
        words = [named] if os.path.exists(named) else shlex.split(named)
        return ["node", *words] if words and words[0].endswith((".cjs", ".mjs", ".js")) else words
    found = shutil.which("isolab")
    here = Path.cwd()
    for folder in () if found else (here, *here.parents):
        found = found or shutil.which("isolab", path=str(folder / "node_modules" / ".bin"))
    if found is None:
        raise CommandNotFound(
            "There is no command isolab: not in the variable ISOLAB, on the PATH, or in node_modules here. Install Node 20.19"
            " and isolab with npm, or set ISOLAB to the path of isolab.cjs."
        )
    return [found]


def _run(words: list[str], text: Optional[str]) -> tuple[int, str, tuple[str, ...]]:
    call = [*command(), *words]
    try:
        process = subprocess.Popen(
            call,
            stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    except OSError as error:
        raise CommandNotFound("%s cannot be started: %s" % (call[0], error)) from error
    with process:
        try:
            out, err = process.communicate(text)
        except BaseException:
            _end(process)
            raise
    return process.returncode, out, tuple(line for line in err.splitlines() if line)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()


def _answer(code: int, out: str, notes: tuple[str, ...]) -> dict[str, Any]:
    """The answer of `isolab check`, which must agree with the exit code."""
    data = _json(code, out, notes)
    verdict = data.get("verdict")
    if "error" in data or verdict not in CODES or not isinstance(data.get("levels"), dict):
        raise _no_verdict(code, notes)
    # All levels are a question, which any answer answers. Code 2 also says that a wanted certificate is missing.
    expected = {CODES[verdict]} if data.get("named") else {SATISFIED}
    if code not in expected | ({UNKNOWN} if verdict == "satisfied" else set()):
        raise _no_verdict(code, notes)
    return data


def _json(code: int, out: str, notes: tuple[str, ...]) -> dict[str, Any]:
    try:
        data = json.loads(out)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise _no_verdict(code, notes)
    return data


def _no_verdict(code: int, notes: tuple[str, ...]) -> IsolabError:
    said = "\n".join(note[len("isolab: ") :] if note.startswith("isolab: ") else note for note in notes)
    ended = "was ended by signal %d" % -code if code < 0 else "ended with code %d" % code
    return IsolabError(said or "%s %s and gave no verdict" % (" ".join(command()), ended))


def _argument(path: Optional[PathLike]) -> str:
    """A file named - is no standard input."""
    if path is None:
        return "-"
    word = os.fspath(path)
    return os.path.join(".", word) if word == "-" else word


def _read(file: Path) -> Optional[str]:
    return file.read_text(encoding="utf-8") if file.exists() else None
