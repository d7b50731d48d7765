#!/usr/bin/env python3
"""Builds the documentation's site and holds it to what a reader expects: no warning of Doxygen's, no link that leads nowhere,
and, in a real browser at the width of a desk and of a phone, no error and nothing that sticks out. Prints TAP.

test_site.py ROOT OUTPUT COMMAND LIBRARY [--screenshots FOLDER]
"""
import html
import html.parser
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path += [str(ROOT / folder) for folder in ("docs/site", "tests/browser", "tests/harness")]

import browser
import build
import operators
import tap

WIDTHS = (1280, 390)
# What a reader looks at: all pages, and of the reference one of each kind.
PAGES = ("index.html", "page_*.html", "subpage_*.html", "example_import_c.html", "files.html", "annotated.html",
         "globals.html", "device_8h.html", "dml__operators_8h.html", "structVkdmlDeviceCreateInfo.html",
         "classvkdml_1_1Device.html", "structDML__GEMM__OPERATOR__DESC.html", "operator_gemm.html",
         "operator_roi_align1.html", "operator_split.html")


# What a reader sees of Markdown that Doxygen did not understand.
UNREAD = re.compile(r"\*\*|`|\]\(|@ref|\\\w+page|^\s*#+ ")


class Links(html.parser.HTMLParser):
    """The links of a page, the names in it, and what is left of Markdown in its text."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.names, self.unread = [], set(), []
        self.code = 0  # how many elements deep in code, or in scripts
        self.feed(path.read_text())

    def handle_data(self, data):
        if not self.code and UNREAD.search(data):
            self.unread.append(data.strip())

    def handle_endtag(self, tag):
        if tag in ("code", "pre", "script", "div") and self.code:
            self.code -= 1

    def handle_starttag(self, tag, attributes):
        fragment = tag == "div" and ("class", "fragment") in attributes
        if fragment or tag in ("code", "pre", "script") or (tag == "div" and self.code):
            self.code += 1
        for name, value in attributes:
            if name in ("href", "src", "data") and tag != "use" and value:
                self.targets.append(value)
            elif name in ("id", "name") and value:
                self.names.add(value)


def operator_pages(folder, command):
    """What the page of an operator lacks of its parts."""
    found = []
    declared = operators.declarations(ROOT)
    for name, (_, _, accuracy, tensors) in operators.table_of(command).items():
        path = folder / f"{operators.page_of(name)}.html"
        if not path.exists():
            found.append(f"{name} has no page")
            continue
        text = html.unescape(re.sub(r"<[^>]*>", "", path.read_text()))
        words = " ".join(declared[name][0].split()[:3])
        parts = {"what it computes": words, "its struct": "_OPERATOR_DESC {", "its accuracy": accuracy.split(":")[0],
                 "a model": f'"type": "DML_OPERATOR_{name}"', "what it prints": "Resource 'Output",
                 "Python": f'vkdml.run("{name}"'}
        found += [f"{name}: {part} is missing" for part, words in parts.items() if words not in text]
        found += [f"{name}: its {tensor} is missing" for tensor, *_ in tensors if tensor not in text]
    return found


def dead_links(pages, folder):
    found = []
    for name, links in pages.items():
        for target in links.targets:
            url = urllib.parse.urlsplit(target)
            file = urllib.parse.unquote(url.path) or name
            if url.scheme or target.startswith("//"):
                continue
            if not (folder / file).exists():
                found.append(f"{name}: {target} does not exist")
            elif url.fragment and file in pages and urllib.parse.unquote(url.fragment) not in pages[file].names:
                found.append(f"{name}: {target} names nothing")
    return found


def looks(folder, screenshots):
    """What is wrong with the pages as they are seen."""
    paths = sorted({path for pattern in PAGES for path in folder.glob(pattern)})
    found = [f"{pattern} is missing" for pattern in PAGES if not list(folder.glob(pattern))]
    with browser.Browser() as chromium:
        for path in paths:
            for width in WIDTHS:
                page = chromium.open(path, width=width)
                found += [f"{path.name} at {width}: {problem}" for problem in page.problems]
                extra, out = page.overflow()
                if extra:
                    found.append(f"{path.name} at {width}: {extra} pixels stick out: {' '.join(out[:2])}")
                if screenshots:
                    page.screenshot(screenshots / f"{path.stem}_{width}.png")
                page.close()
    return found, len(paths)


def main():
    output = pathlib.Path(sys.argv[2]).resolve()
    command, library = (pathlib.Path(path).resolve() for path in sys.argv[3:5])
    screenshots = pathlib.Path(sys.argv[6]) if sys.argv[5:6] == ["--screenshots"] else None
    warnings = build.build(ROOT, output, command, library)
    problems, count = looks(output / "html", screenshots)
    pages = {path.name: Links(path) for path in sorted((output / "html").glob("*.html"))}
    unread = [f"{name}: {text}" for name, links in pages.items() if name.startswith(("index", "page_", "subpage_", "operator_"))
              for text in links.unread]
    results = [("Doxygen has no warning", warnings),
               ("every link leads somewhere", dead_links(pages, output / "html")),
               ("no Markdown is left", unread),
               ("every operator has a page with all parts", operator_pages(output / "html", command)),
               (f"{count} pages look right at {' and '.join(map(str, WIDTHS))} pixels", problems)]
    return tap.finish_with(results)


if __name__ == "__main__":
    sys.exit(main())
