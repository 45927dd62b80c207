"""A stand-in for an SDK, so that this adapter runs before yours is wired in. Delete it then."""

import time
import urllib.error
import urllib.request

VERSION = "0.0.0"


class StatusError(Exception):
    def __init__(self, status, retry_after):
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after


class Client:
    def __init__(self, base_url, on_retry, attempts=3, base_delay=1.0, timeout=30.0):
        self.base_url = base_url
        self.on_retry = on_retry
        self.attempts = min(max(1, attempts), 3)
        self.base_delay = base_delay
        self.timeout = timeout

    def request(self, method, path, body=None):
        for attempt in range(1, self.attempts + 1):
            try:
                return self._send(method, path, body)
            except StatusError as error:
                if error.status not in (429, 503) or method == "POST" or attempt == self.attempts:
                    raise
                status, told = error.status, error.retry_after
            except OSError:
                if method == "POST" or attempt == self.attempts:
                    raise
                status, told = None, None
            delay = told or min(self.base_delay * 2 ** (attempt - 1), 30.0)
            self.on_retry(attempt, delay, status)
            time.sleep(delay)

    def _send(self, method, path, body):
        data = None if body is None else body.encode()
        request = urllib.request.Request(self.base_url + path, data=data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            value = (error.headers.get("retry-after") or "").strip(" \t")
            told = int(value) if value.isascii() and value.isdigit() else None
            raise StatusError(error.code, told) from None
        except urllib.error.URLError as error:
            raise error.reason from None
