"""The networks of examples/networks, small ones: fused, node by node and by the CPU reference they agree. Prints TAP."""
import sys
import unittest

import numpy as np
import tap
import vkdml

sys.path.insert(0, sys.argv.pop(1))
import networks  # noqa: E402

# Of an output's largest element: sums in another order, in as many layers as there are.
BOUNDS = {"FLOAT32": 2e-5, "FLOAT16": 2e-2}
NAMES = ["resnet50", "resnet50_int8", "mobilenet_v2", "bert_128", "bert_512", "unet", "decoder_12", "detector"]


class Networks(unittest.TestCase):
    def check(self, name, type_):
        try:
            device = vkdml.Device()
        except vkdml.Error as error:
            self.skipTest(error.reason)
        net = networks.GraphLayers(type_)
        outputs = networks.build(name, "tiny", net)
        net.graph.outputs(outputs)
        # Which are the best of equal ones follows from the last bits of sums: of FLOAT16 many are equal.
        held = ["scores"] if (name, type_) == ("detector", "FLOAT16") else list(outputs)
        expected = networks.by_name(net.graph.reference(**net.inputs), outputs)
        with device:
            for node_by_node in (False, True):
                with self.subTest(node_by_node=node_by_node), \
                        net.graph.compile(device=device, node_by_node=node_by_node) as compiled:
                    found = networks.by_name(compiled.run(**net.inputs), outputs)
                    worst = networks.differences(found, expected)
                    self.assertLess(max(worst[output] for output in held), BOUNDS[type_], worst)
                    again = networks.by_name(compiled.run(**net.inputs), outputs)
                    for output in outputs:  # memory that others left their values in
                        np.testing.assert_array_equal(again[output], found[output], output)


tap.add_checks(Networks, [(name, type_) for name in NAMES for type_ in networks.NETWORKS[name].types])

if __name__ == "__main__":
    tap.main()
