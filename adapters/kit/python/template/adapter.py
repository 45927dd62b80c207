"""Holdoff adapter for {name}: the calls, the hook, the names of the errors."""

import holdoff_kit  # first: it takes standard output before the SDK can print
from holdoff_kit import Raised, current_call

import sdk  # the stand-in beside this file; import your SDK here and delete it

adapter = holdoff_kit.Adapter(sdk="{name}", packages=("sdk",), version=sdk.VERSION)


def on_retry(failed_attempt, delay, status):
    current_call().retry(failed_attempt=failed_attempt, next_attempt=failed_attempt + 1, delay=delay, status=status)


@adapter.loop("operation")
class Operation:
    def __init__(self, case):
        knobs = case.knobs(attempts="max_attempts", base_delay="base_delay", timeout="request_timeout")
        self.client = sdk.Client(case.base_url, on_retry=on_retry, **knobs)

    def read(self, call):
        self.client.request("GET", f"/items/{call.mark}")

    def write(self, call):
        self.client.request("PUT", f"/items/{call.mark}", call.mark)

    def write_unsafe(self, call):
        self.client.request("POST", f"/items/{call.mark}", call.mark)


@adapter.errors
def classify(error):
    if isinstance(error, sdk.StatusError):
        kind = {401: "auth", 403: "auth", 429: "rate-limited"}.get(error.status, "status")
        return Raised(kind, status=error.status, retry_after=error.retry_after)
    if isinstance(error, TimeoutError):
        return Raised("timeout")
    if isinstance(error, OSError):
        return Raised("transport")
    return None  # from within the SDK: `other`; from this file: a mistake of this file


adapter.run()
