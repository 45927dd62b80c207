"""One case, its calls, and what the SDK tells its caller during them."""

import contextvars
import threading
import traceback

from .outcome import Unsupported
from .span import decimal_of, to_nanos

_current = contextvars.ContextVar("holdoff_call")


def current_call():
    """The call that this thread or task works for.

    For hooks that are given to a client rather than to a call. Raises
    ``LookupError`` in a thread that the SDK started by itself; hand the call
    over there.
    """
    return _current.get()


class Case:
    """What `open` said: everything that an adapter may know of a case."""

    def __init__(self, message, clock):
        self.id = message["case"]
        #: The loop under test, by the adapter's own name of it.
        self.loop = message["loop"]
        #: Where the mock server listens; may have a path.
        self.base_url = message["base_url"]
        #: Knobs as sent: counts are ``int``, durations decimal strings.
        self.params = message.get("params", {})
        self.seed = message.get("seed", 0)
        #: ``virtual``, ``real`` or ``injected``.
        self.clock_kind = message.get("clock", {}).get("kind", "real")
        #: A clock with ``monotonic()``, ``time()`` and ``sleep(seconds)``.
        self.clock = clock

    def knobs(self, **names):
        """The SDK's keyword arguments for the knobs that this case sets.

        ``knobs(retries="max_attempts", base="base_delay")`` gives only those
        that were sent: counts as ``int``, durations as ``float`` seconds. A
        knob that was sent and is not named here makes the case unsupported: an
        ignored knob would test the SDK's defaults under another name.
        """
        unclaimed = sorted(set(self.params) - set(names.values()))
        if unclaimed:
            raise Unsupported(f"the adapter has no knob for {', '.join(unclaimed)}")
        return {ours: _knob(self.params[theirs]) for ours, theirs in names.items() if theirs in self.params}


class Call:
    """One call: what is asked, and where to report what the SDK says meanwhile."""

    def __init__(self, case, message, send):
        request = message["request"]
        self.case = case
        self.id = message["call"]
        #: The verb, such as ``read``.
        self.do = request["do"]
        #: Put it where the wire shows it (path, name, query).
        self.mark = request["mark"]
        #: Whether this call's credentials can be refreshed, ``t1`` to ``t2``.
        self.refreshable = request.get("auth") == "refreshable"
        #: ``None``, ``on-retry`` or ``before-start``; the kit acts on it.
        self.cancel_at = request.get("cancel")
        self._send = send
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._on_cancel = []
        self._finished = False
        self._broken = None

    # What the SDK says ------------------------------------------------------

    def retry(self, failed_attempt=None, next_attempt=None, delay=None, status=None):
        """The SDK's retry hook ran: attempts from 1, ``delay`` in seconds as the SDK gave it."""
        with self._guard():
            announced = None if delay is None else decimal_of(delay)
            self._event("retry", failed_attempt, next_attempt, announced, status)
            if self.cancel_at == "on-retry":
                self.cancel()

    def refresh(self):
        """The SDK asked for new credentials."""
        with self._guard():
            self._event("refresh")

    def log(self, text):
        """A remark for the report, tied to this call."""
        with self._guard():
            self._event("log", message=str(text))

    def held(self):
        """Under the injected clock: this call waits for another one (a gate, a queue)."""
        with self._guard():
            self._send({"type": "held", "case": self.case.id, "call": self.id})

    # Cancellation -----------------------------------------------------------

    @property
    def cancelled(self):
        """Whether the call was cancelled."""
        return self._cancelled.is_set()

    def on_cancel(self, act):
        """Runs ``act()`` when the call is cancelled, at once if it already was.

        Set the SDK's own handle in it. From any thread.
        """
        with self._lock:
            if not self._cancelled.is_set():
                self._on_cancel.append(act)
                return
        act()

    def cancel(self):
        """Cancels the call; the kit calls it, an adapter need not."""
        with self._lock:
            already, acts = self._cancelled.is_set(), self._on_cancel
            self._cancelled.set()
            self._on_cancel = []
        if not already:
            for act in acts:
                act()

    # For the kit ------------------------------------------------------------

    def enter(self):
        """Makes this the current call of the running thread or task."""
        _current.set(self)

    @property
    def running(self):
        """Whether the call has no result yet and its case is open."""
        return not self._finished

    def finish(self, outcome):
        """Sends the one result; later ones are dropped."""
        with self._lock:
            if self._finished:
                return
            self._finished = True
            if self._broken is not None:
                outcome = {"kind": "adapter-error", "trace": self._broken}
        self._send({"type": "result", "case": self.case.id, "call": self.id, "outcome": outcome})

    def abandon(self):
        """The case is over: nothing of this call is sent any more."""
        with self._lock:
            self._finished = True

    def _event(self, event, failed_attempt=None, next_attempt=None, delay=None, status=None, message=None):
        fields = {
            "failed_attempt": failed_attempt,
            "next_attempt": next_attempt,
            "delay": delay,
            "status": status,
            "message": message,
        }
        line = {"type": "event", "case": self.case.id, "call": self.id, "event": event}
        line.update((name, value) for name, value in fields.items() if value is not None)
        with self._lock:
            if not self._finished:
                self._send(line)

    def _guard(self):
        return _Guard(self)


class _Guard:
    """SDKs swallow what a hook raises; a mistake in one must still be blamed on the adapter."""

    def __init__(self, call):
        self._call = call

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            self._call._broken = "".join(traceback.format_exception(kind, error, trace))
        return False


def _knob(value):
    return value if isinstance(value, int) else to_nanos(value) / 1_000_000_000
