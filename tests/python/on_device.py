"""What tests share that use a device of their own."""
import unittest

import vkdml


class OnDevice(unittest.TestCase):
    """Under the validation layer where there is one, which also says what was not destroyed."""

    def setUp(self):
        self.messages = []
        log = lambda level, message: self.messages.append((level, message))  # noqa: E731
        try:
            self.device = vkdml.Device(validation=True, log=log)
        except vkdml.Error:
            try:
                self.device = vkdml.Device(log=log)
            except vkdml.Error as error:
                self.skipTest(error.reason)
        self.prepare()

    def prepare(self):
        """For devices of other kinds."""

    def hide_memory(self):
        """The host does not see the device's memory: what it has, it copies."""
        cached = vkdml._vulkan.HOST_CACHED
        self.device._vulkan.memory_types = [flags & ~cached for flags in self.device._vulkan.memory_types]

    def tearDown(self):
        self.device.close()
        self.assertEqual([message for message in self.messages if message[0] == "warning"], [])

    def refused(self, kind, pattern, function, *arguments, **fields):
        with self.assertRaisesRegex(kind, pattern):
            function(*arguments, **fields)


class Staged:
    """Before a class of tests: where the host does not see the device's memory; what it has, it copies."""
    label = "device of its own memory"

    def prepare(self):
        self.hide_memory()
