# Stock keeping for a small lending library of tools: who has the drill, and when does it come back?
# Preise in Cent, nicht in €: a price that is a float will one day be 0.30000000000000004 €.
"""Lend tools, take them back, and know what is missing.

>>> library = Library()
>>> library.add(Tool("drill-1", "Cordless drill", deposit=4000))
>>> loan = library.lend("drill-1", to="Ada", on=date(2031, 5, 4), days=7)
>>> library.is_out("drill-1")
True
>>> library.give_back("drill-1", on=date(2031, 5, 13)).fee
100
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

FEE_PER_DAY = 50  # cents for each day that a tool is late
LONGEST_LOAN = 28  # days


class InventoryError(Exception):
    """Base of everything that can go wrong here."""


class UnknownToolError(InventoryError):
    """No tool has this id."""


class NotAvailableError(InventoryError):
    """The tool is out, under repair, or wanted by somebody who asked first."""


# Größe zählt: the naïve version of this decorator kept every line for ever, and the shop's computer has 2 GB. 🔧
# It now keeps the last hundred, which is what people scroll through.
def logged(action: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Write a line to the journal of the library after each successful call of a method."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(method)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            result = method(*args, **kwargs)
            library: Any = args[0]
            library.journal.append(f"{action}: {args[1] if len(args) > 1 else ''}")
            del library.journal[:-100]
            return result

        return wrapper

    return decorate


@dataclass(frozen=True)
class Tool:
    """A tool that can be lent. The deposit is in cents."""

    id: str
    name: str
    deposit: int = 0
    tags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.deposit < 0:
            raise InventoryError(f"The deposit of {self.id} must not be below zero.")


@dataclass
class Loan:
    """One tool, out with one person."""

    tool: Tool
    to: str
    since: date
    due: date
    returned: date | None = None

    @property
    def open(self) -> bool:
        return self.returned is None

    @property
    def fee(self) -> int:
        """Cents for lateness; 0 while the loan is open, since nobody knows yet."""
        if self.returned is None or self.returned <= self.due:
            return 0
        return (self.returned - self.due).days * FEE_PER_DAY

    def late_by(self, today: date) -> int:
        """Days after the due date, 0 when in time."""
        return max(0, ((self.returned or today) - self.due).days)


@dataclass
class Library:
    """All tools and all loans."""

    tools: dict[str, Tool] = field(default_factory=dict)
    loans: list[Loan] = field(default_factory=list)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    journal: list[str] = field(default_factory=list)

    @logged("added")
    def add(self, tool: Tool) -> None:
        """Take a tool into the library. Adding it again replaces its description."""
        self.tools[tool.id] = tool

    def tool(self, tool_id: str) -> Tool:
        try:
            return self.tools[tool_id]
        except KeyError:
            known = ", ".join(sorted(self.tools)) or "none yet"
            raise UnknownToolError(f"There is no tool {tool_id!r}. Known: {known}.") from None

    def is_out(self, tool_id: str) -> bool:
        return any(loan.open for loan in self._loans_of(tool_id))

    @logged("lent")
    def lend(self, tool_id: str, to: str, on: date, days: int = 7) -> Loan:
        """Lend a tool for a number of days, at most four weeks.

        The first in the queue goes first: somebody else gets `NotAvailableError` even when the tool is on the shelf.
        """
        tool = self.tool(tool_id)
        if not 1 <= days <= LONGEST_LOAN:
            raise InventoryError(f"Days must be from 1 to {LONGEST_LOAN}. Got {days}.")
        if self.is_out(tool_id):
            raise NotAvailableError(f"{tool.name} is out.")
        queue = self.waiting.get(tool_id, [])
        if queue and queue[0] != to:
            raise NotAvailableError(f"{queue[0]} has asked for {tool.name} first.")
        if queue:
            queue.pop(0)
        loan = Loan(tool, to, on, on + timedelta(days=days))
        self.loans.append(loan)
        return loan

    @logged("returned")
    def give_back(self, tool_id: str, on: date) -> Loan:
        """Close the open loan of a tool and return it; its fee is then known."""
        for loan in self._loans_of(tool_id):
            if loan.open:
                loan.returned = on
                return loan
        raise InventoryError(f"{self.tool(tool_id).name} is not out.")

    @logged("asked for")
    def ask_for(self, tool_id: str, who: str) -> int:
        """Join the queue of a tool; returns the place in it, counted from 1."""
        queue = self.waiting.setdefault(self.tool(tool_id).id, [])
        if who not in queue:
            queue.append(who)
        return queue.index(who) + 1

    def report(self, today: date) -> str:
        """Everything the person at the counter wants to see in the morning, as plain text.

        This function is long on purpose: it does not fit into a chunk of 256 tokens, so a splitter that knows no
        syntax cuts it where a line happens to end.
        """
        lines = [f"Tool library, {today:%d %B %Y}", ""]

        # 1. What is late, the latest first
        late = [loan for loan in self.loans if loan.open and loan.late_by(today)]
        late.sort(key=lambda loan: (-loan.late_by(today), loan.to))
        lines.append(f"Late: {len(late)}")
        for loan in late:
            days = loan.late_by(today)
            plural = "day" if days == 1 else "days"
            lines.append(f"  {loan.tool.name}, {loan.to}, {days} {plural}, {_money(days * FEE_PER_DAY)} so far")

        # 2. What comes back today
        due = sorted((loan for loan in self.loans if loan.open and loan.due == today), key=lambda loan: loan.to)
        lines.append(f"Due today: {len(due)}")
        for loan in due:
            queue = self.waiting.get(loan.tool.id, [])
            then = f", then to {queue[0]}" if queue else ""
            lines.append(f"  {loan.tool.name}, {loan.to}{then}")

        # 3. What is on the shelf although somebody waits for it
        ready = [tool_id for tool_id, queue in self.waiting.items() if queue and not self.is_out(tool_id)]
        lines.append(f"Ready to be fetched: {len(ready)}")
        for tool_id in sorted(ready):
            lines.append(f"  {self.tools[tool_id].name}, call {self.waiting[tool_id][0]}")

        # 4. What people like
        popular = Counter(loan.tool.name for loan in self.loans).most_common(3)
        if popular:
            lines.append("Most wanted: " + ", ".join(f"{name} ({n})" for name, n in popular))

        # 5. Money: deposits we hold, and fees of this month
        held = sum(loan.tool.deposit for loan in self.loans if loan.open)
        month = (today.year, today.month)
        fees = sum(
            loan.fee for loan in self.loans if loan.returned and (loan.returned.year, loan.returned.month) == month
        )
        lines += ["", f"Deposits held: {_money(held)}", f"Fees this month: {_money(fees)}"]
        return "\n".join(lines)

    def to_json(self) -> str:
        """The open loans, for the sign at the door. Names are left out."""
        rows = [{"tool": loan.tool.name, "due": loan.due.isoformat()} for loan in self.loans if loan.open]
        return json.dumps(rows, ensure_ascii=False, indent=2)

    def _loans_of(self, tool_id: str) -> Iterator[Loan]:
        tool = self.tool(tool_id)
        return (loan for loan in self.loans if loan.tool.id == tool.id)


def _money(cents: int) -> str:
    """
    >>> _money(1250)
    '€12.50'
    """
    return f"€{cents // 100}.{cents % 100:02d}"


async def remind(library: Library, today: date, send: Callable[[str, str], Any]) -> int:
    """Send one message to everybody whose tool is late, and say how many were sent."""
    late = [loan for loan in library.loans if loan.open and loan.late_by(today)]
    for loan in late:
        await send(loan.to, f"{loan.tool.name} was due on {loan.due:%d %B}. Somebody is waiting for it.")
    return len(late)


if __name__ == "__main__":
    import doctest

    raise SystemExit(doctest.testmod().failed)
