"""What is found out about a draft, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ludens.web.markup import counted, safe

SHOWN_FINDINGS = 40
SEVERITIES = {"error": "error", "warning": "warning", "info": "note"}
MAX_CHARACTERS = 200_000
"""The length of a draft."""


def check_words(found: Mapping[str, Any]) -> str:
    """What the check comes to, in one line."""
    severities = [finding["severity"] for finding in found["findings"]]
    counts = ((severities.count(severity), word) for severity, word in SEVERITIES.items())
    words = ", ".join(counted(number, word) for number, word in counts if number) or "no problems"
    size = f" · {counted(len(found['roles']), 'role')}, {counted(found['rules'], 'rule')}" if found["rules"] else ""
    return words + size


def structure_html(found: Mapping[str, Any]) -> str:
    lines = [("roles", ", ".join(found["roles"])), *found["lines"]]
    pairs = "".join(f"<dt>{safe(label)}</dt><dd>{safe(words, 400)}</dd>" for label, words in lines)
    return f"<h2>Structure</h2>{found['svg']}<dl class='pairs'>{pairs}</dl>"


def safe_sheet(text: str) -> str:
    """A sheet as the content of a text area: an extra line end, because browsers drop the first."""
    return "\n" + safe(text, MAX_CHARACTERS)


def finding_list(findings: Sequence[Mapping[str, Any]]) -> str:
    shown = findings[:SHOWN_FINDINGS]
    more = f'<p class="faint">and {len(findings) - len(shown)} more</p>' if len(findings) > len(shown) else ""
    return "".join(map(finding_html, shown)) + more


def finding_html(finding: Mapping[str, Any]) -> str:
    line = int(finding["line"]) if finding["line"] else 0
    place = f' data-line="{line}"' if line else ""
    remedy = f'<span class="remedy">{safe(finding["remedy"], 300)}</span>' if finding["remedy"] else ""
    return (
        f'<button class="finding {safe(finding["severity"])}"{place}>'
        f'<span class="at">{f"line {line}" if line else "sheet"}</span>'
        f"<span>{safe(finding['message'], 300)}</span>{remedy}</button>"
    )


def statistics_html(found: Mapping[str, Any]) -> str:
    def spread(values: Mapping[str, float]) -> str:
        if values["least"] == values["most"]:
            return f"{values['least']}"
        return f"{values['mean']} ({values['least']} to {values['most']})"

    unfinished = found["plays"] - found["finished"]
    pairs = [
        ("random games", f"{found['plays']}" + (f", {unfinished} without an end" if unfinished else "")),
        ("length", f"{spread(found['length'])} moves"),
        ("branching", f"{spread(found['branching'])} joint moves"),
        *((f"{role} chooses", f"from {spread(values)} moves") for role, values in found["choices"].items()),
        ("moving", "at the same time" if found["simultaneous"] else "in turn"),
    ]
    if found["constant_sum"] is not None:
        pairs.append(("points", f"always add up to {found['constant_sum']}"))
    rows = "".join(f"<dt>{safe(label)}</dt><dd>{safe(words)}</dd>" for label, words in pairs)
    bars = "".join(balance_row(role, values) for role, values in found["balance"].items())
    problem = f'<p class="message">{safe(found["problem"], 300)}</p>' if found["problem"] else ""
    balance = f"<h2>Balance</h2><dl class='pairs'>{bars}</dl>" if bars else ""
    return f"<h2>Random games</h2><dl class='pairs'>{rows}</dl><br>{balance}{problem}"


def balance_row(role: str, values: Mapping[str, Any]) -> str:
    wins = "" if values["wins"] is None else f", wins {100 * values['wins'] / max(1, values['games']):.0f} %"
    return (
        f"<dt>{safe(role)}</dt><dd><span class='bar' style='width: 160px'><i style='width: {values['mean']:.0f}%'></i>"
        f"</span> {values['mean']} points{wins}</dd>"
    )
