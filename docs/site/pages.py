"""Turns docs/*.md and docs/*/*.md, as a forge shows them, into what Doxygen 1.9 reads: names for headings, references
for links between pages and to headers, and a page for each example program and each operator. Links to other files of the
tree become their names.
"""
import pathlib
import re

import operators

LINK = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```+)(\w*)\s*$")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
BOLD_CODE = re.compile(r"(?:^|(?<=[\s(|]))\*\*(?=[^\s*])([^*`]*`[^`]*`(?:[^*`]|`[^`]*`)*)\*\*", re.MULTILINE)
# Which page the pages of a folder stand below.
PARENTS = {"operators": "OPERATORS.md", "kernels": "DESIGN.md", "performance": "PERFORMANCE.md"}
HIGHLIGHTED = {"c": "{.c}", "cpp": "{.cpp}", "python": "{.py}"}


def slug_of(heading):
    """The anchor that forges give a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda match: match.group(1) or "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def example_of(path):
    return "example_" + re.sub(r"\W", "_", path.name.lower())


def first_sentence(path):
    """Of the comment that a program begins with; where it has none, of its header's."""
    for source in (path, path.with_suffix(".h")):
        comment = re.match(r"/\*[\s*]*(.*?)\*/", source.read_text() if source.exists() else "", re.DOTALL)
        if comment:
            words = " ".join(re.sub(r"\n \*", " ", comment.group(1)).split())
            return re.split(r"(?<=[.:]) ", words)[0].rstrip(".:")
    return ""


class Pages:
    def __init__(self, root):
        self.root = root
        self.docs = root / "docs"
        self.nested = [path for folder in PARENTS for path in sorted((self.docs / folder).glob("*.md"))]
        self.paths = sorted(self.docs.glob("*.md")) + self.nested
        self.below = set()  # pages that already stand below another
        self.examples = {path: example_of(path) for path in sorted((root / "examples").glob("*"))
                         if path.suffix in (".c", ".cpp")}
        self.problems = []
        self.anchors = {path: self.anchors_of(path) for path in self.paths}
        self.families = {family.path: family for family in operators.families(root)}

    def page_name(self, path):
        """The name that Doxygen knows a page by."""
        parts = path.relative_to(self.docs).with_suffix("").parts
        return "index" if parts == ("README",) else "_".join(("subpage" if parts[1:] else "page", *parts)).lower()

    def anchors_of(self, path):
        found, fenced = set(), False
        for line in path.read_text().splitlines():
            fenced ^= bool(FENCE.match(line))
            if not fenced and line.startswith("#"):
                found.add(slug_of(line.lstrip("#")))
        return found

    def reference(self, page, text, target):
        """What stands for a link."""
        text = " ".join(text.split())  # Doxygen's references end where a line does
        if re.match(r"[a-z]+:", target):
            return f"[{text}]({target})"
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            self.problems.append(f"{page.relative_to(self.root)}: warning: {target} does not exist")
        if path in self.nested and page == self.docs / PARENTS[path.parent.name] and path not in self.below:
            self.below.add(path)
            return f'\\subpage {self.page_name(path)} "{text}"'
        remarks = {slug_of(name): name for name in self.families[path].remarks} if path in self.families else {}
        if anchor in remarks:
            return f"[{text.replace('`', '')}](@ref {operators.page_of(remarks[anchor])})"
        if path in self.anchors:
            if anchor and anchor not in self.anchors[path]:
                self.problems.append(f"{page.relative_to(self.root)}: warning: {target} names no heading")
            name = f"{self.page_name(path)}_{anchor.replace('-', '_')}" if anchor else self.page_name(path)
        elif path in self.examples:
            name = self.examples[path]
        elif path.parent == self.root / "include" / "vkdml" and path.suffix in (".h", ".hpp"):
            name = path.name
        else:
            return text
        return f"[{text.replace('`', '')}](@ref {name})"

    def heading(self, page, marks, title):
        name = self.page_name(page) if page in self.paths and page.name != "README.md" else "mainpage"
        if len(marks) > 1:
            name += "_" + slug_of(title).replace("-", "_")
        return f"{marks} {title.replace('`', '')} {{#{name}}}"

    def prose(self, page, text):
        """What stands between two fenced blocks."""
        if page in self.families:
            text = operators.LIST.sub(self.subpages, text)
        text = re.sub(r"^(#+) (.*)", lambda match: self.heading(page, *match.groups()), text, flags=re.MULTILINE)
        text = BOLD_CODE.sub(r"<b>\1</b>", text)
        text = LINK.sub(lambda match: self.reference(page, *match.groups()), text)
        # Two quotes: Doxygen ends code at an apostrophe otherwise, and does not read on in the next line.
        text = CODE.sub(lambda match: "``" + " ".join(match.group(1).split()) + "``", text)
        return re.sub(r"!\[([^\]]*)\]\((?:\.\./)?images/", r"![\1](", text)  # Doxygen puts images beside the pages

    def subpages(self, listed):
        """A family's operators, whose pages stand below it."""
        names = re.split(r",\s+", listed.group(1))
        return "**Operators**: " + ", ".join(f'\\subpage {operators.page_of(name)} "{name}"' for name in names) + "."

    def text(self, page):
        parts, prose, fence = [], [], None
        # What a family's page says of one operator is on that operator's.
        text = self.families[page].general if page in self.families else page.read_text()
        for line in text.splitlines():
            start = FENCE.match(line)
            if fence:
                parts.append(line)
                if start and start.group(1) == fence:
                    fence = None
            elif start:
                parts += [self.prose(page, "\n".join(prose)), start.group(1) + HIGHLIGHTED.get(start.group(2), "{.unparsed}")]
                prose, fence = [], start.group(1)
            else:
                prose.append(line)
        return "\n".join([*parts, self.prose(page, "\n".join(prose))]) + "\n"

    def order(self):
        """The pages as docs/README.md lists them; the site's tree has them in the order of their files' names."""
        listed = re.findall(r"^- \[[^\]]+\]\((\w+\.md)\)", (self.docs / "README.md").read_text(), re.MULTILINE)
        own = [path for path in self.paths if path not in self.nested]
        self.problems += [f"docs/README.md: warning: {path.name} is listed {listed.count(path.name)} times" for path in own
                          if listed.count(path.name) != (path.name != "README.md")]
        return sorted(own, key=lambda path: ([*listed, path.name].index(path.name), path.name)) + self.nested

    def example_pages(self):
        """A page for each example program, and one that lists them with the first sentence of each."""
        text = "# Example programs {#page_examples}\n\nThe build makes them, and tests run them.\n"
        single = {}
        for path, name in self.examples.items():
            title = path.relative_to(self.root)
            text += f'\n- \\subpage {name} "{path.name}": {first_sentence(path)}'
            single[name] = f"# {title} {{#{name}}}\n\n\\include {title}\n"
        return {"examples": text + "\n", **single}


def prepare(root, output, command, library):
    """Writes the prepared pages to a folder; returns warnings."""
    output.mkdir(parents=True)
    site = Pages(root)
    # Those outside docs/ are no pages of the site, but link to it.
    for path in (root / "README.md", root / "CHANGELOG.md", root / "python" / "README.md"):
        site.text(path)
    texts = {site.page_name(path): site.text(path) for path in site.order()} | site.example_pages()
    site.problems += [f"docs/{PARENTS[path.parent.name]}: warning: does not link to {path.name}"
                      for path in site.nested if path not in site.below]
    described = operators.Operators(root, command, library)
    texts |= {operators.page_of(name): described.text(site, name) for name in described.table}
    for number, (name, text) in enumerate(texts.items()):
        (output / f"{number:03}_{name}.md").write_text(text)
    return site.problems
