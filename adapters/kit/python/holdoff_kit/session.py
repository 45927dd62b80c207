"""One open case: the adapter's object for it, its clock and its calls."""

import asyncio
import inspect
import os
import threading

from . import channel
from .case import Call, Case, current_call
from .clock import InjectedClock, SystemClock
from .outcome import Returned, Unsupported, adapter_error


class Session:
    """A case from `open` to `end`.

    Everything that runs the SDK is a coroutine. For a synchronous adapter it
    never suspends and is run on a thread of its own; for an asynchronous one
    it is a task of the process's asyncio loop.
    """

    def __init__(self, adapter, cls, message):
        self._adapter = adapter
        self._cls = cls
        self._client = None
        self._tasks = []
        self.calls = {}
        clock = message.get("clock", {})
        if clock.get("kind") == "injected":
            self.clock = InjectedClock(
                channel.send, message["case"], self._sleeping_call, clock["now"], clock["wall"], clock.get("tick", "0")
            )
        else:
            self.clock = SystemClock()
        self.case = Case(message, self.clock)
        methods = [method for _, method in inspect.getmembers(cls, inspect.isfunction)]
        self._async = getattr(cls, "asynchronous", any(map(inspect.iscoroutinefunction, methods)))

    def start(self, work, call=None):
        """Runs ``work`` beside the dispatch loop, which must stay free to hear cancels and clocks."""
        if self._async:
            # Kept, because asyncio itself holds its tasks only weakly.
            self._tasks.append(asyncio.run_coroutine_threadsafe(work(), self._adapter.event_loop()))
        else:
            name = "holdoff-case" if call is None else f"holdoff-call-{call.id}"
            threading.Thread(target=_run, args=(work(),), name=name, daemon=True).start()

    async def open(self):
        """Makes the client and answers `opened`, or says why it cannot."""
        try:
            self._client = self._cls(self.case)
        except Unsupported as no:
            line = {"type": "unsupported", "case": self.case.id, "reason": no.reason}
            if no.issue is not None:
                line["issue"] = no.issue
            channel.send(line)
        except BaseException as error:  # whatever it is, the runner must get an answer
            self._die("open", error)
        else:
            channel.send({"type": "opened", "case": self.case.id})

    async def close(self):
        """Runs the SDK's own shutdown and answers `closed`."""
        try:
            await self._finish_with("close")
        except BaseException as error:
            self._die("close", error)
        else:
            channel.send({"type": "closed", "case": self.case.id})

    def call(self, message):
        """Starts one call."""
        call = Call(self.case, message, channel.send)
        self.calls[call.id] = call
        self.start(lambda: self._call(call), call)

    async def _call(self, call):
        call.enter()
        try:
            if self._client is None:
                raise RuntimeError("a call before `opened`")
            verb = getattr(self._client, call.do.replace("-", "_"), None)
            if verb is None:
                raise Unsupported(f"the adapter does not serve `{call.do}`")
            if self._async:
                task, loop = asyncio.current_task(), asyncio.get_running_loop()
                call.on_cancel(lambda: self._cancel_task(task, loop))
            if call.cancel_at == "before-start":
                call.cancel()
            value = verb(call)
            if inspect.isawaitable(value):
                value = await value
            outcome = (value if isinstance(value, Returned) else Returned()).to_wire()
        except BaseException as error:  # one result a call, whatever leaves the SDK
            outcome = self._adapter.outcome_of(error)
        call.finish(outcome)

    @staticmethod
    def _cancel_task(task, loop):
        try:
            inside = asyncio.get_running_loop() is loop
        except RuntimeError:
            inside = False
        # Inside the loop at once: a cancel on the retry hook must precede the
        # wait that follows the hook, not race it.
        if inside:
            task.cancel()
        else:
            loop.call_soon_threadsafe(task.cancel)

    def abandon(self):
        """The case is over: silence its calls, wake its sleepers, drop the client."""
        for call in self.calls.values():
            call.abandon()
            call.cancel()
        if isinstance(self.clock, InjectedClock):
            self.clock.release()
        if self._client is not None and hasattr(self._client, "drop"):
            self.start(self._drop)

    async def _drop(self):
        try:
            await self._finish_with("drop")
        except BaseException as error:
            channel.log(f"holdoff kit: drop: {adapter_error(error)['trace']}")

    async def _finish_with(self, name):
        act = getattr(self._client, name, None)
        value = act() if act is not None else None
        if inspect.isawaitable(value):
            await value

    def _sleeping_call(self):
        try:
            return current_call().id
        except LookupError:
            running = [call.id for call in self.calls.values() if call.running]
            if len(running) == 1:
                return running[0]
            raise RuntimeError("a sleep on a thread of the SDK's own, and more than one call to blame for it") from None

    @staticmethod
    def _die(what, error):
        # There is no message for it: the runner reports the crash with this log.
        channel.log(f"holdoff kit: the adapter failed in {what}:\n{adapter_error(error)['trace']}")
        os._exit(1)


def _run(coroutine):
    """Runs a coroutine that never suspends: one step is all of it."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError("a verb of a synchronous adapter returned an awaitable")
