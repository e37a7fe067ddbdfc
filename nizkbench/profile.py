"""Profiles: what to measure and for how long, in types that refuse what they do not know.

A profile holds one table an experiment, which is also what papermill hands to the experiment's
notebook; `inherits` takes everything from another profile and overrides single parameters.
"""

import tomllib
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.messages import Instances, OptionValue

Track = Literal["main", "priced", "as-published", "grid"]
ThreadsLabel = Literal["one", "all"]

_Positive = Annotated[int, msgspec.Meta(ge=1)]
_Rounds = Annotated[int, msgspec.Meta(ge=7, le=16383)]
_Bytes = Annotated[int, msgspec.Meta(ge=1, le=4096)]
_Values = Annotated[int, msgspec.Meta(ge=1, le=32)]
_Batch = Annotated[int, msgspec.Meta(ge=2, le=1024)]
_Bits = Literal[8, 16, 32, 64]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class ProfileError(NizkBenchError):
    """A profile, or the parameters of a notebook, ask for something that does not exist."""


class _AbstractStruct(msgspec.StructMeta, ABCMeta):
    """Makes parameters of which something is left to each kind."""


class _Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters are values, given by name, and a name nobody defined is refused."""


class NotebookParameters(_Parameters, frozen=True):
    """Parameters that papermill hands to the notebook `SECTION`."""

    SECTION: ClassVar[str]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """From plain parameters; `ProfileError` names one that is unknown, missing or ill-typed."""
        return _convert(dict(parameters), cls, f"the parameters of {cls.SECTION}")

    def parameters(self) -> dict[str, Any]:
        """As plain parameters: what `of` reads."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain


class Blocks(_Parameters, frozen=True):
    """The stop rule of a run, in invocations of a configuration.

    At least `minimum`; then until the 95 % interval of the time to proof is narrower than
    `target_half_width` to either side (relative), until `maximum`, or until the run has taken
    `seconds`. So many invocations run `side_by_side`, each on a core of its own, which only those
    on one thread can; on a machine with fewer cores, as many as it has.
    """

    minimum: Annotated[int, msgspec.Meta(ge=2)]
    maximum: Annotated[int, msgspec.Meta(ge=2)]
    target_half_width: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    seconds: _Seconds
    side_by_side: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1

    def __post_init__(self) -> None:
        _refuse_reversed("blocks", self.minimum, self.maximum)


class Samples(_Parameters, frozen=True):
    """The stop rule inside one invocation; `seconds` counts timed phases only."""

    warmup: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    minimum: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    maximum: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    seconds: Annotated[float, msgspec.Meta(gt=0, le=86400)]

    def __post_init__(self) -> None:
        _refuse_reversed("samples", self.minimum, self.maximum)


class InvocationLimits(_Parameters, frozen=True):
    """Bounds on one invocation."""

    timeout_seconds: _Seconds
    memory_bytes: _Positive


class Series(_Parameters, frozen=True):
    """One line of a figure: a system with a variant and options, over sizes and threads.

    `rounds` and `threads` replace those of the experiment; `rounds_maximum` cuts them off.
    """

    track: Track
    system: str
    variant: dict[str, str] = {}
    options: dict[str, OptionValue] = {}
    instances: Instances = "fresh"
    rounds: tuple[_Rounds, ...] | None = None
    rounds_maximum: _Rounds | None = None
    threads: tuple[ThreadsLabel, ...] | None = None

    def __post_init__(self) -> None:
        _refuse_repeated("rounds", self.rounds or ())
        _refuse_repeated("threads", self.threads or ())


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a figure, spelt out: one system over sizes and threads; `where` it is asked for."""

    where: str
    track: Track
    system: str
    variant: Mapping[str, str]
    options: Mapping[str, OptionValue]
    instances: Instances
    sizes: tuple[int, ...]
    threads: tuple[ThreadsLabel, ...]
    #: How many proofs are also verified together.
    batch: int | None = None


class Experiment(NotebookParameters, frozen=True, metaclass=_AbstractStruct):
    """Parameters of an experiment in randomised blocks, on one statement.

    `bit_flips` is how many flipped bits of a proof the check of every configuration tries.
    """

    STATEMENT: ClassVar[str]

    #: What follows the name of a profile in that of a run.
    SUFFIX: ClassVar[str] = ""

    seed: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    threads: Annotated[tuple[ThreadsLabel, ...], msgspec.Meta(min_length=1)]
    blocks: Blocks
    samples: Samples
    limits: InvocationLimits
    bit_flips: _Positive

    @abstractmethod
    def lines(self) -> tuple[Line, ...]:
        """What is measured, in the order of the profile; `ProfileError` if a line has no size."""


class Mimc(Experiment, frozen=True):
    """Parameters of the experiment on `mimc-preimage(rounds)`."""

    SECTION: ClassVar[str] = "mimc"
    STATEMENT: ClassVar[str] = "mimc-preimage"

    rounds: Annotated[tuple[_Rounds, ...], msgspec.Meta(min_length=1)]
    series: Annotated[tuple[Series, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        _refuse_repeated("rounds", self.rounds)
        _refuse_repeated("threads", self.threads)

    def lines(self) -> tuple[Line, ...]:
        """One a series."""
        found = []
        for number, series in enumerate(self.series, start=1):
            where = f"series {number} ({series.system})"
            sizes = tuple(
                rounds
                for rounds in series.rounds or self.rounds
                if series.rounds_maximum is None or rounds <= series.rounds_maximum
            )
            if not sizes:
                raise ProfileError(f"{where} has no rounds left under {series.rounds_maximum}")
            found.append(
                Line(
                    where=where,
                    track=series.track,
                    system=series.system,
                    variant=series.variant,
                    options=series.options,
                    instances=series.instances,
                    sizes=sizes,
                    threads=series.threads or self.threads,
                )
            )
        return tuple(found)


class HashSpeed(_Parameters, frozen=True):
    """How the native speed of hash functions is measured: processes of so many samples each.

    `leaves_log2` is the binary logarithm of the leaves of a Merkle tree.
    """

    blocks: Annotated[int, msgspec.Meta(ge=3, le=1000)]
    samples: _Positive
    leaves_log2: Annotated[int, msgspec.Meta(ge=1, le=24)]


class HashSeries(_Parameters, frozen=True):
    """A system with options, over functions and the sizes of their messages.

    `bytes` and `threads` replace those of the experiment; `bytes_maximum` cuts them off, for all
    functions or for those that it names.
    """

    track: Track
    system: str
    functions: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    variant: dict[str, str] = {}
    options: dict[str, OptionValue] = {}
    bytes: tuple[_Bytes, ...] | None = None
    bytes_maximum: _Bytes | dict[str, _Bytes] | None = None
    threads: tuple[ThreadsLabel, ...] | None = None

    def __post_init__(self) -> None:
        _refuse_repeated("functions", self.functions)
        _refuse_repeated("bytes", self.bytes or ())
        _refuse_repeated("threads", self.threads or ())
        if isinstance(self.bytes_maximum, dict):
            for name in self.bytes_maximum.keys() - set(self.functions):
                raise ValueError(f"bytes_maximum names {name}, which is none of the functions")

    def maximum(self, function: str) -> int | None:
        """The largest size of a function; None without a limit."""
        if isinstance(self.bytes_maximum, dict):
            return self.bytes_maximum.get(function)
        return self.bytes_maximum


class HashFunctions(Experiment, frozen=True):
    """Parameters of the experiment on `hash-preimage(function, bytes)`.

    `speed` is how often the native speed of every function is measured.
    """

    SECTION: ClassVar[str] = "hash_functions"
    SUFFIX: ClassVar[str] = "-hash-functions"
    STATEMENT: ClassVar[str] = "hash-preimage"

    bytes: Annotated[tuple[_Bytes, ...], msgspec.Meta(min_length=1)]
    series: Annotated[tuple[HashSeries, ...], msgspec.Meta(min_length=1)]
    speed: HashSpeed

    def __post_init__(self) -> None:
        _refuse_repeated("bytes", self.bytes)
        _refuse_repeated("threads", self.threads)

    def lines(self) -> tuple[Line, ...]:
        """One a series and function."""
        found = []
        for number, series in enumerate(self.series, start=1):
            for function in series.functions:
                where = f"series {number} ({series.system}, {function})"
                most = series.maximum(function)
                sizes = tuple(
                    count for count in series.bytes or self.bytes if most is None or count <= most
                )
                if not sizes:
                    raise ProfileError(f"{where} has no bytes left under {most}")
                found.append(
                    Line(
                        where=where,
                        track=series.track,
                        system=series.system,
                        variant=series.variant | {"function": function},
                        options=series.options,
                        instances="fresh",
                        sizes=sizes,
                        threads=series.threads or self.threads,
                    )
                )
        return tuple(found)


class RangeSeries(_Parameters, frozen=True):
    """A system over bits and numbers of values; `values` and `threads` replace those of the run.

    With `batch` so many proofs are also verified together, where the system has a call for that.
    """

    track: Track
    system: str
    bits: Annotated[tuple[_Bits, ...], msgspec.Meta(min_length=1)]
    values: tuple[_Values, ...] | None = None
    batch: _Batch | None = None
    threads: tuple[ThreadsLabel, ...] | None = None

    def __post_init__(self) -> None:
        _refuse_repeated("bits", self.bits)
        _refuse_repeated("values", self.values or ())
        _refuse_repeated("threads", self.threads or ())


class RangeProofs(Experiment, frozen=True):
    """Parameters of the experiment on `range(bits, values)`."""

    SECTION: ClassVar[str] = "range_proofs"
    SUFFIX: ClassVar[str] = "-range-proofs"
    STATEMENT: ClassVar[str] = "range"

    values: Annotated[tuple[_Values, ...], msgspec.Meta(min_length=1)]
    series: Annotated[tuple[RangeSeries, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        _refuse_repeated("values", self.values)
        _refuse_repeated("threads", self.threads)

    def lines(self) -> tuple[Line, ...]:
        """One a series and number of bits."""
        return tuple(
            Line(
                where=f"series {number} ({series.system}, {bits} bits)",
                track=series.track,
                system=series.system,
                variant={"bits": str(bits)},
                options={},
                instances="fresh",
                sizes=series.values or self.values,
                threads=series.threads or self.threads,
                batch=series.batch,
            )
            for number, series in enumerate(self.series, start=1)
            for bits in series.bits
        )


class Together(_Parameters, frozen=True):
    """Options whose values go together: an entry of `values` has one for each of `options`."""

    options: Annotated[tuple[str, ...], msgspec.Meta(min_length=2)]
    values: Annotated[tuple[tuple[OptionValue, ...], ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        _refuse_repeated("options", self.options)
        _refuse_repeated("values", self.values)
        for values in self.values:
            if len(values) != len(self.options):
                named = ", ".join(self.options)
                raise ValueError(f"values has {list(values)}, not one value each for {named}")


class Crossing(_Parameters, frozen=True):
    """Some systems, sizes and option values, and which of their combinations become cells.

    An option that `options` does not name keeps its default; `"all"` stands for every value that
    the runner describes. `combine = "each-with-each"` takes the full product,
    `"one-at-a-time"` the point of all first values and those that differ from it in one option.
    `together` joins options into one, which the product crosses with the others. `cells` keeps that
    many of the legal ones, balanced in every level and every pair of levels
    (`nizkbench.grid.balanced`), or `"all"`.
    """

    systems: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    rounds: Annotated[tuple[_Rounds, ...], msgspec.Meta(min_length=1)]
    options: dict[str, tuple[OptionValue, ...] | Literal["all"]] = {}
    combine: Literal["each-with-each", "one-at-a-time"] = "each-with-each"
    together: Together | None = None
    cells: _Positive | Literal["all"] = "all"

    def __post_init__(self) -> None:
        _refuse_repeated("systems", self.systems)
        _refuse_repeated("rounds", self.rounds)
        for name, values in self.options.items():
            if not values:
                raise ValueError(f"options.{name} is empty")
            if values != "all":
                _refuse_repeated(f"options.{name}", tuple(values))
        if self.together:
            if self.combine != "each-with-each":
                raise ValueError(f"together has no meaning where combine is {self.combine}")
            for name in self.together.options:
                if name in self.options:
                    raise ValueError(f"{name} is in both options and together")


class StarkGrid(NotebookParameters, frozen=True):
    """Parameters of the experiment on every combination of a STARK's options.

    Each cell is measured once in each of `blocks` blocks, every time in another process; a process
    measures `cells_per_process` of them, one after the other. `limits.timeout_seconds` bounds the
    silence of a runner, and so a cell. `bit_flips` is as in `Mimc`, `variant` that of all cells.
    """

    SECTION: ClassVar[str] = "stark_grid"

    seed: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    blocks: Annotated[int, msgspec.Meta(ge=3, le=1000)]
    cells_per_process: _Positive
    samples: Samples
    limits: InvocationLimits
    bit_flips: _Positive
    crossings: Annotated[dict[str, Crossing], msgspec.Meta(min_length=1)]
    variant: dict[str, str] = {}


class GridPart(NotebookParameters, frozen=True):
    """What a notebook measures of a `StarkGrid`: a shard, as I/N, for so many seconds at most."""

    SECTION: ClassVar[str] = StarkGrid.SECTION

    shard: Annotated[str, msgspec.Meta(pattern="^[1-9][0-9]*/[1-9][0-9]*$")] = "1/1"
    budget: _Seconds | None = None

    def __post_init__(self) -> None:
        number, _, of = self.shard.partition("/")
        if int(number) > int(of):
            raise ValueError(f"shard is {self.shard}, there are only {of}")


class P1Grinding(_Parameters, frozen=True):
    """Parameters of the experiment of earlier work on the number of queries.

    Every system proves with every number of `queries`, on one fixed instance and on fresh ones, in
    `blocks` processes each, `samples` times in a process (`nizkbench.p1_grinding`).
    """

    seed: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    systems: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    rounds: _Rounds
    queries: Annotated[tuple[_Positive, ...], msgspec.Meta(min_length=2)]
    blocks: Annotated[int, msgspec.Meta(ge=3, le=1000)]
    samples: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)]
    limits: InvocationLimits
    bit_flips: _Positive

    def __post_init__(self) -> None:
        _refuse_repeated("systems", self.systems)
        _refuse_repeated("queries", self.queries)


class Profile(_Parameters, frozen=True):
    """A named choice of parameters for every experiment."""

    name: Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$")]
    mimc: Mimc
    hash_functions: HashFunctions | None = None
    range_proofs: RangeProofs | None = None
    stark_grid: StarkGrid | None = None
    p1_grinding: P1Grinding | None = None

    def experiment(self, section: str) -> Experiment:
        """The experiment in blocks of this section.

        `ProfileError` for a section that is none, or that the profile has not.
        """
        known = (Mimc.SECTION, HashFunctions.SECTION, RangeProofs.SECTION)
        if section not in known:
            raise ProfileError(f"there is no experiment {section}, there are {', '.join(known)}")
        found: Experiment | None = getattr(self, section)
        if found is None:
            raise ProfileError(f"profile {self.name} has no section {section}")
        return found


def read_profile(name_or_path: str | Path) -> Profile:
    """A profile by its name in `profiles/` or by its path; `ProfileError` says what is wrong."""
    path = _locate(name_or_path)
    return _convert(_merged(path, ()), Profile, str(name_or_path))


def _locate(name_or_path: str | Path) -> Path:
    given = Path(name_or_path)
    if given.suffix == ".toml":
        if not given.is_file():
            raise ProfileError(f"there is no profile at {given}")
        return given
    folder = layout.root() / "profiles"
    path = folder / f"{name_or_path}.toml"
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in folder.glob("*.toml")))
        raise ProfileError(f"there is no profile {name_or_path}, there are {known or 'none'}")
    return path


def _merged(path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
    """The tables of a profile laid over those it inherits; lists are replaced as a whole."""
    if path in seen:
        raise ProfileError(f"{path.name} inherits from itself")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path.name} is no TOML ({error})") from error
    parent = table.pop("inherits", None)
    if parent is None:
        return table
    if not isinstance(parent, str):
        raise ProfileError(f"{path.name}: inherits must be the name of a profile")
    beside = path.parent / f"{parent}.toml"
    below = _merged(beside if beside.is_file() else _locate(parent), (*seen, path))
    return _laid_over(below, table)


def _laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        inherited = merged.get(name)
        if isinstance(inherited, dict) and isinstance(value, dict):
            merged[name] = _laid_over(inherited, value)
        else:
            merged[name] = value
    return merged


def _convert[T](table: dict[str, Any], kind: type[T], where: str) -> T:
    try:
        return msgspec.convert(table, kind, strict=True)
    except msgspec.ValidationError as error:
        # "Expected `int`, got `str` - at `$.mimc.blocks.minimum`": the place belongs first.
        what, _, place = str(error).partition(" - at ")
        at = place.strip("`").removeprefix("$").lstrip(".")
        raise ProfileError(f"{where}: {at + ': ' if at else ''}{what[:1].lower()}{what[1:]}") from (
            error
        )


def _refuse_reversed(name: str, minimum: int, maximum: int) -> None:
    if minimum > maximum:
        raise ValueError(f"{name}.minimum is {minimum}, more than {name}.maximum, {maximum}")


def _refuse_repeated(name: str, values: tuple[object, ...]) -> None:
    if len(set(values)) != len(values):
        raise ValueError(f"{name} names a value twice")
