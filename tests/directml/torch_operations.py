#!/usr/bin/env python3
"""Runs PyTorch's own samples of its operations by torch-directml and compares the results with the CPU's. Prints TAP.

torch_operations.py [--samples N] [--type NAME].. [--gradients] [--seconds N] [--json FILE] [TEXT..]

The operations are those of PyTorch's list `op_db` that run on the CPU. Each runs on its first N sample inputs of each type. TEXT:
only operations whose name contains it. The verdict on an operation and type is one of
  right      all results equal the CPU's within the tolerances, or are about as close to FLOAT64's as the CPU's are
  random     the results are random numbers; only their shapes and types are compared
  fallback   right, but torch-directml itself ran a part on the CPU, and warned about it
  refused    torch-directml raised an error or aborted by itself: vkdml's libraries refused nothing
  known      wrong by a fault of torch-directml, which torch_known.py has with its reason
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
import typing
import warnings

import torch
import torch_directml
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map

import torch_known

TYPES = {"float32": torch.float32, "float16": torch.float16, "int64": torch.int64, "bool": torch.bool}
TOLERANCES = {torch.float32: {"rtol": 1e-4, "atol": 1e-5}, torch.float16: {"rtol": 5e-3, "atol": 5e-3}}
CLOSENESS = 4
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


def moved(sample, device, gradients, floats=None):
    """Copies of a sample's input, arguments and keywords on a device; floats: the type of those with fractions."""
    def move(value):
        if not isinstance(value, torch.Tensor):
            return value
        copy = value.detach().clone().to(device)
        copy = copy.to(floats) if floats and copy.is_floating_point() else copy
        return copy.requires_grad_(gradients and value.is_floating_point() and value.requires_grad)
    return tuple(tree_map(move, part) for part in (sample.input, sample.args, sample.kwargs))


def tensors_of(value):
    found = []
    tree_map(lambda part: found.append(part) if isinstance(part, torch.Tensor) else None, value)
    return found


def weights_of(out):
    """A gradient of an output: each element has its own, and none is read through a stride of 0."""
    return torch.linspace(0.5, 1.5, max(out.numel(), 1))[:out.numel()].reshape(out.shape).to(out.dtype).to(out.device)


def run(op, sample, device, gradients, floats=None):
    """The results on the CPU, and how many are the operation's own; with gradients, those of the inputs follow."""
    torch.manual_seed(0)
    first, args, kwargs = moved(sample, device, gradients, floats)
    results = tensors_of(op(first, *args, **kwargs))
    count = len(results)
    if gradients:
        outputs = [out for out in results if out.is_floating_point() and out.requires_grad]
        if outputs:
            torch.autograd.backward(outputs, [weights_of(out) for out in outputs])
        inputs = [part for part in tensors_of((first, args, kwargs)) if part.requires_grad]
        results += [part.grad for part in inputs if part.grad is not None]
    return [out.detach().cpu() for out in results], count


class Difference(typing.NamedTuple):
    """The first result that differs."""

    number: int
    is_shape: bool
    text: str


def compare(found, expected, values=True):
    """The first difference, or None."""
    if len(found) != len(expected):
        return Difference(0, True, f"{len(found)} results, must be {len(expected)}")
    for number, (ours, theirs) in enumerate(zip(found, expected)):
        kinds = [f"{part.dtype} {tuple(part.shape)} {part.layout}" for part in (ours, theirs)]
        if kinds[0] != kinds[1]:
            return Difference(number, True, f"result {number} is {kinds[0]}, must be {kinds[1]}")
        try:
            if values:
                torch.testing.assert_close(ours, theirs, equal_nan=True, **TOLERANCES.get(theirs.dtype, {}))
        except AssertionError as error:
            text = " ".join(line for line in str(error).split("\n") if line)
            return Difference(number, False, f"result {number}: {text}")
    return None


def is_random(op, sample, expected, count):
    """Whether another seed gives other results on the CPU."""
    first, args, kwargs = moved(sample, "cpu", False)
    for seed in (1, 2):
        torch.manual_seed(seed)
        if compare([out.detach() for out in tensors_of(op(first, *args, **kwargs))], expected[:count]):
            return True
    return False


def is_as_exact(op, sample, gradients, found, expected):
    """Whether floats are at most CLOSENESS times as far from FLOAT64's as the CPU's are: then their type limits both."""
    try:
        exact, _ = run(op, sample, "cpu", gradients, torch.float64)
    except Exception:  # pylint: disable=broad-except
        return False
    for ours, theirs, true in zip(found, expected, exact):
        if not theirs.is_floating_point():
            if not torch.equal(ours, theirs):
                return False
        elif ours.numel():
            tolerance = TOLERANCES[theirs.dtype]
            limit = tolerance["atol"] + tolerance["rtol"] * true.abs() + CLOSENESS * (theirs.double() - true).abs().max()
            if not bool(((ours.double() - true).abs() <= limit).all() and limit.isfinite().all()):
                return False
    return True


def judge_difference(op, kind, sample, gradients, found, results):
    """The verdict on a sample's results, and its reason."""
    expected, count = results
    difference = compare(found, expected)
    if difference is None or (not difference.is_shape and is_as_exact(op, sample, gradients, found, expected)):
        return "right", ""
    is_gradient = difference.number >= count
    if not is_gradient and is_random(op, sample, expected, count) and not compare(found, expected, values=False):
        return "random", ""
    faults = torch_known.GRADIENTS if is_gradient else torch_known.SHAPES if difference.is_shape else torch_known.VALUES
    reason = torch_known.fault_of(faults, op, kind, sample)
    return ("known", f"{reason}: {difference.text}") if reason else ("wrong", difference.text)


def judge_sample(op, kind, sample, device, gradients, captured):
    """A verdict and its reason, or None if the CPU does not run the sample."""
    try:
        results = run(op, sample, "cpu", gradients)
    except Exception:  # pylint: disable=broad-except
        return None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found, error = run(op, sample, device, gradients)[0], None
        except Exception as raised:  # pylint: disable=broad-except
            found, error = None, str(raised).split("\n", maxsplit=1)[0]
    refusals = captured.refusals()
    if refusals:
        reasons = [torch_known.refusal(refusal) for refusal in refusals]
        text = "vkdml: " + " | ".join(refusals[:2])
        return ("known", f"{reasons[0]}: {text}") if all(reasons) else ("wrong", text)
    if error is not None:
        return "refused", error
    word, reason = judge_difference(op, kind, sample, gradients, found, results)
    names = {match.group(1) for match in (FALLBACK.search(str(warning.message)) for warning in told) if match}
    return ("fallback", " ".join(sorted(names))) if word == "right" and names else (word, reason)


def is_usable(device):
    """Whether the device still computes: as on Windows, it does not after a command that was refused."""
    try:
        return torch.ones(2).to(device).add(1).cpu().tolist() == [2, 2]
    except Exception:  # pylint: disable=broad-except
        return False


def judge(op, name, device, options, captured):
    """The worst verdict on an operation's samples, or None if the CPU runs no sample."""
    order = ["right", "random", "fallback", "refused", "known", "wrong"]
    worst, count = None, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        samples = op.sample_inputs("cpu", TYPES[name], requires_grad=options.gradients)
        for sample in itertools.islice(samples, 4 * options.samples):
            verdict = judge_sample(op, name, sample, device, options.gradients, captured)
            if verdict is None:
                continue
            if worst is None or order.index(verdict[0]) > order.index(worst[0]):
                sizes = " ".join(str(list(part.shape)) for part in tensors_of((sample.input, sample.args, sample.kwargs)))
                rest = [str(part) for part in (*sample.args, *sample.kwargs.items()) if not tensors_of(part)]
                worst = *verdict, f"{sizes} {' '.join(rest)}".strip()
            count += 1
            if count == options.samples or (verdict[0] in ("refused", "known", "wrong") and not is_usable(device)):
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
                verdict = judge(op, name, device, options, captured)
            except Exception as error:  # the samples cannot be made pylint: disable=broad-except
                verdict = ("wrong", f"no samples: {error}", "")
            print(json.dumps([number, verdict]), file=output, flush=True)
            if verdict and verdict[0] in ("refused", "known", "wrong") and not is_usable(device):
                return


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


def judge_end(job, status, path):
    """The verdict on a job in which the process ended."""
    text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    aborted, reason = ABORTED.search(text), f"the process ended with status {status:#x}"
    if aborted:
        return "refused", f"aborts: {aborted.group(1)}", ""
    known = torch_known.fault_of(torch_known.CRASHES, *job)
    return ("known", f"{known}: {reason}", "") if known else ("wrong", reason, "")


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
            yield start, judge_end(jobs[start], status, path) if not late else ("wrong", f"no end within {options.seconds} s", "")
            start += 1


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
        word, detail, sample = verdict
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
