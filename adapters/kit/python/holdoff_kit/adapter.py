"""The dispatch loop: messages in, calls of the SDK out."""

import asyncio
import json
import locale
import os
import platform
import queue
import random
import sys
import threading
import time
from importlib import metadata

from . import channel
from .outcome import Raised, Unsupported, adapter_error, passed_through
from .session import Session
from .span import NANOS_PER_SECOND, instant_nanos

PROTOCOL = 1


class Adapter:
    """One adapter process: which SDK, which loops, how its errors are called.

    ``sdk`` is the distribution's name, from which the loaded version is read.
    ``packages`` are its importable packages: an exception that passed through
    them is the SDK's, any other is the adapter's own mistake.
    """

    def __init__(self, sdk, packages, version=None):
        self._sdk = {"name": sdk, "version": version or _installed_version(sdk)}
        self._packages = tuple(packages)
        self._loops = {}
        self._classify = lambda error: None
        self._open = {}
        self._asyncio = None

    def loop(self, *names):
        """Class decorator: serves the loops ``names``.

        The class is made once for each case, ``__init__(self, case)``; its
        methods are the verbs, with ``_`` for ``-``, ``def write_unsafe(self,
        call)``; an optional ``close(self)`` is the SDK's own shutdown and an
        optional ``drop(self)`` frees what is left when the case ends. If a
        method is a coroutine function, or the class says ``asynchronous =
        True``, everything of it runs on one asyncio loop.
        """

        def register(cls):
            for name in names:
                self._loops[name] = cls
            return cls

        return register

    def errors(self, classify):
        """Function decorator: ``classify(error)`` gives a ``Raised`` or a ``Cancelled``, or ``None`` for ``other``."""
        self._classify = classify
        return classify

    def run(self):
        """Serves the runner until `shutdown` or the end of input, then exits with status 0."""
        try:
            # An application that honours its user's locale is where a client
            # that reads dates by the locale fails; Python alone stays at C.
            locale.setlocale(locale.LC_ALL, "")
        except locale.Error as error:
            channel.log(f"holdoff kit: {error}: the locale stays C")
        inbox = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(inbox,), name="holdoff-reader", daemon=True).start()
        while True:
            message = inbox.get()
            if message is None or message.get("type") == "shutdown":
                break
            self._dispatch(message)
        # Threads that an SDK left behind must not hold the process.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    # Reading and dispatching --------------------------------------------------

    def _read(self, inbox):
        for line in channel.lines():
            if not line.strip():
                continue
            try:
                message = json.loads(line)
                message["type"]
            except (ValueError, KeyError, TypeError) as error:
                channel.log(f"holdoff kit: unreadable line from the runner: {error!r}: {line[:200]!r}")
                continue
            inbox.put(message)
        inbox.put(None)

    def _dispatch(self, message):
        kind = message["type"]
        handler = getattr(self, f"_on_{kind.replace('-', '_')}", None)
        if handler is None:
            channel.log(f"holdoff kit: unknown message type {kind!r}, ignored")
        else:
            handler(message)

    def _on_hello(self, message):
        channel.send(
            {
                "type": "hello",
                "protocol": PROTOCOL,
                "sdk": self._sdk,
                "language": "python",
                "runtime": f"{platform.python_implementation()} {platform.python_version()}",
                "environment": {
                    "zone_offsets": [_offset(instant) for instant in message["probe"]],
                    "locale": locale.setlocale(locale.LC_TIME),
                },
            }
        )

    def _on_open(self, message):
        case_id = message["case"]
        cls = self._loops.get(message["loop"])
        if cls is None:
            reason = f"unknown loop {message['loop']!r}; known: {', '.join(sorted(self._loops))}"
            channel.send({"type": "unsupported", "case": case_id, "reason": reason})
            return
        random.seed(message.get("seed", 0))
        session = Session(self, cls, message)
        self._open[case_id] = session
        session.start(session.open)

    def _on_call(self, message):
        session = self._session(message)
        if session is not None:
            session.call(message)

    def _on_cancel(self, message):
        session = self._session(message)
        call = session and session.calls.get(message["call"])
        if call is not None:
            call.cancel()

    def _on_close(self, message):
        session = self._session(message)
        if session is not None:
            session.start(session.close)

    def _on_slept(self, message):
        session = self._session(message)
        if session is not None:
            session.clock.on_slept(message["n"], message["now"], message["wall"])

    def _on_advance(self, message):
        session = self._session(message)
        if session is not None:
            session.clock.on_advance(message["to"], message["wall"])
            channel.send({"type": "advanced", "case": message["case"], "now": message["to"]})

    def _on_end(self, message):
        session = self._open.pop(message["case"], None)
        if session is not None:
            session.abandon()
        channel.send({"type": "ended", "case": message["case"]})

    def _session(self, message):
        session = self._open.get(message.get("case"))
        if session is None:
            channel.log(f"holdoff kit: {message['type']} for a case that is not open, ignored")
        return session

    # Running the SDK ----------------------------------------------------------

    def event_loop(self):
        """The asyncio loop of this process, on a thread of its own, started when first needed."""
        if self._asyncio is None:
            self._asyncio = asyncio.new_event_loop()
            threading.Thread(target=self._asyncio.run_forever, name="holdoff-asyncio", daemon=True).start()
        return self._asyncio

    def outcome_of(self, error):
        """The protocol's outcome for an exception that left a verb."""
        if isinstance(error, Unsupported):
            return {"kind": "unsupported", "reason": error.reason}
        if isinstance(error, asyncio.CancelledError):
            return {"kind": "cancelled"}
        try:
            raised = self._classify(error)
            if raised is None and passed_through(error, self._packages):
                raised = Raised("other")
            return adapter_error(error) if raised is None else raised.to_wire(error)
        except Exception as mistake:  # the adapter's classifier itself is wrong
            return adapter_error(mistake)


def _installed_version(sdk):
    try:
        return metadata.version(sdk)
    except metadata.PackageNotFoundError:
        raise SystemExit(
            f"holdoff kit: no distribution {sdk!r} is installed for {sys.executable}; "
            "did `holdoff build` run? For code that is none: Adapter(..., version='1.2.3')"
        ) from None


def _offset(instant):
    """The zone's offset at an RFC 3339 instant, as ``+05:30``."""
    seconds = time.localtime(instant_nanos(instant) // NANOS_PER_SECOND).tm_gmtoff
    sign = "-" if seconds < 0 else "+"
    return f"{sign}{abs(seconds) // 3600:02d}:{abs(seconds) % 3600 // 60:02d}"
