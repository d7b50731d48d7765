#!/usr/bin/env python3
"""Models with open sizes (open_models.py), each at many shapes in random order by one session: by vkdml.Model and by the plugin. The
results are ONNX Runtime's CPU provider's within BOUND, and bit for bit those of a session that has seen no other shape. All nodes run
on the plugin, with weights on the device. Prints TAP: for each model its nodes, shapes, the largest difference as a share of an output's greatest element, and
the plans of the session. Then whether memory and time stay the same over 300 shapes.

test_open_sizes.py [--whole] [--shapes N] [--fresh N] [--exports FOLDER] [NAME..]
  --whole           all models, of a realistic depth; otherwise eight of one layer, of which vkdml.Model runs some
  --shapes N        different shapes per model; 3
  --fresh N         shapes per model that are compared with new sessions; 1
  --exports FOLDER  the models are FOLDER/*.onnx, with inputs in FOLDER/NAME-*.npz (exports_open.py)
"""
import argparse
import pathlib
import resource
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto

import models
import open_models
import vkdml.onnxruntime

BOUND = 1e-4  # of an output's greatest element
# Of the short form, and whether vkdml.Model runs one shape of them: it makes all pipelines again, which is most of the time.
SHORT = {"crnn": False, "text_detector": False, "unet": False, "detector": True, "sentences": True, "speech": False, "decoder": True,
         "voice": True}


def shapes_of(feed):
    return tuple(sorted((name, array.shape) for name, array in feed.items()))


def different(feeds, rng, count):
    """Inputs of `count` different shapes."""
    found = {}
    while len(found) < count:
        feed = feeds(rng)
        found.setdefault(shapes_of(feed), feed)
    return list(found.values())


def in_order(rng, count):
    """Each shape once in random order, and a third of them again later."""
    return [*rng.permutation(count), *rng.permutation(count)[:(count + 2) // 3]]


def is_same(ours, theirs):
    return all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))


class Subject:
    """A model: the CPU provider's session, and those that see all shapes. Without `is_long` vkdml.Model is not among these."""

    def __init__(self, path, report, is_long, has_model):
        self.path, self.has_model, self.weights = path, has_model, None
        self.cpu = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.session = self.made(report=report)
        self.runner = vkdml.Model(path) if is_long else None

    def made(self, **options):
        given = vkdml.onnxruntime.session_options(**options)
        # What ONNX Runtime rewrites for the plugin, vkdml.Model would not have.
        given.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(self.path, given)
        session.disable_fallback()
        return session

    def others(self, feed, is_fresh):
        """What must have the bits of the plugin's session, by name."""
        if self.runner:
            yield "vkdml.Model", list(self.runner.run(feed).values())
        if is_fresh and self.has_model:
            with vkdml.Model(self.path, prepare=False) as runner:
                yield "a new vkdml.Model", list(runner.run(feed).values())
                self.weights = runner.memory.weights
        if is_fresh:
            yield "a new session of the plugin", self.made().run(None, feed)


def check_run(subject, feed, is_fresh):
    """The largest difference, and what is wrong."""
    expected, got = subject.cpu.run(None, feed), subject.session.run(None, feed)
    worst = max(map(models.difference, expected, got))
    wrong = [f"{worst:.1e} from the CPU provider"] if worst > BOUND else []
    wrong += [f"{name} has other bits" for name, other in subject.others(feed, is_fresh) if not is_same(got, other)]
    return worst, [f"{dict(shapes_of(feed))}: {one}" for one in wrong]


def check(path, feeds, fresh, is_long, has_model):
    """Whether a model is right, and a line about it."""
    rng, begin = np.random.default_rng(7), time.process_time()
    report = path + ".report"
    subject, worst, wrong = Subject(path, report, is_long, has_model), 0.0, []
    order = in_order(rng, len(feeds))
    for place, number in enumerate(order):
        # New sessions for the last ones: by then the session has seen other shapes.
        apart, failed = check_run(subject, feeds[number], len(feeds) - fresh <= place < len(feeds))
        worst, wrong = max(worst, apart), wrong + failed
    lines = [line.split("\t") for line in pathlib.Path(report).read_text(encoding="utf-8").splitlines()]
    nodes, plans = [line for line in lines if line[0] != "plan"], sum(line[0] == "plan" for line in lines)
    others = sorted({f"not ours: {line[1]}: {line[3]}" for line in nodes if line[0] != "vkdml"})
    if has_model:
        wrong = others + wrong
    for other in () if has_model else others:
        print(f"# {other}")
    wrong += ["no weights are on the device: the host computes the model"] if subject.weights == 0 else []
    ours = sum(line[0] == "vkdml" for line in nodes)
    text = (f"{ours} of {len(nodes)} nodes, {len(feeds)} shapes in {len(order)} runs, {fresh} of new sessions, {worst:.1e}, {plans} plans, "
            f"{time.process_time() - begin:.1f} s of the processor")
    return not wrong, "; ".join([text, *wrong[:4]])


# ---- many shapes ----

MANY, SETTLED = 300, 100


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def attention(folder):
    """Positions that depend on the length, products and softmax."""
    net, width = open_models.Net(), 32
    x = net.input("x", TensorProto.FLOAT, [1, "length", width])
    table = net.slice(net.weight(2 * MANY, width), 0, net.size(x, 1), 0)
    net.output("y", 3, net.attention(net.op("Add", x, table), width, 2))
    onnx.save(net.model("many"), str(folder / "many.onnx"))
    return str(folder / "many.onnx")


def check_many(path, by):
    """Whether memory and the time of a new shape are those of early shapes after MANY, with little kept."""
    if by == "vkdml.Model":
        model = vkdml.Model(path, kept_bytes=1 << 20)
        run, held = model.run, lambda: (model.memory.weights, model.memory.tensors)
    else:
        options = vkdml.onnxruntime.session_options()
        options.add_session_config_entry("ep.vkdml.kept_bytes", str(1 << 20))
        session = onnxruntime.InferenceSession(path, options)
        run, held = lambda feed: session.run(None, feed), lambda: (0, 0)
    lengths, times = np.random.default_rng(5).permutation(MANY - 1) + 1, []
    feeds = [{"x": np.ones((1, length, 32), np.float32)} for length in (MANY, *lengths)]  # the largest first
    for i, feed in enumerate(feeds):
        begin = time.process_time()
        run(feed)
        times.append(time.process_time() - begin)
        if i == SETTLED:
            early, memory = held(), resident()
    (early_weights, early_tensors), (weights, tensors), grown = early, held(), (resident() - memory) / 2**20
    first, last = (1e3 * np.median(times[at:at + 50]) for at in (SETTLED, MANY - 50))
    text = (f"{by}: {MANY - SETTLED} shapes after {SETTLED} take {grown:.1f} MiB of the host, {(weights - early_weights) >> 10} KiB of "
            f"weights and {(tensors - early_tensors) >> 10} KiB of tensors; a new shape takes {first:.1f} ms, then {last:.1f}")
    is_flat = grown < 6 and weights - early_weights < 1 << 18 and tensors <= 5 * early_tensors / 4 + 4096
    return bool(is_flat and last < 2 * first + 1), text


def made_models(names, whole, count, folder):
    for name in names or (open_models.MODELS if whole else SHORT):
        model, feeds = open_models.MODELS[name](whole)
        path = str(folder / f"{name}.onnx")
        onnx.save(model, path)
        yield name, path, different(feeds, np.random.default_rng(3), count)


# Exported models with sequences, which are ONNX Runtime's: of these the plugin runs the rest.
PARTLY = ("fastspeech2",)


def exported_models(names, folder):
    for path in sorted(folder.glob("*.onnx")):
        if not names or path.stem in names:
            yield path.stem, str(path), [dict(np.load(file)) for file in sorted(folder.glob(f"{path.stem}-*.npz"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--shapes", type=int, default=3)
    parser.add_argument("--fresh", type=int, default=1)
    parser.add_argument("--exports", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_intermixed_args()
    failed = number = 0
    with tempfile.TemporaryDirectory() as folder:
        made = (exported_models(options.names, options.exports) if options.exports else
                made_models(options.names, options.whole, options.shapes, pathlib.Path(folder)))
        for number, (name, path, feeds) in enumerate(made, 1):
            try:
                is_long = (options.whole or options.exports is not None) and name not in PARTLY
                right, text = check(path, feeds, min(options.fresh, len(feeds)), is_long, is_long or SHORT.get(name, False))
            except Exception as error:
                right, text = False, str(error).splitlines()[0][:400]
            failed += not right
            print(f"{'ok' if right else 'not ok'} {number} - {name}: {text}", flush=True)
        for by in () if options.exports or options.names else ("vkdml.Model", "the plugin"):
            number += 1
            right, text = check_many(attention(pathlib.Path(folder)), by)
            failed += not right
            print(f"{'ok' if right else 'not ok'} {number} - {text}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
