#!/usr/bin/env python3
"""Trains and runs networks by tensorflow-directml-plugin and compares them with the CPU. Prints TAP.

tensorflow_training.py [TEXT..]

TEXT: only tests whose name contains it. TF_DIRECTML_PATH and LD_LIBRARY_PATH name the folder of vkdml's libraries.
"""
import os
import resource
import sys
import threading
import time

os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow as tf

CPU, GPU = "/CPU:0", "/GPU:0"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def require(condition, text):
    if not condition:
        raise AssertionError(text)


def close(found, expected, tolerance):
    """The greatest error relative to the greatest value; must be at most `tolerance`."""
    error = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    require(error <= tolerance, f"error {error:.3g}, must be at most {tolerance:g}")
    return error


def small_network():
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Conv2D(8, 3, padding="same", activation="relu", input_shape=(16, 16, 3)), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
        layers.GlobalAveragePooling2D(), layers.Dense(10)])


def train(device, steps):
    """The losses of a convolutional network that Adam trains by Keras, and its last weights."""
    random = np.random.RandomState(0)
    images = random.rand(steps * 8, 16, 16, 3).astype("float32")
    labels = random.randint(0, 10, steps * 8)
    losses = []
    with tf.device(device):
        model = small_network()
        model.compile(tf.keras.optimizers.Adam(1e-3, epsilon=1e-4), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tf.device(CPU if device == CPU else None):  # Keras' data sets exist only on the CPU; the default is the GPU
        for i in range(steps):
            losses.append(model.train_on_batch(images[8 * i:8 * i + 8], labels[8 * i:8 * i + 8]))
    return np.array(losses), model.get_weights()


@test
def keras_trains_with_adam():
    found, expected = train(GPU, 20), train(CPU, 20)
    weights = max(close(ours, theirs, 1e-3) for ours, theirs in zip(found[1], expected[1]) if np.abs(theirs).max() > 1e-3)
    return f"20 losses within {close(found[0], expected[0], 1e-5):.2g}, weights within {weights:.2g}"


def infer(build, size):
    tf.keras.utils.set_random_seed(1)
    image = np.random.RandomState(2).rand(2, size, size, 3).astype("float32")
    with tf.device(CPU):
        model = build(weights=None, input_shape=(size, size, 3), classes=100)
        expected = model(image, training=False).numpy()
        weights = model.get_weights()
    with tf.device(GPU):
        copy = build(weights=None, input_shape=(size, size, 3), classes=100)
        copy.set_weights(weights)
        found = copy(image, training=False).numpy()
    return f"probabilities within {close(found, expected, 1e-5):.2g}"


@test
def resnet50_infers():
    return infer(tf.keras.applications.ResNet50, 64)


@test
def densenet121_infers():
    return infer(tf.keras.applications.DenseNet121, 64)


@test
def variables_are_updated_in_place():
    with tf.device(GPU):
        variable = tf.Variable(tf.zeros([1000]))
        for i in range(200):
            variable.assign_add(tf.fill([1000], float(i)))
            variable.assign(variable * 1.0 + 1.0)
            variable.assign_sub(tf.ones([1000]))
        require(bool((variable.numpy() == 19900).all()), f"{variable.numpy()[:4]}, must be 19900")
    return "600 updates"


@test
def memory_is_constant():
    def megabytes():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 1e6
    with tf.device(GPU):
        weights = tf.Variable(np.random.RandomState(3).randn(64, 64).astype("float32"))
        image = tf.ones([32, 64])

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.tanh(image @ weights)))
            weights.assign_sub(0.1 * tape.gradient(loss, weights))
            return loss
        for _ in range(2500):  # until caches and rings have their size
            step()
        float(step())
        before = megabytes()
        for _ in range(1500):
            step()
        float(step())
    require(megabytes() - before < 30, f"{megabytes() - before:.1f} MB more after 1500 steps")
    return f"{megabytes() - before:+.1f} MB after 1500 steps"


@test
def threads_work_at_once():
    """Each thread has a function of its own: eager kernels of the plugin share state, so that threads mix up shapes."""
    errors = []

    def work(seed):
        with tf.device(GPU):
            value = tf.Variable(tf.zeros([seed + 3]))

            @tf.function
            def step():
                value.assign_add(tf.fill([seed + 3], float(seed)))
                return tf.reduce_sum(value)
            for i in range(150):
                total = step()
                if i % 10 == 0 and float(total) != (i + 1) * seed * (seed + 3):
                    errors.append(f"{float(total)}, must be {(i + 1) * seed * (seed + 3)}")
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    require(not errors, "; ".join(errors[:3]))
    return "6 threads"


@test
def speed_is_measured():
    def seconds(device):
        train(device, 3)
        start = time.perf_counter()
        train(device, 23)
        middle = time.perf_counter()
        train(device, 3)
        return (middle - start - (time.perf_counter() - middle)) / 20
    ours, theirs = seconds(GPU), seconds(CPU)
    return f"a training step takes {ours * 1e3:.1f} ms, {ours / theirs:.1f} times TensorFlow's CPU"


def main():
    tf.config.set_soft_device_placement(False)
    require(tf.config.list_physical_devices("GPU"), "the plugin found no device")
    failures, chosen = 0, [function for function in TESTS if not sys.argv[1:] or any(text in function.__name__ for text in sys.argv[1:])]
    for number, function in enumerate(chosen, 1):
        try:
            print(f"ok {number} - {function.__name__} # {function()}", flush=True)
        except Exception as error:
            failures += 1
            reason = str(error).split("\n", maxsplit=1)[0]
            print(f"not ok {number} - {function.__name__} # {reason}", flush=True)
    print(f"1..{len(chosen)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
