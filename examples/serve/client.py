#!/usr/bin/env python3
"""Asks a served model, with random inputs of the sizes it says, 1 where it says none.

client.py [--requests N] [--parallel N] [URL]     URL: http://127.0.0.1:8000/
"""
import argparse
import collections
import concurrent.futures
import json
import random
import time
import urllib.request


def ask(url, inputs=None):
    """An answer of the model; without inputs its description."""
    data = None if inputs is None else json.dumps(inputs).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def random_tensor(type_, shape):
    if shape:
        return [random_tensor(type_, shape[1:]) for _ in range(shape[0] if isinstance(shape[0], int) else 1)]
    return random.gauss(0, 1) if type_ in ("tensor(float)", "tensor(float16)", "tensor(double)") else random.randint(0, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8000/")
    options = parser.parse_args()
    inputs = {name: random_tensor(value["type"], value["shape"]) for name, value in ask(options.url)["inputs"].items()}
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        answers = list(pool.map(lambda _: ask(options.url, inputs), range(options.requests)))
    seconds = time.monotonic() - begun
    print(f"{options.requests} requests in {seconds:.2f} s, {options.requests / seconds:.0f} a second, {options.parallel} at a time")
    for (replica, device), count in sorted(collections.Counter((one["replica"], one["device"]) for one in answers).items()):
        print(f"replica {replica} on device {device}: {count}")


if __name__ == "__main__":
    main()
