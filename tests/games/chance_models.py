"""The games with random variables once more, in plain Python and by another way, to compare their rule sheets with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Protocol

from tests.games.models import Joint, numbers

Weights = Mapping[str, Mapping[str, int]]
"""For each random variable what it may come to, with the weights."""

DIE = MappingProxyType({str(n): 1 for n in range(1, 7)})


class ChanceModel(Protocol):
    """A game in which the moves that are played, `play`, have outcomes in place of the variables of legal moves."""

    @property
    def roles(self) -> Sequence[str]: ...
    def legal(self, role: str) -> set[str]: ...
    def weights(self) -> Weights:
        """What is drawn in this turn."""
        ...

    def play(self, announced: Joint) -> None: ...
    def over(self) -> bool: ...
    def goals(self) -> dict[str, int]: ...
    def facts(self) -> set[str]: ...


class Diagnosis:
    roles = ("doctor",)
    percent = MappingProxyType({"rule1": 10, "rule2": 75, "rule3": 5})

    def __init__(self) -> None:
        self.used: list[str] = []
        self.findings: list[str] = []

    @property
    def applying(self) -> bool:
        return len(self.used) > len(self.findings)

    def legal(self, role: str) -> set[str]:
        unused = set(self.percent) - set(self.used)
        return {"(apply finding)"} if self.applying else {f"(choose {rule})" for rule in unused}

    def weights(self) -> Weights:
        if not self.applying:
            return {}
        yes = self.percent[self.used[-1]]
        return {"finding": {"confirmed": yes, "silent": 100 - yes}}

    def play(self, announced: Joint) -> None:
        word = announced["doctor"].strip("()").split()[1]
        (self.findings if self.applying else self.used).append(word)

    def over(self) -> bool:
        return "confirmed" in self.findings or len(self.findings) == 2

    def goals(self) -> dict[str, int]:
        return {"doctor": 100 if "confirmed" in self.findings else 0}

    def facts(self) -> set[str]:
        known = {f"(used {rule})" for rule in self.used} | {f"(applied {len(self.findings)})"}
        known |= {f"(chosen {self.used[-1]})"} if self.applying else set()
        return known | ({"concluded"} if "confirmed" in self.findings else set())


class HighCard:
    roles = ("red", "blue")

    def __init__(self) -> None:
        self.hands: dict[str, list[int]] = {"red": [], "blue": []}
        self.card: int | None = None
        self.turn = 0

    @property
    def pile(self) -> list[int]:
        seen = {*self.hands["red"], *self.hands["blue"], self.card}
        return [card for card in range(1, 11) if card not in seen]

    def legal(self, role: str) -> set[str]:
        mover, other = self.roles[self.turn % 2], self.roles[1 - self.turn % 2]
        if role != mover:
            return {"noop"}
        if self.card is None:
            return {"(draw top)"}
        return {word for word, gets in (("keep", mover), ("pass", other)) if len(self.hands[gets]) < 3}

    def weights(self) -> Weights:
        return {} if self.card else {"top": {str(card): int(card in self.pile) for card in range(1, 11)}}

    def play(self, announced: Joint) -> None:
        move = announced[self.roles[self.turn % 2]]
        if self.card is None:
            (self.card,) = numbers(move)
        else:
            self.hands[self.roles[(self.turn + (move == "pass")) % 2]].append(self.card)
            self.card = None
            self.turn += 1

    def over(self) -> bool:
        return self.turn == 6

    def goals(self) -> dict[str, int]:
        red, blue = (sum(self.hands[role]) for role in self.roles)
        value = 50 + 50 * ((red > blue) - (red < blue))
        return {"red": value, "blue": 100 - value}

    def facts(self) -> set[str]:
        known = {f"(lies {card} pile)" for card in self.pile} | {f"(control {self.roles[self.turn % 2]})"}
        known |= {f"(lies {self.card} open)"} if self.card else set()
        for role, hand in self.hands.items():
            known |= {f"(lies {card} {role})" for card in hand}
            known |= {f"(cards {role} {len(hand)})", f"(points {role} {sum(hand)})"}
        return known


@cache
def high_card_value(red: frozenset[int], blue: frozenset[int], card: int | None) -> float:
    """What red gets on average when both play best: the greater part at its choices, the smaller one at blue's."""
    turn = len(red) + len(blue)
    if turn == 6:
        return 50.0 + 50 * ((sum(red) > sum(blue)) - (sum(red) < sum(blue)))
    if card is None:
        pile = sorted({*range(1, 11)} - red - blue)
        return sum(high_card_value(red, blue, top) for top in pile) / len(pile)
    values = [high_card_value(red | {card}, blue, None)] if len(red) < 3 else []
    values += [high_card_value(red, blue | {card}, None)] if len(blue) < 3 else []
    return min(values) if turn % 2 else max(values)


class Landlord:
    roles = ("red", "green", "blue")
    streets = (((1, 2), 2, 1), ((4, 5), 3, 2), ((7, 8), 4, 2), ((10, 11), 5, 3))
    """WeightTable, price, rent; rent doubles for who has both."""

    def __init__(self) -> None:
        self.at = dict.fromkeys(self.roles, 0)
        self.money = dict.fromkeys(self.roles, 6)
        self.owner: dict[int, str] = {}
        self.mover = "red"
        self.arrived = False
        self.turn = 0

    def lots(self, player: str) -> list[int]:
        return [lot for lot, owner in self.owner.items() if owner == player]

    def wealth(self, player: str) -> int:
        prices = {lot: price for pair, price, _ in self.streets for lot in pair}
        return self.money[player] + sum(prices[lot] for lot in self.lots(player))

    def lot_here(self) -> tuple[int, int] | None:
        """Price and rent of the field the mover is on, if it is a lot."""
        field = self.at[self.mover]
        for pair, price, rent in self.streets:
            if field in pair:
                both = len({self.owner.get(lot) for lot in pair}) == 1
                return price, rent * (1 + both)
        return None

    def legal(self, role: str) -> set[str]:
        if role != self.mover:
            return {"noop"}
        if not self.arrived:
            return {"(roll die)"}
        field, lot = self.at[role], self.lot_here()
        if field in (3, 9):
            return {"(draw top)"}
        if lot and self.owner.get(field, role) != role:
            return {"pay"}
        return {"buy", "pass"} if lot and field not in self.owner and self.money[role] >= lot[0] else {"pass"}

    def weights(self) -> Weights:
        legal = self.legal(self.mover)
        cards = {"gift": 3, "fine": 2, "gate": 1, "repairs": len(self.lots(self.mover))}
        return {"die": DIE} if "(roll die)" in legal else {"top": cards} if "(draw top)" in legal else {}

    def receive(self, player: str, coins: int) -> None:
        self.money[player] = min(20, self.money[player] + coins)

    def spend(self, coins: int) -> int:
        """What is really paid; who cannot pay all is out."""
        had = self.money[self.mover]
        self.money[self.mover] -= coins
        if had < coins:
            del self.money[self.mover], self.at[self.mover]
            self.owner = {lot: owner for lot, owner in self.owner.items() if owner != self.mover}
        return min(had, coins)

    def play(self, announced: Joint) -> None:
        player, (word, *outcome) = self.mover, announced[self.mover].strip("()").split()
        if word == "roll":
            reached = self.at[player] + int(outcome[0])
            self.receive(player, 2 * (reached >= 12))
            self.at[player] = reached % 12
            self.arrived = True
            return
        field, lot = self.at[player], self.lot_here()
        if word == "buy" and lot:
            self.spend(lot[0])
            self.owner[field] = player
        elif word == "pay" and lot:
            owner = self.owner[field]
            self.receive(owner, self.spend(lot[1]))
        elif outcome == ["gate"]:
            self.at[player] = 0
            self.receive(player, 2)
        elif outcome == ["gift"]:
            self.receive(player, 3)
        elif outcome:
            self.spend({"fine": 2, "repairs": 3}[outcome[0]])
        following = [self.roles[(self.roles.index(player) + step) % 3] for step in (1, 2)]
        self.mover = next(role for role in following if role in self.money)
        self.arrived = False
        self.turn += 1

    def over(self) -> bool:
        return len(self.money) == 1 or self.turn == 45

    def goals(self) -> dict[str, int]:
        best = max(map(self.wealth, self.money))
        first = [role for role in self.money if self.wealth(role) == best]
        return {role: 100 // len(first) if role in first else 0 for role in self.roles}

    def facts(self) -> set[str]:
        known = {f"(control {self.mover})", f"(turn {self.turn})"} | ({"arrived"} if self.arrived else set())
        known |= {f"(at {role} {field})" for role, field in self.at.items()}
        known |= {f"(money {role} {coins})" for role, coins in self.money.items()}
        known |= {f"(owner {lot} {owner})" for lot, owner in self.owner.items()}
        return known | {f"(out {role})" for role in self.roles if role not in self.money}


BAR, OFF = 25, 0
Men = tuple[int, ...]
"""How many checkers a player has off the board (0), on each point as this player counts them, and on the bar (25)."""


def moved(men: Men, point: int, pips: int) -> Men:
    after = list(men)
    after[point] -= 1
    after[max(OFF, point - pips)] += 1
    return tuple(after)


def single_moves(men: Men, blocked: frozenset[int], pips: int) -> Iterator[int]:
    """The points from which one number can be moved, when it is the only one."""
    hindmost = max((point for point in range(1, 26) if men[point]), default=OFF)
    for point in [BAR] if men[BAR] else range(1, 25):
        if men[point] and point - pips > 0:
            if point - pips not in blocked:
                yield point
        elif men[point] and hindmost <= 6 and point in (pips, hindmost):
            yield point


def longest(men: Men, blocked: frozenset[int], dice: tuple[int, ...], seen: dict[object, int]) -> int:
    """How many of the numbers can be played, in any order, by trying everything."""
    key = men, dice
    if key not in seen:
        lengths = [0]
        for pips in set(dice):
            rest = list(dice)
            rest.remove(pips)
            starts = single_moves(men, blocked, pips)
            lengths += [1 + longest(moved(men, point, pips), blocked, tuple(rest), seen) for point in starts]
        seen[key] = max(lengths)
    return seen[key]


class Backgammon:
    """Moves of a turn are those with which as many numbers as possible can be played; all plays are tried."""

    roles = ("white", "black")
    setup: Men = tuple({6: 5, 8: 3, 13: 5, 24: 2}.get(point, 0) for point in range(26))

    def __init__(self) -> None:
        self.men: dict[str, Men] = {"white": self.setup, "black": self.setup}
        self.mover: str | None = None
        self.dice: tuple[int, ...] = ()
        self.turn = 0

    @property
    def other(self) -> str:
        return "black" if self.mover == "white" else "white"

    def choices(self) -> set[tuple[int, int]]:
        """Points and numbers that may be moved."""
        assert self.mover
        men, seen = self.men[self.mover], dict[object, int]()
        blocked = frozenset(point for point in range(1, 25) if self.men[self.other][25 - point] > 1)
        most = longest(men, blocked, self.dice, seen)
        found = set()
        for pips in set(self.dice):
            rest = list(self.dice)
            rest.remove(pips)
            for point in single_moves(men, blocked, pips):
                if 1 + longest(moved(men, point, pips), blocked, tuple(rest), seen) == most:
                    found.add((point, pips))
        if most == 1:
            found = {(point, pips) for point, pips in found if pips == max(pips for _, pips in found)}
        return found

    def legal(self, role: str) -> set[str]:
        if self.mover is None:
            return {"(throw die1)"} if role == "white" else {"(throw die2)"}
        if role != self.mover:
            return {"noop"}
        if not self.dice:
            return {"(roll die1 die2)"}
        return {f"(move {'bar' if point == BAR else point} {pips})" for point, pips in self.choices()} or {"pass"}

    def weights(self) -> Weights:
        return {} if self.dice else {"die1": DIE, "die2": DIE}

    def play(self, announced: Joint) -> None:
        if self.mover is None:
            ((white,), (black,)) = (numbers(announced[role]) for role in self.roles)
            self.turn += 1
            if white != black:
                self.mover = "white" if white > black else "black"
                self.dice = (white, black)
            return
        move = announced[self.mover]
        if move.startswith("(roll"):
            one, two = numbers(move)
            self.dice = (one,) * 4 if one == two else (one, two)
            return
        if move == "pass":
            self.dice = ()
        else:
            *start, pips = numbers(move)
            self.move_checker(start[0] if start else BAR, pips)
        if not self.dice:
            self.mover = self.other
            self.turn += 1

    def move_checker(self, point: int, pips: int) -> None:
        assert self.mover
        self.men[self.mover] = moved(self.men[self.mover], point, pips)
        hit = 25 - (point - pips)
        if hit < BAR and self.men[self.other][hit]:
            after = list(self.men[self.other])
            after[hit] -= 1
            after[BAR] += 1
            self.men[self.other] = tuple(after)
        rest = list(self.dice)
        rest.remove(pips)
        self.dice = tuple(rest)

    def winner(self) -> str | None:
        return next((role for role in self.roles if self.men[role][OFF] == 15), None)

    def over(self) -> bool:
        return self.winner() is not None or self.turn == 200

    def goals(self) -> dict[str, int]:
        winner = self.winner()
        if winner is None:
            return dict.fromkeys(self.roles, 50)
        (loser,) = set(self.roles) - {winner}
        men = self.men[loser]
        points = 1 if men[OFF] else 3 if any(men[19:]) else 2
        return {winner: round(50 + 50 * points / 3), loser: round(50 - 50 * points / 3)}

    def facts(self) -> set[str]:
        known = {f"(control {self.mover})" if self.mover else "opening"}
        known |= {f"(dice {pips} {times})" for pips, times in Counter(self.dice).items()}
        known |= {f"(tens {self.turn // 10})", f"(turns {self.turn % 10})"}
        for role, men in self.men.items():
            known |= {f"(bar {role} {men[BAR]})", f"(off {role} {men[OFF]})"}
            places = {point: board_place(role, point) for point in range(1, 25) if men[point]}
            known |= {f"(cell {x} {y} {role} {men[point]})" for point, (x, y) in places.items()}
        return known


def board_place(role: str, point: int) -> tuple[int, int]:
    """White's first quarter is at the lower right, its second at the lower left, and so on around the board."""
    white = point if role == "white" else 25 - point
    return (13 - white, 1) if white <= 12 else (white - 12, 2)


MODELS: Mapping[str, Callable[[], ChanceModel]] = MappingProxyType(
    {"diagnosis": Diagnosis, "highcard": HighCard, "landlord": Landlord, "backgammon": Backgammon}
)
