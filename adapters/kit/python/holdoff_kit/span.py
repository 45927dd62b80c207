"""Lengths of time on the wire: decimal strings of seconds, exact to the nanosecond."""

from decimal import ROUND_HALF_EVEN, Context, Decimal

NANOS_PER_SECOND = 1_000_000_000

# A float can be as large as 1e308; the default context would round it.
_EXACT = Context(prec=1200, rounding=ROUND_HALF_EVEN)


def to_nanos(seconds):
    """Whole nanoseconds of ``seconds``: an ``int``, ``float``, ``Decimal`` or decimal string.

    A float is taken at its exact binary value and rounded to the nearest
    nanosecond. Raises ``ValueError`` for NaN and text that is no number,
    ``OverflowError`` for an infinity, as ``time.sleep`` does.
    """
    if isinstance(seconds, int):
        return seconds * NANOS_PER_SECOND
    try:
        value = Decimal(seconds)
    except ArithmeticError:
        raise ValueError(f"not a number of seconds: {seconds!r}") from None
    if value.is_nan():
        raise ValueError("NaN is no length of time")
    if value.is_infinite():
        raise OverflowError("infinity is no length of time")
    return int(_EXACT.to_integral_value(_EXACT.scaleb(value, 9)))


def from_nanos(nanos):
    """The decimal string of ``nanos``: ``120``, ``0.1``, ``-2``, ``299.99999928``."""
    sign = "-" if nanos < 0 else ""
    seconds, rest = divmod(abs(nanos), NANOS_PER_SECOND)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{sign}{seconds}{fraction}"


def decimal_of(seconds):
    """The wire form of ``seconds`` (``int``, ``float``, ``Decimal``, string)."""
    return from_nanos(to_nanos(seconds))


def instant_nanos(text):
    """Nanoseconds from the Unix epoch to an RFC 3339 instant in UTC.

    Written by hand because ``datetime`` stops at microseconds and, before
    Python 3.11, does not read a ``Z``.
    """
    import calendar

    date, _, clock = text.rstrip("Zz").replace("t", "T").partition("T")
    time_of_day, _, fraction = clock.partition(".")
    year, month, day = (int(part) for part in date.split("-"))
    hour, minute, second = (int(part) for part in time_of_day.split(":"))
    whole = calendar.timegm((year, month, day, hour, minute, second))
    return whole * NANOS_PER_SECOND + int(f"{fraction:0<9}"[:9])
