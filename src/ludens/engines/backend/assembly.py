"""LLVM assembly as it is written, instruction by instruction."""

from __future__ import annotations


class Assembly:
    """The instructions of one function so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def op(self, instruction: str) -> str:
        """Write an instruction that gives a value; return the name of the value."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {instruction}")
        return f"%v{self._count}"

    def label(self, prefix: str = "b") -> str:
        """Return the name of a block that is not begun yet."""
        self._count += 1
        return f"{prefix}{self._count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before has ended with a jump."""
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.line(f"br label %{label}")

    def branch(self, condition: str, then: str, other: str) -> None:
        self.line(f"br i1 {condition}, label %{then}, label %{other}")
