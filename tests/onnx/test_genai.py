#!/usr/bin/env python3
"""ONNX Runtime GenAI with the plugin: a small decoder generates the same tokens as on the CPU provider, and is not planned for
each of them. Prints TAP.

test_genai.py [TOKENS]      with the module and numpy, onnx, onnxruntime and onnxruntime-genai where Python finds them; 64
"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime_genai as og
from onnx import TensorProto, helper, numpy_helper

import vkdml.onnxruntime

EP_NAME = vkdml.onnxruntime.get_ep_name()
PROMPT = [5, 9, 2, 33, 7]
TOKENS_MADE = int(sys.argv[1]) if len(sys.argv) > 1 else 64
VOCABULARY, HEADS, SIZE, LENGTH = 64, 2, 8, len(PROMPT) + TOKENS_MADE
MOST_PLANS = 8 if TOKENS_MADE > 64 else 3
WIDTH = HEADS * SIZE
TOKENS, CACHE = ["batch", "rows"], ["batch", HEADS, "past", SIZE]


def decoder():
    """One layer of attention, with the inputs and outputs that GenAI expects of a decoder."""
    rng = np.random.default_rng(17)

    def weights(name, *shape):
        return numpy_helper.from_array(rng.standard_normal(shape, dtype=np.float32) / 2, name)

    constants = [weights("embedding", VOCABULARY, WIDTH), weights("qkv", WIDTH, 3 * WIDTH), weights("out", WIDTH, VOCABULARY),
                 numpy_helper.from_array(np.array(1, np.int64), "one"), numpy_helper.from_array(np.array([1], np.int64), "axis")]
    nodes = [helper.make_node("Gather", ["embedding", "input_ids"], ["x"]),
             helper.make_node("MatMul", ["x", "qkv"], ["packed"]),
             helper.make_node("ReduceSum", ["attention_mask", "axis"], ["lengths"], keepdims=0),
             helper.make_node("Sub", ["lengths", "one"], ["last"]),
             helper.make_node("Cast", ["last"], ["seqlens"], to=TensorProto.INT32),
             helper.make_node("Shape", ["attention_mask"], ["mask_shape"]),
             helper.make_node("Gather", ["mask_shape", "one"], ["total64"]),
             helper.make_node("Cast", ["total64"], ["total"], to=TensorProto.INT32),
             helper.make_node("GroupQueryAttention", ["packed", "", "", "past_key_values.0.key", "past_key_values.0.value", "seqlens",
                                                      "total"], ["y", "present.0.key", "present.0.value"],
                              domain="com.microsoft", num_heads=HEADS, kv_num_heads=HEADS),
             helper.make_node("Add", ["x", "y"], ["z"]),
             helper.make_node("MatMul", ["z", "out"], ["logits"])]
    values = helper.make_tensor_value_info
    present = ["batch", HEADS, "total", SIZE]
    inputs = [values("input_ids", TensorProto.INT64, TOKENS), values("attention_mask", TensorProto.INT64, ["batch", "total"]),
              *(values(f"past_key_values.0.{name}", TensorProto.FLOAT, CACHE) for name in ("key", "value"))]
    outputs = [values("logits", TensorProto.FLOAT, [*TOKENS, VOCABULARY]),
               *(values(f"present.0.{name}", TensorProto.FLOAT, present) for name in ("key", "value"))]
    graph = helper.make_graph(nodes, "decoder", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def write(folder, shares_buffer):
    onnx.save(decoder(), os.path.join(folder, "model.onnx"))
    names = {"input_ids": "input_ids", "attention_mask": "attention_mask", "past_key_names": "past_key_values.%d.key",
             "past_value_names": "past_key_values.%d.value"}
    made = {"logits": "logits", "present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}
    config = {"model": {"type": "llama", "context_length": LENGTH, "vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": 1,
                        "pad_token_id": 1,
                        "decoder": {"filename": "model.onnx", "head_size": SIZE, "hidden_size": WIDTH, "num_attention_heads": HEADS,
                                    "num_key_value_heads": HEADS, "num_hidden_layers": 1, "inputs": names, "outputs": made,
                                    "session_options": {"provider_options": []}}},
              "search": {"max_length": LENGTH, "min_length": LENGTH, "do_sample": False, "past_present_share_buffer": shares_buffer}}
    with open(os.path.join(folder, "genai_config.json"), "w") as file:
        json.dump(config, file)


def generate(folder, report=None):
    config = og.Config(folder)
    config.clear_providers()
    if report:
        config.append_provider(EP_NAME)
        config.set_provider_option(EP_NAME, "report", report)
    model = og.Model(config)
    params = og.GeneratorParams(model)
    params.set_search_options(max_length=LENGTH, min_length=LENGTH, repetition_penalty=1.5)
    generator = og.Generator(model, params)
    generator.append_tokens(np.array([PROMPT], np.int32))
    while not generator.is_done():
        generator.generate_next_token()
    return [int(token) for token in generator.get_sequence(0)]


def check(number, shares_buffer):
    """With keys and values in one buffer of the greatest length, or in tensors that grow with each token."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, shares_buffer)
        report = pathlib.Path(folder) / "report"
        ours, theirs = generate(folder, str(report)), generate(folder)
        lines = [line.split("\t") for line in report.read_text().splitlines()]
    nodes = [line[:2] for line in lines if line[0] != "plan"]
    plans = sum(line[0] == "plan" for line in lines)
    what = "a buffer of the greatest length" if shares_buffer else "a cache that grows"
    good = len(ours) == LENGTH and len(set(ours)) > 16 and ours == theirs
    claimed = ["vkdml", "com.microsoft.GroupQueryAttention"] in nodes and all(where == "vkdml" for where, _ in nodes)
    few = plans <= MOST_PLANS
    print(f"{'ok' if good else 'not ok'} {number} - a decoder with {what} generates the CPU provider's tokens\n# {ours}\n# {theirs}")
    print(f"{'ok' if claimed else 'not ok'} {number + 1} - its nodes run on the plugin\n# {nodes}")
    print(f"{'ok' if few else 'not ok'} {number + 2} - {TOKENS_MADE} tokens take {MOST_PLANS} plans at most\n# {plans} plans", flush=True)
    return good and claimed and few


def main():
    os.environ.setdefault(vkdml.onnxruntime.SOFTWARE, "1")
    og.register_execution_provider_library("vkdml", vkdml.onnxruntime.get_library_path())
    good = [check(1, True), check(4, False)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
