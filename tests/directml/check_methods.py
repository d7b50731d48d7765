"""Compares docs/DIRECTML_ABI.md with the interfaces and with the source of the libraries.

check_methods.py PAGE SOURCE_FOLDER DIRECTML_HPP HEADER..
  Each interface's section must name each of its methods once: those that the source refuses as refused, and no others.
"""

import pathlib
import re
import sys

INTERFACE = re.compile(r"\n\s*(?:struct\s+)?(I[\w]+)\s*:\s*(?:public\s+)?\w+\s*\{(.*?)\n\s*\};", re.S)
METHOD = re.compile(r"virtual\s[\w\s*]*?STDMETHODCALLTYPE\s+(\w+)\s*\(")
REFUSED = re.compile(r'Refuse(?:Creation|Command)?\(\s*"(I\w+)::(\w+)"')
REFUSED_COMMAND = re.compile(r"^REFUSED\((\w+),", re.M)
SECTION = re.compile(r"^### `(I\w+)`\n(.*?)(?=^#|\Z)", re.M | re.S)
ITEM = re.compile(r"^- (Offered|Without effect|Refused): (.*?)(?=^- |^$|\Z)", re.M | re.S)
# ClearState() is only refused with a pipeline state.
PARTLY = {("ID3D12GraphicsCommandList", "ClearState")}


def methods_of(texts):
    """Method names by interface."""
    found = {}
    for text in texts:
        for name, body in INTERFACE.findall(text.replace("{}", "{\n}")):
            found.setdefault(name, set()).update(METHOD.findall(body))
    return found


def refused_in(folder):
    """(interface, method) pairs that the source refuses."""
    pairs = set()
    for path in sorted(pathlib.Path(folder).rglob("*.[ch]pp")):
        text = path.read_text()
        pairs.update(REFUSED.findall(text))
        pairs.update(("ID3D12GraphicsCommandList", method) for method in REFUSED_COMMAND.findall(text))
    return pairs - PARTLY


def check(page, folder, headers):
    """Returns what is wrong."""
    interfaces = methods_of(pathlib.Path(header).read_text() for header in headers)
    refused = refused_in(folder)
    wrong = []
    sections = SECTION.findall(pathlib.Path(page).read_text())
    for interface, text in sections:
        listed = {state: re.findall(r"`(\w+)`", names) for state, names in ITEM.findall(text)}
        names = [name for state in listed.values() for name in state]
        expected = interfaces.get(interface, set())
        wrong += [f"{interface}::{name} is listed twice" for name in set(names) if names.count(name) > 1]
        wrong += [f"{interface}::{name} is not listed" for name in sorted(expected - set(names))]
        wrong += [f"{interface}::{name} does not exist" for name in sorted(set(names) - expected)]
        state = {name for owner, name in refused if owner == interface}
        wrong += [f"{interface}::{name} is refused by the source" for name in sorted(state - set(listed.get("Refused", [])))]
        wrong += [f"{interface}::{name} is not refused by the source" for name in sorted(set(listed.get("Refused", [])) - state)]
    wrong += [f"{owner} has no section" for owner in sorted({owner for owner, _ in refused} - {section[0] for section in sections})]
    return wrong if sections else ["the page has no sections of interfaces"]


def main():
    page, folder, *headers = sys.argv[1:]
    wrong = check(page, folder, headers)
    for line in wrong:
        print(f"{page}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
