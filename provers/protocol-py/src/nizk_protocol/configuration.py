"""One cell of a grid, validated: what a session may rely on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Configuration:
    """System, statement, size, and every variant and option that the system has, by name.

    `threads` is 1 for `verify`, which runs outside the loop.
    """

    system: str
    statement: str
    size: int
    variant: dict[str, str]
    options: dict[str, int | str]
    threads: int = 1

    def option_integer(self, name: str) -> int:
        """Value of an integer option."""
        value = self.options[name]
        if isinstance(value, int):
            return value
        raise TypeError(f"option {name} of {self.system} is no integer")

    def option_choice(self, name: str) -> str:
        """Value of an option that is one of several names."""
        value = self.options[name]
        if isinstance(value, str):
            return value
        raise TypeError(f"option {name} of {self.system} is no choice")

    def canonical_variant(self) -> str:
        """The variant as `name=value` joined by `,`, names in alphabetical order."""
        return ",".join(f"{name}={value}" for name, value in sorted(self.variant.items()))
