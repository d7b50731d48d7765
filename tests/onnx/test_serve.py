#!/usr/bin/env python3
"""examples/serve: two replicas behind Ray Serve, over HTTP and by handle; killed ones, lost devices, wrong inputs. Prints TAP.

test_serve.py FOLDER     for what Ray writes: a short path, as sockets are there. tools/check/serve.sh runs it
"""
import asyncio
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import types
import urllib.error

import numpy as np
import onnxruntime
import ray
from ray import serve

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = [str(ROOT / "examples" / "serve"), str(ROOT / "tests" / "harness")]
sys.path[:0] = PLACES
# The replicas' processes look there, too.
os.environ["PYTHONPATH"] = os.pathsep.join([*PLACES, os.environ.get("PYTHONPATH", "")])
import application  # noqa: E402
import client  # noqa: E402
import tap  # noqa: E402
import vkdml.onnxruntime  # noqa: E402

MODEL = str(ROOT / "examples" / "models" / "classify.onnx")
SECONDS = 60
PICTURES = [np.random.default_rng(seed).standard_normal((1 + seed % 2, 1, 8, 8), dtype=np.float32) for seed in range(4)]


class Losing(application.Replica):
    """One whose device can be lost."""

    async def lose(self):
        class Lost:
            def run(self, *_):
                raise RuntimeError("VK_ERROR_DEVICE_LOST, as a test says")
        self.session = Lost()
        # Not what it has answered just now, but what it answers from here on.
        self.answered_at_check = self.answered
        return self.replica


@contextlib.contextmanager
def limit(seconds, what):
    """An error where it takes longer."""
    def late(*_):
        raise TimeoutError(f"{what} took more than {seconds} s")
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def until(condition, what, seconds=SECONDS):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not after {seconds} s")


class Served:
    """The application while it runs, asked by HTTP."""

    def __init__(self, folder):
        # One device by two names: a word of its name, and what stands before a comma, as commas are between devices.
        name = vkdml.onnxruntime.devices()[0].ep_metadata["vulkan_device"]
        self.devices = [name.split()[0], name.split(",")[0]]
        own = onnxruntime.InferenceSession(MODEL, vkdml.onnxruntime.session_options())
        own.disable_fallback()
        self.expected = [own.run(None, {"picture": picture})[0] for picture in PICTURES]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        ray.init(address="local", num_cpus=2, include_dashboard=False, object_store_memory=80 << 20, _temp_dir=folder,
                 logging_level="warning")
        serve.start(http_options={"host": "127.0.0.1", "port": port})
        arguments = application.Arguments(model=MODEL, devices=",".join(self.devices))
        self.handle = serve.run(application.application(arguments, Losing))

    def same(self, number, outputs):
        """The bits of a session of one's own."""
        got = np.asarray(outputs["classes"], np.float32)
        return got.shape == self.expected[number].shape and got.tobytes() == self.expected[number].tobytes()

    def post(self, number):
        answer = client.ask(self.url, {"picture": PICTURES[number].tolist()})
        return answer["replica"], self.same(number, answer["outputs"])

    def refusal(self, body):
        try:
            return 200, client.ask(self.url, body)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["error"]

    def replicas(self, seconds=SECONDS):
        """Both, by their ranks, as they tell of themselves; asked until both have answered."""
        found = {}

        def both():
            with contextlib.suppress(OSError):
                one = client.ask(self.url)
                found[one["replica"]] = one
            recent = list(found.values())[-2:]
            if len(recent) == 2 and {one["rank"] for one in recent} == {0, 1}:
                return sorted(recent, key=lambda one: one["rank"])
        return until(both, "two replicas", seconds)


def replaced(served, old):
    """Waits until there is another replica in the place of this one."""
    def there():
        with contextlib.suppress(OSError, TimeoutError):
            now = served.replicas(10)
            return old["replica"] not in [one["replica"] for one in now] and now
    return until(there, f"another replica of rank {old['rank']}", 2 * SECONDS)


def test_replicas(served):
    both = served.replicas()
    tap.tell([one["device"] for one in both] == served.devices and both[0]["process"] != both[1]["process"],
             "a replica for each device, in processes of their own", both)


def test_http(served):
    answers = [served.post(turn % len(PICTURES)) for turn in range(60)]
    who = {replica for replica, _ in answers}
    tap.tell(len(who) == 2, "over HTTP both answer", who)
    tap.tell(all(same for _, same in answers), "over HTTP answers have the bits of a session of one's own", answers)


def test_handle(served):
    pending = [served.handle.run.remote({"picture": PICTURES[turn % len(PICTURES)]}) for turn in range(60)]
    answers = [one.result(timeout_s=SECONDS) for one in pending]
    who = {one["replica"] for one in answers}
    tap.tell(len(who) == 2, "by handle both answer", who)
    tap.tell(all(served.same(turn % len(PICTURES), one["outputs"]) for turn, one in enumerate(answers)),
             "by handle answers have the bits of a session of one's own")


def test_client(served):
    result = subprocess.run([sys.executable, ROOT / "examples" / "serve" / "client.py", "--requests", "20", served.url],
                            capture_output=True, text=True, timeout=SECONDS)
    tap.tell(result.returncode == 0 and result.stdout.startswith("20 requests in "), "the client", result.stdout + result.stderr)


def test_refusals(served):
    before = served.replicas()
    for what, body, reason in (("sizes", {"picture": [[1.0]]}, "picture"), ("names", {"photo": 1}, "must be an object of picture"),
                               ("elements", {"picture": "a cat"}, "convert"), ("no object", [1], "must be an object")):
        code, said = served.refusal(body)
        tap.tell(code == 400 and reason in str(said), f"wrong inputs are refused with a reason: {what}", (code, said))
    # Longer than it takes to replace one that is not well.
    time.sleep(7)
    after = served.replicas()
    tap.tell([one["replica"] for one in before] == [one["replica"] for one in after], "wrong inputs replace no replica",
             (before, after))


def test_killed(served):
    old = served.replicas()[1]
    outcomes, done = [], threading.Event()

    def ask():
        turn = 0
        while not done.is_set():
            turn += 1
            try:
                outcomes.append(served.post(turn % len(PICTURES)))
            except OSError as error:
                outcomes.append((str(error), None))
    thread = threading.Thread(target=ask)
    thread.start()
    try:
        until(lambda: len(outcomes) > 10, "requests")
        os.kill(old["process"], signal.SIGKILL)
        killed_at = len(outcomes)
        now = replaced(served, old)
        back_at = len(outcomes)
    finally:
        done.set()
        thread.join()
    failed = [who for who, same in outcomes if same is None]
    tap.tell(now[1]["process"] != old["process"] and now[1]["device"] == old["device"],
             "a killed replica comes back, on its device", (old, now))
    # Which is one request at a time: what was on its way to the one that was killed may fail.
    tap.tell(back_at - killed_at > 10 and len(failed) <= 2, "and requests go on meanwhile",
             f"{back_at - killed_at} requests meanwhile, failed: {failed}")
    tap.tell(all(same is not False for _, same in outcomes), "with the same bits")
    answers = [served.post(turn % len(PICTURES)) for turn in range(60)]
    tap.tell({replica for replica, _ in answers} == {one["replica"] for one in now} and all(same for _, same in answers),
             "and the new one answers like any", answers)


def test_lost(served):
    before = served.replicas()
    name = served.handle.lose.remote().result(timeout_s=SECONDS)
    old = next(one for one in before if one["replica"] == name)
    refused = []

    def refuse():
        code, said = served.refusal({"picture": PICTURES[0].tolist()})
        refused.extend([(code, said)] if code != 200 else [])
        return refused
    until(refuse, "a refusal")
    tap.tell(refused[0][0] == 503 and "VK_ERROR_DEVICE_LOST" in refused[0][1] and f"device {old['device']}" in refused[0][1],
             "a lost device is told by its name, with the reason", refused)
    now = replaced(served, old)
    tap.tell(any(one["replica"] in [other["replica"] for other in before] for one in now), "and its replica alone is replaced",
             (before, now))
    tap.tell(all(served.post(turn % len(PICTURES))[1] for turn in range(20)), "and all is well again")


@contextlib.contextmanager
def alone(devices):
    """A replica without Ray."""
    context = types.SimpleNamespace(replica_id=types.SimpleNamespace(unique_id="alone"))
    before, serve.get_replica_context = serve.get_replica_context, lambda: context
    try:
        yield application.Replica(MODEL, devices)
    finally:
        serve.get_replica_context = before


def rank(number):
    return types.SimpleNamespace(local_rank=number)


def test_no_such_device():
    """Which Ray would try thrice."""
    with alone(["nosuchdevice"]) as replica:
        try:
            asyncio.run(replica.reconfigure(None, rank(3)))
            tap.tell(False, "an unknown device is refused by name", replica.device)
        except ValueError as error:
            tap.tell("nosuchdevice" in str(error), "an unknown device is refused by name", error)


def test_another_rank():
    name = vkdml.onnxruntime.devices()[0].ep_metadata["vulkan_device"]
    with alone(["", name]) as replica:
        sessions = []
        for number in (0, 2, 1):
            asyncio.run(replica.reconfigure(None, rank(number)))
            sessions.append(replica.session)
        tap.tell(sessions[0] is sessions[1] and sessions[1] is not sessions[2] and replica.device == name,
                 "a replica of another rank opens a session on that one's device", (sessions, replica.device))


def main(folder):
    served = None
    try:
        test_no_such_device()
        test_another_rank()
        with limit(2 * SECONDS, "the start of Ray Serve"):
            served = Served(folder)
        for test in (test_replicas, test_http, test_handle, test_client, test_refusals, test_killed, test_lost):
            begun = time.monotonic()
            with limit(3 * SECONDS, test.__name__):
                test(served)
            print(f"# {test.__name__}: {time.monotonic() - begun:.1f} s", flush=True)
    except Exception as error:
        tap.tell(False, "no step is late or breaks off", f"{type(error).__name__}: {error}")
    finally:
        with limit(SECONDS, "the end"):
            serve.shutdown()
            ray.shutdown()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
