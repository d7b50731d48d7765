#!/usr/bin/env python3
"""Writes docs/ONNX_OPERATORS.md: the supported ONNX operators, from the rows in integrations/onnx/operators, and the reasons
why others are not supported.

onnx_page.py [--check] SOURCES
    --check   compares instead, and prints TAP
"""
import collections
import pathlib
import re
import sys

ROW = re.compile(r'\{(ONNX_ML|ONNX_MICROSOFT|ONNX_PREVIEW),\s*"(\w+)",\s*(\d+),\s*(\w+)\}')
DOMAINS = {"ONNX_ML": "ai.onnx", "ONNX_MICROSOFT": "com.microsoft", "ONNX_PREVIEW": "ai.onnx.preview"}
REFUSALS = {"refuse_sequence": "sequences of tensors are not supported",
            "refuse_optional": "optional values are not supported"}

# Operators of ai.onnx, up to version 28 of the operator set, that have no row.
MISSING = {
    "Bernoulli, Multinomial, RandomNormal, RandomNormalLike, RandomUniform, RandomUniformLike":
        "DirectML has another random number generator, so that no seed gives the same numbers",
    "DeformConv": "DirectML has no convolution that reads at offsets from a tensor",
    "Det": "DirectML has no operator for determinants or Gaussian elimination",
    "ImageDecoder": "DirectML has no decoder",
    "RegexFullMatch, StringConcat, StringNormalizer, StringSplit, TfIdfVectorizer": "DirectML has no string tensors",
}

# Limitations of supported operators that a model may well meet.
LIMITS = {
    "BatchNormalization": "training before version 14",
    "Dropout": "training that drops elements; ONNX Runtime runs the node if training_mode is not known before the model runs",
    "Einsum": "operands without elements",
    "GroupQueryAttention": "sinks, quantized caches",
    "GRU, RNN": "clip, which DirectML supports only for LSTM",
    "Loop, Scan": "a number of iterations that is not known before the model runs",
    "MatMulNBits": "g_idx, 2 bits",
    "Mod, and arithmetic in general": "DOUBLE, which DirectML only moves, compares and casts",
    "NonZero, Compress, Unique, NonMaxSuppression": "in the bodies of Loop, Scan and If, inputs that are not known before the "
                                                    "model runs. Outside of bodies, these operators end a plan "
                                                    "([ONNX models](ONNX.md#sizes-that-depend-on-data))",
    "QuantizeLinear, DequantizeLinear, Cast": "FLOAT8, FLOAT4 and 2-bit integers, which DirectML does not have",
    "Resize": "linear and cubic modes for integers, tf_crop_and_resize with scales",
    "RoiAlign": "mode max, for which DirectML compares interpolated samples, and ONNX their weighted neighbors",
    "Unique": "UINT64",
    "any": "strings, complex numbers except in DFT and STFT, more than 8 dimensions",
}

# Differences from the results of ONNX Runtime's CPU provider by more than rounding.
DIFFERENCES = {
    "DynamicQuantizeLSTM": "both round the input to 8 bits. The CPU provider also rounds the hidden state in each step, with "
                           "scales that depend on its number of threads; vkdml keeps the precision of the state. In 11 "
                           "configurations of up to 64 hidden elements and 30 steps, outputs differed by at most 0.005; the "
                           "test's bound is 1/128",
    "RoiAlign": "if the image has at most 160 elements per bin along an axis, vkdml uses at most 160 samples per bin: in a "
                "region that is larger than the image, it may use fewer samples",
    "SkipGroupNorm": "the CPU provider has no kernel; vkdml normalizes the sum before it is rounded to FLOAT16",
    "normalizations, softmax and attention that FLOAT16 nodes write out":
        "the CPU provider computes them in FLOAT32; vkdml computes them in FLOAT16, unless float32_intermediates "
        "([ONNX Runtime](ONNXRUNTIME.md#models-of-float16)) is set",
}


def read_rows(root):
    """Of each domain its operators: versions from which their rows hold, and functions."""
    found = {domain: collections.defaultdict(list) for domain in DOMAINS.values()}
    for path in sorted((root / "integrations" / "onnx" / "operators").glob("*.c")):
        for domain, name, since, function in ROW.findall(path.read_text()):
            found[DOMAINS[domain]][name].append((int(since), function))
    return found


def wrapped(words, width=120):
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def item(names, why):
    return wrapped(f"- {names}: {why}".split(), 118).replace("\n", "\n  ")


def page(root):
    rows = read_rows(root)
    refused = collections.defaultdict(list)
    for name, versions in rows["ai.onnx"].items():
        if all(function in REFUSALS for _, function in versions):
            refused[REFUSALS[versions[0][1]]].append(name)
    text = ["# ONNX operators", "",
            "<!-- written by tools/docs/onnx_page.py: change that, or the rows of integrations/onnx/operators -->", "",
            "This page lists the operators that are supported in [ONNX models](ONNX.md) and through",
            "[ONNX Runtime](ONNXRUNTIME.md). The number after an operator is the first supported version; the newest is 28. If",
            "DirectML's operators cannot express a node, it is refused with a reason.", ""]
    for domain, operators in rows.items():
        names = [f"{name} {min(since for since, function in versions if function not in REFUSALS)}"
                 for name, versions in sorted(operators.items())
                 if not all(function in REFUSALS for _, function in versions)]
        text += [f"## {domain}", "", f"{len(names)} operator{'s' * (len(names) != 1)}:", "", wrapped([name + "," for name in names[:-1]] + [names[-1] + "."]), ""]
    text += ["## Not supported", ""]
    text += [item(", ".join(sorted(names)), why) for why, names in sorted(refused.items())]
    text += [item(names, why) for names, why in MISSING.items()]
    text += ["", "The supported operators have these limitations, among rarer ones:", ""]
    text += [item(names, what) for names, what in LIMITS.items()]
    text += ["", "## Different results", "",
             "The results of these operators differ from those of ONNX Runtime's CPU provider by more than rounding:", ""]
    text += [item(names, what) for names, what in DIFFERENCES.items()]
    return "\n".join(text) + "\n"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    root = pathlib.Path(arguments[0])
    path = root / "docs" / "ONNX_OPERATORS.md"
    if "--check" not in sys.argv:
        path.write_text(page(root))
        return 0
    rows = read_rows(root)
    listed = [name for names in MISSING for name in names.split(", ")]
    results = [("the page is what is written of the rows", path.exists() and path.read_text() == page(root)),
               ("what has a row is not told to have none", not [name for name in listed if name in rows["ai.onnx"]])]
    for number, (what, holds) in enumerate(results, 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {what}")
    print(f"1..{len(results)}")
    return 0 if all(holds for _, holds in results) else 1


if __name__ == "__main__":
    sys.exit(main())
