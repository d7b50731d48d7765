#!/usr/bin/env python3
"""Draws what `vkdml bench --json` wrote: one HTML file that needs nothing else, no network either.

page.py [--peers FILE].. [--earlier FILE] [--chart-js FILE] [-o PAGE.html] RUN.json
    --peers FILE      what tools/bench/peers.py wrote for the same benchmarks; may be given more than once
    --earlier FILE    an earlier run's JSON, to be drawn beside this one as a peer is
    --chart-js FILE   Chart.js 3.9 or 4, the file for browsers (chart.min.js, chart.umd.js); $VKDML_CHART_JS, else
                      Debian's, of the package libjs-chart.js
    -o, --output FILE the page; RUN.html

Of one size it draws bars, the worst ratio first; of several sizes lines. It exits with 1 where a file cannot be read, is no
run or holds a row that is malformed, and with 2 where the command line is wrong.
"""
import argparse
import json
import math
import os
import pathlib
import re
import sys

SCHEMA = "vkdml-bench-1"
FOLDER = pathlib.Path(__file__).resolve().parent
DEBIAN_CHART_JS = "/usr/share/javascript/chart.js/chart.min.js"

# Sections of the page: groups that one looks at together. Any other group is its own, but for a version's number.
FAMILIES = (
    (r"activation_", "activation"),
    (r"(dynamic_|element_wise_)?(de)?quantize", "quantization"),
    (r"element_wise_(bit|logical)_", "bits and comparisons"),
    (r"element_wise_", "element-wise"),
    (r"gather", "gather"),
    (r"scatter", "scatter"),
    (r"fill_value", "fill"),
    (r"slice", "slice"),
    (r"depth_to_space|space_to_depth", "depth and space"),
    (r"argmin|argmax|reduce", "reductions"),
    (r"scan", "scan"),
    (r"batch_normalization|normalize", "normalization"),
)

# What moves less waits for the dispatch and not for memory, on any device: 4 MiB are 2 microseconds of a fast GPU's memory
# and some hundred of a processor's, and so is a dispatch. Of such a run the ratio says nothing.
SMALL = 4 << 20

# Beyond so many operations a byte it is no longer memory that a benchmark waits for: an H100 computes some 20 in FLOAT32
# while it moves a byte.
ARITHMETIC = 16


class Wrong(Exception):
    """A file that is not what it should be; the reason."""


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_positive(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def is_text(value):
    return isinstance(value, str) and value != ""


KINDS = {is_count: "a whole number", is_positive: "a number above 0", is_text: "a string that is not empty"}
TIMES = {"name": is_text, "ms": is_positive}
RESULT = TIMES | {"group": is_text, "benchmark": is_text, "type": is_text, "size": is_count, "bytes": is_positive,
                  "gbps": is_positive, "ratio": is_positive, "peak": is_text}
PEER = TIMES | {"peer": is_text}
LATENCY = {"name": is_text, "bytes": is_count, "us": is_positive, "empty_us": is_positive, "ratio": is_positive}
HOST = {"name": is_text, "record_us": is_positive, "raw_us": is_positive}
OPTIONAL = {"ms_p10": is_positive, "ms_p90": is_positive, "tflops": is_positive, "case": is_text, "memcpy_ms": is_positive,
            "loop_ms": is_positive}


def check_rows(path, name, rows, wanted):
    if not isinstance(rows, list):
        raise Wrong(f"{path}: '{name}' must be an array")
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise Wrong(f"{path}: {name}[{number}] must be an object")
        for field, fits in (wanted | OPTIONAL).items():
            if field not in row and field in wanted:
                raise Wrong(f"{path}: {name}[{number}] has no '{field}'")
            if field in row and not fits(row[field]):
                raise Wrong(f"{path}: {name}[{number}]: '{field}' must be {KINDS[fits]}")


def read(path, wanted):
    """A run, or what peers took."""
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Wrong(f"{path}: no JSON: {error}") from None
    if not isinstance(run, dict) or run.get("schema") != SCHEMA or "results" not in run:
        raise Wrong(f"{path} holds no results of schema {SCHEMA}")
    check_rows(path, "results", run["results"], wanted)
    check_rows(path, "latency", run.get("latency", []), LATENCY)
    check_rows(path, "host", run.get("host", []), HOST)
    return run


def family_of(group):
    for pattern, family in FAMILIES:
        if re.match(pattern, group):
            return family
    return re.sub(r"\d+$", "", group)


def label_of(name, family):
    """Without the size, and without what the section's heading says."""
    label = name.rsplit("/", 1)[0].removeprefix(family + "/")
    return re.sub(r"^(activation|element_wise)_", "", label)


def row_of(result, is_cpu, peak_size):
    """What the page takes of a result; the peaks were measured at that size."""
    kept = ("name", "group", "type", "size", "bytes", "ms", "ms_p10", "ms_p90", "gbps", "ratio", "peak", "case")
    row = {field: result[field] for field in kept if field in result}
    row["family"] = family_of(result["group"])
    row["label"] = label_of(result["name"], row["family"])
    if result.get("tflops", 0) * 1e12 > ARITHMETIC * result["gbps"] * 1e9:
        row["tflops"] = result["tflops"]
    elif min(result["bytes"], peak_size) < SMALL:
        row["small"] = True
    row["peers"] = {}
    if is_cpu:
        # Of the CPU's own memory, beside a GPU's they say nothing.
        row["peers"] = {peer: result[field] for peer, field in (("memcpy", "memcpy_ms"), ("plain loop", "loop_ms"))
                        if field in result}
    return row


def gather(run, peers, earlier):
    """The page's data."""
    device = run.get("device", {})
    peak_size = (run.get("peaks") or {}).get("size", SMALL)
    rows = [row_of(result, device.get("type") == "cpu", peak_size) for result in run["results"]]
    by_name = {row["name"]: row for row in rows}
    versions = {}
    for file in peers:
        versions |= file.get("peers", {})
    for result in (result for file in peers for result in file["results"]):
        if result["name"] in by_name:
            by_name[result["name"]]["peers"][result["peer"]] = result["ms"]
    if earlier:
        versions["earlier run"] = f"vkdml {earlier.get('version', '?')}, {earlier.get('device', {}).get('name', '?')}"
        for result in earlier["results"]:
            if result["name"] in by_name:
                by_name[result["name"]]["peers"]["earlier run"] = result["ms"]
    return {"version": run.get("version", "?"), "timer": run.get("timer", "?"), "date": run.get("date"),
            "machine": run.get("machine", {}), "device": device, "peaks": run.get("peaks"), "small": SMALL,
            "rows": rows, "peers": versions, "latency": run.get("latency", []), "host": run.get("host", [])}


def find_chart_js(named):
    path = named or os.environ.get("VKDML_CHART_JS") or DEBIAN_CHART_JS
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Wrong(f"{path}: {error.strerror if isinstance(error, OSError) else 'no text'}; the page is drawn by Chart.js: "
                    "install libjs-chart.js (Debian), or name its chart.min.js with --chart-js") from None
    if "Chart" not in text or "</script" in text.lower():
        raise Wrong(f"{path} is no file of Chart.js for browsers")
    # A comment that names a file which is not beside the page.
    return re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE)


def compose(data, chart_js):
    """The page: the template's places filled."""
    # No text in the data can end the script element: there is no "<" in it.
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {"STYLE": (FOLDER / "page.css").read_text(), "DATA": text, "LIBRARY": chart_js,
             "CHARTS": (FOLDER / "page_charts.js").read_text(), "SCRIPT": (FOLDER / "page.js").read_text()}
    page = (FOLDER / "page.html").read_text()
    return re.sub("@(" + "|".join(parts) + ")@", lambda place: parts[place.group(1)], page)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].split("\n")[0], description=__doc__.split("\n")[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="append", default=[], metavar="FILE", help="what tools/bench/peers.py wrote")
    parser.add_argument("--earlier", metavar="FILE", help="an earlier run's JSON, drawn as a peer is")
    parser.add_argument("--chart-js", metavar="FILE", help="Chart.js for browsers; $VKDML_CHART_JS, else Debian's")
    parser.add_argument("-o", "--output", metavar="FILE", help="the page; RUN.html")
    parser.add_argument("run", metavar="RUN.json", help="what `vkdml bench --json` wrote")
    options = parser.parse_args()
    output = options.output or os.path.splitext(options.run)[0] + ".html"
    try:
        run = read(options.run, RESULT)
        peers = [read(path, PEER) for path in options.peers]
        earlier = read(options.earlier, RESULT) if options.earlier else None
        page = compose(gather(run, peers, earlier), find_chart_js(options.chart_js))
        pathlib.Path(output).write_text(page, encoding="utf-8")
    except Wrong as reason:
        sys.exit(f"page.py: {reason}")
    except OSError as error:
        sys.exit(f"page.py: cannot write {output}: {error.strerror}")
    print(output)


if __name__ == "__main__":
    main()
