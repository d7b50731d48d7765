#!/usr/bin/env python3
"""Checks that what pages name is in the tree: paths in backticks, files that links lead to, and in the pages that list
folders every folder. Prints TAP.

test_pages.py ROOT
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
import tap

# What was true when it was written.
HISTORY = {"CHANGELOG.md"}
FENCED = re.compile(r"^(```+)\w*\n.*?^\1\s*$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`([\w.*-]+/[\w./*-]*)`")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
# Pages with a table of folders, and the folder whose folders those are.
LISTS = {"tools/README.md": ("tools", "tools/vkdml"), "tests/README.md": ("tests",)}
# A folder's row begins so: | [build/](build) | or | `base/` |
ROW = re.compile(r"^\| (?:\[(\w+)/\]|`(\w+)/`)", re.MULTILINE)


def folders_of(folder):
    """Those with files of the project, not what programs leave there."""
    return {path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))}


def pages_of(root):
    tops = sorted(folders_of(root))
    found = [path for top in tops if not top.startswith("build") for path in sorted((root / top).rglob("*.md"))]
    return [path for path in sorted(root.glob("*.md")) + found if path.name not in HISTORY]


def prose_of(page):
    """The page with blank lines in the place of fenced blocks, which test_snippets.py checks."""
    return FENCED.sub(lambda block: "\n" * block.group(0).count("\n"), page.read_text())


def exists(root, page, path):
    """Words of capitals stand for any name; a program is named like its source; a page may name what is beside it."""
    pattern = re.sub(r"\b[A-Z]{3,}\b", "*", path.rstrip("/"))
    return any(any(folder.glob(name)) for folder in (root, page.parent)
               for name in (pattern, pattern + ".c", pattern + ".cpp"))


def missing_paths(root, page, text):
    """Of this tree are those that begin with one of its folders: `src/api/infer.c`, and not `usr/lib`."""
    tops = folders_of(root)
    return [f"line {text.count(chr(10), 0, match.start()) + 1}: {match.group(1)}" for match in PATH.finditer(text)
            if match.group(1).split("/")[0] in tops and not exists(root, page, match.group(1))]


def missing_targets(page, text):
    return [f"line {text.count(chr(10), 0, match.start()) + 1}: {match.group(1)}" for match in LINK.finditer(text)
            if "://" not in match.group(1) and not match.group(1).startswith("mailto:")
            and not (page.parent / match.group(1)).exists()]


def unlisted(root, page):
    listed = {name for row in ROW.findall((root / page).read_text()) for name in row if name}
    return [f"{folder}/{name}" for folder in LISTS[page] for name in sorted(folders_of(root / folder) - listed)]


def main(root):
    pages = pages_of(root)
    paths, targets, count = [], [], 0
    for page in pages:
        text, name = prose_of(page), page.relative_to(root)
        paths += [f"{name}, {missing}" for missing in missing_paths(root, page, text)]
        targets += [f"{name}, {missing}" for missing in missing_targets(page, text)]
        count += len(PATH.findall(text))
    tap.tell(len(pages) > 20 and count > 200, "pages and paths are found", f"{len(pages)} pages, {count} paths")
    tap.tell(not paths, "every path in backticks is in the tree", "\n".join(paths))
    tap.tell(not targets, "every link to a file leads to one", "\n".join(targets))
    for page in LISTS:
        tap.tell(not unlisted(root, page), f"{page} lists every folder", "\n".join(unlisted(root, page)))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
