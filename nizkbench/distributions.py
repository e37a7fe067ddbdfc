"""Quantiles and tails of distributions, by the functions of scipy.special that scipy.stats calls.

Loading scipy.stats takes longer than most of what needs these. Arguments are numbers or arrays,
which broadcast; what is not defined, as with no degrees of freedom, is NaN.
"""

import math
from typing import overload

import numpy as np
from numpy.typing import NDArray
from scipy import special

_Floats = NDArray[np.float64]


@overload
def t_quantile(probability: float, degrees: float) -> float: ...
@overload
def t_quantile(probability: float, degrees: _Floats) -> _Floats: ...
def t_quantile(probability: float, degrees: float | _Floats) -> float | _Floats:
    """The quantile of Student's t with so many degrees of freedom."""
    found = special.stdtrit(degrees, probability)
    return found if isinstance(found, np.ndarray) else float(found)


@overload
def t_tail(value: float, degrees: float) -> float: ...
@overload
def t_tail(value: _Floats, degrees: float | _Floats) -> _Floats: ...
def t_tail(value: float | _Floats, degrees: float | _Floats) -> float | _Floats:
    """How probable a value above this one is under Student's t."""
    found = special.stdtr(degrees, -value)
    return found if isinstance(found, np.ndarray) else float(found)


def f_tail(value: float, above: float, below: float) -> float:
    """How probable a value above this one is under F with these degrees of freedom."""
    return float(special.fdtrc(above, below, value))


def gamma_quantile(probability: float, shape: float) -> float:
    """The quantile of the gamma distribution of this shape and scale 1."""
    return float(special.gammaincinv(shape, probability))


def share_interval(found: int, of: int, level: float) -> tuple[float, float]:
    """The interval of a share by Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404)."""
    tail = (1 - level) / 2
    low = special.betaincinv(found, of - found + 1, tail) if found else 0.0
    high = special.betaincinv(found + 1, of - found, 1 - tail) if found < of else 1.0
    return float(low), float(high)


def fair_coin(heads: int, throws: int) -> float:
    """How probable at most so many heads are in so many throws of a fair coin."""
    return float(sum(math.comb(throws, count) for count in range(heads + 1)) / 2**throws)
