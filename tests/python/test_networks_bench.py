"""How tools/bench/networks.py gets the ratio of two functions' times: test_networks_bench.py SOURCE_ROOT. Prints TAP."""
import importlib.util
import pathlib
import sys
import unittest

import tap

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tools" / "bench"))
spec = importlib.util.spec_from_file_location("bench", ROOT / "tools" / "bench" / "networks.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


class Turns(unittest.TestCase):
    def setUp(self):
        self.now, self.turns, self.slow_from = 0.0, [], 100

    def called(self, name, units):
        if self.turns[-1:] != [name]:
            self.turns.append(name)
        self.now += units * (1000 if len(self.turns) >= self.slow_from else 1)

    def ratio(self):
        return bench.turns_ratio(lambda: self.called("first", 1), lambda: self.called("second", 2), 0, lambda: self.now)

    def test_clock(self):
        """The ratio is of times by the clock that is given."""
        self.assertAlmostEqual(self.ratio(), 2)

    def test_slower_machine(self):
        """Where the machine slows down in between, all pairs of turns but one have the same ratio."""
        self.slow_from = 3
        self.assertAlmostEqual(self.ratio(), 2)

    def test_order(self):
        """Each of both is the first in every other pair."""
        self.ratio()
        self.assertEqual(self.turns, ["second", "first", "second", "first", "second", "first"])


if __name__ == "__main__":
    tap.main()
