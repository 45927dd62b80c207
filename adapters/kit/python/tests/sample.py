"""A small adapter for the tests: its "SDK" is the module ``sample_sdk`` beside it."""

import holdoff_kit

import sample_sdk

adapter = holdoff_kit.Adapter(sdk="sample-sdk", packages=("sample_sdk",), version="1.2.3")


@adapter.loop("operation")
class Operation:
    def __init__(self, case):
        self.case = case
        self.client = sample_sdk.Client(case.clock, self.on_retry, **case.knobs(attempts="max_attempts", base="base_delay"))

    def on_retry(self, failed, delay):
        holdoff_kit.current_call().retry(failed_attempt=failed, next_attempt=failed + 1, delay=delay, status=503)

    def read(self, call):
        call.on_cancel(self.client.cancel)
        return holdoff_kit.Returned(status=self.client.read(call.mark))

    def write(self, call):
        raise RuntimeError("a mistake in the adapter")

    def write_unsafe(self, call):
        self.client.overflow()

    def upload(self, call):
        call.retry(delay="not a number")

    def poll(self, call):
        call.log(f"random {sample_sdk.draw()}")

    def close(self):
        self.client.close()


@adapter.loop("async-operation")
class AsyncOperation:
    def __init__(self, case):
        self.case = case

    async def read(self, call):
        call.retry(failed_attempt=1, next_attempt=2, delay=0, status=429)
        await self.case.clock.async_sleep(3600)
        return holdoff_kit.Returned(status=200)


@adapter.loop("refused")
class Refused:
    def __init__(self, case):
        raise holdoff_kit.Unsupported("no such mechanism", issue="https://example.org/1")


@adapter.errors
def classify(error):
    if isinstance(error, sample_sdk.Cancelled):
        return holdoff_kit.Cancelled()
    if isinstance(error, sample_sdk.Throttled):
        return holdoff_kit.Raised("rate-limited", status=429, retry_after=error.retry_after)
    return None


adapter.run()
