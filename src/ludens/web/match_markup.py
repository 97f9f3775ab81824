"""Lists of matches, ratings and cross tables as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from urllib.parse import quote

from ludens import games
from ludens.arena.summaries import PLAYING, StoredMatch
from ludens.arena.tournament.standings import Standings, StandingsLine
from ludens.gdl.keywords import CHANCE
from ludens.web import library
from ludens.web.markup import safe


def game_title(name: str) -> str:
    return games.info(name).title if games.find(name) else name


def match_list(matches: Iterable[StoredMatch]) -> str:
    rows = "".join(map(match_row, matches))
    heads = "<tr><th>when</th><th>game</th><th>players</th><th class=n>moves</th><th>result</th></tr>"
    return f'<div class="panel scroll"><table class="list">{heads}{rows}</table></div>'


def match_row(match: StoredMatch) -> str:
    everybody = zip(match.roles, match.players, match.goals, strict=True)
    seats = [seat for seat in everybody if (seat[0] or "").lower() != CHANCE]
    players = ", ".join(
        f"{safe(player or '?')} <span class='faint'>{safe(role or '')}</span>"
        + (f" <b>{goal}</b>" if goal is not None else "")
        for role, player, goal in seats
    )
    faults = f" · {match.faults} faults" if match.faults else ""
    result = "<b>live</b>" if match.status == PLAYING else safe(match.status)
    link = f"/watch/match/{quote(match.match_id, safe='')}"
    return (
        f"<tr><td><a href='{link}'>{moment(match.start_time)}</a></td>"
        f"<td><a href='{link}'>{safe(game_title(match.game))}</a></td>"
        f"<td>{players}</td><td class=n>{match.turns}</td><td>{result}{faults}</td></tr>"
    )


def moment(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M") if milliseconds else "?"
    except (OverflowError, OSError, ValueError):
        return "?"


def tournament_html(matches: Sequence[StoredMatch], table: Standings) -> str:
    live = sum(match.status == PLAYING for match in matches)
    parts = [f"<p class='lead'>{len(matches)} matches{f', {live} being played' if live else ''}</p>"]
    if table.lines:
        parts.append(f"<h2>Ratings</h2>{rating_list(table)}<br>")
    parts += [
        f"<h2>{safe(game_title(game))}: mean scores against each other</h2>{cross_list(table, game)}<br>"
        for game in table.against
    ]
    parts.append(f"<h2>Matches</h2>{match_list(list(reversed(matches))[: library.SHOWN_MATCHES])}")
    return "".join(parts)


def rating_list(table: Standings) -> str:
    names = ("matches", "won", "drawn", "lost", "score", "95 %", "rating")
    heads = "<tr><th>player</th>" + "".join(f"<th class=n>{name}</th>" for name in names) + "</tr>"
    rows = "".join(map(rating_row, table.lines))
    return f'<div class="panel scroll"><table class="list">{heads}{rows}</table></div>'


def rating_row(line: StandingsLine) -> str:
    tally, (low, high) = line.tally, line.tally.interval
    cells = [tally.matches, tally.wins, tally.draws, tally.losses, f"{tally.mean or 0:.1f}", f"{low:.1f} to {high:.1f}"]
    cells.append(f"{line.rating:.1f} ± {line.uncertainty:.1f}")
    return f"<tr><td>{safe(line.player)}</td>" + "".join(f"<td class=n>{cell}</td>" for cell in cells) + "</tr>"


def cross_list(table: Standings, game: str) -> str:
    players, scores = library.cross_table(table, game)
    heads = "<tr><th></th>" + "".join(f"<th class=n>{safe(player)}</th>" for player in players) + "</tr>"
    rows = "".join(
        f"<tr><td>{safe(player)}</td>"
        + "".join(f"<td class=n>{'–' if score is None else f'{score:.1f}'}</td>" for score in row)
        + "</tr>"
        for player, row in zip(players, scores, strict=True)
    )
    return f'<div class="panel scroll"><table class="list">{heads}{rows}</table></div>'
