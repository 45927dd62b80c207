"""The parts that need no process."""

import threading
import unittest
from decimal import Decimal

import holdoff_kit
from holdoff_kit.span import instant_nanos


class SpanTest(unittest.TestCase):
    def test_every_form_becomes_whole_nanoseconds(self):
        for seconds, nanos in (
            (120, 120_000_000_000),
            (0.1, 100_000_000),
            (299.99999928, 299_999_999_280),
            (Decimal("1e-9"), 1),
            ("0.000000001", 1),
            (-2, -2_000_000_000),
            (1e300, int(1e300) * 1_000_000_000),
        ):
            self.assertEqual(holdoff_kit.to_nanos(seconds), nanos, seconds)

    def test_what_is_no_length_of_time_is_refused(self):
        self.assertRaises(ValueError, holdoff_kit.to_nanos, float("nan"))
        self.assertRaises(OverflowError, holdoff_kit.to_nanos, float("inf"))
        self.assertRaises(ValueError, holdoff_kit.to_nanos, "soon")

    def test_the_wire_form_has_no_float_in_it(self):
        for nanos, text in ((0, "0"), (1, "0.000000001"), (120_000_000_000, "120"), (-1_500_000_000, "-1.5"), (10**30, "1" + "0" * 21)):
            self.assertEqual(holdoff_kit.from_nanos(nanos), text)

    def test_instants_are_read_to_the_nanosecond(self):
        self.assertEqual(instant_nanos("1970-01-01T00:00:01Z"), 10**9)
        self.assertEqual(instant_nanos("2030-01-01T00:00:00.123456789Z"), 1_893_456_000_123_456_789)


class AdapterTest(unittest.TestCase):
    def test_an_sdk_that_is_not_installed_says_what_to_do(self):
        with self.assertRaises(SystemExit) as ended:
            holdoff_kit.Adapter(sdk="no-such-sdk", packages=())
        self.assertIn("holdoff build", str(ended.exception))
        self.assertIn("version=", str(ended.exception))


class InjectedClockTest(unittest.TestCase):
    def clock(self, tick="0"):
        self.sent = []
        self.asked = threading.Semaphore(0)

        def send(message):
            self.sent.append(message)
            self.asked.release()

        return holdoff_kit.InjectedClock(send, "c", lambda: "a", "0", "2030-01-01T00:00:00Z", tick)

    def test_a_tick_advances_both_clocks_after_each_reading(self):
        clock = self.clock(tick="1")
        self.assertEqual((clock.monotonic(), clock.time(), clock.monotonic()), (0.0, 1_893_456_001.0, 2.0))
        clock.on_advance("10", "2030-01-01T00:00:10Z")
        self.assertEqual(clock.monotonic(), 13.0)

    def test_sleeps_are_numbered_within_the_case_and_released_at_its_end(self):
        clock = self.clock()
        threads = [threading.Thread(target=clock.sleep, args=(-1,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in threads:
            self.asked.acquire()
        clock.release()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(message["n"] for message in self.sent), [1, 2])
        self.assertEqual({message["duration"] for message in self.sent}, {"-1"})


class RaisedTest(unittest.TestCase):
    def test_a_kind_that_the_protocol_does_not_know_is_refused(self):
        self.assertRaises(ValueError, holdoff_kit.Raised, "throttled")


if __name__ == "__main__":
    unittest.main()
