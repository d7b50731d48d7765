#!/usr/bin/env python3
"""Runs PyTorch's own samples of its operations by torch-directml and compares the results with the CPU's. Prints TAP.

torch_operations.py [--samples N] [--type NAME].. [--gradients] [--seconds N] [--json FILE] [TEXT..]

The operations are those of PyTorch's list `op_db` that run on the CPU. Each runs on its first N sample inputs of each type. TEXT:
only operations whose name contains it. The verdict on an operation and type is one of
  right      all results equal the CPU's within the tolerances
  random     the results are random numbers; only their shapes and types are compared
  fallback   right, but torch-directml itself ran a part on the CPU, and warned about it
  refused    torch-directml raised an error or aborted by itself: vkdml's libraries refused nothing
  known      wrong by a fault of torch-directml or a known one of vkdml, with its reason in torch_known.py
  wrong      anything else: other results, a crash, no end within the time, anything that vkdml's libraries refused
Only `wrong` fails. `vkdml exec python3 torch_operations.py` loads vkdml's libraries.

Operations run in a child process, which is replaced after a crash or a time-out.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import select
import signal
import sys
import tempfile
import warnings

import torch
import torch_directml
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map

from torch_known import REFUSALS, SHAPES, VALUES

TYPES = {"float32": torch.float32, "float16": torch.float16, "int64": torch.int64, "bool": torch.bool}
TOLERANCES = {torch.float32: {"rtol": 1e-4, "atol": 1e-5}, torch.float16: {"rtol": 5e-3, "atol": 5e-3}}
ABORTED = re.compile(r"^\[F\d+ .* dml_\w+\.cc:\d+\] (.*)", re.MULTILINE)
FALLBACK = re.compile(r"The operator '([\w:.]+)' is not currently supported on the DML backend")


class Captured:
    """This process's stderr in a file: what vkdml's libraries log there is read per operation."""

    def __init__(self, path):
        self.file = open(path, encoding="utf-8", errors="replace")  # of its own position
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_APPEND)
        os.dup2(descriptor, 2)
        os.close(descriptor)

    def refusals(self):
        text = self.file.read()
        return [line[7:] for line in text.splitlines() if line.startswith("vkdml: ") and not line.startswith("vkdml: using ")]


def moved(sample, device, gradients):
    """Copies of a sample's input, arguments and keywords on a device."""
    def move(value):
        if not isinstance(value, torch.Tensor):
            return value
        copy = value.detach().clone().to(device)
        return copy.requires_grad_(gradients and value.is_floating_point() and value.requires_grad)
    return tuple(tree_map(move, part) for part in (sample.input, sample.args, sample.kwargs))


def tensors_of(value):
    found = []
    tree_map(lambda part: found.append(part) if isinstance(part, torch.Tensor) else None, value)
    return found


def weights_of(out):
    """A gradient of an output: each element has its own, and none is read through a stride of 0."""
    return torch.linspace(0.5, 1.5, max(out.numel(), 1))[:out.numel()].reshape(out.shape).to(out.dtype).to(out.device)


def run(op, sample, device, gradients):
    """The results on the CPU; with gradients also those of the inputs."""
    torch.manual_seed(0)
    first, args, kwargs = moved(sample, device, gradients)
    results = tensors_of(op(first, *args, **kwargs))
    if gradients:
        outputs = [out for out in results if out.is_floating_point() and out.requires_grad]
        if outputs:
            torch.autograd.backward(outputs, [weights_of(out) for out in outputs])
        inputs = [part for part in tensors_of((first, args, kwargs)) if part.requires_grad]
        results += [part.grad for part in inputs if part.grad is not None]
    return [out.detach().cpu() for out in results]


def compare(found, expected, values=True):
    """The first difference in words, or None."""
    if len(found) != len(expected):
        return f"{len(found)} results, must be {len(expected)}"
    for number, (ours, theirs) in enumerate(zip(found, expected)):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"result {number} is {ours.dtype} {tuple(ours.shape)}, must be {theirs.dtype} {tuple(theirs.shape)}"
        try:
            if values:
                torch.testing.assert_close(ours, theirs, equal_nan=True, **TOLERANCES.get(theirs.dtype, {}))
        except AssertionError as error:
            return f"result {number}: " + " ".join(line for line in str(error).split("\n") if line)
    return None


def is_random(op, sample, gradients, expected):
    """Whether another seed gives other results on the CPU."""
    first, args, kwargs = moved(sample, "cpu", False)
    for seed in (1, 2):
        torch.manual_seed(seed)
        other = [out.detach() for out in tensors_of(op(first, *args, **kwargs))]
        if compare(other, expected[:len(other)] if gradients else expected):
            return True
    return False


def judge_sample(op, sample, device, gradients, captured):
    """A verdict and its reason, or None if the CPU does not run the sample."""
    try:
        expected = run(op, sample, "cpu", gradients)
    except Exception:  # pylint: disable=broad-except
        return None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found, error = run(op, sample, device, gradients), None
        except Exception as raised:  # pylint: disable=broad-except
            found, error = None, str(raised).split("\n", maxsplit=1)[0]
    refusals = captured.refusals()
    if refusals:
        return "wrong", "vkdml: " + " | ".join(refusals[:2])
    if error is not None:
        return "refused", error
    difference = compare(found, expected)
    if difference and is_random(op, sample, gradients, expected):
        difference = compare(found, expected, values=False)
        return ("wrong", difference) if difference else ("random", "")
    if difference:
        return "wrong", difference
    names = {match.group(1) for match in (FALLBACK.search(str(warning.message)) for warning in told) if match}
    return ("fallback", " ".join(sorted(names))) if names else ("right", "")


def judge(op, kind, device, options, captured):
    """The worst verdict on an operation's samples, or None if the CPU runs no sample."""
    order = ["right", "random", "fallback", "refused", "wrong"]
    worst, count = None, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        for sample in itertools.islice(op.sample_inputs("cpu", kind, requires_grad=options.gradients), 4 * options.samples):
            verdict = judge_sample(op, sample, device, options.gradients, captured)
            if verdict is None:
                continue
            if worst is None or order.index(verdict[0]) > order.index(worst[0]):
                sizes = " ".join(str(list(part.shape)) for part in tensors_of((sample.input, sample.args, sample.kwargs)))
                rest = [str(part) for part in (*sample.args, *sample.kwargs.items()) if not tensors_of(part)]
                worst = *verdict, f"{sizes} {' '.join(rest)}".strip()
            count += 1
            if count == options.samples or verdict[0] == "wrong":
                break
    return worst


def work(jobs, start, pipe, path, options):
    """The child: writes the number of a job as it starts, and its verdict as it ends."""
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    captured = Captured(path)
    device = torch_directml.device()
    with os.fdopen(pipe, "w", encoding="utf-8") as output:
        for number in range(start, len(jobs)):
            op, name = jobs[number]
            try:
                verdict = judge(op, TYPES[name], device, options, captured)
            except Exception as error:  # the samples cannot be made pylint: disable=broad-except
                verdict = ("wrong", f"no samples: {error}", "")
            print(json.dumps([number, verdict]), file=output, flush=True)
            if verdict and verdict[0] in ("refused", "wrong"):
                return  # as on Windows, a refused command makes the device unusable


def lines_of(pipe, seconds):
    """The lines of a pipe, and False once nothing came for so long."""
    rest = b""
    while True:
        if not select.select([pipe], [], [], seconds)[0]:
            yield False
            return
        data = os.read(pipe, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


def verdicts(jobs, path, options):
    """Pairs of a job's number and its verdict, from as many children as are needed."""
    start = 0
    while start < len(jobs):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            status = 1
            try:
                work(jobs, start, writing, path, options)
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        late = False
        for line in lines_of(reading, options.seconds):
            if line is False:
                late = True
                os.kill(child, signal.SIGKILL)
                break
            number, verdict = json.loads(line)
            start = number + 1
            yield number, verdict
        os.close(reading)
        status = os.waitpid(child, 0)[1]
        if start < len(jobs) and (late or status):
            reason = f"no end within {options.seconds} s" if late else f"the process ended with status {status:#x}"
            aborted = ABORTED.search(pathlib.Path(path).read_text(encoding="utf-8", errors="replace"))
            yield start, ("refused", f"aborts: {aborted.group(1)}", "") if aborted and not late else ("wrong", reason, "")
            start += 1


def known_reason(op, name, reason):
    """Why torch-directml itself is wrong, or None."""
    if reason.startswith("vkdml: "):
        return next((why for pattern, why in REFUSALS if re.search(pattern, reason)), None)
    if re.search(r"^result \d+ is torch|^\d+ results, must be", reason):
        return SHAPES
    if not reason.startswith("result "):
        return None
    return next((why for (operation, kinds), why in VALUES.items()
                 if operation == op.name and (kinds is None or name in kinds.split())), None)


def jobs_of(options):
    jobs = []
    for op in op_db:
        if options.texts and not any(text in op.name for text in options.texts):
            continue
        for name in options.type or TYPES:
            kind = TYPES[name]
            if kind in op.dtypes and (not options.gradients or (op.supports_autograd and kind.is_floating_point)):
                jobs.append((op, name))
    return jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--type", action="append", choices=sorted(TYPES))
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--seconds", type=int, default=60, help="time for an operation and type")
    parser.add_argument("--json")
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    options = parser.parse_args()
    jobs = jobs_of(options)
    rows, counts = [], collections.Counter()
    log = tempfile.NamedTemporaryFile()  # stderr of the children
    for job, verdict in verdicts(jobs, log.name, options):
        if verdict is None:
            continue
        op, name = jobs[job]
        reason = known_reason(op, name, verdict[1]) if verdict[0] == "wrong" else None
        word, detail, sample = ("known", f"{reason}: {verdict[1]}", verdict[2]) if reason else verdict
        counts[word] += 1
        rows.append({"operation": op.name, "variant": op.variant_test_name, "type": name, "gradients": options.gradients,
                     "verdict": word, "reason": detail, "sample": sample})
        title = " ".join(part for part in (op.name, op.variant_test_name, name) if part)
        print(f"{'not ok' if word == 'wrong' else 'ok'} {len(rows)} - {title}: {word} {detail}".rstrip(), flush=True)
    print(f"1..{len(rows)}\n# " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if counts["wrong"] or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
