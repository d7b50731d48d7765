"""An ONNX model behind HTTP, by Ray Serve: a replica for each Vulkan device, each with a session of ONNX Runtime.

    serve run application:build model=/where/it/is.onnx devices=#0,#1

    model       the file, at the same place on each machine
    devices     of each machine, by commas: numbers, UUIDs or parts of names, as vkdml.onnxruntime.session_options() takes
                them; without any the best device. An entry is a replica: #0,#0 are two on one device
    machines    how many, each with these devices; 1
    half        FLOAT32 may be computed with less precision where that is faster; false
    cache       a folder for compiled pipelines, there on each machine

POST {"input": [[..]], ..} gives {"outputs": {..}, "replica": .., "device": ..}; GET tells what the inputs are. In Python:
`serve.get_app_handle("default").run.remote({"input": array})`. docs/SERVING.md tells more.
"""
import asyncio
import json
import os
from typing import Any, Dict, List, Optional

import numpy as np
import onnxruntime
import pydantic
from ray import serve
from starlette.requests import Request
from starlette.responses import Response

import vkdml.onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64, "tensor(bool)": np.bool_,
         **{f"tensor({name})": np.dtype(name).type
            for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}}


class DeviceLost(RuntimeError):
    """The device does not answer what it has answered before. The replica is replaced; ask again."""


class Replica:
    """A session on one device. Ray asks check_health() and replaces a replica that raises there, or whose process ended."""

    def __init__(self, model: str, devices: List[str], half: bool = False, cache: str = ""):
        self.model, self.devices, self.half, self.cache = model, devices, half, cache
        self.device: Optional[str] = None
        self.rank, self.answered, self.answered_at_check = -1, 0, 0
        self.replica = serve.get_replica_context().replica_id.unique_id

    async def reconfigure(self, config: Any, rank: Any) -> None:
        """Ray calls it at the start, and where a replica gets another rank, as when there are fewer. Ranks of a machine begin
        with 0, and one that is free again goes to the next replica: so each device has one."""
        self.rank = rank.local_rank
        device = self.devices[self.rank % len(self.devices)]
        if device != self.device:
            # A device that is not there is an error here, which Ray logs before it tries again.
            self.session = await asyncio.to_thread(self.open, device)
            self.device = device
            self.inputs = {value.name: value for value in self.session.get_inputs()}
            self.names = [value.name for value in self.session.get_outputs()]
            self.probe = await asyncio.to_thread(self.find_probe)

    def open(self, device: str) -> onnxruntime.InferenceSession:
        options = vkdml.onnxruntime.session_options(device=device, half=self.half, cache=self.cache or None)
        session = onnxruntime.InferenceSession(self.model, options)
        # Otherwise a failure would quietly move the session to the CPU.
        session.disable_fallback()
        return session

    def find_probe(self) -> Optional[Dict[str, np.ndarray]]:
        """Inputs that the session answers; it has compiled then, too. Where it refuses these, the first request's will do."""
        probe = {name: np.ones([size if isinstance(size, int) else 1 for size in value.shape], TYPES[value.type])
                 for name, value in self.inputs.items()}
        try:
            self.session.run(None, probe)
        except Exception:
            return None
        return probe

    async def check_health(self) -> None:
        # What has answered since the last time is well.
        if self.answered == self.answered_at_check and self.probe is not None:
            try:
                await asyncio.to_thread(self.session.run, None, self.probe)
            except Exception as error:
                raise DeviceLost(f"device {self.device or 'best'} does not answer any more: {error}") from error
        self.answered_at_check = self.answered

    async def run(self, inputs: Dict[str, Any]) -> Dict[str, Any]:
        """The outputs, and who computed them.

        Raises:
            ValueError: the model does not take these inputs.
            DeviceLost: the replica is about to be replaced.
        """
        if not isinstance(inputs, dict) or any(name not in self.inputs for name in inputs):
            raise ValueError(f"inputs must be an object of {', '.join(self.inputs)}")
        try:
            arrays = {name: np.asarray(value, TYPES[self.inputs[name].type]) for name, value in inputs.items()}
        except (TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error
        try:
            outputs = await asyncio.to_thread(self.session.run, None, arrays)
        except Exception as error:
            # Whose fault is it? The device's where it fails with other inputs, too.
            self.answered_at_check = self.answered
            await self.check_health()
            raise ValueError(str(error)) from error
        self.answered += 1
        self.probe = arrays if self.probe is None else self.probe
        return {"outputs": dict(zip(self.names, outputs)), "replica": self.replica, "device": self.device}

    def describe(self) -> Dict[str, Any]:
        return {"inputs": {name: {"type": value.type, "shape": value.shape} for name, value in self.inputs.items()},
                "outputs": self.names, "replica": self.replica, "device": self.device, "rank": self.rank,
                "process": os.getpid(), "answered": self.answered}

    async def __call__(self, request: Request) -> Response:
        status = 200
        try:
            if request.method == "GET":
                answer = self.describe()
            else:
                answer = await self.run(await request.json())
                answer["outputs"] = {name: array.tolist() for name, array in answer["outputs"].items()}
        except ValueError as error:
            status, answer = 400, {"error": str(error)}
        except DeviceLost as error:
            status, answer = 503, {"error": str(error)}
        return Response(json.dumps(answer), status, media_type="application/json")


class Arguments(pydantic.BaseModel):
    model: str
    devices: str = ""
    machines: int = 1
    half: bool = False
    cache: str = ""


def application(arguments: Arguments, replica: Any = Replica) -> serve.Application:
    devices = [device.strip() for device in arguments.devices.split(",")]
    # Devices are what is scarce: as many replicas as a machine has, however few its cores. Three checks that fail in a row
    # end a replica. One request is computed while others are read and written.
    deployment = serve.deployment(replica).options(
        name="model", num_replicas=len(devices) * arguments.machines, max_replicas_per_node=len(devices),
        ray_actor_options={"num_cpus": 0}, max_ongoing_requests=4, health_check_period_s=2, health_check_timeout_s=30)
    return deployment.bind(arguments.model, devices, arguments.half, arguments.cache)


def build(arguments: Arguments) -> serve.Application:
    """What `serve run` calls."""
    return application(arguments)
