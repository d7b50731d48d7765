#!/usr/bin/env python3
"""Trains and runs networks by tensorflow-directml-plugin and compares them with the CPU. Prints TAP.

tensorflow_training.py [TEXT..]

TEXT: only tests whose name contains it. TF_DIRECTML_PATH and LD_LIBRARY_PATH name the folder of vkdml's libraries.
"""
import ctypes
import os
import statistics
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
        layers.GlobalAveragePooling2D(), layers.Dense(10), layers.Activation("linear", dtype="float32")])


def train(device, steps, policy="float32"):
    """The losses of a convolutional network that Adam trains by Keras, and its last weights."""
    random = np.random.RandomState(0)
    images = random.rand(steps * 8, 16, 16, 3).astype("float32")
    labels = random.randint(0, 10, steps * 8)
    losses = []
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        with tf.device(device):
            model = small_network()
            model.compile(tf.keras.optimizers.Adam(1e-3, epsilon=1e-4),
                          tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        with tf.device(CPU if device == CPU else None):  # Keras' data sets exist only on the CPU; else the GPU
            for i in range(steps):
                losses.append(model.train_on_batch(images[8 * i:8 * i + 8], labels[8 * i:8 * i + 8]))
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    return np.array(losses), model.get_weights()


@test
def keras_trains_with_adam():
    found, expected = train(GPU, 20), train(CPU, 20)
    weights = max(close(ours, theirs, 1e-3)
                  for ours, theirs in zip(found[1], expected[1]) if np.abs(theirs).max() > 1e-3)
    return f"20 losses within {close(found[0], expected[0], 1e-5):.2g}, weights within {weights:.2g}"


@test
def keras_trains_in_float16():
    """The losses differ from FLOAT32's as little as those of TensorFlow's CPU, which rounds to FLOAT16, too."""
    found, rounded = train(GPU, 20, "mixed_float16"), train(CPU, 20, "mixed_float16")
    exact = train(CPU, 20)
    error = close(found[0], rounded[0], 2e-3)
    return f"20 losses within {error:.2g} of FLOAT16, {close(found[0], exact[0], 2e-3):.2g} of FLOAT32 (CPU: " \
        f"{close(rounded[0], exact[0], 2e-3):.2g})"


def infer(build, size, policy="float32"):
    """Returns the greatest relative error of the probabilities by a device that computes by a policy."""
    tf.keras.utils.set_random_seed(1)
    image = np.random.RandomState(2).rand(2, size, size, 3).astype("float32")
    with tf.device(CPU):
        model = build(weights=None, input_shape=(size, size, 3), classes=100)
        expected = model(image, training=False).numpy()
        weights = model.get_weights()
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        with tf.device(GPU):
            copy = build(weights=None, input_shape=(size, size, 3), classes=100)
            copy.set_weights(weights)
            found = copy(image, training=False).numpy().astype("float32")
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    return close(found, expected, 1e-5 if policy == "float32" else 1e-2)


def infer_by_policies(build):
    return f"probabilities within {infer(build, 64):.2g}, FLOAT16 {infer(build, 64, 'mixed_float16'):.2g}"


@test
def resnet50_infers():
    return infer_by_policies(tf.keras.applications.ResNet50)


@test
def densenet121_infers():
    return infer_by_policies(tf.keras.applications.DenseNet121)


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


class HeapInfo(ctypes.Structure):
    """struct mallinfo2 of glibc 2.33 and later."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "mapped", "usmblks",
                                                     "fsmblks", "used", "free", "keepcost")]


def heap_bytes():
    """What the process has allocated: vkdml, the plugin, TensorFlow, and lavapipe with its device memory."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = HeapInfo
    info = mallinfo()
    return info.used + info.mapped


def tensor_bytes():
    return tf.config.experimental.get_memory_info("GPU:0")["current"]


@test
def memory_is_constant():
    """
    The weights are updated as optimizers do it. assign_sub() and assign_add() are no measure: the plugin does not
    delete the two tensors that TF_AssignUpdateVariable() hands to its callback, so each call leaks a tensor.
    """
    with tf.device(GPU):
        weights = tf.Variable(np.random.RandomState(3).randn(64, 64).astype("float32"))
        image = tf.ones([32, 64])

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.tanh(image @ weights)))
            tf.raw_ops.ResourceApplyGradientDescent(var=weights.handle, alpha=0.1, delta=tape.gradient(loss, weights))
            return loss

        def run(steps):
            for i in range(steps):
                loss = step()
                if i % 50 == 49:  # heaps of the plugin grow as far as the host runs ahead
                    float(loss)
            return heap_bytes(), tensor_bytes()
        before = run(1000)
        after = run(2000)
    growth = (after[0] - before[0]) / 2000
    require(after[1] == before[1], f"{after[1] - before[1]} bytes more of tensors")
    require(growth < 2048, f"{growth:.0f} bytes more with each step")
    return f"{growth:+.0f} bytes of heap with each of 2000 steps, +0 of tensors"


@test
def threads_work_at_once():
    """
    Each thread has a function of its own. Eager Fill, Range and Pad are left out: from several threads they give one
    thread's shape to another. 31 of 18,000 did so for empty tensors, during which the plugin called nothing of vkdml.
    """
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


def inference(device):
    """A call of ResNet50 that returns when the result is there."""
    with tf.device(device):
        model = tf.keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=100)
        image = tf.constant(np.random.RandomState(2).rand(1, 64, 64, 3).astype("float32"))
        call = tf.function(lambda image: model(image, training=False))
    return lambda: call(image).numpy()


def training(device):
    """A call of one step of the small network, with plain gradient descent."""
    with tf.device(device):
        model = small_network()
        random = np.random.RandomState(0)
        images = tf.constant(random.rand(8, 16, 16, 3).astype("float32"))
        labels = tf.constant(np.eye(10)[random.randint(0, 10, 8)].astype("float32"))

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, model(images, training=True)))
            for weights, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
                tf.raw_ops.ResourceApplyGradientDescent(var=weights.handle, alpha=0.01, delta=gradient)
            return loss
    return lambda: step().numpy()


def compare_speed(name, build, count):
    """Medians of calls in turn, so that both devices see the same load."""
    calls, seconds = [build(GPU), build(CPU)], ([], [])
    for i in range(count + 3):
        for call, times in zip(calls, seconds):
            start = time.perf_counter()
            call()
            if i >= 3:  # kernels are compiled
                times.append(time.perf_counter() - start)
    ours, theirs = (statistics.median(times) for times in seconds)
    return f"{name} {ours * 1e3:.1f} ms, TensorFlow's CPU {theirs * 1e3:.1f} ms, ratio {ours / theirs:.2f}"


@test
def speed_is_measured():
    return compare_speed("a training step", training, 40) + "; " + compare_speed("ResNet50", inference, 15)


def main():
    tf.config.set_soft_device_placement(False)
    require(tf.config.list_physical_devices("GPU"), "the plugin found no device")
    texts = sys.argv[1:] or [""]
    failures, chosen = 0, [function for function in TESTS if any(text in function.__name__ for text in texts)]
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
