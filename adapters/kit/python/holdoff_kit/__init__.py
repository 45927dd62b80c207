"""Holdoff adapter kit for Python: everything of an adapter but the SDK's calls.

Import it FIRST. The import takes the process's standard output for the
protocol and points file descriptor 1 at standard error, so that whatever an
SDK prints, while it is imported or later, is log and cannot spoil a line of
the protocol. An adapter then is a class for each loop and one ``run()``::

    import holdoff_kit                       # before the SDK
    import acme

    adapter = holdoff_kit.Adapter(sdk="acme-sdk", packages=("acme",))

    @adapter.loop("operation")
    class Operation:
        def __init__(self, case):            # one client for each case
            knobs = case.knobs(retries="max_attempts", base="base_delay")
            self.client = acme.Client(case.base_url, on_retry=self.on_retry, **knobs)

        def on_retry(self, failed, delay):
            holdoff_kit.current_call().retry(failed_attempt=failed, delay=delay)

        def read(self, call):                # a verb: `do: read`
            self.client.items.get(call.mark)

    @adapter.errors
    def classify(error):
        if isinstance(error, acme.HTTPError):
            return holdoff_kit.Raised("status", status=error.status)

    adapter.run()

Verbs may be coroutine functions; then the constructor, the verbs and ``close``
run on one asyncio loop. Python 3.9 or later, standard library only.
"""

from . import channel as _channel

_channel.take()

from .adapter import Adapter  # noqa: E402  stdout must be ours before anything else runs
from .case import Call, Case, current_call  # noqa: E402
from .clock import InjectedClock, SystemClock  # noqa: E402
from .outcome import Cancelled, Raised, Returned, Unsupported  # noqa: E402
from .span import from_nanos, to_nanos  # noqa: E402

__all__ = [
    "Adapter",
    "Call",
    "Cancelled",
    "Case",
    "InjectedClock",
    "Raised",
    "Returned",
    "SystemClock",
    "Unsupported",
    "current_call",
    "from_nanos",
    "to_nanos",
]
