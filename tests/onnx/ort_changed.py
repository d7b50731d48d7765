#!/usr/bin/env python3
"""Gives ONNX Runtime, with the plugin, models that were changed (change_models --write): each is refused, by whom ever, or runs, and
nobody crashes or hangs. Where both the plugin and the CPU provider run one, outputs have the same types and shapes. Prints a line of
TAP, and counts. Models go to a process of their own, another after each that ends it; what ends it without the plugin, too, is
ONNX Runtime's.

ort_changed.py PLUGIN FOLDER [--seconds N]      ends after N seconds; all models, where it is not given
"""
import json
import os
import pathlib
import subprocess
import sys
import time

LIMIT = 60  # seconds of a model: it compiles, and the machine may be busy


def values(session):
    import numpy as np
    types = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": bool, "tensor(int32)": np.int32,
             "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(float16)": np.float16, "tensor(double)": np.float64,
             "tensor(uint64)": np.uint64, "tensor(uint32)": np.uint32, "tensor(int16)": np.int16, "tensor(uint16)": np.uint16}
    made = {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) and size >= 0 else 2 for size in value.shape or []]
        if value.type not in types or np.prod(shape, dtype=float) > 1e6:
            return None
        made[value.name] = np.ones(shape, types[value.type])
    return made


def run(text, options, providers):
    import onnxruntime as ort
    session = ort.InferenceSession(text, options, providers=providers)
    session.disable_fallback()
    inputs = values(session)
    return None if inputs is None else session.run(None, inputs)


def try_one(path, device, number):
    import onnxruntime as ort
    text, outcomes, results = path.read_bytes(), [], []
    for one in [None, device] if device else [None]:
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        if number % 2:
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        if one:
            options.add_provider_for_devices([one], {})
        try:
            results.append(run(text, options, None if one else ["CPUExecutionProvider"]))
            outcomes.append("ran" if results[-1] is not None else "made")
        except Exception as error:
            outcomes.append("refused")
            if not str(error).strip():
                outcomes.append("no reason")
        if one is None and outcomes[-1] == "refused" and number % 4:
            return outcomes  # most are no models: a quarter is enough
    if outcomes == ["ran", "ran"]:
        for a, b in zip(*results):
            if type(a) is not type(b) or getattr(a, "shape", None) != getattr(b, "shape", None) or getattr(a, "dtype", 0) != getattr(b, "dtype", 0):
                outcomes.append("other shapes")
    return outcomes


def work(plugin):
    import onnxruntime as ort
    ort.set_default_logger_severity(4)
    device = None
    if plugin != "-":
        os.environ.setdefault("VKDML_ONNXRUNTIME_SOFTWARE", "1")
        ort.register_execution_provider_library("vkdml", plugin)
        device = next(device for device in ort.get_ep_devices() if device.ep_name == "VkdmlExecutionProvider")
    for line in sys.stdin:
        number, path = line.rstrip("\n").split(" ", 1)
        print(json.dumps(try_one(pathlib.Path(path), device, int(number))), flush=True)


class Worker:
    def __init__(self, plugin):
        self.process = subprocess.Popen([sys.executable, __file__, "--work", plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def ask(self, number, path):
        """What came of a model, or None where the process ended or hangs."""
        import selectors
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            try:
                self.process.stdin.write(f"{number} {path}\n")
                self.process.stdin.flush()
            except BrokenPipeError:
                return None
            line = self.process.stdout.readline() if selector.select(LIMIT) else ""
        return json.loads(line) if line else None

    def end(self):
        self.process.kill()
        self.process.wait()


def main():
    plugin, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    seconds = float(sys.argv[4]) if sys.argv[3:4] == ["--seconds"] else float("inf")
    begun, counts, bad = time.monotonic(), {}, []
    worker = Worker(plugin)
    for number, path in enumerate(sorted(folder.glob("*.onnx"), key=lambda path: int(path.stem))):
        if time.monotonic() - begun > seconds:
            break
        outcomes = worker.ask(number, path)
        if outcomes is None:
            worker.end()
            worker = Worker(plugin)
            other = Worker("-")
            by_itself = other.ask(number, path) is None
            other.end()
            outcomes = ["ONNX Runtime crashes"] if by_itself else ["crash"]
        what = "/".join(outcomes)
        counts[what] = counts.get(what, 0) + 1
        if {"crash", "no reason", "other shapes"} & set(outcomes):
            bad.append(f"{path}: {what}")
    worker.end()
    print("".join(f"# {line}\n" for line in bad), end="")
    print("#", sum(counts.values()), "changed models, by the CPU provider and by the plugin:",
          ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    print(f"{'not ok' if bad else 'ok'} 1 - changed models are refused or run by ONNX Runtime")
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1] == "--work":
        work(sys.argv[2])
    else:
        sys.exit(main())
