#!/usr/bin/env python3
"""Measures models whose input shapes change, and models with large weights: vkdml.Model and the plugin, beside ONNX Runtime's CPU
provider and, where the package is installed, its WebGPU provider.

onnx_shapes.py [--repeat N] [--tokens N] [--mib N] [--json FILE] [--write FOLDER | --models FOLDER] [NAME..]

Each NAME is a part; without one all run:
  recognizer  lines of text, of an open batch and width
  detector    a text detector, of an open batch, height and width
  encoder     24 transformer layers of an open batch and length
  quantized   16 decoder layers of 4-bit weights, as large as --mib allows, 0.55 GB at most: prompts of an open batch and length
  decoder     24 small decoder layers that generate --tokens tokens one by one, with keys and values in buffers of the device
  tokens      the model of `quantized` does the same
  weights     a model with --mib MiB of external weights, 1024 by default

Each figure is taken in a process of its own. For shapes, in milliseconds:
  create   opening the model or creating the session, after its libraries were loaded
  first    the first run
  ready    both together
  again    the median of later runs of that shape
  new size, new batch
           the median, over the first runs of shapes that are new, of what a first run takes beyond a later run of its shape
  largest  the largest of these, over new sizes
  device   MiB of device memory after all shapes, as vkdml.Model reports it: weights + tensors
  MiB of one, of six
           memory of the GPU as nvidia-smi reports it, otherwise resident memory of the process, beyond that before the model was
           opened: after one size and after six
For generation, in milliseconds:
  token    the median time of a step: inputs are bound, the model runs, the greatest logit is found
  largest  the largest of these
  run      the median time to run a step again, bound as it is
  beyond   the median of what a step takes beyond that
For weights: peak and later resident memory in MiB, and how many times as much as the CPU provider's.
The figures of one call belong together: compare them with one another. The modules vkdml, onnxruntime and numpy must be found, and
onnx unless models are there: --write FOLDER only writes them, without their weights, which --models FOLDER makes when it runs them.
"""
import argparse
import glob
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

WIDTHS, LENGTHS, BATCHES = (320, 328, 336, 400, 480, 240), (20, 23, 26, 29, 32, 40), (2, 3)
IMAGES = ((320, 320), (320, 352), (352, 320), (384, 480), (288, 416), (480, 384))
HIDDEN, LAYERS, HEADS, INNER = 256, 24, 4, 1024
PROVIDERS = ("vkdml.Model", "plugin", "cpu", "webgpu")
PARTS = ("recognizer", "detector", "encoder", "quantized", "decoder", "tokens", "weights")
GENERATING = ("decoder", "tokens")
MOST_QUANTIZED = 530  # MiB
LEAST_EXTERNAL = 1024  # elements of a weight that is not in the model's file
PROMPT, ROOM, BLOCK = 5, 512, 64


# ---- models: a file of nodes, and a list of what their weights are, from which a file of weights is made ----


class Making:
    """Nodes and weights of a model."""

    def __init__(self, onnx, name):
        self.onnx, self.name, self.nodes, self.weights, self.parts, self.bytes = onnx, name, [], [], [], 0
        self.ends = ([], [])

    def node(self, op, inputs, outputs=(), **attributes):
        names = list(outputs) or [f"v{len(self.nodes)}"]
        self.nodes.append(self.onnx.helper.make_node(op, inputs, names, **attributes))
        return names[0]

    def external(self, name, kind, shape, scale):
        """Random elements of the file of weights: normal ones of a deviation, or any bytes."""
        types = {"float32": self.onnx.TensorProto.FLOAT, "uint8": self.onnx.TensorProto.UINT8}
        tensor = self.onnx.TensorProto(name=name, data_type=types[kind], dims=shape)
        tensor.data_location = self.onnx.TensorProto.EXTERNAL
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        for key, value in (("location", f"{self.name}.data"), ("offset", str(self.bytes)), ("length", str(size))):
            tensor.external_data.add(key=key, value=value)
        self.parts.append([kind, size, float(scale)])
        self.bytes += size
        self.weights.append(tensor)
        return name

    def weight(self, *shape):
        return self.external(f"w{len(self.weights)}", "float32", shape, 1 / np.sqrt(np.prod(shape[1:]) or 1))

    def array(self, array):
        self.weights.append(self.onnx.numpy_helper.from_array(array, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def numbers(self, *values):
        return self.array(np.array(values, np.int64))

    def end(self, which, name, kind, shape):
        self.ends[which].append(self.onnx.helper.make_tensor_value_info(name, kind, shape))
        return name

    def model(self):
        opsets = [self.onnx.helper.make_opsetid(*one) for one in (("", 17), ("com.microsoft", 1))]
        graph = self.onnx.helper.make_graph(self.nodes, self.name, *self.ends, self.weights)
        return self.onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)


def write_model(folder, make, model, **facts):
    make.onnx.save(model, str(folder / f"{make.name}.onnx"))
    (folder / f"{make.name}.json").write_text(json.dumps({"parts": make.parts, **facts}), encoding="ascii")


def published(onnx, folder, name, function):
    """A model of tests/onnx/open_models.py; its large weights go into the file of weights."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "onnx"))
    import open_models
    make, (model, _) = Making(onnx, name), getattr(open_models, function)(True)
    for weight in model.graph.initializer:
        values = onnx.numpy_helper.to_array(weight)
        if values.size >= LEAST_EXTERNAL and values.dtype == np.float32:
            make.external(weight.name, "float32", list(weight.dims), values.std())
        else:
            make.weights.append(weight)
    del model.graph.initializer[:]
    model.graph.initializer.extend(make.weights)
    write_model(folder, make, model)


def split(make, x, order):
    return make.node("Transpose", [make.node("Reshape", [x, make.numbers(0, 0, HEADS, HIDDEN // HEADS)])], perm=order)


def encoder(onnx, folder):
    make = Making(onnx, "encoder")
    ones = make.array(np.ones(HIDDEN, np.float32))
    value = make.end(0, "x", onnx.TensorProto.FLOAT, ["batch", "length", HIDDEN])
    for _ in range(LAYERS):
        q, k, v = (split(make, make.node("MatMul", [value, make.weight(HIDDEN, HIDDEN)]), order)
                   for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = make.node("Softmax", [make.node("MatMul", [q, k])], axis=-1)
        mixed = make.node("Transpose", [make.node("MatMul", [scores, v])], perm=[0, 2, 1, 3])
        mixed = make.node("MatMul", [make.node("Reshape", [mixed, make.numbers(0, 0, HIDDEN)]), make.weight(HIDDEN, HIDDEN)])
        value = make.node("LayerNormalization", [make.node("Add", [value, mixed]), ones])
        inner = make.node("Relu", [make.node("MatMul", [value, make.weight(HIDDEN, INNER)])])
        inner = make.node("MatMul", [inner, make.weight(INNER, HIDDEN)])
        value = make.node("LayerNormalization", [make.node("Add", [value, inner]), ones])
    make.end(1, value, onnx.TensorProto.FLOAT, None)
    write_model(folder, make, make.model())


def product(make, x, inner, outer, bits):
    if bits == 32:
        return make.node("MatMul", [x, make.weight(inner, outer)])
    name = f"q{len(make.weights)}"
    packed = make.external(name, "uint8", [outer, inner // BLOCK, BLOCK * bits // 8], 0)
    scales = make.external(name + "s", "float32", [outer * inner // BLOCK], 0.2 / np.sqrt(inner))
    return make.node("MatMulNBits", [x, packed, scales], K=inner, N=outer, bits=bits, block_size=BLOCK, domain="com.microsoft")


def generator(onnx, folder, name, layers, hidden, inner, heads, shared, bits):
    """Decoder layers as ONNX Runtime GenAI's model builder makes them: GroupQueryAttention with rotary positions, and lengths from the
    mask."""
    make, kinds, size, words = Making(onnx, name), onnx.TensorProto, hidden // heads, 1024
    angles = np.arange(2 * ROOM)[:, None] / 10000 ** (np.arange(size // 2) / (size // 2))
    waves = [make.array(made(angles).astype(np.float32)) for made in (np.cos, np.sin)]
    ids, mask = (make.end(0, *end) for end in (("input_ids", kinds.INT64, ["batch", "rows"]), ("attention_mask", kinds.INT64,
                                                                                               ["batch", "total"])))
    one, ones = make.array(np.array(1)), make.array(np.ones(hidden, np.float32))
    sums = make.node("Sub", [make.node("ReduceSum", [mask, make.numbers(1)], keepdims=0), one])
    lengths = make.node("Cast", [sums], to=kinds.INT32)
    total = make.node("Cast", [make.node("Gather", [make.node("Shape", [mask]), one])], to=kinds.INT32)
    x = make.node("Gather", [make.weight(words, hidden), ids])
    for i in range(layers):
        past = [make.end(0, f"past.{i}.{kind}", kinds.FLOAT, ["batch", shared, "past", size]) for kind in ("key", "value")]
        present = [make.end(1, f"present.{i}.{kind}", kinds.FLOAT, ["batch", shared, "room", size]) for kind in ("key", "value")]
        y = make.node("SimplifiedLayerNormalization", [x, ones], axis=-1, epsilon=1e-5)
        q, k, v = (product(make, y, hidden, outer * size, bits) for outer in (heads, shared, shared))
        y = make.node("GroupQueryAttention", [q, k, v, *past, lengths, total, *waves], [f"y{i}", *present], num_heads=heads,
                      kv_num_heads=shared, do_rotary=1, domain="com.microsoft")
        x = make.node("Add", [x, product(make, y, hidden, hidden, bits)])
        y = make.node("SimplifiedLayerNormalization", [x, ones], axis=-1, epsilon=1e-5)
        gate = product(make, y, hidden, inner, bits)
        gate = make.node("Mul", [gate, make.node("Sigmoid", [gate])])
        y = make.node("Mul", [gate, product(make, y, hidden, inner, bits)])
        x = make.node("Add", [x, product(make, y, inner, hidden, bits)])
    x = make.node("SimplifiedLayerNormalization", [x, ones], axis=-1, epsilon=1e-5)
    make.node("MatMul", [x, make.weight(hidden, words)], [make.end(1, "logits", kinds.FLOAT, ["batch", "rows", words])])
    write_model(folder, make, make.model(), layers=layers, shared=shared, size=size)


def quantized(onnx, folder, mebibytes):
    """After Llama 3.2 1B, or narrower."""
    hidden = 2048
    while hidden > 256 and hidden * hidden * 16 * 14.5 * (0.5 + 4 / BLOCK) / 2 ** 20 > min(mebibytes, MOST_QUANTIZED):
        hidden //= 2
    generator(onnx, folder, "quantized", 16, hidden, 4 * hidden, hidden // 64, max(1, hidden // 256), 4)


def many_weights(onnx, folder, mebibytes):
    """MatMul after MatMul of 2048 x 2048, 16 MiB each."""
    make, size = Making(onnx, "weights"), 2048
    value = make.end(0, "x", onnx.TensorProto.FLOAT, ["batch", size])
    for _ in range(max(1, mebibytes // 16)):
        value = make.node("MatMul", [value, make.weight(size, size)])
    make.end(1, value, onnx.TensorProto.FLOAT, ["batch", size])
    write_model(folder, make, make.model())


def write_models(folder, parts, mebibytes):
    import onnx
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"recognizer": lambda: published(onnx, folder, "recognizer", "recognizer"),
              "detector": lambda: published(onnx, folder, "detector", "text_detector"),
              "encoder": lambda: encoder(onnx, folder), "quantized": lambda: quantized(onnx, folder, mebibytes),
              "decoder": lambda: generator(onnx, folder, "decoder", LAYERS, 64, 128, 4, 2, 32),
              "weights": lambda: many_weights(onnx, folder, mebibytes)}
    for name in dict.fromkeys(map(model_of, parts)):
        makers[name]()


def model_of(part):
    return "quantized" if part == "tokens" else part


def facts_of(path):
    if not pathlib.Path(path).with_suffix(".json").exists():
        sys.exit(f"onnx_shapes.py: {path} is missing: write the models there with --write, where onnx is installed")
    return json.loads(pathlib.Path(path).with_suffix(".json").read_text(encoding="ascii"))


def make_weights(path):
    """The model's file of weights, unless it is there."""
    parts, data = facts_of(path)["parts"], pathlib.Path(path).with_suffix(".data")
    if data.exists() and data.stat().st_size == sum(size for _, size, _ in parts):
        return
    random = np.random.default_rng(1)
    normal, some = random.standard_normal(1 << 22, np.float32), np.frombuffer(random.bytes(1 << 24), np.uint8)
    with open(data, "wb") as file:
        for kind, size, scale in parts:
            source = normal if kind == "float32" else some
            begin, count = random.integers(0, len(source) // 2), size // source.itemsize
            values = np.resize(source[begin:], count)
            file.write((values * np.float32(scale) if kind == "float32" else values).tobytes())


# ---- one provider, in a process of its own ----


def webgpu_library():
    spec = importlib.util.find_spec("onnxruntime_ep_webgpu")
    found = glob.glob(os.path.join(os.path.dirname(spec.origin), "**", "*webgpu*.so"), recursive=True) if spec else []
    return found[0] if found else None


def opener(provider):
    """A function that creates a session of ONNX Runtime, and the device that it is on, or None. Libraries are loaded before."""
    import onnxruntime
    options, device = onnxruntime.SessionOptions(), None
    if provider == "plugin":
        import vkdml.onnxruntime
        device = vkdml.onnxruntime.devices()[0]
        options = vkdml.onnxruntime.session_options(options)
    elif provider == "webgpu":
        onnxruntime.register_execution_provider_library("webgpu", webgpu_library())
        device = next(device for device in onnxruntime.get_ep_devices() if "WebGpu" in device.ep_name)
        options.add_provider_for_devices([device], {})

    def create(path):
        session = onnxruntime.InferenceSession(path, options)
        session.disable_fallback()
        return session
    return create, device


def runner(provider):
    """A function that opens a model, and returns one that runs it and one that returns its device memory."""
    if provider == "vkdml.Model":
        import vkdml

        def model(path):
            made = vkdml.Model(path)
            return made.run, lambda: made.memory._asdict()
        return model
    create, _ = opener(provider)

    def session(path):
        made = create(path)
        return lambda feed: made.run(None, feed), lambda: None
    return session


def timed(function, *arguments):
    begin = time.perf_counter()
    result = function(*arguments)
    return 1e3 * (time.perf_counter() - begin), result


def resident():
    with open("/proc/self/status", encoding="ascii") as file:
        lines = dict(line.split(":", 1) for line in file if line.startswith("Vm"))
    return {name: int(lines[key].split()[0]) / 1024 for name, key in (("peak", "VmHWM"), ("later", "VmRSS"))}


def used_memory():
    """MiB of the GPU, where nvidia-smi reports it, otherwise of the process."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True,
                              check=True)
        return float(done.stdout.split()[0])
    except (OSError, subprocess.CalledProcessError, ValueError, IndexError):
        return resident()["later"]


def random_feeds(part, facts):
    """One size, five more, and two batches of the first."""
    random = np.random.default_rng(2)
    batches = [(1, i) for i in range(6)] + [(batch, 0) for batch in BATCHES]
    if part == "quantized":
        past = {f"past.{i}.{kind}": (facts["shared"], 64, facts["size"]) for i in range(facts["layers"]) for kind in ("key", "value")}
        return [{"input_ids": random.integers(0, 1024, (batch, LENGTHS[i])), "attention_mask": np.ones((batch, LENGTHS[i]), np.int64),
                 **{name: np.zeros((batch, *shape), np.float32) for name, shape in past.items()}} for batch, i in batches]
    shape = {"recognizer": lambda i: (3, 48, WIDTHS[i]), "detector": lambda i: (3, *IMAGES[i]), "encoder": lambda i: (LENGTHS[i], HIDDEN)}
    return [{"x": random.random((batch, *shape[part](i)), np.float32)} for batch, i in batches]


def measure_shapes(provider, path, part, repeat):
    feeds, before = random_feeds(part, facts_of(path)), used_memory()
    create, (run, memory) = timed(runner(provider), path)
    rows = []
    for feed in feeds:
        first = timed(run, feed)[0]
        again = statistics.median(timed(run, feed)[0] for _ in range(repeat))
        rows.append({"first": first, "again": again, "used": used_memory() - before})
    return {"create": create, "shapes": rows, "memory": memory(), **resident()}


def measure_weights(provider, path):
    create, (run, memory) = timed(runner(provider), path)
    feed = {"x": np.ones((1, 2048), np.float32)}
    first = timed(run, feed)[0]
    return {"create": create, "first": first, "again": timed(run, feed)[0], "memory": memory(), **resident()}


class Generation:
    """A loop as ONNX Runtime GenAI's: keys and values stay in buffers of the device, which are inputs and outputs."""

    def __init__(self, session, device, facts):
        import onnxruntime
        shape, place = (1, facts["shared"], ROOM, facts["size"]), ("cpu", 0)
        if device is not None:
            info = device.memory_info(onnxruntime.OrtDeviceMemoryType.DEFAULT)
            place = ("gpu", info.device_id, info.device_vendor_id)
        self.session, self.mask, self.position = session, np.ones((1, ROOM), np.int64), 0
        self.binding, self.value = session.io_binding(), onnxruntime.OrtValue.ortvalue_from_numpy
        self.buffers = []
        for i in range(facts["layers"]):
            for kind in ("key", "value"):
                buffer = self.value(np.zeros(shape, np.float32), *place)
                self.binding.bind_ortvalue_input(f"past.{i}.{kind}", buffer)
                self.binding.bind_ortvalue_output(f"present.{i}.{kind}", buffer)
                self.buffers.append(buffer)
        self.binding.bind_output("logits")

    def step(self, ids):
        self.position += len(ids)
        self.binding.bind_ortvalue_input("input_ids", self.value(np.array([ids], np.int64)))
        self.binding.bind_ortvalue_input("attention_mask", self.value(np.ascontiguousarray(self.mask[:, :self.position])))
        self.binding.bind_output("logits")
        self.session.run_with_iobinding(self.binding)
        outputs = self.binding.get_outputs()
        logits = next(value for value in outputs if value.shape()[-1] == 1024 and len(value.shape()) == 3).numpy()
        return int(logits[0, -1].argmax())


def measure_tokens(provider, path, tokens, repeat):
    open_, device = opener(provider)
    create, session = timed(open_, path)
    loop = Generation(session, device, facts_of(path))
    first, token = timed(loop.step, list(range(3, 3 + PROMPT)))
    times, again, made = [], [], [token]
    for _ in range(min(tokens, ROOM - PROMPT - 1)):
        spent, token = timed(loop.step, [made[-1]])
        times.append(spent)
        made.append(token)
        again.append(statistics.median(timed(session.run_with_iobinding, loop.binding)[0] for _ in range(min(repeat, 3))))
    return {"create": create, "first": first, "token": statistics.median(times), "largest": max(times), "run": statistics.median(again),
            "beyond": statistics.median(a - b for a, b in zip(times, again)), "made": made, **resident()}


def measure_here(given):
    request = json.loads(given)
    part, provider, path = (request[name] for name in ("part", "provider", "path"))
    with open(os.devnull, "w", encoding="ascii") as nothing:
        output, sys.stdout = sys.stdout, nothing
        result = (measure_weights(provider, path) if part == "weights" else
                  measure_tokens(provider, path, request["tokens"], request["repeat"]) if part in GENERATING else
                  measure_shapes(provider, path, part, request["repeat"]))
        sys.stdout = output
    print(json.dumps(result))


def measure(**request):
    done = subprocess.run([sys.executable, __file__, "--measure", json.dumps(request)], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


# ---- tables ----


def beyond(rows):
    return [max(0.0, row["first"] - row["again"]) for row in rows]


def device_memory(memory):
    return f"{memory['weights'] / 2**20:.1f} + {memory['tensors'] / 2**20:.1f}" if memory else ""


def shape_row(provider, result, _):
    sizes = len(WIDTHS)
    base, more, batches = result["shapes"][0], beyond(result["shapes"][1:sizes]), beyond(result["shapes"][sizes:])
    one, six = base["used"], result["shapes"][sizes - 1]["used"]
    return [provider, f"{result['create']:.0f}", f"{base['first']:.0f}", f"{result['create'] + base['first']:.0f}", f"{base['again']:.2f}",
            f"{statistics.median(more):.2f}", f"{max(more):.1f}", f"{statistics.median(more) / base['again']:.2f}",
            f"{statistics.median(batches):.1f}", device_memory(result["memory"]), f"{one:.0f}, {six:.0f}",
            f"{six / one:.2f}" if one > 0 else "", f"{result['peak']:.0f}"]


def token_row(provider, result, cpu):
    same = sum(a == b for a, b in zip(result["made"], cpu["made"])) if cpu else 0
    return [provider, f"{result['create']:.0f}", f"{result['first']:.0f}", f"{result['token']:.2f}", f"{result['largest']:.1f}",
            f"{result['run']:.2f}", f"{result['beyond']:.2f}", f"{same} of {len(result['made'])}", f"{result['peak']:.0f}"]


def weights_row(provider, result, cpu):
    ratios = [f"{result[name] / cpu[name]:.2f}" if cpu else "" for name in ("peak", "later")]
    return [provider, f"{result['create']:.0f}", f"{result['first']:.0f}", f"{result['again']:.1f}", f"{result['peak']:.0f}", ratios[0],
            f"{result['later']:.0f}", ratios[1], device_memory(result["memory"])]


SHAPES = "create | first | ready | again | new size | largest | .. of a later run | new batch | device | MiB of one, of six | .. | peak"
TOKENS = "create | first | token | largest | run | beyond | tokens as the CPU's | peak"
WEIGHTS = "create | first | again | peak resident | .. of CPU's | later | .. of CPU's | device"


def compare(part, path, providers, options):
    make_weights(path)
    mebibytes = os.path.getsize(pathlib.Path(path).with_suffix(".data")) / 2 ** 20
    results = {provider: measure(part=part, provider=provider, path=path, repeat=options.repeat, tokens=options.tokens)
               for provider in providers if part not in GENERATING or provider != "vkdml.Model"}
    title, row = ((WEIGHTS, weights_row) if part == "weights" else (TOKENS, token_row) if part in GENERATING else (SHAPES, shape_row))
    print(f"\n| {part}, {mebibytes:.0f} MiB | {title} |\n|{'---|' * (title.count('|') + 2)}")
    for provider, result in results.items():
        print(f"| {' | '.join(row(provider, result, results.get('cpu')))} |" if result else f"| {provider} | failed |")
    sys.stdout.flush()
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="later runs of each shape")
    parser.add_argument("--tokens", type=int, default=64, help="tokens that are generated")
    parser.add_argument("--mib", type=int, default=1024, help="MiB of weights")
    parser.add_argument("--json", help="writes the figures there")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER", help="only writes the models there, without weights")
    parser.add_argument("--models", type=pathlib.Path, metavar="FOLDER", help="has the models that --write wrote")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    options = parser.parse_args()
    if options.measure:
        measure_here(options.measure)
        return
    unknown = set(options.names) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    parts, results = options.names or PARTS, {}
    if options.write:
        write_models(options.write, parts, options.mib)
        return
    providers = [provider for provider in PROVIDERS if provider != "webgpu" or webgpu_library()]
    with tempfile.TemporaryDirectory(prefix="vkdml-shapes-") as folder:
        folder = options.models or pathlib.Path(folder)
        if not options.models:
            write_models(folder, parts, options.mib)
        for part in parts:
            results[part] = compare(part, str(folder / f"{model_of(part)}.onnx"), providers, options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1), encoding="ascii")


if __name__ == "__main__":
    main()
