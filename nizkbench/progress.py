"""How far a run has come, for the person who waits: a bar, or a line now and then."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

#: Seconds between two looks of the bar. Drawing costs processor time that a prover on all cores
#: would miss, so it is seldom.
REDRAW_SECONDS = 1.0

#: Seconds between two lines where there is no terminal.
LINE_SECONDS = 30.0


class RunProgress:
    """Shows the share done, the trial in hand and the time left, on standard error."""

    def __init__(self, name: str, console: Console | None = None) -> None:
        """Show the run called `name`; nothing is shown before the first `show`."""
        self._name = name
        # In a notebook as well: who runs it from a terminal sees what its kernel says there.
        self._console = console or Console(stderr=True, highlight=False, force_jupyter=False)
        self._shown_at = float("-inf")
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=30),
                TextColumn(
                    "{task.percentage:>3.0f} %  {task.fields[left]} left  {task.fields[trial]}"
                ),
                console=self._console,
                auto_refresh=False,
                transient=True,
            )
            self._task = self._bar.add_task(name, total=1.0, left="–", trial="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, sentence: str) -> None:
        """Show a sentence that stays."""
        self._console.print(f"{self._name}: {sentence}", markup=False, soft_wrap=True)

    def show(self, spent: float, left: float, trial: str) -> None:
        """Show the trial in hand, after `spent` seconds of measuring, with about `left` to go."""
        now = time.monotonic()
        if now - self._shown_at < (REDRAW_SECONDS if self._bar is not None else LINE_SECONDS):
            return
        self._shown_at = now
        share = spent / (spent + left) if spent + left > 0 else 0.0
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=share, left=duration(left), trial=trial)
            self._bar.refresh()
        else:
            self.say(f"{share:.0%} done, about {duration(left)} left, measuring {trial}")


def duration(seconds: float) -> str:
    """A time to wait, to the minute where it is long and to the second where it is short."""
    whole = round(max(seconds, 0.0))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min" if minutes >= 10 else f"{minutes} min {rest:02} s"
