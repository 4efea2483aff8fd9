# SPDX-License-Identifier: BSD-3-Clause
"""Command-line options: parsing, --help and --list-options read one table."""
from __future__ import annotations

import difflib
from typing import Any, Dict, List, NamedTuple, Optional, Tuple


class Failure(Exception):
    """A line for stderr, and the exit status of the program."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


USAGE, INPUT, MACHINE = 2, 3, 4


class Option(NamedTuple):
    letter: str
    name: str
    arg: str  # empty: a flag
    help: str
    group: str = ""  # empty: that of the option before
    common: bool = False  # shown by -h too
    kind: str = "text"  # or: number
    lo: float = 0
    hi: float = 0
    choices: str = ""  # "a|b|c"


def grouped(table: List[Option]) -> List[Option]:
    """The table with the group of each option filled in."""
    rows, group = [], ""
    for option in table:
        group = option.group or group
        rows.append(option._replace(group=group))
    return rows


def find(table: List[Option], word: str) -> Option:
    """The option that a word such as -o, --output or an unambiguous prefix names."""
    if not word.startswith("--"):
        found = [x for x in table if x.letter and word == f"-{x.letter}"]
    else:
        found = [x for x in table if f"--{x.name}" == word] or [
            x for x in table if f"--{x.name}".startswith(word)]
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        raise Failure(USAGE, f"{word} is ambiguous: "
                      + ", ".join(f"--{x.name}" for x in found))
    near = difflib.get_close_matches(word[2:], [x.name for x in table], 1)
    raise Failure(USAGE, f"unknown option {word}; " + (
        f"did you mean --{near[0]}?" if near else "--help lists them all"))


def checked(option: Option, value: str) -> Any:
    """The value as a text or a number, within its limits or choices."""
    name = f"--{option.name} {value}"
    if option.choices:
        if value not in option.choices.split("|"):
            raise Failure(USAGE, f"{name}: not one of {option.choices}")
        return value
    if option.kind == "text":
        return value
    try:
        number = float(value)
    except ValueError:
        raise Failure(USAGE, f"{name}: not a number") from None
    if not option.lo <= number <= option.hi:
        raise Failure(USAGE, f"{name}: not within {option.lo:g} to {option.hi:g}")
    return number


def split(word: str) -> Tuple[str, Optional[str]]:
    """An option and the value attached to it, if any."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    return word[:2], word[2:] or None


def parse(table: List[Option], words: List[str]) -> Tuple[Dict[str, Any], List[str]]:
    """Option values by name, and the operands."""
    values: Dict[str, Any] = {}
    operands: List[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            operands += rest
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
        else:
            name, value = split(word)
            option = find(table, name)
            if not option.arg:
                if value is not None:
                    raise Failure(USAGE, f"--{option.name} takes no argument")
                values[option.name] = True
                continue
            value = next(rest, None) if value is None else value
            if value is None:
                raise Failure(USAGE, f"{name} requires an argument {option.arg}")
            values[option.name] = checked(option, value)
    return values, operands


def help_lines(table: List[Option], common: bool) -> List[str]:
    """Lines of --help, or of -h, in groups."""
    lines: List[str] = []
    group = ""
    for option in grouped(table):
        if common and not option.common:
            continue
        if not common and option.group != group:
            lines += ["", f"{option.group}:"] if group else [f"{option.group}:"]
            group = option.group
        letter = f"-{option.letter}," if option.letter else "   "
        name = f"--{option.name} {option.arg}".rstrip()
        lines.append(f"  {letter} {name:<21} {option.help}")
    return lines


def list_lines(table: List[Option]) -> List[str]:
    """letter, name, argument, choices, help, group between tabs."""
    return ["\t".join((x.letter, x.name, "#" if x.kind == "number" else x.arg,
                       x.choices, x.help, x.group)) for x in grouped(table)]
