"""How a call ended, in the words of the protocol."""

import traceback

from .span import decimal_of

KINDS = (
    "rate-limited",
    "status",
    "transport",
    "timeout",
    "auth",
    "expired",
    "denied",
    "decode",
    "usage",
    "budget",
    "other",
)


class Unsupported(Exception):
    """Raise it in a constructor or a verb that this SDK cannot serve; say why."""

    def __init__(self, reason, issue=None):
        super().__init__(reason)
        self.reason = reason
        self.issue = issue


class Returned:
    """What a verb may return where the SDK shows the status of the final reply."""

    def __init__(self, status=None):
        self.status = status

    def to_wire(self):
        """The outcome as the protocol spells it."""
        return _dropping_none(kind="returned", status=self.status)


class Cancelled:
    """What ``classify`` gives for the SDK's own error of a cancelled call."""

    def to_wire(self, _error=None):
        """The outcome as the protocol spells it."""
        return {"kind": "cancelled"}


class Raised:
    """An error of the SDK, classified.

    ``kind`` is one of ``KINDS``; ``status`` and ``retry_after`` (seconds, any
    number) only if the SDK's own error carries them.
    The message defaults to the error's own.
    """

    def __init__(self, kind, status=None, retry_after=None, message=""):
        if kind not in KINDS:
            raise ValueError(f"unknown kind of error {kind!r}; known: {', '.join(KINDS)}")
        self.kind = kind
        self.status = status
        self.retry_after = retry_after
        self.message = message

    def to_wire(self, error=None):
        """The outcome as the protocol spells it; the message defaults to the error's."""
        told = None if self.retry_after is None else decimal_of(self.retry_after)
        message = self.message or ("" if error is None else f"{type(error).__name__}: {error}")
        fields = _dropping_none(kind=self.kind, status=self.status, retry_after=told, message=message)
        return {"kind": "raised", "error": fields}


def adapter_error(error):
    """The outcome that blames the adapter, with the whole trace."""
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {"kind": "adapter-error", "trace": trace}


def passed_through(error, packages):
    """Whether ``error`` was raised by or below code of the SDK's ``packages``.

    That is what tells an exception that the SDK let through (its caller sees
    it: ``raised``) from a mistake in the adapter (``adapter-error``).
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if any(module == name or module.startswith(f"{name}.") for name in packages):
            return True
    return False


def _dropping_none(**fields):
    return {name: value for name, value in fields.items() if value is not None}
