#!/usr/bin/env python3
"""Trains networks and runs torchvision's by torch-directml, and compares them with the CPU. Prints TAP.

torch_training.py [TEXT..]

TEXT: only tests whose name contains it. `vkdml exec python3 torch_training.py` loads vkdml's libraries. Tests of torchvision and
of transformers are skipped where these packages are missing.
"""
import copy
import importlib.util
import pathlib
import resource
import sys
import tempfile
import threading
import time
import warnings

import torch
import torch_directml
from torch import nn
from torch.nn import functional

warnings.filterwarnings("ignore")
torch.manual_seed(0)
device = torch_directml.device()


class Skipped(Exception):
    """A test that this machine cannot run; has the reason."""


def difference(found, expected):
    """The largest difference, relative to the largest magnitude expected."""
    return ((found.cpu() - expected).abs().max() / expected.abs().max()).item()


def train(network, batches, optimizer, where):
    """The losses and the trained network; batches: pairs of inputs and classes."""
    trained = copy.deepcopy(network).to(where)
    steps = optimizer(trained.parameters())
    losses, start = [], time.time()
    for inputs, classes in batches:
        steps.zero_grad()
        loss = functional.cross_entropy(trained(inputs.to(where)), classes.to(where))
        loss.backward()
        steps.step()
        losses.append(loss.item())
    return torch.tensor(losses), trained, time.time() - start


def check_training(network, batches, optimizer, tolerance, tight=None):
    """Trains on both devices, and compares the losses of the first `tight` steps, or of all. A problem or None, and figures."""
    expected, _, slow = train(network, batches, optimizer, "cpu")
    found, _, seconds = train(network, batches, optimizer, device)
    losses = ((found - expected).abs() / expected.abs())[:tight].max().item()
    figures = (f"{len(batches)} steps, loss {expected[0]:.4f} to {expected[-1]:.4f}, here {found[-1]:.4f}, largest difference "
               f"{losses:.1e} of a loss{f' in {tight} steps' if tight else ''}; {seconds:.1f} s, CPU {slow:.1f} s")
    learned = max(expected[-1], found[-1]) < expected[0]
    return (None if losses <= tolerance and learned else "the losses differ, or do not fall"), figures


def images(count, batch, size, classes=10):
    """Batches whose classes can be learned: each class has a mean of its own."""
    generator = torch.Generator().manual_seed(1)
    means = torch.randn(classes, 3, size, size, generator=generator)
    found = []
    for _ in range(count):
        labels = torch.randint(0, classes, (batch,), generator=generator)
        found.append((means[labels] + torch.randn(batch, 3, size, size, generator=generator), labels))
    return found


def sgd(rate):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate)


def adam(rate):
    return lambda parameters: torch.optim.Adam(parameters, lr=rate)


class Transformer(nn.Module):
    """Classifies a sequence of tokens."""

    def __init__(self, tokens=50, width=32, classes=10):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.layers = nn.ModuleList(Block(width) for _ in range(2))
        self.head = nn.Linear(width, classes)

    def forward(self, tokens):
        states = self.embedding(tokens)
        for layer in self.layers:
            states = layer(states)
        return self.head(states.mean(1))


class Block(nn.Module):
    """Attention and two linear layers, each after a normalization."""

    def __init__(self, width, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, states):
        batch, length, width = states.shape
        parts = self.mix(self.norms[0](states)).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        weights = torch.softmax(query @ key.transpose(-2, -1) * (width // self.heads) ** -0.5, -1)
        states = states + self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))
        return states + self.narrow(functional.gelu(self.wide(self.norms[1](states))))


def mlp():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))


def vectors(count):
    generator = torch.Generator().manual_seed(1)
    means = torch.randn(10, 32, generator=generator)
    labels = [torch.randint(0, 10, (64,), generator=generator) for _ in range(count)]
    return [(means[label] + torch.randn(64, 32, generator=generator), label) for label in labels]


def test_mlp():
    return check_training(mlp(), vectors(50), adam(0.01), 1e-4)


def test_adamw():
    """AdamW with the lines of docs/PYTORCH.md: no operation runs on the CPU."""
    library = torch.library.Library("aten", "IMPL")
    library.impl("lerp_.Scalar", lambda tensor, end, weight: tensor.mul_(1 - weight).add_(end, alpha=weight), "PrivateUse1")
    torch.set_warn_always(True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        problem, figures = check_training(mlp(), vectors(50), lambda parameters: torch.optim.AdamW(parameters, lr=0.01), 1e-4)
    torch.set_warn_always(False)
    library._destroy()  # pylint: disable=protected-access
    fallbacks = [str(warning.message) for warning in told if "fall back" in str(warning.message)]
    return problem or (fallbacks[0] if fallbacks else None), figures


def test_cnn():
    network = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                            nn.Conv2d(8, 16, 3, padding=2, dilation=2, groups=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                            nn.Flatten(), nn.Linear(16, 10))
    return check_training(network, images(50, 16, 32), sgd(0.1), 1e-4)


def test_resnet18():
    import torchvision
    # A change of all weights by 1e-7 changes the CPU's losses by 6e-4 in the fifth step and 2e-2 in the twelfth: batch
    # normalization over the few values of the last layers amplifies every rounding.
    return check_training(torchvision.models.resnet18(num_classes=10), images(50, 8, 32), sgd(0.005), 1e-5, tight=3)


def test_transformer():
    generator = torch.Generator().manual_seed(1)
    batches = []
    for _ in range(50):
        tokens = torch.randint(0, 50, (16, 12), generator=generator)
        batches.append((tokens, tokens.amax(1) % 10))
    return check_training(Transformer(), batches, adam(0.003), 1e-3)


# Networks of torchvision: width and height of the image.
NETWORKS = {"resnet18": 64, "resnet50": 64, "mobilenet_v3_small": 64, "squeezenet1_1": 64, "shufflenet_v2_x1_0": 64,
            "efficientnet_b0": 64, "densenet121": 64, "convnext_tiny": 64, "regnet_y_400mf": 64, "mnasnet0_5": 64,
            "vit_b_32": 224, "googlenet": 64}


def test_network(name):
    import torchvision
    options = {"aux_logits": False, "init_weights": True} if name == "googlenet" else {}
    network = torchvision.models.get_model(name, **options).eval()
    for parameter in network.parameters():
        if not parameter.any() and parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.02)  # torchvision's ViT begins with a head of zeros, whose results are all 0
    image = torch.randn(1, 3, NETWORKS[name], NETWORKS[name])
    with torch.no_grad():
        start = time.time()
        expected = network(image)
        slow = time.time() - start
        network.to(device)
        found = network(image.to(device)).cpu()
        start = time.time()
        network(image.to(device)).cpu()
        seconds = time.time() - start
    error = difference(found, expected)
    return (None if error <= 1e-4 else "the results differ"), f"largest difference {error:.1e}; {seconds:.2f} s, CPU {slow:.2f} s"


def language_model(name):
    """A small network with random weights and the number of its tokens."""
    import transformers
    if name == "GPT-2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=100, n_positions=64, n_embd=32, n_layer=2, n_head=4))
    if name == "Llama":
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=64, attn_implementation="eager"))
    return transformers.BertForMaskedLM(transformers.BertConfig(
        vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64, attn_implementation="eager"))


def test_language(name):
    network = language_model(name).eval()
    tokens, words = torch.randint(0, 100, (1, 10)), []
    with torch.no_grad():
        expected = network(tokens).logits
        if name != "BERT":
            words = network.generate(tokens, max_new_tokens=16, do_sample=False, pad_token_id=0).tolist()
        network.to(device)
        error = difference(network(tokens.to(device), **mask_of(name, tokens)).logits, expected)
        same = not words or greedy(name, network, tokens, 16).tolist() == words
    return (None if error <= 1e-4 and same else "the results differ"), f"largest difference {error:.1e}" + (", 16 equal tokens" if words else "")


def mask_of(name, tokens):
    """Llama's mask. Its own is a FLOAT32 tensor multiplied by a bool one, which torch-directml computes wrong."""
    if name != "Llama":
        return {}
    length = tokens.shape[1]
    return {"attention_mask": torch.full((1, 1, length, length), -1e30).triu(1).to(device)}


def greedy(name, network, tokens, count):
    """The likeliest tokens, one after another, by a network on the device."""
    for _ in range(count):
        logits = network(tokens.to(device), **mask_of(name, tokens)).logits
        tokens = torch.cat([tokens, logits[:, -1].argmax(-1, keepdim=True).cpu()], 1)
    return tokens


def test_saving():
    """Saved by the device and loaded on the CPU, and back: the same bits."""
    _, trained, _ = train(mlp(), vectors(5), adam(0.01), device)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "state.pt")
        torch.save({name: value.cpu() for name, value in trained.state_dict().items()}, path)
        on_cpu, again = mlp(), mlp().to(device)
        on_cpu.load_state_dict(torch.load(path, weights_only=True))
        again.load_state_dict(torch.load(path, weights_only=True))
    states = trained.state_dict(), on_cpu.state_dict(), again.state_dict()
    same = all(torch.equal(value.cpu(), other[name].cpu()) for other in states[1:] for name, value in states[0].items())
    return (None if same else "the weights differ"), "4 tensors"


def train_at_once(places):
    """Trains the same network at several places, each in a thread of its own; returns those whose losses differ."""
    batches, network = vectors(30), mlp()
    expected = train(network, batches, adam(0.01), "cpu")[0]
    losses = [None] * len(places)

    def work(index):
        losses[index] = train(network, batches, adam(0.01), places[index])[0]
    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(places))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [index for index, found in enumerate(losses) if found is None or difference(found, expected) > 1e-4]


def test_devices():
    """Devices compute one after another and train at the same time. Tensors move through the CPU: torch-directml's own
    copies between devices are wrong (https://github.com/microsoft/DirectML/issues/443)."""
    count = torch_directml.device_count()
    if count < 2:
        raise Skipped("with one device only")
    places = [torch_directml.device(index) for index in range(count)]
    value = torch.randn(50, 50)
    expected, kept = value, []
    for _ in range(2):
        for where in places:
            kept.append(torch.tanh(value.to(where) @ value.to(where)))
            value, expected = kept[-1].cpu(), torch.tanh(expected @ expected)
    error = difference(value, expected)
    if error > 1e-4 or [part.device for part in kept] != 2 * places:
        return "the results differ, or are on another device", f"largest difference {error:.1e}"
    wrong = train_at_once(places)
    return (f"devices {wrong} differ" if wrong else None), f"{count} devices: " + ", ".join(map(name_of, range(count)))


def name_of(index):
    return torch_directml.device_name(index).rstrip("\0")


def test_threads():
    """Four threads train at the same time, each as one alone would."""
    wrong = train_at_once([device] * 4)
    return (f"threads {wrong} differ" if wrong else None), "4 threads, 30 steps each"


def resident():
    """Bytes of this process in memory: on lavapipe this includes the device's memory."""
    return int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def test_memory():
    """1,200 steps of training in a row take no memory, at the latest after 4,800 others: caches fill before that."""
    network = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 10)).to(device)
    steps = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    inputs, classes, sizes = torch.randn(8, 3, 16, 16), torch.randint(0, 10, (8,)), []
    while len(sizes) < 5 or (sizes[-1] - sizes[-5] > 4 << 20 and len(sizes) < 20):
        for _ in range(300):
            steps.zero_grad()
            loss = functional.cross_entropy(network(inputs.to(device)), classes.to(device))
            loss.backward()
            steps.step()
        loss.item()
        sizes.append(resident())
    grows = sizes[-1] - sizes[-5] > 4 << 20
    figures = " ".join(f"{size / 2**20:.1f}" for size in sizes) + " MiB resident, each 300 steps"
    return ("the memory grows" if grows else None), figures


def tests():
    """Triples of a name, the package that it needs or None, and a function."""
    rows = [("train an MLP with Adam", None, test_mlp), ("train an MLP with AdamW on the device alone", None, test_adamw),
            ("train a CNN with SGD", None, test_cnn),
            ("train ResNet-18 with SGD", "torchvision", test_resnet18),
            ("train a transformer with Adam", None, test_transformer)]
    rows += [(f"run {name}", "torchvision", lambda name=name: test_network(name)) for name in NETWORKS]
    rows += [(f"run a small {name}", "transformers", lambda name=name: test_language(name)) for name in ("GPT-2", "BERT", "Llama")]
    rows += [("save and load", None, test_saving), ("several devices", None, test_devices), ("threads", None, test_threads),
             ("memory over training steps", None, test_memory)]
    return rows


def main():
    texts, number, failures = sys.argv[1:], 0, 0
    for name, package, function in tests():
        if texts and not any(text in name for text in texts):
            continue
        number += 1
        if package and importlib.util.find_spec(package) is None:
            print(f"ok {number} - {name} # SKIP without {package}", flush=True)
            continue
        torch.manual_seed(0)
        try:
            problem, figures = function()
        except Skipped as reason:
            print(f"ok {number} - {name} # SKIP {reason}", flush=True)
            continue
        except Exception as error:  # pylint: disable=broad-except
            problem, figures = str(error).split("\n", maxsplit=1)[0], ""
        failures += problem is not None
        print(f"{'ok' if problem is None else 'not ok'} {number} - {name}: {': '.join(part for part in (problem, figures) if part)}", flush=True)
    print(f"1..{number}")
    return 1 if failures or not number else 0


if __name__ == "__main__":
    sys.exit(main())
