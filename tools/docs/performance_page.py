#!/usr/bin/env python3
"""Writes what docs/ and README.md tell of speed from the runs in docs/performance/, one of each device:
`vkdml bench --json DEVICE.json`, and what `tools/bench/peers.py --json DEVICE-peers.json` found there, if it ran.

performance_page.py ROOT           writes docs/performance/DEVICE.md, and what is between marks in docs/PERFORMANCE.md
                                   and README.md
performance_page.py --check ROOT   says where they are others; prints TAP

A run of tools/bench/networks.py is docs/performance/networks/DEVICE.json; between its marks stands its table.

performance_goals.py has families, goals and causes.
"""
import difflib
import json
import pathlib
import re
import statistics
import sys
import textwrap

import networks_table
from performance_goals import FAMILIES, SUMMARY, cause_of, family_of, goal_of

WIDTHS = ("64", "32", "16", "8", "4")
MARK = re.compile(r"(<!-- from (\w+): (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


class Row:
    """A benchmark of one type, at the largest size that was run."""

    def __init__(self, result):
        self.name = f"{result['group']}/{result['benchmark']}"
        self.type, self.ms, self.ratio, self.peak = result["type"], result["ms"], result["ratio"], result["peak"]
        self.tflops = result.get("tflops")
        self.loop = result["loop_ms"] / self.ms if result.get("loop_ms") else None
        self.memcpy = result["memcpy_ms"] / self.ms if result.get("memcpy_ms") else None
        self.torch = None  # times as fast as PyTorch
        self.goal = self.share = None  # what it is held to; and what it reaches of that
        self.full = result["name"]

    @property
    def width(self):
        return re.sub(r"\D", "", self.type)


class Run:
    def __init__(self, path):
        self.key = path.stem
        self.json = json.loads(path.read_text())
        peers = path.with_name(f"{path.stem}-peers.json")
        self.peers = json.loads(peers.read_text()) if peers.exists() else {"peers": {}, "results": []}
        self.cpu = self.json["device"]["type"] == "cpu"
        self.beside = "a C loop" if self.cpu else "PyTorch"
        self.rows = self.largest()
        self.judge()

    def largest(self):
        rows = {}
        for result in sorted(self.json["results"], key=lambda result: result["size"]):
            row = Row(result)
            rows[row.name, row.type] = row
        return list(rows.values())

    def judge(self):
        torch = {result["name"]: result["ms"] for result in self.peers["results"] if result["peer"] == "torch"}
        by_name = {(row.name, row.type): row for row in self.rows}
        for row in self.rows:
            if row.full in torch:
                row.torch = torch[row.full] / row.ms
            if self.cpu:
                row.goal, value = (1.0, row.loop) if row.loop else (None, None)
            else:
                held = goal_of(row.name, row.type)
                if not held:
                    continue
                of, row.goal = held
                other = by_name.get((of, row.type))
                value = row.ratio if of == "peak" else row.torch if of == "torch" else other and other.ms / row.ms
            row.share = value / row.goal if value else None

    @property
    def device(self):
        device = self.json["device"]
        number = device["driver_version"]
        parts = ((number >> 22, number >> 14 & 255, f"{number >> 6 & 255:02}") if device["vendor"] == 0x10DE
                 else (number >> 22 & 127, number >> 12 & 1023, number & 4095))
        driver = device.get("driver", ".".join(map(str, parts)))
        return f"{device['name']}, driver {driver}, {device['kernels']} kernels"


def met(row):
    """Goals are stated to two digits, and so is what is held to them."""
    return row.share is not None and round(row.share * row.goal, 2) >= row.goal


def figure(value):
    """Some three digits."""
    if value is None:
        return ""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.05 else 3}f}"


def spread(values):
    return [figure(pick(values)) for pick in (max, statistics.median, min)] if values else ["", "", ""]


def wrapped(text, indent=""):
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def table(header, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [header, *rows]]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]]) + "\n"


def members(run):
    """[(title, whether it tells TFLOP/s, rows)], types of those that do apart."""
    found = []
    for title, _, arithmetic in FAMILIES:
        rows = [row for row in run.rows if (family_of(row.name) or (None,))[0] == title]
        if arithmetic:
            rows = [row for row in rows if row.tflops]
            found += [(f"{title}, {type_.upper()}", True, own) for type_ in ("float32", "float16", "int8")
                      if (own := [row for row in rows if row.type == type_])]
        elif rows:
            found.append((title, False, rows))
    return found


def without_type(title):
    return re.sub(", (FLOAT32|FLOAT16|INT8)$", "", title)


def unit_of(title):
    return " TOP/s" if title.endswith("INT8") else " TFLOP/s"


def missing(run):
    there = {without_type(title) for title, _, _ in members(run)}
    return [title for title, _, _ in FAMILIES if title not in there]


def families(run):
    header = ["family", "goals met", "best", "median", "worst", f"times {run.beside}, median (of)"]
    rows = []
    for title, arithmetic, own in members(run):
        judged = [row for row in own if row.share is not None]
        values = [row.tflops if arithmetic else row.ratio for row in own]
        others = [value for row in own if (value := row.loop if run.cpu else row.torch)]
        rows.append([title, f"{sum(map(met, judged))} of {len(judged)}" if judged else "",
                     *(text + (unit_of(title) if arithmetic else "") for text in spread(values)),
                     f"{figure(statistics.median(others))} ({len(others)})" if others else ""])
    note = f"The run has no benchmarks of: {'; '.join(missing(run))}." if missing(run) else ""
    return table(header, rows) + (f"\n{wrapped(note)}\n\n" if note else "")


def lowest(run):
    """Benchmarks that are furthest from their goals, types of one together."""
    worst = {}
    for row in sorted((row for row in run.rows if row.share is not None and not met(row)), key=lambda row: row.share):
        worst.setdefault(row.name, []).append(row)
    rows = []
    for name, own in list(worst.items())[:10]:
        types = [f"{row.type.upper()} {figure(row.share * row.goal)}" for row in own[:3]] + [".."] * bool(own[3:])
        cause = cause_of(name, own[0].type)
        number = f"{len(rows) + 1}. "
        what = f"{number}`{name}`, {', '.join(types)}; the goal is {figure(own[0].goal)}"
        what += f": {cause}." if cause else "."
        rows.append(wrapped(what, " " * len(number)))
    return "\n" + "\n".join(rows or ["Every goal is met."]) + "\n\n"


def summary(run):
    """What README.md has room for: medians of some families."""
    rows = []
    for title, arithmetic, own in members(run):
        if without_type(title) in SUMMARY:
            torch = [row.torch for row in own if row.torch]
            median = statistics.median(row.tflops if arithmetic else row.ratio for row in own)
            rows.append([f"{title} ({len(own)})", figure(median) + (unit_of(title) if arithmetic else " of the peak"),
                         figure(statistics.median(torch)) if torch else ""])
    return table(["median of each family (benchmarks)", run.json["device"]["name"], "times as fast as PyTorch"], rows)


def short(name):
    return re.sub(r"^element_wise_|^activation_|^normalize/|/packed$", "", name)


def bold(text, row):
    return f"**{text}**" if row.share is not None and not met(row) else text


def by_width(run, own):
    """A line for each benchmark; of types of one width the lowest."""
    lines = []
    for name in dict.fromkeys(row.name for row in own):
        cells, others, goals = [], [], []
        for width in WIDTHS:
            rows = [row for row in own if row.name == name and row.width == width]
            row = min(rows, key=lambda row: row.ratio, default=None)
            cells.append(bold(figure(row.ratio), row) if row else "")
            others.append(figure((row.loop if run.cpu else row.torch)) if row else "")
            goals += [figure(row.goal)] if row and row.goal and not run.cpu else []
        goal = "/".join(dict.fromkeys(goals))
        lines.append([short(name), *([] if run.cpu else [goal]), *cells, "/".join(filter(None, others))])
    first = 1 if run.cpu else 2
    used = [number for number, _ in enumerate(WIDTHS) if any(line[number + first] for line in lines)]
    keep = [*range(first), *(number + first for number in used), first + len(WIDTHS)]
    header = ["benchmark", *([] if run.cpu else ["goal"]), *(f"{width} bits" for width in WIDTHS),
              f"times {run.beside}"]
    return table([header[k] for k in keep], [[line[k] for k in keep] for line in lines])


def by_arithmetic(run, own, title):
    rows = []
    for row in own:
        of = "" if not row.goal or run.cpu else f"{figure(row.goal)}"
        beside = figure(row.loop if run.cpu else row.torch)
        rows.append([row.name, bold(figure(row.tflops), row), figure(row.ms), of, beside])
    header = ["benchmark", unit_of(title).strip(), "ms", "goal", f"times {run.beside}"]
    return table(header, rows)


def page(run):
    peaks = run.json["peaks"]
    peers = ", ".join(f"{name} {version}" for name, version in run.peers["peers"].items())
    compared = "a plain C loop, one thread" if run.cpu else "PyTorch"
    dated = f", {run.json['date'][:10]}" if "date" in run.json else ""
    device = wrapped(f"- Device: {run.device}; version {run.json['version']}{dated}.", "  ")
    text = f"""# Performance: {run.json['device']['name']}

`tools/docs/performance_page.py` writes this page from [{run.key}.json]({run.key}.json), which a test
holds it to. [Performance](../PERFORMANCE.md) says what is measured and what stands out.

{device}
- {len(run.rows)} benchmarks of {sizes_of(run)}; the peaks of {figure(peaks['size'] / 2**20)} MiB.
- Copy peak {figure(peaks['copy_gbps'])} GB/s, fill peak {figure(peaks['fill_gbps'])} GB/s{
    f", read peak {figure(peaks['read_gbps'])} GB/s" if 'read_gbps' in peaks else ''}.
"""
    text += f"- Beside it: {peers}.\n" if peers else ""
    text += wrapped(f"- {run.json['note']}", "  ") + "\n" if "note" in run.json else ""
    text += "\n" + wrapped(
        "Figures are shares of the copy peak, of the fill peak where nothing is read, of the read peak where hardly anything "
        'is written. Of several types of one width the lowest is told. "Times" is how often our time goes into that of '
        f"{compared}. Bold is what misses its goal.") + "\n"
    for title, arithmetic, own in members(run):
        text += f"\n## {title}\n\n" + (by_arithmetic(run, own, title) if arithmetic else by_width(run, own))
    return text


def sizes_of(run):
    sizes = [result["size"] for result in run.json["results"]]
    common = [size for size in sorted(set(sizes)) if sizes.count(size) * 20 > len(sizes)]
    sizes = sorted(set(sizes))
    return ", ".join(f"{figure(size / 2**20)} MiB" for size in common or sizes)


PARTS = {"families": families, "lowest": lowest, "summary": summary}


def filled(text, runs, networks):
    """The text with the tables between its marks; what is there stays where the run, or a family of it, is missing."""
    def part(match):
        if match.group(3) == "networks":
            run = networks.get(match.group(2))
            return match.group(1) + networks_table.table(run) + match.group(4) if run else match.group(0)
        run, make = runs.get(match.group(2)), PARTS[match.group(3)]
        if not run or make is summary and missing(run):
            return match.group(0)
        return match.group(1) + make(run) + match.group(4)
    return MARK.sub(part, text)


def pages(root):
    """{path: what it should be}"""
    folder = root / "docs/performance"
    runs = {path.stem: Run(path) for path in sorted(folder.glob("*.json")) if not path.stem.endswith("-peers")}
    found = {folder / f"{key}.md": page(run) for key, run in runs.items()}
    networks = {path.stem: json.loads(path.read_text()) for path in sorted((folder / "networks").glob("*.json"))}
    return found | {path: filled(path.read_text(), runs, networks) for path in (root / "docs/PERFORMANCE.md", root / "README.md")}


def check(root):
    wanted = pages(root)
    print(f"1..{len(wanted)}")
    good = True
    for number, (path, text) in enumerate(wanted.items(), 1):
        stands = path.read_text() if path.exists() else ""
        good &= stands == text
        print(f"{'ok' if stands == text else 'not ok'} {number} - {path.relative_to(root)} is the runs'")
        for line in difflib.unified_diff(stands.splitlines(), text.splitlines(), "page", "runs", lineterm="", n=0):
            print(f"# {line}")
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(check(pathlib.Path(sys.argv[2])))
    for path, text in pages(pathlib.Path(sys.argv[1])).items():
        path.write_text(text)
