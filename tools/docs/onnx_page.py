#!/usr/bin/env python3
"""Writes docs/ONNX_OPERATORS.md: the operators of ONNX that are translated, by the rows of integrations/onnx/operators, and why
others are not.

onnx_page.py [--check] SOURCES
    --check   compares instead, and prints TAP
"""
import collections
import pathlib
import re
import sys

ROW = re.compile(r'\{(ONNX_ML|ONNX_MICROSOFT|ONNX_PREVIEW),\s*"(\w+)",\s*(\d+),\s*(\w+)\}')
DOMAINS = {"ONNX_ML": "ai.onnx", "ONNX_MICROSOFT": "com.microsoft", "ONNX_PREVIEW": "ai.onnx.preview"}
REFUSALS = {"refuse_sequence": "a sequence of tensors is no tensor", "refuse_optional": "an optional value is no tensor"}

# What of ai.onnx has no row, up to version 28 of the operator set.
MISSING = {
    "Bernoulli, Multinomial, RandomNormal, RandomNormalLike, RandomUniform, RandomUniformLike":
        "DirectML's generator is another: no seed gives the same numbers",
    "DeformConv": "DirectML has no operator that reads where another says",
    "Det": "DirectML has no elimination",
    "ImageDecoder": "DirectML decodes nothing",
    "RegexFullMatch, StringConcat, StringNormalizer, StringSplit, TfIdfVectorizer": "strings are no tensors of DirectML's",
}

# Of translated ones what is refused that a model may well have.
LIMITS = {
    "BatchNormalization": "training before version 14",
    "Dropout": "training that drops elements; a training_mode that is not known before the model runs is left to ONNX Runtime",
    "Einsum": "operands without elements",
    "GroupQueryAttention": "sinks, quantized caches",
    "GRU, RNN": "clip, which DirectML has for LSTM alone",
    "Loop, Scan": "a number of iterations that is not known before the model runs",
    "MatMulNBits": "g_idx, 2 bits",
    "Mod, and arithmetic in general": "DOUBLE, which DirectML moves, compares and casts, and does not compute with",
    "NonZero, Compress, Unique, NonMaxSuppression": "in the bodies of Loop, Scan and If: inputs that are not known before the model "
                                                    "runs. In the model itself they end a plan ([ONNX models](ONNX.md#sizes-that-depend-on-data))",
    "QuantizeLinear, DequantizeLinear, Cast": "FLOAT8, FLOAT4 and 2-bit integers, which DirectML lacks",
    "Resize": "linear and cubic of integers, tf_crop_and_resize with scales",
    "RoiAlign": "max, which DirectML takes of samples and ONNX of their neighbours",
    "Unique": "UINT64",
    "any": "strings, complex numbers but in DFT and STFT, more than 8 dimensions",
}

# Of translated ones how results differ from those of ONNX Runtime's CPU provider by more than rounding.
DIFFERENCES = {
    "DynamicQuantizeLSTM": "the input is rounded to 8 bits as there. The CPU provider also rounds the hidden state in each step, by "
                           "scales that depend on its number of threads; here the state keeps its precision. Outputs were within "
                           "0.005 of each other in 11 configurations of up to 64 hidden elements and 30 steps; the test's bound is "
                           "1/128",
    "RoiAlign": "a bin has at most 160 samples along an axis where the picture has at most 160 elements for each bin: a region that is "
                "larger than the picture may have fewer samples than there",
    "SkipGroupNorm": "there is no kernel of the CPU provider; the sum is normalized before it is rounded to FLOAT16",
    "normalizations, softmax and attention that FLOAT16 nodes write out":
        "the CPU provider computes them in FLOAT32; here FLOAT16 is meant, unless float32_intermediates "
        "([ONNX Runtime](ONNXRUNTIME.md#models-of-float16)) is on",
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
            "What [ONNX models](ONNX.md) may have, by themselves and through [ONNX Runtime](ONNXRUNTIME.md). Each operator is",
            "translated from the version on that stands behind it, up to the newest (28), and is refused with a reason where",
            "DirectML's operators cannot say what a node asks for.", ""]
    for domain, operators in rows.items():
        names = [f"{name} {min(since for since, function in versions if function not in REFUSALS)}"
                 for name, versions in sorted(operators.items())
                 if not all(function in REFUSALS for _, function in versions)]
        text += [f"## {domain}", "", f"{len(names)} operator{'s' * (len(names) != 1)}:", "", wrapped([name + "," for name in names[:-1]] + [names[-1] + "."]), ""]
    text += ["## Not translated", ""]
    text += [item(", ".join(sorted(names)), why) for why, names in sorted(refused.items())]
    text += [item(names, why) for names, why in MISSING.items()]
    text += ["", "Of those that are translated these are refused, among rarer things:", ""]
    text += [item(names, what) for names, what in LIMITS.items()]
    text += ["", "## Different results", "", "By more than rounding these differ from ONNX Runtime's CPU provider:", ""]
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
