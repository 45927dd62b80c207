"""Adapter for basecamp-sdk (Python): the calls, the hooks, the names of the errors."""

import sys
from json import JSONDecodeError
from urllib.parse import urlsplit

import holdoff_kit  # first: it takes standard output before the SDK can print
from holdoff_kit import Raised, current_call

import basecamp
import httpx

adapter = holdoff_kit.Adapter(sdk="basecamp-sdk", packages=("basecamp",))


class Hooks(basecamp.BasecampHooks):
    def on_retry(self, info, attempt, error, delay):
        current_call().retry(failed_attempt=info.attempt, next_attempt=attempt, delay=delay, status=error.http_status)


class Tokens:
    """Hands out t1, then t2 after a refresh, without a request of its own."""

    token = "t1"
    refreshable = property(lambda self: current_call().refreshable)

    def access_token(self):
        return self.token

    def refresh(self):
        current_call().refresh()
        self.token = "t2"
        return True


class AsyncTokens(Tokens):
    async def access_token(self):
        return self.token

    async def refresh(self):
        return super().refresh()


class Sync:
    Client, Provider = basecamp.Client, Tokens

    def __init__(self, case):
        knobs = case.knobs(
            max_retries="max_attempts", base_delay="base_delay", max_jitter="max_jitter", timeout="request_timeout"
        )
        config = basecamp.Config(base_url=case.base_url, **knobs)
        self.client = self.Client(config=config, token_provider=self.Provider(), hooks=Hooks())
        self.account = self.client.for_account("999")
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(case.base_url))

    def read(self, call):
        return self.account.projects.get(project_id=int(call.mark))

    def write(self, call):
        return self.account.todos.complete(todo_id=int(call.mark))

    def write_unsafe(self, call):
        return self.account.messages.create(board_id=int(call.mark), subject=call.mark)

    def upload(self, call):
        return self.account.messages.update(message_id=int(call.mark), content=f"{call.mark} " * 512)

    def download(self, call):
        return self.account.download_url(f"{self.origin}/999/blobs/{call.mark}/report.pdf")

    def list(self, call):
        return self.account.messages.list(board_id=int(call.mark))

    def close(self):
        return self.client.close()

    drop = close


class Async(Sync):
    """The same calls give coroutines here; the kit awaits them."""

    asynchronous = True
    Client, Provider = basecamp.AsyncClient, AsyncTokens


@adapter.errors
def classify(error):
    if isinstance(error.__cause__ or error, JSONDecodeError):
        return Raised("decode")
    if isinstance(error, basecamp.NetworkError):
        return Raised("timeout" if isinstance(error.__cause__, httpx.TimeoutException) else "transport")
    if isinstance(error, basecamp.UsageError):
        return Raised("usage")
    if not isinstance(error, basecamp.BasecampError) or error.http_status is None:
        return None
    kind = {429: "rate-limited", 401: "auth", 403: "auth"}.get(error.http_status, "status")
    return Raised(kind, status=error.http_status, retry_after=error.retry_after)


adapter.loop("operation", "download", "auth-refresh")({"sync": Sync, "async": Async}[sys.argv[1]])
adapter.run()
