"""The clock and sleeper to hand to an SDK that takes one."""

import asyncio
import threading
import time

from .span import NANOS_PER_SECOND, from_nanos, instant_nanos, to_nanos


class SystemClock:
    """The process's own clock: real, or moved by the runner from outside."""

    injected = False
    sleep = staticmethod(time.sleep)
    monotonic = staticmethod(time.monotonic)
    monotonic_ns = staticmethod(time.monotonic_ns)
    time_ns = staticmethod(time.time_ns)
    time = staticmethod(time.time)
    async_sleep = staticmethod(asyncio.sleep)


class InjectedClock:
    """A clock that the runner owns: it moves when the runner says, or by a tick at each reading.

    ``sleep`` asks the runner and blocks, with no time limit, until the runner
    answers ``slept``. Readings and sleeps are safe from any thread.
    """

    injected = True

    def __init__(self, send, case, call_id, now, wall, tick="0"):
        """``send(message)`` writes to the runner, ``call_id()`` names the running call."""
        self._send = send
        self._case = case
        self._call_id = call_id
        self._lock = threading.Lock()
        self._now = to_nanos(now)
        self._wall = instant_nanos(wall)
        self._tick = to_nanos(tick)
        self._ticked = 0
        self._count = 0
        self._waiting = {}

    def monotonic_ns(self):
        """Nanoseconds since the case's zero."""
        return self._read("_now")

    def monotonic(self):
        """Seconds since the case's zero."""
        return self.monotonic_ns() / NANOS_PER_SECOND

    def time_ns(self):
        """Nanoseconds since the Unix epoch."""
        return self._read("_wall")

    def time(self):
        """Seconds since the Unix epoch."""
        return self.time_ns() / NANOS_PER_SECOND

    def sleep(self, seconds, during=None):
        """Asks the runner for ``seconds`` (any sign) and returns when it says that they are over.

        ``during="request"`` marks a timer that runs beside a request.
        """
        over = threading.Event()
        self._ask(seconds, during, over.set)
        over.wait()

    async def async_sleep(self, seconds, during=None):
        """As ``sleep``, without blocking the event loop."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        self._ask(seconds, during, lambda: loop.call_soon_threadsafe(over.set))
        await over.wait()

    def on_slept(self, number, now, wall):
        """The runner says that sleep ``number`` is over, and where the clocks stand."""
        self.on_advance(now, wall)
        with self._lock:
            wake = self._waiting.pop(number, None)
        if wake is not None:
            wake()

    def on_advance(self, now, wall):
        """The runner moves both clocks. What ticks added so far stays added."""
        with self._lock:
            self._now = to_nanos(now)
            self._wall = instant_nanos(wall)

    def release(self):
        """Wakes every sleeper: the case is over and no `slept` will come."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for wake in waiting.values():
            wake()

    def _read(self, which):
        with self._lock:
            value = getattr(self, which) + self._ticked
            self._ticked += self._tick
            return value

    def _ask(self, seconds, during, wake):
        message = {"type": "sleep", "case": self._case, "call": self._call_id()}
        message["duration"] = from_nanos(to_nanos(seconds))
        if during is not None:
            message["during"] = during
        with self._lock:
            self._count += 1
            message["n"] = self._count
            self._waiting[self._count] = wake
        self._send(message)
