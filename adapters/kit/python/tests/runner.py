"""The runner's side of the pipes, for the tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
KIT = HERE.parent
TAG = "@h:test "


class Runner:
    """An adapter process; ``ask`` writes a message, ``read`` reads the next tagged line."""

    def __init__(self, script=HERE / "sample.py", **environment):
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(KIT), "LC_ALL": "C", "TZ": "UTC", "HOLDOFF_TAG": TAG}
        env.update(environment)
        self.process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        self.ask(type="hello", protocol={"min": 1, "max": 1}, runner="test", probe=["2030-01-01T00:00:00Z", "2030-07-01T00:00:00Z"])
        self.hello = self.read()

    def ask(self, **message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline().decode()
        assert line.startswith(TAG), f"untagged on stdout: {line!r} {self.process.stderr.read() if not line else ''}"
        return json.loads(line[len(TAG) :])

    def open(self, loop="operation", case="c1", clock=None, params=None, seed=7):
        clock = clock or {"kind": "real"}
        self.ask(type="open", case=case, loop=loop, base_url="http://127.0.0.1:1", params=params or {}, seed=seed, clock=clock)
        return self.read()

    def call(self, do="read", mark="8820417", call="a", case="c1", **request):
        self.ask(type="call", case=case, call=call, request={"do": do, "mark": mark, **request})

    def stop(self):
        """Ends the input; gives the exit status, what is left on stdout, and the log."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out.decode(), err.decode()


INJECTED = {"kind": "injected", "now": "0", "wall": "2030-01-01T00:00:00Z"}
