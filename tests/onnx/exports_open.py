#!/usr/bin/env python3
"""Models of the package transformers with open sizes, small and with random weights, as torch.onnx exports them; with inputs of many
shapes. test_open_sizes.py --exports FOLDER runs them.

exports_open.py FOLDER [--shapes N] [NAME..]      needs torch, transformers, onnx and numpy
"""
import argparse
import logging
import os
import pathlib
import sys
import warnings

os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

WORDS = 100


class Part(torch.nn.Module):
    """A model whose forward() has the given names of inputs, and some of its outputs."""

    def __init__(self, model, names, outputs):
        super().__init__()
        self.model, self.names, self.outputs = model, names, outputs

    def forward(self, *inputs):
        made = self.model(**dict(zip(self.names, inputs)))
        return tuple(getattr(made, name) for name in self.outputs)


def ids(rng, batch, length):
    return rng.integers(1, WORDS, (batch, length))


def masked(rng):
    batch, length = rng.integers(1, 4), rng.integers(3, 50)
    return {"input_ids": ids(rng, batch, length), "attention_mask": (np.arange(length) < rng.integers(1, length + 1, (batch, 1))).astype(np.int64)}


def bert():
    config = transformers.BertConfig(vocab_size=WORDS, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                                     attn_implementation="eager")
    return transformers.BertModel(config), masked, ["last_hidden_state"]


def wav2vec2():
    config = transformers.Wav2Vec2Config(vocab_size=WORDS, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                                         conv_dim=(32,) * 7, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
                                         attn_implementation="eager")
    return (transformers.Wav2Vec2ForCTC(config),
            lambda rng: {"input_values": rng.standard_normal((rng.integers(1, 3), rng.integers(800, 9000))).astype(np.float32)}, ["logits"])


def vits():
    """Without noise, which is random: the exporter would write RandomNormalLike."""
    torch.randn_like = torch.zeros_like
    config = transformers.VitsConfig(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, ffn_dim=64, flow_size=32,
                                     spectrogram_bins=33, upsample_initial_channel=32, upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8],
                                     resblock_kernel_sizes=[3], resblock_dilation_sizes=[[1, 3]], use_stochastic_duration_prediction=False,
                                     duration_predictor_filter_channels=32, prior_encoder_num_flows=2, prior_encoder_num_wavenet_layers=2)
    model = transformers.VitsModel(config)
    model.noise_scale = 0.0
    return model, lambda rng: {"input_ids": ids(rng, 1, rng.integers(4, 40))}, ["waveform"]


def fastspeech2():
    config = transformers.FastSpeech2ConformerConfig(
        vocab_size=WORDS, hidden_size=32, num_mel_bins=20, encoder_layers=1, decoder_layers=1, encoder_num_attention_heads=2,
        decoder_num_attention_heads=2, encoder_linear_units=64, decoder_linear_units=64, speech_decoder_postnet_units=32,
        speech_decoder_postnet_layers=2, duration_predictor_channels=32, energy_predictor_channels=32, pitch_predictor_channels=32)
    model = transformers.FastSpeech2ConformerModel(config)
    torch.nn.init.constant_(model.duration_predictor.linear.bias, 1.5)  # some frames per letter
    return model, lambda rng: {"input_ids": ids(rng, 1, rng.integers(4, 30))}, ["spectrogram"]


def llama():
    config = transformers.LlamaConfig(vocab_size=WORDS, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                                      intermediate_size=128, use_cache=False, attn_implementation="eager")
    return transformers.LlamaForCausalLM(config), masked, ["logits"]


def dinov2():
    config = transformers.Dinov2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=56, patch_size=8,
                                       attn_implementation="eager")
    return (transformers.Dinov2Model(config),
            lambda rng: {"pixel_values": rng.standard_normal((rng.integers(1, 3), 3, *(rng.integers(2, 14, 2) * 8))).astype(np.float32)},
            ["last_hidden_state"])


def segformer():
    config = transformers.SegformerConfig(hidden_sizes=[8, 16, 32, 64], depths=[1] * 4, num_attention_heads=[1, 2, 4, 8],
                                          decoder_hidden_size=32, num_labels=5)
    return (transformers.SegformerForSemanticSegmentation(config),
            lambda rng: {"pixel_values": rng.standard_normal((rng.integers(1, 3), 3, *(rng.integers(2, 7, 2) * 32))).astype(np.float32)},
            ["logits"])


MODELS = {make.__name__: make for make in (bert, wav2vec2, vits, fastspeech2, llama, dinov2, segformer)}


def export(name, folder, count):
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    model, feeds, outputs = MODELS[name]()
    found = {}
    while len(found) < count:
        feed = feeds(rng)
        found.setdefault(tuple(array.shape for array in feed.values()), feed)
    first = next(iter(found.values()))
    open_ = {key: {axis: f"{key}_{axis}" for axis in range(array.ndim) if name not in ("vits", "fastspeech2") or axis == 1}
             for key, array in first.items()}
    with torch.no_grad():
        torch.onnx.export(Part(model.eval(), list(first), outputs), tuple(map(torch.from_numpy, first.values())),
                          str(folder / f"{name}.onnx"), dynamo=False, input_names=list(first), output_names=outputs, dynamic_axes=open_,
                          opset_version=17)
    for i, feed in enumerate(found.values()):
        np.savez(folder / f"{name}-{i}.npz", **feed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shapes", type=int, default=20)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_intermixed_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.names or MODELS:
        try:
            export(name, options.folder, options.shapes)
        except Exception as error:
            failed += 1
            print(f"not ok - export of {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
