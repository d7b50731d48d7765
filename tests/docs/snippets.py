"""The fenced blocks of Markdown pages, each with the way it is tested that an HTML comment before it names:

<!-- test: file PATH -->       an excerpt of a file of the tree; `file PATH whole`: all of it
<!-- test: compile [FRAME] --> C or C++ that compiles in a frame of frames/: FRAME.c or FRAME.cpp with the block in it
<!-- test: directml -->        a program for DirectML, compiled against stand-ins for its headers
<!-- test: run -->             commands of a shell, run in a folder that looks like the tree with its build
<!-- test: output -->          what the `run` block before it prints; a line of `...` stands for any lines,
                              and one that ends in a backslash goes on in the next
<!-- test: model [WORD] -->    a JSON model that the command takes; `model refused`: that it refuses
<!-- test: elsewhere WHY -->   what cannot be tested here, and what does it

and for the blocks of a language on a page that have no comment of their own, once on that page:

<!-- test all LANGUAGE: WAY -->
"""
import re

COMMENT = re.compile(r"<!-- test: (.*?) -->\s*$")
ALL = re.compile(r"^<!-- test all (\w+): (.*?) -->\s*$", re.MULTILINE)
FENCE = re.compile(r"^(```+)(\w*)\s*$")
# Trees and diagrams are no snippets.
TEXT = ("", "text")


class Block:
    def __init__(self, page, line, language, way, lines):
        self.page = page
        self.line = line
        self.language = language
        self.way = way
        self.lines = lines

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(page):
    """Every block of a page; way is None where no comment names one."""
    found, way, fence, block = [], None, None, None
    text = page.read_text()
    ways = dict(ALL.findall(text))
    for number, line in enumerate(text.splitlines(), 1):
        start = FENCE.match(line)
        if fence:
            if start and start.group(1) == fence and not start.group(2):
                found.append(block)
                fence, way = None, None
            else:
                block.lines.append(line)
        elif start:
            fence = start.group(1)
            block = Block(page, number, start.group(2), way or ways.get(start.group(2)), [])
        elif COMMENT.match(line):
            way = COMMENT.match(line).group(1)
        elif line.strip():
            way = None
    return found


def is_excerpt(lines, text):
    """Whether the lines stand in the text as they are, but for an indentation that they have in common there."""
    wanted = dedent(lines)
    whole = text.splitlines()
    return any(dedent(whole[i:i + len(wanted)]) == wanted for i in range(len(whole) - len(wanted) + 1))


def dedent(lines):
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def matches(wanted, printed):
    """Whether a program printed these lines; `...` stands for any number of any."""
    wanted = "\n".join(wanted).replace("\\\n", "").split("\n")
    pattern = "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()) + r"\s*?\n" for line in wanted)
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n") is not None
