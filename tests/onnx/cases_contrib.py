#!/usr/bin/env python3
"""Writes cases of com.microsoft's operators, and of quantization that ONNX's node tests leave out, in their form.

cases_contrib.py FOLDER

What is expected is what ONNX Runtime's CPU provider gives, or onnx's reference where that has no kernel (pip install
numpy onnx onnxruntime). Cases of 8 bits keep one side small: on x86 without VNNI that provider saturates sums of
unsigned by signed bytes.
"""
import pathlib
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

MICROSOFT = 'com.microsoft'
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float16): TensorProto.FLOAT16,
         np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8,
         np.dtype(np.uint16): TensorProto.UINT16, np.dtype(np.int16): TensorProto.INT16,
         np.dtype(np.int32): TensorProto.INT32, np.dtype(np.int64): TensorProto.INT64,
         np.dtype(np.bool_): TensorProto.BOOL}


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.random = np.random.default_rng(7)

    def floats(self, *sizes, scale=1.0, dtype=np.float32):
        return (self.random.standard_normal(sizes) * scale).astype(dtype)

    def bytes(self, *sizes, dtype=np.uint8, low=None, high=None):
        info = np.iinfo(dtype)
        return self.random.integers(info.min if low is None else low, (info.max if high is None else high) + 1, sizes,
                                    dtype=dtype)

    def save(self, name, op, inputs, outputs, constants=(), domain=MICROSOFT, opset=21,
             by_reference=False, **attributes):
        """A model of one node. Inputs are arrays or None; those of `constants` are initializers. Outputs are types."""
        if 'opset_' in attributes: # QLinearSoftmax has an attribute of that name
            attributes['opset'] = attributes.pop('opset_')
        inputs = [array if array is None else np.asarray(array) for array in inputs]
        names = ['' if array is None else f'x{i}' for i, array in enumerate(inputs)]
        node = helper.make_node(op, names, [f'y{i}' if kind is not None else '' for i, kind in enumerate(outputs)],
                                domain=domain, **attributes)
        given = [i for i, array in enumerate(inputs) if array is not None and i not in constants]
        graph = helper.make_graph(
            [node], name, [helper.make_tensor_value_info(names[i], TYPES[inputs[i].dtype], inputs[i].shape)
                           for i in given],
            [helper.make_tensor_value_info(f'y{i}', kind, None) for i, kind in enumerate(outputs) if kind is not None],
            [numpy_helper.from_array(inputs[i], names[i]) for i in constants])
        model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid('', opset),
                                                                       helper.make_opsetid(MICROSOFT, 1)])
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            if by_reference:
                expected = ReferenceEvaluator(model).run(None, {names[i]: inputs[i] for i in given})
            else:
                session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                                       providers=['CPUExecutionProvider'])
                expected = session.run(None, {names[i]: inputs[i] for i in given})
        except Exception as error: # onnxruntime's own are of many classes
            print(f'left out: {name}: {str(error)[:200]}', file=sys.stderr)
            return
        self.write(name, model, [(names[i], inputs[i]) for i in given], expected)

    def write(self, name, model, inputs, expected):
        folder = self.folder / f'contrib_{name}'
        data = folder / 'test_data_set_0'
        data.mkdir(parents=True, exist_ok=True)
        (folder / 'model.onnx').write_bytes(model.SerializeToString())
        outputs = [(f'y{i}', np.asarray(array)) for i, array in enumerate(expected)]
        for kind, arrays in (('input', inputs), ('output', outputs)):
            for i, (label, array) in enumerate(arrays):
                (data / f'{kind}_{i}.pb').write_bytes(numpy_helper.from_array(array, label).SerializeToString())


def quantization(c):
    one = np.float32(0.03)
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        x = c.floats(3, 5, 7)
        zero = dtype(17)
        name = np.dtype(dtype).name
        c.save(f'quantize_{name}', 'QuantizeLinear', [x, one, zero], [TYPES[np.dtype(dtype)]])
        c.save(f'dequantize_{name}', 'DequantizeLinear', [c.bytes(3, 5, 7, dtype=dtype), one, zero],
               [TensorProto.FLOAT])
        scales, zeros = np.abs(c.floats(5, scale=.1)) + np.float32(.01), c.bytes(5, dtype=dtype, low=0, high=30)
        c.save(f'quantize_axis_{name}', 'QuantizeLinear', [x, scales, zeros], [TYPES[np.dtype(dtype)]], axis=1)
        c.save(f'dequantize_axis_{name}', 'DequantizeLinear', [c.bytes(3, 5, 7, dtype=dtype), scales, zeros],
               [TensorProto.FLOAT], axis=-2)
    c.save('dequantize_int32', 'DequantizeLinear', [c.bytes(4, 6, dtype=np.int32), one], [TensorProto.FLOAT],
           domain='')
    c.save('quantize_half', 'QuantizeLinear', [c.floats(40, dtype=np.float16), np.float16(.02), np.uint8(100)],
           [TensorProto.UINT8])
    scales = np.abs(c.floats(3, 3)) + np.float32(.1)
    c.save('dequantize_ragged_blocks', 'DequantizeLinear', [c.bytes(3, 8, dtype=np.int8), scales], [TensorProto.FLOAT],
           domain='', axis=1, block_size=3)
    c.save('quantize_scalar', 'QuantizeLinear', [np.float32(1.7), one, np.uint8(3)], [TensorProto.UINT8], domain='')
    c.save('quantize_no_zero', 'QuantizeLinear', [c.floats(9), one], [TensorProto.UINT8], domain='')
    c.save('dynamic_quantize', 'DynamicQuantizeLinear', [c.floats(3, 11)],
           [TensorProto.UINT8, TensorProto.FLOAT, TensorProto.UINT8], domain='')


def products(c):
    one, other = np.float32(.02), np.float32(.03)
    for a_type, b_type in ((np.uint8, np.uint8), (np.int8, np.int8), (np.uint8, np.int8)):
        name = f'{np.dtype(a_type).name}_{np.dtype(b_type).name}'
        a = c.bytes(2, 5, 9, dtype=a_type)
        b = c.bytes(9, 4, dtype=b_type, low=-60 if b_type == np.int8 else 0, high=60)
        columns = np.abs(c.floats(4)) + np.float32(.01)
        c.save(f'matmul_to_float_{name}', 'MatMulIntegerToFloat',
               [a, b, one, columns, a_type(7), c.bytes(4, dtype=b_type, low=0, high=9), c.floats(4)],
               [TensorProto.FLOAT])
        c.save(f'matmul_integer_{name}', 'MatMulInteger', [a, b, a_type(3), b_type(5)], [TensorProto.INT32], domain='')
        c.save(f'qlinear_matmul_{name}', 'QLinearMatMul', [a, one, a_type(3), b, other, b_type(5), np.float32(.4),
                                                           a_type(20)], [TYPES[np.dtype(a_type)]], domain='')
        c.save(f'dynamic_matmul_{name}', 'DynamicQuantizeMatMul', [c.floats(2, 5, 9), b, columns, b_type(3),
                                                                   c.floats(4)], [TensorProto.FLOAT])
    c.save('matmul_integer_batches', 'MatMulInteger', [c.bytes(2, 1, 3, 4, 5), c.bytes(6, 1, 5, 3)],
           [TensorProto.INT32], domain='')
    c.save('matmul_integer_vectors', 'MatMulInteger', [c.bytes(5), c.bytes(3, 5, 2)], [TensorProto.INT32], domain='')
    for bits in (4, 8):
        # The last are too large to be dequantized before they run.
        for inner, block, columns in ((64, 32, 6), (48, 32, 6), (100, 16, 6), (1040, 16, 40)):
            count = -(-inner // block)
            b, scales = c.bytes(columns, count, block * bits // 8), np.abs(c.floats(columns, count, scale=.1))
            a = c.floats(2, 3, inner)
            size = dict(K=inner, N=columns, bits=bits, block_size=block)
            name = f'matmul_{bits}_bits_{inner}_{block}'
            c.save(name, 'MatMulNBits', [a, b, scales], [TensorProto.FLOAT], constants=[1, 2], **size)
            zeros = c.bytes(columns, -(-count * bits // 8))
            c.save(f'{name}_zeros', 'MatMulNBits', [a, b, scales, zeros, None, c.floats(columns)],
                   [TensorProto.FLOAT], constants=[1, 2, 3], **size)
            if bits == 4:
                c.save(f'{name}_float_zeros', 'MatMulNBits', [a, b, scales, c.floats(columns, count)],
                       [TensorProto.FLOAT], constants=[1, 2, 3], **size)
    for groups in (1, 2):
        x, w = c.bytes(2, 4, 7, 6), c.bytes(6, 4 // groups, 3, 2)
        c.save(f'qlinear_conv_{groups}', 'QLinearConv',
               [x, one, np.uint8(9), w, np.abs(c.floats(6)) + np.float32(.01), c.bytes(6), np.float32(9.7),
                np.uint8(100), c.bytes(6, dtype=np.int32, low=-9999, high=9999)], [TensorProto.UINT8], domain='',
               group=groups, pads=[1, 0, 2, 1], strides=[2, 1])
        c.save(f'conv_integer_{groups}', 'ConvInteger', [x, w, np.uint8(9), np.uint8(77)], [TensorProto.INT32],
               domain='', group=groups, auto_pad='SAME_LOWER', strides=[2, 1])
    c.save('conv_integer_1d', 'ConvInteger', [c.bytes(2, 3, 9), c.bytes(4, 3, 2)], [TensorProto.INT32], domain='',
           pads=[1, 1])


def quantized(c):
    for dtype in (np.uint8, np.int8):
        name, kind = np.dtype(dtype).name, TYPES[np.dtype(dtype)]
        a, b = c.bytes(2, 3, 4, dtype=dtype), c.bytes(3, 1, dtype=dtype)
        for op in ('QLinearAdd', 'QLinearMul'):
            c.save(f'{op}_{name}', op, [a, np.float32(.031), dtype(7), b, np.float32(.023), dtype(11),
                                        np.float32(.047), dtype(15)], [kind])
        x = c.bytes(2, 3, 50, dtype=dtype)
        pair = [x, np.float32(.037), dtype(5)]
        c.save(f'sigmoid_{name}', 'QLinearSigmoid', pair + [np.float32(1 / 256), dtype(0)], [kind])
        c.save(f'leaky_relu_{name}', 'QLinearLeakyRelu', pair + [np.float32(.041), dtype(9)], [kind], alpha=.1)
        for opset in (11, 13):
            c.save(f'softmax_{name}_{opset}', 'QLinearSoftmax', pair + [np.float32(1 / 256), dtype(0)], [kind],
                   opset_=opset, axis=1)
        image = c.bytes(2, 3, 7, 8, dtype=dtype)
        scales = [np.float32(.0371), dtype(6), np.float32(.0293), dtype(8)]
        c.save(f'average_{name}', 'QLinearAveragePool', [image] + scales, [kind], kernel_shape=[3, 2],
               pads=[1, 0, 1, 1], strides=[2, 2])
        c.save(f'average_up_{name}', 'QLinearAveragePool', [image] + scales, [kind], kernel_shape=[3, 3],
               strides=[2, 2], ceil_mode=1)
        c.save(f'average_1d_{name}', 'QLinearAveragePool', [x] + scales, [kind], kernel_shape=[4],
               count_include_pad=1, pads=[2, 1])
        c.save(f'average_last_{name}', 'QLinearAveragePool', [image] + scales, [kind], kernel_shape=[2, 2],
               channels_last=1)
        c.save(f'average_all_{name}', 'QLinearGlobalAveragePool', [image] + scales, [kind])
        c.save(f'average_all_large_{name}', 'QLinearGlobalAveragePool', [c.bytes(1, 1, 1025, 1024, dtype=dtype)] + scales,
               [kind])
        c.save(f'average_all_last_{name}', 'QLinearGlobalAveragePool', [image] + scales, [kind], channels_last=1)
        c.save(f'concat_{name}', 'QLinearConcat',
               [np.float32(.037), dtype(6), a, np.float32(.02), dtype(3), c.bytes(2, 2, 4, dtype=dtype),
                np.float32(.05), dtype(0)], [kind], axis=1)


def rotary(c):
    angles = c.floats(20, 4)
    cosines, sines = np.cos(angles), np.sin(angles)
    for interleaved in (0, 1):
        for name, x, more in (('3d', c.floats(2, 5, 24), {}), ('4d', c.floats(2, 3, 5, 8), {}),
                              ('part', c.floats(2, 5, 36), {'num_heads': 3, 'rotary_embedding_dim': 8})):
            for at, places in (('first', np.array([3], np.int64)),
                               ('each', c.random.integers(0, 20, (2, 5), dtype=np.int64))):
                c.save(f'rotary_{name}_{at}_{interleaved}', 'RotaryEmbedding', [x, places, cosines, sines],
                       [TensorProto.FLOAT], interleaved=interleaved, **more)


def attention(c):
    batch, rows, heads, size = 2, 4, 3, 8
    hidden = heads * size
    x, weights, bias = c.floats(batch, rows, 10), c.floats(10, 3 * hidden, scale=.3), c.floats(3 * hidden)
    one, two = [TensorProto.FLOAT], [TensorProto.FLOAT] * 2
    past = c.floats(2, batch, heads, 3, size)

    def integers(*values):
        return np.array(values, np.int32)

    def mask(*sizes):
        values = c.random.integers(0, 2, sizes, dtype=np.int32)
        values[..., 0] = 1
        return values

    masks = {'none': None, 'lengths': integers(2, 4), 'ends': integers(3, 4, 1, 0), 'keys': mask(batch, rows),
             'rows': mask(batch, rows, rows)}
    for name, array in masks.items():
        c.save(f'attention_{name}', 'Attention', [x, weights, bias, array], one, num_heads=heads)
    c.save('attention_causal', 'Attention', [x, weights, bias, masks['keys']], one, num_heads=heads, unidirectional=1)
    c.save('attention_scale', 'Attention', [x, weights, None], one, num_heads=heads, scale=.2)
    c.save('attention_values', 'Attention', [x, c.floats(10, 2 * hidden + 6), c.floats(2 * hidden + 6)], one,
           num_heads=heads, qkv_hidden_sizes=[hidden, hidden, 6])
    c.save('attention_present', 'Attention', [x, weights, bias], two, num_heads=heads)
    c.save('attention_past', 'Attention', [x, weights, bias, mask(batch, 7), past], two, num_heads=heads,
           unidirectional=1)
    c.save('attention_past_lengths', 'Attention', [x, weights, bias, integers(5, 7), past], two, num_heads=heads)
    c.save('attention_added', 'Attention', [x, weights, bias, None, None, c.floats(1, heads, rows, rows)], one,
           num_heads=heads)
    a, b = c.bytes(batch, rows, 10), c.bytes(10, 3 * hidden, dtype=np.int8, low=-60, high=60)
    c.save('qattention', 'QAttention', [a, b, bias, np.float32(.02), np.float32(.01), masks['lengths'], np.uint8(9),
                                        np.int8(3), past], two, num_heads=heads, unidirectional=1)
    c.save('qattention_columns', 'QAttention', [a, b, bias, np.float32(.02), np.abs(c.floats(3 * hidden, scale=.01))],
           two, num_heads=heads)


def multi_head(c):
    batch, rows, keys, heads, size = 2, 4, 6, 3, 8
    hidden = heads * size
    q, k, v = c.floats(batch, rows, hidden), c.floats(batch, keys, hidden), c.floats(batch, keys, 15)
    one, three = [TensorProto.FLOAT], [TensorProto.FLOAT] * 3
    lengths = np.array([3, 6], np.int32)
    keep = c.random.integers(0, 2, (batch, keys), dtype=np.int32)
    keep[:, 0] = 1
    op = 'MultiHeadAttention'
    c.save('multi_head', op, [q, k, v], one, num_heads=heads)
    c.save('multi_head_bias', op, [q, k, v, c.floats(2 * hidden + 15)], one, num_heads=heads, scale=.3)
    c.save('multi_head_lengths', op, [q, k, v, None, lengths], one, num_heads=heads)
    c.save('multi_head_keys', op, [q, k, v, None, keep, c.floats(1, heads, rows, keys)], one, num_heads=heads,
           mask_filter_value=-5.)
    c.save('multi_head_starts', op, [q, k, v, None, np.array([3, 5, 0, 4, 8, 0, 6, 12], np.int32)], one,
           num_heads=heads)
    c.save('multi_head_masked', op, [q, k, v, None, np.zeros((batch, keys), np.int32)], one, num_heads=heads)
    c.save('multi_head_4d', op, [q, c.floats(batch, heads, keys, size), c.floats(batch, heads, keys, size)], one,
           num_heads=heads)
    new_k, new_v = c.floats(batch, rows, hidden), c.floats(batch, rows, hidden)
    c.save('multi_head_causal', op, [q, new_k, new_v], one, num_heads=heads, unidirectional=1)
    past = [c.floats(batch, heads, 5, size), c.floats(batch, heads, 5, size)]
    c.save('multi_head_past', op, [q, new_k, new_v, c.floats(3 * hidden), None, c.floats(batch, 1, rows, rows + 5)]
           + past, three, num_heads=heads)
    c.save('multi_head_present', op, [q, new_k, new_v], three, num_heads=heads)
    c.save('multi_head_one_row', op, [q[:, :1], new_k[:, :1], new_v[:, :1], None, None, None] + past, three,
           num_heads=heads, unidirectional=1)


def group_query(c):
    batch, heads, key_heads, size = 2, 4, 2, 16
    three = [TensorProto.FLOAT] * 3
    angles = c.floats(32, size // 2)
    rotation = [np.cos(angles), np.sin(angles)]

    def inputs(count, rows):
        return [c.floats(count, rows, heads * size), c.floats(count, rows, key_heads * size),
                c.floats(count, rows, key_heads * size)]

    def past(count, rows):
        return [c.floats(count, key_heads, rows, size) for _ in range(2)]

    def lengths(*totals):
        return [np.array([total - 1 for total in totals], np.int32), np.array(max(totals), np.int32)]

    def save(name, *parts, constants=(6,), **attributes):
        flat = [array for part in parts for array in part]
        c.save(f'group_{name}', 'GroupQueryAttention', flat, three, constants=constants, num_heads=heads,
               kv_num_heads=key_heads, **attributes)

    none = [None, None]
    save('prompt', inputs(batch, 5), none, lengths(5, 5))
    save('prompt_rotated', inputs(batch, 5), none, lengths(5, 5), rotation, do_rotary=1)
    save('prompt_packed', [c.floats(batch, 5, (heads + 2 * key_heads) * size), None, None], none, lengths(5, 5),
         rotation, do_rotary=1, rotary_interleaved=1)
    for name, more in (('', {}), ('_rotated', {'do_rotary': 1}), ('_window', {'local_window_size': 3}),
                       ('_capped', {'softcap': .7, 'scale': .5})):
        turned = rotation if 'do_rotary' in more else none
        save(f'token{name}', inputs(batch, 1), past(batch, 6), lengths(7, 7), turned, **more)
        save(f'token_room{name}', inputs(1, 1), past(1, 12), lengths(7), turned, **more)
        save(f'token_ragged{name}', inputs(batch, 1), past(batch, 9), lengths(4, 8), turned, **more)
        save(f'chunk{name}', inputs(1, 3), past(1, 6), lengths(9), turned, **more)
        save(f'chunk_room{name}', inputs(1, 3), past(1, 12), lengths(9), turned, **more)
        save(f'step{name}', inputs(batch, 1), past(batch, 9), lengths(4, 8), turned, constants=(), **more)
        save(f'prompt_room{name}', inputs(batch, 5), past(batch, 9), lengths(5, 5), turned, constants=(), **more)
    save('grown', inputs(1, 1), past(1, 6), lengths(7), constants=())
    save('prompt_window', inputs(batch, 7), none, lengths(7, 7), local_window_size=2)
    save('token_bias', inputs(batch, 1), past(batch, 6), lengths(7, 7), none, [None, c.floats(batch, 1, 1, 7)])
    save('token_places', inputs(batch, 1), past(batch, 6), lengths(7, 7), rotation,
         [np.array([[3], [8]], np.int64)], do_rotary=1)


def standard(c):
    """ai.onnx, by onnx's reference: what its node tests leave out."""
    def save(name, op, inputs, outputs, opset=25, **attributes):
        c.save(f'onnx_{name}', op, inputs, outputs, domain='', opset=opset, by_reference=True, **attributes)

    byte, short, single, half = TensorProto.UINT8, TensorProto.INT16, TensorProto.FLOAT, TensorProto.FLOAT16
    whole = c.bytes(4, 6, dtype=np.int32, low=-9999, high=9999)
    save('quantize_int32', 'QuantizeLinear', [whole, np.float32(70), np.int8(3)], [TensorProto.INT8])
    save('quantize_int32_short', 'QuantizeLinear', [whole, np.float32(.7)], [short], output_dtype=short)
    halves = c.floats(300, dtype=np.float16)
    save('quantize_half', 'QuantizeLinear', [halves, np.float16(.0131), np.uint8(128)], [byte])
    save('quantize_half_precise', 'QuantizeLinear', [halves, np.float16(.0131), np.uint8(128)], [byte],
         precision=single)
    save('quantize_coarse', 'QuantizeLinear', [c.floats(300), np.float32(.0131), np.uint8(128)], [byte], precision=half)
    save('dequantize_half', 'DequantizeLinear', [c.bytes(50), np.float16(.013), np.uint8(77)], [half])
    save('dequantize_wide', 'DequantizeLinear', [c.bytes(50), np.float16(.013), np.uint8(77)], [single],
         output_dtype=single)
    a, b = c.bytes(2, 3, 5), c.bytes(5, 4, high=60)
    save('matmul_integer_rows', 'MatMulInteger', [a[0], b, c.bytes(3).reshape(3, 1), c.bytes(4)], [TensorProto.INT32])
    save('qlinear_matmul_columns', 'QLinearMatMul',
         [a, np.float32(.02), np.uint8(9), b, np.abs(c.floats(4, scale=.1)), c.bytes(4), np.float32(.51), np.uint8(99)],
         [byte])
    save('quantize_nothing', 'QuantizeLinear', [c.floats(0, 3), np.float32(.1), np.int8(3)], [TensorProto.INT8])
    save('dequantize_nothing', 'DequantizeLinear', [c.bytes(2, 0), np.float32(.1)], [single])
    save('matmul_integer_nothing', 'MatMulInteger', [c.bytes(0, 3), c.bytes(3, 2)], [TensorProto.INT32])
    q, k, v = c.floats(2, 4, 3, 8), c.floats(2, 2, 6, 8), c.floats(2, 2, 6, 5)
    for name, kind in (('double', TensorProto.DOUBLE), ('single', single)):
        save(f'attention_{name}', 'Attention', [q, k, v, c.floats(3, 6)], [single], softmax_precision=kind)
    save('attention_short_mask', 'Attention', [q, k, v, c.floats(2, 1, 3, 4)], [single])
    save('attention_short_truth', 'Attention', [q, k, v, c.floats(3, 4) > 0], [single], is_causal=1)
    save('attention_groups', 'Attention', [c.floats(2, 4, 20, 8), c.floats(2, 2, 20, 8), c.floats(2, 2, 20, 5),
                                           c.floats(2, 1, 20, 20)], [single], is_causal=1)
    save('attention_one_row', 'Attention', [q[:, :, :1], k, v, None, None, None, np.array([3, 5], np.int64)], [single],
         is_causal=1)
    past = [c.floats(2, 2, 4, 8), c.floats(2, 2, 4, 5)]
    save('attention_past', 'Attention', [q, k[:, :, :3], v[:, :, :3], c.floats(2, 4, 3, 7)] + past, [single] * 4,
         is_causal=1, qk_matmul_output_mode=3, softcap=.8)


def linear_attention(c):
    """ai.onnx's, by onnx's reference: of one row, of a block, of chunks, and not whole ones."""
    for rule in ('linear', 'gated', 'delta', 'gated_delta'):
        for rows in (1, 3, 13, 64, 150):
            for each in (False, True)[:1 + rule.startswith('gated')]:
                heads, shared, size, columns = 2, 1 + rows % 2, 4, 6
                k = c.floats(2, rows, heads, size)
                k /= np.linalg.norm(k, axis=-1, keepdims=True)
                decay = -np.abs(c.floats(2, rows, heads * (size if each else 1)))
                decay[:, rows // 2] = -1e30  # all is forgotten, and nothing of this may be left in what follows
                inputs = [c.floats(2, rows, heads * shared * size), k.reshape(2, rows, -1),
                          c.floats(2, rows, heads * columns), c.floats(2, heads, size, columns) if rows != 13 else None,
                          decay if rule.startswith('gated') else None,
                          c.random.random((2, rows, 1 if rows == 3 else heads), np.float32) if 'delta' in rule else None]
                c.save(f'linear_{rule}_{rows}{"_each" * each}', 'LinearAttention', inputs, [TensorProto.FLOAT] * 2,
                       domain='', opset=27, by_reference=True, q_num_heads=heads * shared, kv_num_heads=heads,
                       update_rule=rule)


    long = [c.floats(1, 4161, 2, scale=.1) for _ in range(3)]  # more chunks than 64
    c.save('linear_long', 'LinearAttention', long, [TensorProto.FLOAT] * 2, domain='', opset=27, by_reference=True, q_num_heads=1,
           kv_num_heads=1, update_rule='linear')


def recent(c):
    """ai.onnx's of newer operator sets."""
    single, half = [TensorProto.FLOAT], [TensorProto.FLOAT16]
    for length, more in ((1, 3), (5, 3), (2, 4), (7, 0)):
        x, filter_ = c.floats(2, 6, length), c.floats(6, 1, more + 1)
        for name, past in (('', None), ('_past', c.floats(2, 6, more))):
            c.save(f'causal_{length}_{more}{name}', 'CausalConvWithState', [x, filter_, c.floats(6), past], single * 2,
                   domain='', opset=27, by_reference=True, activation='silu')
    c.save('causal_half', 'CausalConvWithState', [c.floats(1, 4, 9, dtype=np.float16), c.floats(4, 1, 4, dtype=np.float16)],
           half * 2, domain='', opset=27, by_reference=True)
    for corners in (0, 1):
        for sizes in ((2, 3, 5, 7), (2, 1, 4, 2, 6)):
            count = len(sizes) - 2
            theta = c.floats(sizes[0], count, count + 1)
            for constant in (0, 1):
                c.save(f'affine_{count}_{corners}_{constant}', 'AffineGrid', [theta, np.array(sizes)], single,
                       constants=[1] * constant, domain='', align_corners=corners)
    for mels, length, rate, lower, upper in ((8, 16, 8192, 0, 4096), (40, 512, 16000, 20, 7600), (80, 400, 16000, 0, 8000),
                                             (3, 30, 1000, 300, 310)):
        c.save(f'mel_{mels}', 'MelWeightMatrix', [np.int64(mels), np.int64(length), np.int64(rate), np.float32(lower),
                                                  np.float32(upper)], single, constants=range(4), domain='')


FAMILIES = (standard, linear_attention, recent, quantization, products, quantized, rotary, attention, multi_head, group_query)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for family in FAMILIES:
        family(Cases(pathlib.Path(sys.argv[1])))


if __name__ == '__main__':
    main()
