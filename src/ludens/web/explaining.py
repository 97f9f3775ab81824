"""The explanation of a state for people who do not know how states are valued: no degrees, but how near things are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ludens.web.markup import safe

PART = re.compile(r"^( *)([+-]) ?(.*?) ?\(\d\.\d+\)(?:: (.*))?$")
"""A line about a goal or a part of it: how deep, whether it holds, what it says, and after its degree a note."""
END = "the end"
WORTH = re.compile(r"^(\S.*): ([\d.]+) of 100$")
COUNTED = re.compile(r"^(one|all) of (\d+) (?:ways|conditions), (none|all|\d+) met(?:, see above)?$")
NEAR = re.compile(r"^\((.*?)\) is (\d+)% near")
GOAL = re.compile(rf"^(\d+ points|{END})(?:: (.*))?$")
INDENT = 2


@dataclass
class Part:
    """A goal, or a part of what it needs."""

    depth: int
    says: str
    holds: bool | None = None
    """None for words that are only told."""
    note: str = ""
    parts: list[Part] = field(default_factory=list)
    others: str = ""
    """That there are more parts than are told."""

    @property
    def is_list(self) -> bool:
        """Whether it only says that several facts are needed; these make one line."""
        return not self.says and bool(self.parts) and not any(part.parts or part.note for part in self.parts)


def explanation_html(text: str) -> str:
    """What an evaluation says, as a list in plain words.

    >>> explanation_html("x: 52.4 of 100")
    '<p>This looks like <b>52 of 100</b> points for <b>x</b>.</p>'
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("degrees with")]
    return "".join(html for part in _tree(lines) for html in _told(part))


def _tree(lines: Sequence[str]) -> list[Part]:
    """The lines with what belongs to them."""
    roots: list[Part] = []
    open_parts: list[Part] = []
    for line in lines:
        part = _read(line)
        while open_parts and open_parts[-1].depth >= part.depth:
            open_parts.pop()
        if open_parts and not PART.match(line):
            open_parts[-1].others = part.says
            continue
        (open_parts[-1].parts if open_parts else roots).append(part)
        open_parts.append(part)
    return roots


def _read(line: str) -> Part:
    if found := PART.match(line):
        spaces, sign, says, note = found.groups()
        return Part(len(spaces) // INDENT, _bare(says), sign == "+", note or "")
    return Part((len(line) - len(line.lstrip())) // INDENT, line.strip())


def _told(part: Part) -> Iterator[str]:
    """A part and what belongs to it, a paragraph each."""
    if worth := WORTH.match(part.says):
        yield f"<p>This looks like <b>{float(worth[2]):.0f} of 100</b> points for <b>{safe(worth[1])}</b>.</p>"
    elif part.is_list:
        yield _marked(part, safe(_facts_in_a_line(part), 400))
        return
    else:
        yield _marked(part, _sentence(part))
    for each in part.parts:
        yield from _told(each)
    if part.others:
        yield _paragraph(part.depth + 1, f'<span class="faint">{safe(part.others)}</span>')


def _sentence(part: Part) -> str:
    note = _noted(part)
    if not (goal := GOAL.match(part.says)):
        more = f' <span class="faint">({safe(note, 300)})</span>' if note and part.says else ""
        return f"{safe(part.says or note or 'this', 300)}{more}"
    condition = f" if {safe(_bare(goal[2]), 300)}" if goal[2] else ""
    more = ", ".join(words for words in ("so it is" if part.holds else "not yet", note) if words)
    title = "the game ends" if goal[1] == END else goal[1]
    return f'<b>{safe(title)}</b>{condition}: <span class="faint">{safe(more, 300)}</span>'


def _facts_in_a_line(part: Part) -> str:
    """What is there of several facts, and what is missing.

    >>> _facts_in_a_line(Part(0, "", parts=[Part(1, "cell 1 x", True), Part(1, "cell 2 x")], others="and 1 more"))
    'cell 1 x is there; missing: cell 2 x and 1 more'
    """
    there = [each.says for each in part.parts if each.holds]
    missing = [each.says for each in part.parts if not each.holds]
    more = f" {part.others}" if part.others else ""
    words = [f"{' and '.join(there)} {'is' if len(there) == 1 else 'are'} there"] if there else []
    words += [f"missing: {', '.join(missing)}"] if missing else []
    return "; ".join(words) + more


def _noted(part: Part) -> str:
    """How many parts are fulfilled, how near the nearest fact is, or whatever else is noted."""
    if near := NEAR.match(part.note):
        return f"{near[1]} is {near[2]} % of the way there"
    if not (found := COUNTED.match(part.note)):
        return part.note
    needed, count, met = found.groups()
    met = {"none": "0", "all": count}.get(met, met)
    if needed == "all":
        return "" if met == count else f"{met} of {count} conditions hold"
    return f"in {met} of {count} ways" if part.holds else f"in none of {count} ways"


def _marked(part: Part, words: str) -> str:
    marks = {True: '<span class="yes">✓</span> ', False: '<span class="no">✗</span> ', None: ""}
    return _paragraph(part.depth, f"{marks[part.holds]}{words}")


def _paragraph(depth: int, words: str) -> str:
    return f'<p class="why" style="--depth: {depth}">{words}</p>'


def _bare(words: str) -> str:
    """A fact as people say it, without its parentheses.

    >>> _bare("(cell 1 1 x)"), _bare("not (line x)"), _bare("100 points: (line x)")
    ('cell 1 1 x', 'not line x', '100 points: line x')
    """
    return re.sub(r"^(.*: |not |)\(([^()]*)\)$", r"\1\2", words)
