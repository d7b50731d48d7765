#!/usr/bin/env python3
"""Times PyTorch on one device: unmodified torch-directml on vkdml's libraries, CUDA, or the CPU.

    vkdml exec python tools/bench/torch_directml.py --device dml --json dml.json     # torch 2.4.1 with torch-directml
    python tools/bench/torch_directml.py --device cuda --compare dml.json            # any torch with CUDA

A process measures one device, because torch-directml needs a PyTorch of its own. --compare prints the ratio of an earlier
run's times to those of this run. --small has shapes for a device that is a CPU.

What is measured, the median of several repeats each:
- launch: calls of one operation on 16 elements that nobody waits for. "issue" is the time until the last call returned,
  "wall" until the device finished, "cpu" the processor time of all threads. Microseconds for each operation.
- add: z = x + y of FLOAT32, issued as above. An operation whose GPU time is below the launch cost shows the launch cost, so
  there is a second size.
- matmul: square matrices of FLOAT32 and FLOAT16.
- training steps (forward, backward, optimizer) and inference of networks that are defined below, FLOAT32 without TF32.
  torch-directml sends a part of Adam to the CPU, but not with --lerp.
  "first" is the time of the first step, which compiles; "loss" is that of the last step and should not depend on the
  device.

It needs nothing but PyTorch.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys
import time

sys.path[:] = [folder for folder in sys.path if pathlib.Path(folder) != pathlib.Path(__file__).parent] # this file's name

import torch
from torch import nn


# ---- devices ----

class Device:
    """A device by name, and how to wait for it."""

    def __init__(self, name):
        self.name = name
        if name == "dml":
            import torch_directml
            self.torch = torch_directml.device()
            self.description = torch_directml.device_name(0).rstrip("\0")
        else:
            self.torch = torch.device(name)
            self.description = torch.cuda.get_device_name(0) if name == "cuda" else "CPU"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        self.probe = torch.zeros(1).to(self.torch)

    def wait(self):
        """torch-directml has no call for it; a read waits for all that came before."""
        if self.name == "cuda":
            torch.cuda.synchronize()
        else:
            self.probe.cpu()


class Timing:
    """Medians over repeats of a number of calls."""

    def __init__(self, device, seconds, repeats):
        self.device, self.seconds, self.repeats = device, seconds, repeats

    def once(self, function, count):
        """Seconds for each call: until all calls returned, until the device finished, and of the processor."""
        self.device.wait()
        cpu, start = time.process_time(), time.perf_counter()
        for _ in range(count):
            function()
        issued = time.perf_counter()
        self.device.wait()
        end, cpu_end = time.perf_counter(), time.process_time()
        return (issued - start) / count, (end - start) / count, (cpu_end - cpu) / count

    def __call__(self, function, most=20000):
        """The repeats share the seconds. The first calls, which compile, are not counted."""
        first = self.once(function, 1)[1]
        guess = self.once(function, 2)[1]
        if guess < 0.01:
            guess = self.once(function, 20)[1]
        count = max(1, min(most, int(self.seconds / self.repeats / max(guess, 1e-7))))
        issue, wall, cpu = zip(*(self.once(function, count) for _ in range(self.repeats)))
        return {"issue": statistics.median(issue), "wall": statistics.median(wall), "cpu": statistics.median(cpu),
                "first": first, "calls": count, "fastest": min(wall), "slowest": max(wall)}


# ---- networks ----

class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if stride == 1 and inputs == outputs else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def mlp():
    return nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))


class Transformer(nn.Module):
    """An encoder's layer, written with plain operations, and a classifier of each position."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.classifier = nn.Linear(width, 32)

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).split(width, dim=2))
        scores = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(width // self.heads), dim=3)
        return self.out((scores @ v).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return self.classifier(x).flatten(0, 1)


# ---- measurements: each returns {name: results} ----

def launches(device, timing, small):
    x, y = (torch.rand(16).to(device.torch) for _ in range(2))
    a, b = (torch.rand(4, 4).to(device.torch) for _ in range(2))
    calls = {"add": lambda: x + y, "mul_": lambda: x.mul_(y), "relu": lambda: torch.relu(x), "matmul": lambda: a @ b,
             "sum": lambda: a.sum(dim=1)}
    return {f"launch {name}": timing(call) for name, call in calls.items()}


def adds(device, timing, small):
    results = {}
    for mebibytes in (16,) if small else (16, 256):
        x, y = (torch.rand(mebibytes << 18).to(device.torch) for _ in range(2))
        result = timing(lambda: x + y)
        result["bandwidth"] = 3 * (mebibytes << 20) / result["wall"] # bytes for each second
        results[f"add {mebibytes} MiB"] = result
    return results


def matmuls(device, timing, small):
    size, results = 512 if small else 2048, {}
    for kind in (torch.float32,) if small else (torch.float32, torch.float16):
        a, b = (torch.rand(size, size).to(kind).to(device.torch) for _ in range(2))
        result = timing(lambda: a @ b)
        result["flops"] = 2 * size ** 3 / result["wall"] # for each second
        results[f"matmul {size} {str(kind).split('.')[1]}"] = result
    return results


def trained(device, timing, network, x, y, optimizer):
    """Times of a training step. The loss is that of a fixed number of steps, before the times are taken."""
    network, x, y = network.to(device.torch), x.to(device.torch), y.to(device.torch)
    update = optimizer(network.parameters())

    def step():
        update.zero_grad()
        loss = nn.functional.cross_entropy(network(x), y)
        loss.backward()
        update.step()
        return loss
    start = time.perf_counter()
    losses = [step().item()]
    first = time.perf_counter() - start
    losses += [step().item() for _ in range(3)]
    if not all(math.isfinite(loss) for loss in losses):
        raise ValueError(f"losses {losses}")
    return {**timing(step), "first": first, "loss": losses[-1]}


def resnets(device, timing, small):
    batch, size = (2, 64) if small else (32, 224)
    torch.manual_seed(0)
    network, x, y = resnet18(), torch.randn(batch, 3, size, size), torch.randint(0, 1000, (batch,))
    name = f"ResNet-18 batch {batch} of {size}x{size}"
    results = {f"{name}, training": trained(device, timing, network, x, y, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9))}
    network.eval()
    x = x.to(device.torch)
    with torch.no_grad():
        results[f"{name}, inference"] = timing(lambda: network(x))
        one = x[:1].clone()
        results["ResNet-18 batch 1, inference"] = timing(lambda: network(one))
    return results


def mlps(device, timing, small):
    torch.manual_seed(0)
    return {"MLP batch 128, training with SGD": trained(
        device, timing, mlp(), torch.randn(128, 784), torch.randint(0, 10, (128,)), lambda p: torch.optim.SGD(p, lr=0.01))}


def transformers(device, timing, small):
    batch, length, width = (2, 32, 64) if small else (16, 128, 512)
    torch.manual_seed(0)
    return {f"transformer layer {batch}x{length}x{width}, training with AdamW": trained(
        device, timing, Transformer(width, 8), torch.randn(batch, length, width), torch.randint(0, 32, (batch * length,)),
        lambda p: torch.optim.AdamW(p, lr=1e-3))}


MEASUREMENTS = {"launch": launches, "add": adds, "matmul": matmuls, "mlp": mlps, "transformer": transformers, "resnet": resnets}


# ---- report ----

def line(name, result, other):
    """A line of the table: times in microseconds, and how many times longer the other run took."""
    rate = result.get("bandwidth") or result.get("flops")
    extra = f"{rate / 1e9:9.1f} G{'B' if 'bandwidth' in result else 'FLOP'}/s" if rate else ""
    extra += f"  loss {result['loss']:.5f}  first {result['first']:.2f} s" if "loss" in result else ""
    extra += f"  other/this {other['wall'] / result['wall']:.2f}" if other else ""
    return f"{name:52}{result['issue'] * 1e6:12.1f}{result['wall'] * 1e6:12.1f}{result['cpu'] * 1e6:12.1f} {extra}"


def main():
    parser = argparse.ArgumentParser(description="Times PyTorch on torch-directml, CUDA or the CPU.")
    parser.add_argument("--device", choices=("dml", "cpu", "cuda"), default="dml")
    parser.add_argument("--small", action="store_true", help="shapes for a device that is a CPU")
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS), help="what to measure")
    parser.add_argument("--seconds", type=float, default=2, help="for each time")
    parser.add_argument("--repeats", type=int, default=5, help="whose median is taken")
    parser.add_argument("--lerp", action="store_true", help="dml: lerp_() of Adam on the device, as docs/PYTORCH.md has it")
    parser.add_argument("--json", help="the file to write")
    parser.add_argument("--compare", help="the --json file of an earlier run, with which this one is compared")
    arguments = parser.parse_args()
    others = {}
    if arguments.compare:
        with open(arguments.compare, encoding="utf-8") as file:
            others = json.load(file)["results"]
    device = Device(arguments.device)
    library = torch.library.Library("aten", "IMPL")
    if arguments.lerp:
        library.impl("lerp_.Scalar", lambda tensor, end, weight: tensor.mul_(1 - weight).add_(end, alpha=weight), "PrivateUse1")
    timing = Timing(device, arguments.seconds, arguments.repeats)
    print(f"{arguments.device}: {device.description}, PyTorch {torch.__version__}")
    print(f"{'microseconds':52}{'issue':>12}{'wall':>12}{'cpu':>12}")
    results, failed = {}, False
    for name in arguments.only:
        try:
            found = MEASUREMENTS[name](device, timing, arguments.small)
        except (RuntimeError, ValueError) as error: # the others are measured all the same
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
            continue
        for key, result in found.items():
            print(line(key, result, others.get(key)), flush=True)
        results.update(found)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"device": arguments.device, "description": device.description, "torch": torch.__version__,
                       "results": results}, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
