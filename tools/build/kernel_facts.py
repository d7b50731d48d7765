#!/usr/bin/env python3
"""Writes what there is to say about kernels: kernel_facts.py OUTPUT.inc DEPFILE GLSL_FOLDER MODULE.spv ...

A text, kernel_words, of words with a zero behind each, and for each kernel NAME a line `#define NAME_facts WRITTEN, FRAME, CONSTANTS,
FIRST`: of its storage buffers a bit for each that it may write; where in the text the folder of glsl/ stands that its source lies in;
of the specialization constants that plans give a bit for each id; and where in a list, kernel_constants, the places in the text of
their names begin. All but the folder is what its module says. A variant NAME_subgroup or NAME_serial counts as NAME.
"""

import pathlib
import re
import sys

import reflection
from kernel_blocks import ALIGNED, LOCAL_SIZE


def main(output, depfile, glsl, modules):
    glsl = pathlib.Path(glsl)
    frames, constants, written = {}, {}, {}
    for path in map(pathlib.Path, modules):
        kernel = re.sub(r"_(subgroup|serial)$", "", path.stem)
        module = reflection.read(path.read_bytes())
        frames[kernel] = next(glsl.glob(f"*/{path.stem}.comp")).parent.name
        written[kernel] = written.get(kernel, 0) | module.written
        names = constants.setdefault(kernel, {})
        for number, name in module.constants.items():
            name = name or LOCAL_SIZE
            if name != ALIGNED and names.setdefault(number, name) != name:
                sys.exit(f"{path}: constant {number} is {name}, and {names[number]} in another variant")
    words = {}  # in the order in which they are met
    for kernel in frames:
        words.update(dict.fromkeys([frames[kernel], *constants[kernel].values()]))
    places, length = {}, 0
    for word in words:
        places[word] = length
        length += len(word) + 1
    text = "\n".join(f'    "{word}\\0"' for word in words)
    lines, listed = [f"static const char kernel_words[] =\n{text};\n"], []
    for kernel, frame in sorted(frames.items()):
        mask = sum(1 << number for number in constants[kernel])
        lines.append(f"#define {kernel}_facts {written[kernel]:#x}, {places[frame]}, {mask:#x}, {len(listed)}\n")
        listed += [str(places[name]) for _, name in sorted(constants[kernel].items())]
    lines.append(f"static const uint16_t kernel_constants[] = {{{', '.join(listed)}}};\n")
    pathlib.Path(output).write_text("".join(lines))
    pathlib.Path(depfile).write_text(f"{output}: {reflection.__file__}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
