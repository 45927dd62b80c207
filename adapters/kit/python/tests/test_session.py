"""Whole sessions over real pipes."""

import unittest

from tests.runner import INJECTED, Runner


class Pipes(unittest.TestCase):
    """A sample adapter, started and ended around each test."""

    def setUp(self):
        self.runner = Runner()
        self.addCleanup(self.end)

    def end(self):
        if not self.runner.process.stdin.closed:
            self.runner.stop()

    def outcome(self):
        message = self.runner.read()
        self.assertEqual(message["type"], "result")
        return message["outcome"]


class SessionTest(Pipes):
    def test_hello_tells_what_is_loaded(self):
        hello = self.runner.hello
        self.assertEqual(hello["sdk"], {"name": "sample-sdk", "version": "1.2.3"})
        self.assertEqual((hello["protocol"], hello["language"]), (1, "python"))
        self.assertEqual(hello["environment"], {"zone_offsets": ["+00:00", "+00:00"], "locale": "C"})

    def test_zone_offsets_are_those_of_the_instants(self):
        runner = Runner(TZ="CET-1CEST,M3.5.0,M10.5.0/3")
        self.assertEqual(runner.hello["environment"]["zone_offsets"], ["+01:00", "+02:00"])
        runner.stop()
        west = Runner(TZ="NST3:30")
        self.assertEqual(west.hello["environment"]["zone_offsets"], ["-03:30", "-03:30"])
        west.stop()

    def test_a_locale_that_is_not_there_is_not_claimed(self):
        runner = Runner(LC_ALL="xx_XX.UTF-8")
        self.assertEqual(runner.hello["environment"]["locale"], "C")
        runner.stop()

    def test_what_the_sdk_prints_is_log(self):
        self.runner.open(params={"max_attempts": 1})
        self.runner.call()
        self.assertEqual(self.outcome(), {"kind": "returned", "status": 200})
        status, out, log = self.runner.stop()
        self.assertEqual((status, out), (0, ""))
        for line in ("prints while it is imported", "and so does its child", "sample_sdk reads 8820417"):
            self.assertIn(line, log)

    def test_shutdown_exits_zero_although_the_sdk_left_a_thread(self):
        self.runner.open()
        self.runner.ask(type="shutdown")
        self.assertEqual(self.runner.process.wait(timeout=30), 0)

    def test_an_unknown_loop_is_unsupported(self):
        answer = self.runner.open(loop="zzz")
        self.assertEqual((answer["type"], answer["case"]), ("unsupported", "c1"))
        self.assertIn("zzz", answer["reason"])

    def test_a_refused_case_says_why(self):
        answer = self.runner.open(loop="refused")
        self.assertEqual(answer["reason"], "no such mechanism")
        self.assertEqual(answer["issue"], "https://example.org/1")

    def test_a_knob_that_is_not_wired_is_unsupported(self):
        answer = self.runner.open(params={"max_jitter": "0.1"})
        self.assertEqual(answer["reason"], "the adapter has no knob for max_jitter")

    def test_a_verb_that_is_not_there_is_unsupported(self):
        self.runner.open()
        self.runner.call(do="connect")
        self.assertEqual(self.outcome(), {"kind": "unsupported", "reason": "the adapter does not serve `connect`"})

    def test_unknown_messages_fields_and_junk_are_ignored(self):
        self.runner.process.stdin.write(b"not json\n\n[1]\n")
        self.runner.ask(type="something-new")
        self.runner.ask(type="cancel", case="none", call="a")
        self.runner.ask(type="open", case="c1", loop="operation", base_url="http://x", params={"max_attempts": 1}, clock={"kind": "real", "new": 1}, extra=[])
        self.assertEqual(self.runner.read(), {"type": "opened", "case": "c1"})
        self.runner.ask(type="end", case="c1")
        self.assertEqual(self.runner.read(), {"type": "ended", "case": "c1"})
        self.assertIn("unknown message type 'something-new'", self.runner.stop()[2])

    def test_an_sdk_error_is_classified(self):
        self.runner.open(params={"max_attempts": 1})
        self.runner.call(mark="throttled")
        error = {"kind": "rate-limited", "status": 429, "retry_after": "120", "message": "Throttled: slow down"}
        self.assertEqual(self.outcome(), {"kind": "raised", "error": error})

    def test_an_unclassified_error_from_within_the_sdk_is_other(self):
        self.runner.open()
        self.runner.call(do="write-unsafe")
        outcome = self.outcome()
        self.assertEqual((outcome["kind"], outcome["error"]["kind"]), ("raised", "other"))
        self.assertIn("OverflowError", outcome["error"]["message"])

    def test_a_mistake_of_the_adapter_is_its_own(self):
        self.runner.open()
        self.runner.call(do="write")
        outcome = self.outcome()
        self.assertEqual(outcome["kind"], "adapter-error")
        self.assertIn("a mistake in the adapter", outcome["trace"])

    def test_a_mistake_in_a_hook_is_the_adapters_own(self):
        self.runner.open()
        self.runner.call(do="upload")
        self.assertIn("not a number", self.outcome()["trace"])

    def test_the_seed_decides_the_draws(self):
        draws = []
        for case, seed in (("c1", 7), ("c2", 7), ("c3", 8)):
            self.runner.open(case=case, seed=seed)
            self.runner.call(case=case, do="poll")
            draws.append(self.runner.read()["message"])
            self.runner.read()
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])

    def test_injected_sleeps_are_asked_and_answered(self):
        self.runner.open(clock=INJECTED, params={"max_attempts": 2, "base_delay": "299.99999928"})
        self.runner.call()
        retry = {"failed_attempt": 1, "next_attempt": 2, "delay": "299.99999928", "status": 503}
        self.assertEqual(self.runner.read(), {"type": "event", "case": "c1", "call": "a", "event": "retry", **retry})
        asked = {"type": "sleep", "case": "c1", "call": "a", "duration": "299.99999928", "n": 1}
        self.assertEqual(self.runner.read(), asked)
        self.runner.ask(type="advance", case="c1", to="10", wall="2030-01-01T00:00:10Z")
        self.assertEqual(self.runner.read(), {"type": "advanced", "case": "c1", "now": "10"})
        self.runner.ask(type="slept", case="c1", n=1, now="299.99999928", wall="2030-01-01T00:04:59.99999928Z")
        self.assertEqual(self.outcome(), {"kind": "returned", "status": 200})

    def test_calls_run_side_by_side(self):
        self.runner.open(clock=INJECTED, params={"max_attempts": 2})
        for call in ("a", "b"):
            self.runner.call(call=call)
            self.assertEqual(self.runner.read()["event"], "retry")
            self.assertEqual(self.runner.read()["call"], call)
        for number, call in ((2, "b"), (1, "a")):
            self.runner.ask(type="slept", case="c1", n=number, now="1", wall="2030-01-01T00:00:01Z")
            self.assertEqual(self.runner.read()["call"], call)

    def test_cancel_on_the_retry_hook_comes_before_the_wait(self):
        self.runner.open(clock=INJECTED)
        self.runner.call(cancel="on-retry")
        self.assertEqual(self.runner.read()["type"], "event")
        self.assertEqual(self.outcome(), {"kind": "cancelled"})

    def test_cancel_before_start_reaches_the_handle_first(self):
        self.runner.open(clock=INJECTED)
        self.runner.call(cancel="before-start")
        self.assertEqual(self.runner.read()["type"], "event")
        self.assertEqual(self.outcome(), {"kind": "cancelled"})

    def test_close_is_the_sdks_own(self):
        self.runner.open()
        self.runner.ask(type="close", case="c1")
        self.assertEqual(self.runner.read(), {"type": "closed", "case": "c1"})
        self.assertIn("sample_sdk is closed", self.runner.stop()[2])

    def test_nothing_is_sent_of_a_case_that_has_ended(self):
        self.runner.open(clock=INJECTED, params={"max_attempts": 2})
        self.runner.call()
        self.runner.read(), self.runner.read()
        self.runner.ask(type="end", case="c1")
        self.assertEqual(self.runner.read(), {"type": "ended", "case": "c1"})
        self.assertEqual(self.runner.stop()[:2], (0, ""))


class AsyncSessionTest(Pipes):
    """The same kit on asyncio: only what differs."""

    def open(self, clock):
        self.runner.open(loop="async-operation", clock=clock)

    def test_a_cancel_ends_an_hour_of_sleep(self):
        self.open({"kind": "real"})
        self.runner.call()
        self.assertEqual(self.runner.read()["delay"], "0")
        self.runner.ask(type="cancel", case="c1", call="a")
        self.assertEqual(self.outcome(), {"kind": "cancelled"})

    def test_async_cancel_on_retry(self):
        self.open({"kind": "real"})
        self.runner.call(cancel="on-retry")
        self.assertEqual(self.runner.read()["type"], "event")
        self.assertEqual(self.outcome(), {"kind": "cancelled"})

    def test_async_injected_sleep(self):
        self.open(INJECTED)
        self.runner.call()
        self.runner.read()
        self.assertEqual(self.runner.read()["duration"], "3600")
        self.runner.ask(type="slept", case="c1", n=1, now="3600", wall="2030-01-01T01:00:00Z")
        self.assertEqual(self.outcome(), {"kind": "returned", "status": 200})


if __name__ == "__main__":
    unittest.main()
