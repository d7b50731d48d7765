#!/usr/bin/env python3
"""Times PyTorch, CUB, CuPy and NumPy, whichever are installed, on the cases of `vkdml bench`, and writes what they took.

peers.py [--vkdml COMMAND] [--filter TEXT] [--bytes N,..] [--peers NAME,..] [--seconds-each T] --json FILE
    --vkdml COMMAND   the vkdml command, which lists the cases; vkdml
    --filter, --bytes as for `vkdml bench`; --bytes should be the same as there
    --peers NAME,..   only these of torch, cub, cupy, numpy
    --seconds-each T  time each case for at least T seconds; 0.2
    --json FILE       written in the schema of docs/BENCHMARKS.md, for `vkdml bench --peers FILE`

Shapes and layouts are the benchmarks' own; a case that a peer has no function for is left out. torch and cupy run on the
GPU and are timed by its events; torch without a GPU, and numpy, run on the CPU. CUB is DeviceSelect::If, compiled with
nvcc, on the cases that ask for flat coordinates. What would take PyTorch several calls, such as a fused activation,
is left out; it quantizes with one scale for all elements. Products and convolutions are of whole FLOAT32, without TF32, and sums
of FLOAT16 are FLOAT32's. Which function an operator stands for say tools/bench/torch_timed.py and torch_windows.py; regions need
torchvision.
"""
import argparse
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from torch_timed import FAMILIES

MAX_SETS = 16  # of tensors, as BENCH_MAX_SETS of `vkdml bench`
SIZES = {"FLOAT64": 8, "FLOAT32": 4, "FLOAT16": 2, "UINT64": 8, "UINT32": 4, "UINT16": 2, "UINT8": 1, "INT64": 8,
         "INT32": 4, "INT16": 2, "INT8": 1, "UINT4": 0.5, "INT4": 0.5}


class Tensor:
    def __init__(self, text):
        self.type, sizes = re.fullmatch(r"(\w+)\[([\d,]+)\]", text).groups()
        self.sizes = [int(size) for size in sizes.split(",")]
        self.strides = [1] * len(self.sizes)
        for d in reversed(range(len(self.sizes) - 1)):
            self.strides[d] = self.strides[d + 1] * self.sizes[d + 1]
        self.fill, self.number = "", None

    @property
    def permille(self):
        """How many of a thousand elements are not zero."""
        return self.number if self.fill == "SPARSE" else 1000

    @property
    def span(self):
        """Elements from the first to the last."""
        return 1 + sum((size - 1) * stride for size, stride in zip(self.sizes, self.strides))

    @property
    def moved(self):
        """Bytes, each element once however often a stride of 0 repeats it."""
        bytes_ = SIZES[self.type]
        for size, stride in zip(self.sizes, self.strides):
            bytes_ *= size if stride else 1
        return bytes_


class Case:
    """A case's line, as `vkdml bench --list` prints it."""

    def __init__(self, line):
        self.operator, *pairs = line.split()
        self.tensors, self.attributes = {}, {}
        for name, value in (pair.split("=", 1) for pair in pairs):
            tensor, _, member = name.partition(".")
            if member == "strides":
                self.tensors[tensor].strides = [int(stride) for stride in value.split(",")]
            elif member == "fill":
                self.tensors[tensor].fill, _, number = value.partition(":")
                self.tensors[tensor].number = int(number) if number else None
            elif "[" in value and not member:
                self.tensors[name] = Tensor(value)
            elif not member:
                self.attributes[name] = value
        self.input, self.output = self.tensors.get("InputTensor"), self.tensors.get("OutputTensor")

    def floats_of(self, attribute):
        """FLOAT attributes, of their bits or as numbers."""
        return [struct.unpack("f", struct.pack("I", int(text, 16)))[0] if text.startswith("0x") else float(text)
                for text in self.attributes[attribute].split(",")]

    def float_of(self, attribute):
        return self.floats_of(attribute)[0]

    def list_of(self, attribute):
        return [int(value) for value in self.attributes[attribute].split(",")]

    def int_of(self, attribute):
        return int(self.attributes[attribute])

    def array(self, field):
        """The tensors of an array, in order."""
        return [tensor for name, tensor in self.tensors.items() if name.startswith(field + "[")]


def quantiles(samples):
    samples = sorted(samples)
    pick = lambda part: samples[min(len(samples) - 1, int(part * len(samples)))]
    return pick(0.5), pick(0.1), pick(0.9)


class NumPy:
    """Also CuPy's, whose functions have the same names."""
    name = "numpy"
    modes = {"CONSTANT": "constant", "EDGE": "edge", "REFLECTION": "reflect", "SYMMETRIC": "symmetric", "WRAP": "wrap"}

    def __init__(self):
        import numpy
        self.xp, self.version = numpy, numpy.__version__

    def view(self, tensor, flat):
        strides = [stride * flat.itemsize for stride in tensor.strides]
        return self.xp.lib.stride_tricks.as_strided(flat, tensor.sizes, strides)

    def empty(self, tensor):
        return self.view(tensor, self.xp.zeros(tensor.span, tensor.type.lower()))

    def random(self, tensor):
        words = self.xp.random.randint(1, 255, size=tensor.span * SIZES[tensor.type]).astype("uint8")
        flat = words.view(tensor.type.lower())
        if tensor.permille < 1000:
            flat[self.xp.random.random(flat.shape) >= tensor.permille / 1000] = 0
        return self.view(tensor, flat)

    def prepare(self, case):
        """A function that runs the case, or None."""
        xp = self.xp
        if case.operator == "ELEMENT_WISE_IDENTITY" and "ScaleBias" not in case.attributes:
            source, target = self.random(case.input), self.empty(case.output)
            return lambda: xp.copyto(target, source)
        if case.operator.startswith("PADDING"):
            source = self.random(case.input)
            rims = list(zip(case.list_of("StartPadding"), case.list_of("EndPadding")))
            return lambda: xp.pad(source, rims, mode=self.modes[case.attributes["PaddingMode"]])
        if case.operator == "DIAGONAL_MATRIX":
            height, width = case.output.sizes
            return lambda: xp.eye(height, width, int(case.attributes["Offset"]), dtype=case.output.type.lower())
        if case.operator == "NONZERO_COORDINATES":
            source = self.random(case.input)
            return lambda: xp.stack(xp.nonzero(source), 1)
        return None

    def count(self, result):
        return len(result)

    def time(self, functions, seconds):
        samples, results, turn = [], [function() for function in functions], itertools.cycle(functions)
        end = time.perf_counter() + seconds
        while len(samples) < 5 or time.perf_counter() < end:
            start = time.perf_counter()
            next(turn)()
            samples.append((time.perf_counter() - start) * 1e3)
        return samples, results[0]


def time_by_events(events, elapsed, functions, seconds):
    """A sample is at least a millisecond of repetitions, in which the latency of a launch is lost."""
    results, turn = [function() for function in functions], itertools.cycle(functions)

    def sample(repetitions):
        events[0].record()
        for _ in range(repetitions):
            next(turn)()
        events[1].record()
        events[1].synchronize()
        return elapsed(*events) / repetitions

    samples, repetitions = [], max(1, min(100, int(1 / sample(1))))
    end = time.perf_counter() + seconds
    while len(samples) < 5 or time.perf_counter() < end:
        samples.append(sample(repetitions))
    return samples, results[0]


class CuPy(NumPy):
    name = "cupy"

    def __init__(self):
        import cupy
        cupy.cuda.runtime.getDeviceCount()
        self.xp, self.version = cupy, cupy.__version__

    def time(self, functions, seconds):
        return time_by_events([self.xp.cuda.Event() for _ in range(2)], self.xp.cuda.get_elapsed_time, functions, seconds)


# Operators whose PyTorch functions take the same operands, and write where they are told.
TORCH_FUNCTIONS = {
    **{f"ELEMENT_WISE_{name}": function for name, function in {
        "ABS": "abs", "NEGATE": "neg", "SIGN": "sign", "RECIP": "reciprocal", "SQRT": "sqrt", "CEIL": "ceil",
        "FLOOR": "floor", "ROUND": "round", "EXP": "exp", "LOG": "log", "SIN": "sin", "COS": "cos", "TAN": "tan",
        "ASIN": "asin", "ACOS": "acos", "ATAN": "atan", "SINH": "sinh", "COSH": "cosh", "TANH": "tanh",
        "ASINH": "asinh", "ACOSH": "acosh", "ATANH": "atanh", "ERF": "erf", "ADD": "add", "SUBTRACT": "sub",
        "MULTIPLY": "mul", "DIVIDE": "div", "MODULUS_TRUNCATE": "fmod", "MODULUS_FLOOR": "remainder",
        "MAX": "maximum", "MIN": "minimum", "POW": "pow", "ATAN_YX": "atan2", "LOGICAL_AND": "logical_and",
        "LOGICAL_OR": "logical_or", "LOGICAL_XOR": "logical_xor", "LOGICAL_NOT": "logical_not",
        "LOGICAL_EQUALS": "eq", "LOGICAL_GREATER_THAN": "gt", "LOGICAL_LESS_THAN": "lt",
        "LOGICAL_GREATER_THAN_OR_EQUAL": "ge", "LOGICAL_LESS_THAN_OR_EQUAL": "le", "BIT_AND": "bitwise_and",
        "BIT_OR": "bitwise_or", "BIT_XOR": "bitwise_xor", "BIT_NOT": "bitwise_not",
        "BIT_SHIFT_LEFT": "bitwise_left_shift", "BIT_SHIFT_RIGHT": "bitwise_right_shift"}.items()},
    "ACTIVATION_SIGMOID": "sigmoid", "ACTIVATION_TANH": "tanh",
}
# Those that it has in torch.nn.functional: called with the module, the operand, and the case. Some have constants in the place
# of attributes.
TORCH_ACTIVATIONS = {
    "ACTIVATION_RELU": lambda F, x, case: F.relu(x),
    "ACTIVATION_GELU": lambda F, x, case: F.gelu(x),
    "ACTIVATION_ELU": lambda F, x, case: F.elu(x, case.float_of("Alpha")),
    "ACTIVATION_CELU": lambda F, x, case: F.celu(x, case.float_of("Alpha")),
    "ACTIVATION_LEAKY_RELU": lambda F, x, case: F.leaky_relu(x, case.float_of("Alpha")),
    "ACTIVATION_SOFTPLUS": lambda F, x, case: F.softplus(x, case.float_of("Steepness")),
    "ACTIVATION_SOFTSIGN": lambda F, x, case: F.softsign(x),
    "ACTIVATION_SWISH": lambda F, x, case: F.silu(x),
    "ACTIVATION_HARD_SWISH": lambda F, x, case: F.hardswish(x),
    "ACTIVATION_HARD_SIGMOID": lambda F, x, case: F.hardsigmoid(x),
    "ACTIVATION_SCALED_ELU": lambda F, x, case: F.selu(x),
    "ACTIVATION_SHRINK": lambda F, x, case: F.softshrink(x, abs(case.float_of("Threshold"))),
    "ACTIVATION_THRESHOLDED_RELU": lambda F, x, case: F.threshold(x, case.float_of("Alpha"), 0.0),
}


class Torch:
    name = "torch"
    modes = {"CONSTANT": "constant", "EDGE": "replicate", "REFLECTION": "reflect", "WRAP": "circular"}

    def __init__(self):
        import torch
        self.torch, self.version = torch, torch.__version__
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if self.device == "cpu":
            self.name = "torch-cpu"
        # Products and convolutions as exact as ours: FLOAT32 stays FLOAT32, and sums of FLOAT16 are FLOAT32's.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cudnn.benchmark = True  # it takes the fastest of its kernels

    def dtype(self, tensor):
        return getattr(self.torch, tensor.type.lower())

    def view(self, tensor, flat):
        return flat.as_strided(tensor.sizes, tensor.strides)

    def empty(self, tensor):
        return self.view(tensor, self.torch.zeros(tensor.span, dtype=self.dtype(tensor), device=self.device))

    def random(self, tensor):
        torch = self.torch
        words = torch.randint(1, 255, (tensor.span * SIZES[tensor.type],), dtype=torch.uint8, device=self.device)
        flat = words.view(self.dtype(tensor))
        if tensor.permille < 1000:
            flat[torch.rand(flat.shape, device=self.device) >= tensor.permille / 1000] = 0
        return self.view(tensor, flat)

    def ordinary(self, tensor):
        """Elements as the benchmarks have them for arithmetic: floats from 0 to 1, or 1 to 2; integers that divide."""
        torch = self.torch
        if tensor.type.startswith("FLOAT"):
            flat = torch.rand(tensor.span, device=self.device).to(self.dtype(tensor)) + (tensor.fill == "ABOVE_ONE")
        else:
            flat = torch.randint(1, 100, (tensor.span,), device=self.device).to(self.dtype(tensor))
        return self.view(tensor, flat)

    def map(self, case):
        """Operators that map elements: into a tensor that is there, where the function takes one."""
        torch, functional = self.torch, self.torch.nn.functional
        if case.output is None or "ScaleBias" in case.attributes or "FusedActivation" in case.attributes:
            return None  # of a gradient, or several calls
        x = [self.ordinary(tensor) for name, tensor in case.tensors.items() if not name.startswith("Output")]
        if case.operator in TORCH_ACTIVATIONS:
            return lambda: TORCH_ACTIVATIONS[case.operator](functional, x[0], case)
        target = self.empty(case.output)
        if case.operator in TORCH_FUNCTIONS:
            function = getattr(torch, TORCH_FUNCTIONS[case.operator])
            if case.operator == "ELEMENT_WISE_DIVIDE" and not case.output.type.startswith("FLOAT"):
                return lambda: torch.div(*x, rounding_mode="trunc", out=target)
            return lambda: function(*x, out=target)
        if case.operator == "ELEMENT_WISE_IS_NAN":
            return lambda: torch.isnan(x[0])
        if case.operator == "ELEMENT_WISE_IS_INFINITY":
            return lambda: torch.isinf(x[0])
        if case.operator == "ELEMENT_WISE_IF":
            condition = x[0] > 50
            return lambda: torch.where(condition, x[1], x[2], out=target)
        if case.operator in ("ELEMENT_WISE_CLIP", "ELEMENT_WISE_CLIP1"):
            bounds = (0.75, 1.5) if case.output.type.startswith("FLOAT") else (20, 80)
            return lambda: torch.clamp(x[0], *bounds, out=target)
        if case.operator == "ELEMENT_WISE_CONSTANT_POW":
            exponent = case.float_of("Exponent")
            return lambda: torch.pow(x[0], exponent, out=target)
        if case.operator == "CAST":
            return lambda: target.copy_(x[0])
        if case.operator == "FILL_VALUE_CONSTANT":
            return lambda: target.fill_(1)
        if case.operator == "FILL_VALUE_SEQUENCE":
            count = target.numel()
            return lambda: torch.arange(1, 1 + 2 * count, 2, out=target.view(-1))
        return None

    def quantize(self, case):
        """Per tensor alone: a scale and a zero point for all elements, of 8 bits."""
        torch = self.torch
        types = {"UINT8": torch.quint8, "INT8": torch.qint8}
        scales = case.tensors.get("ScaleTensor")
        if scales is None or any(scales.strides):
            return None
        if case.operator.endswith("DEQUANTIZE_LINEAR"):
            if case.input.type not in types or case.output.type != "FLOAT32":
                return None
            source = torch._make_per_tensor_quantized_tensor(self.random(case.input), 1.5, 3)
            return lambda: source.dequantize()
        if case.input.type != "FLOAT32":
            return None
        source = self.ordinary(case.input)
        return lambda: torch.quantize_per_tensor(source, 1.5, 3, types[case.output.type])

    def batch_normalization(self, case):
        """Inference; of parameters for each channel."""
        parameters = [case.tensors[name + "Tensor"] for name in ("Mean", "Variance", "Scale", "Bias")]
        if "FusedActivation" in case.attributes or any(stride and size > 1 for tensor in parameters for d, (size, stride)
                                                       in enumerate(zip(tensor.sizes, tensor.strides)) if d != 1):
            return None
        source = self.ordinary(case.input)
        channels = [self.torch.rand(case.input.sizes[1], device=self.device).to(source.dtype) for _ in parameters]
        return lambda: self.torch.nn.functional.batch_norm(source, *channels, eps=1e-5)

    def pad(self, case):
        starts, ends = case.list_of("StartPadding"), case.list_of("EndPadding")
        mode = self.modes.get(case.attributes["PaddingMode"])
        padded = [d for d in range(len(starts)) if starts[d] or ends[d]]
        if mode is None or len(starts) != 4 or len(padded) != 2:
            return None
        # Modes other than constant pad the last two dimensions: bring the padded ones there, memory staying as it is.
        order = [d for d in range(4) if d not in padded] + padded
        source = self.random(case.input).permute(order)
        rims = [starts[padded[1]], ends[padded[1]], starts[padded[0]], ends[padded[0]]]
        value = {"value": 1} if mode == "constant" else {}
        return lambda: self.torch.nn.functional.pad(source, rims, mode=mode, **value)

    def prepare(self, case):
        torch = self.torch
        if case.operator == "ELEMENT_WISE_IDENTITY" and "ScaleBias" not in case.attributes:
            source, target = self.random(case.input), self.empty(case.output)
            return lambda: target.copy_(source)
        if case.operator.startswith("PADDING"):
            return self.pad(case)
        if case.operator == "DIAGONAL_MATRIX":
            target = self.empty(case.output)
            if int(case.attributes["Offset"]) != 0:
                return lambda: target.zero_()
            return lambda: torch.eye(*case.output.sizes, out=target)
        if case.operator == "NONZERO_COORDINATES":
            source = self.random(case.input)
            return lambda: torch.nonzero(source)
        if case.operator == "BATCH_NORMALIZATION":
            return self.batch_normalization(case)
        if "QUANTIZE" in case.operator:
            return self.quantize(case)
        if case.operator in FAMILIES:
            return FAMILIES[case.operator](self, case)
        return self.map(case)

    def count(self, result):
        return result.shape[0]

    def time(self, functions, seconds):
        if self.device == "cpu":
            return NumPy.time(self, functions, seconds)
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(2)]
        return time_by_events(events, lambda begin, end: begin.elapsed_time(end), functions, seconds)


CUB_SOURCE = r"""
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class Word> struct Nonzero {
    const Word *words;
    Word mask; /* without the sign of floats: -0.0 is zero */
    __device__ bool operator()(uint32_t i) const { return (words[i] & mask) != 0; }
};

template <class Word> int run(uint32_t count, uint32_t permille, Word mask, double seconds) {
    std::vector<Word> host(count);
    uint64_t state = 1;
    for (auto &word : host) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        word = (state >> 33) % 1000 < permille ? Word(1) : Word(0);
    }
    Word *words;
    uint32_t *indices, *found;
    void *scratch = nullptr;
    size_t size = 0;
    cudaMalloc(&words, count * sizeof(Word));
    cudaMalloc(&indices, count * sizeof(uint32_t));
    cudaMalloc(&found, sizeof(uint32_t));
    cudaMemcpy(words, host.data(), count * sizeof(Word), cudaMemcpyHostToDevice);
    const thrust::counting_iterator<uint32_t> all(0);
    const Nonzero<Word> nonzero{words, mask};
    cub::DeviceSelect::If(scratch, size, all, indices, found, count, nonzero);
    cudaMalloc(&scratch, size);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    double total = 0;
    for (int i = 0; i < 8 || total < seconds * 1e3; i++) {
        cudaEventRecord(begin);
        cub::DeviceSelect::If(scratch, size, all, indices, found, count, nonzero);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        total += ms;
        if (i >= 3) {
            std::printf("%.6f ", ms);
        }
    }
    uint32_t result;
    cudaMemcpy(&result, found, sizeof(result), cudaMemcpyDeviceToHost);
    std::printf("\n%u\n", result);
    return cudaGetLastError() != cudaSuccess;
}

int main(int, char **arguments) {
    const uint32_t count = std::strtoul(arguments[1], nullptr, 10), permille = std::strtoul(arguments[2], nullptr, 10);
    const int size = std::atoi(arguments[3]), is_float = std::atoi(arguments[4]);
    const double seconds = std::atof(arguments[5]);
    return size == 1   ? run<uint8_t>(count, permille, 0xff, seconds)
           : size == 2 ? run<uint16_t>(count, permille, is_float ? 0x7fff : 0xffff, seconds)
                       : run<uint32_t>(count, permille, is_float ? 0x7fffffff : 0xffffffff, seconds);
}
"""


class Cub:
    name = "cub"

    def __init__(self):
        compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        self.version = subprocess.run([compiler, "--version"], capture_output=True, text=True,
                                      check=True).stdout.split()[-1]
        self.folder = tempfile.TemporaryDirectory()
        source, self.program = (os.path.join(self.folder.name, name) for name in ("select.cu", "select"))
        with open(source, "w") as file:
            file.write(CUB_SOURCE)
        subprocess.run([compiler, "-O3", "-std=c++17", "-arch=native", "-o", self.program, source], check=True,
                       capture_output=True)

    def prepare(self, case):
        if case.operator != "NONZERO_COORDINATES" or len(case.input.sizes) != 1:
            return None
        tensor = case.input
        return [self.program, str(tensor.sizes[0]), str(tensor.permille), str(SIZES[tensor.type]),
                str(int(tensor.type.startswith("FLOAT")))]

    def count(self, result):
        return result

    def time(self, commands, seconds):
        lines = subprocess.run([*commands[0], str(seconds)], capture_output=True, text=True, check=True).stdout.split("\n")
        return [float(sample) for sample in lines[0].split()], int(lines[1])


PEERS = {"torch": Torch, "cub": Cub, "cupy": CuPy, "numpy": NumPy}


def bytes_of(case, peer, result):
    """As vkdml bench counts: rows of coordinates as many as there are, 4 bytes a column."""
    moved = sum(tensor.moved for name, tensor in case.tensors.items() if name != "OutputCoordinatesTensor")
    if "OutputCoordinatesTensor" in case.tensors:
        moved += 4 * peer.count(result) * case.tensors["OutputCoordinatesTensor"].sizes[-1]
    return moved


def sets_of(case):
    """Tensors are used in turn below 128 MiB, as by `vkdml bench`, so that nothing is found in a cache."""
    return min(MAX_SETS, (128 << 20) // int(sum(tensor.moved for tensor in case.tensors.values())) + 1)


def open_peers(names):
    opened = []
    for name in names:
        try:
            opened.append(PEERS[name]())
            print(f"# {opened[-1].name} {opened[-1].version}")
        except (ImportError, OSError, RuntimeError, subprocess.CalledProcessError) as error:
            print(f"# no {name}: {str(error).splitlines()[0]}")
        except Exception as error:  # CuPy's own, where there is no driver
            print(f"# no {name}: {type(error).__name__}")
    return opened


def list_cases(options):
    command = [options.vkdml, "bench", "--list"]
    command += ["--filter", options.filter] if options.filter else []
    command += ["--bytes", options.bytes] if options.bytes else []
    listed = subprocess.run(command, capture_output=True, text=True)
    if listed.returncode:
        sys.exit(listed.stderr.strip())
    return [line.split("  ", 1) for line in listed.stdout.splitlines()]


def time_case(peer, name, case, seconds):
    """A result, or None where the peer has nothing for the case."""
    functions = [peer.prepare(case) for _ in range(sets_of(case))]
    if functions[0] is None:
        return None
    samples, result = peer.time(functions, seconds)
    ms, low, high = quantiles(samples)
    moved = bytes_of(case, peer, result)
    print(f"{name:<54} {peer.name:<10} {ms:9.4f} ms {moved / ms * 1e-6:9.1f} GB/s", flush=True)
    return {"name": name, "peer": peer.name, "bytes": moved, "ms": ms, "ms_p10": low, "ms_p90": high,
            "gbps": moved / ms * 1e-6, "samples": len(samples)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vkdml", default="vkdml")
    parser.add_argument("--filter")
    parser.add_argument("--bytes")
    parser.add_argument("--peers", default=list(PEERS), type=lambda text: text.split(","))
    parser.add_argument("--seconds-each", default=0.2, type=float)
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    if unknown := set(options.peers) - set(PEERS):
        sys.exit(f"there is no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    peers = open_peers(options.peers)
    results = []
    for name, line in list_cases(options):
        for peer in peers:
            try:
                result = time_case(peer, name, Case(line), options.seconds_each)
            except Exception as error:  # what a peer refuses, or has no memory for, differs from peer to peer
                print(f"{name:<54} {peer.name:<10} {type(error).__name__}: {str(error).splitlines()[0][:80]}")
                continue
            if result:
                results.append(result)
    with open(options.json, "w") as file:
        json.dump({"schema": "vkdml-bench-1", "peers": {peer.name: peer.version for peer in peers},
                   "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
