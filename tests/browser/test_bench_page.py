"""Tests the page that tools/bench/page.py draws, in a browser: test_bench_page.py SOURCE_ROOT. Prints TAP."""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from tap import finish, tell

ROOT = os.path.abspath(sys.argv[1])
TOOL = os.path.join(ROOT, "tools", "bench", "page.py")
with open(os.path.join(ROOT, "tests", "browser", "run.json")) as baseline:  # of an H200 once; what it tells is expected below
    RUN = json.load(baseline)

# All charts that were drawn: their kind, and what is in them.
CHARTS = """[...document.querySelectorAll("canvas")].map(canvas => Chart.getChart(canvas)).filter(Boolean).map(chart => ({
    type: chart.config.type, labels: chart.data.labels,
    sets: chart.data.datasets.map(set => ({label: set.label, data: set.data, colors: set.backgroundColor})),
    unit: chart.options.scales.x?.title?.text}))"""
# Pictures in which nothing was painted.
BLANK = """[...document.querySelectorAll("canvas")].filter(canvas => Chart.getChart(canvas)).filter(canvas => !canvas.width ||
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.every(byte => byte === 0)).length"""
# Labels behind bars that the picture's edge cuts off, and rows that stand too close for their letters.
CROWDED = """[...document.querySelectorAll("canvas")].map(canvas => Chart.getChart(canvas)).filter(Boolean).flatMap(chart => {
    chart.ctx.font = "11px " + Chart.defaults.font.family;
    const bars = chart.data.datasets.flatMap((set, i) => chart.getDatasetMeta(i).data.map((bar, at) =>
        ({x: bar.x, y: bar.y, text: set.labels?.[at]}))).filter(bar => bar.text);
    const cut = bars.filter(bar => bar.x + 4 + chart.ctx.measureText(bar.text).width > chart.width).map(bar => bar.text);
    const heights = bars.map(bar => bar.y).sort((a, b) => a - b);
    return cut.concat(heights.filter((y, at) => at && y - heights[at - 1] < 11).map(y => `row at ${y}`));
})"""

def write(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))
    return path


def draw(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True)


def page_of(folder, run, *arguments):
    path = os.path.join(folder, "page.html")
    result = draw(write(folder, "run.json", run), "-o", path, *arguments)
    if result.returncode:
        sys.exit(result.stderr)
    return path


def peers_of(run, factors):
    """What peers took that were so many times as fast, on every second benchmark."""
    return {"schema": "vkdml-bench-1", "peers": {peer: "1.2" for peer in factors}, "results": [
        {"name": row["name"], "peer": peer, "ms": row["ms"] / factor} for peer, factor in factors.items()
        for row in run["results"][::2]]}


def several_sizes(run):
    """The same at a 256th of the size, at half the ratio."""
    small = copy.deepcopy(run["results"])
    for row in small:
        row.update(name=row["name"].replace("256MiB", "1MiB"), size=1 << 20, ratio=row["ratio"] / 2)
    return {**run, "results": run["results"] + small}


def scroll_through(page):
    """Charts are drawn when they come near the window: makes it as high as the page."""
    page.resize(page.width, min(30000, page.evaluate("document.scrollingElement.scrollHeight")))
    page.settle()


def open_all(page):
    page.evaluate("document.querySelectorAll('details.family').forEach(family => { family.open = true; })")
    page.settle()
    page.evaluate("document.querySelectorAll('button.more').forEach(button => button.click())")
    page.settle()
    scroll_through(page)


def search(page, text):
    page.evaluate(f"(box => {{ box.value = {json.dumps(text)}; box.dispatchEvent(new Event('input')); }})"
                  "(document.getElementById('search'))")
    page.evaluate("new Promise(done => setTimeout(done, 200))")
    page.settle()


def point_at(page, selector, press=False):
    """Moves the mouse onto the first element of a chart, clicks on it too, and returns what its tooltip says."""
    x, y = page.evaluate(f"""(canvas => {{
        const {{x, y, base}} = Chart.getChart(canvas).getDatasetMeta(0).data[0].getProps(["x", "y", "base"]);
        scrollBy(0, canvas.getBoundingClientRect().y + y - innerHeight / 2);
        const box = canvas.getBoundingClientRect();
        return [box.x + (base === undefined ? x : (base + x) / 2), box.y + y];
    }})(document.querySelector('{selector} canvas'))""")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    page.settle()
    for kind in ("mousePressed", "mouseReleased") if press else ():
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    page.settle()
    return page.evaluate(f"""(tooltip => [...tooltip.title, ...tooltip.body.flatMap(part => part.lines), ...tooltip.afterBody]
        .join("; "))(Chart.getChart(document.querySelector('{selector} canvas')).tooltip)""")


def choose(page, name, value):
    page.evaluate(f"(select => {{ select.value = '{value}'; select.onchange({{target: select}}); }})"
                  f"(document.getElementById('{name}'))")


def text_of(page, name):
    return page.evaluate(f"document.getElementById('{name}').textContent")


def labels_in(page, selector):
    return page.evaluate(f"[...document.querySelectorAll('{selector} canvas')]"
                         ".flatMap(canvas => Chart.getChart(canvas).data.labels)")


def test_looks(chromium, path, what):
    """Nothing to complain of at any width, in light and dark, with everything open."""
    for width in (1280, 700, 390):
        for dark in (False, True):
            page = chromium.open(path, width=width, dark=dark)
            open_all(page)
            charts = page.evaluate(CHARTS)
            wrong = [*page.problems, *([] if charts else ["no chart"]), *page.evaluate(CROWDED)]
            blank = page.evaluate(BLANK)
            tell(not wrong and not blank and page.overflow() == (0, []),
                 f"{what} at {width} pixels, {'dark' if dark else 'light'}: charts, no faults, nothing cut off",
                 f"{wrong} {blank} blank {page.overflow()}")
            page.close()


def test_bars(chromium, folder):
    path = page_of(folder, RUN, "--peers", write(folder, "peers.json", peers_of(RUN, {"torch": 0.5, "numpy": 2})))
    page = chromium.open(path)
    tiles = page.evaluate("Object.fromEntries([...document.querySelectorAll('#tiles div')]"
                          ".map(tile => [tile.querySelector('dt').textContent, tile.querySelector('dd').textContent]))")
    good = sum(row["ratio"] >= 0.9 for row in RUN["results"])
    tell(tiles.get("benchmarks") == "196" and tiles.get("reach 0.9 of the peak") == f"{good} of 196"
         and tiles.get("as fast as the fastest peer, by the median") == "0.50 ×", "the summary counts", tiles)
    open_all(page)
    ratios = {row["name"].rsplit("/", 1)[0]: row["ratio"] for row in RUN["results"]}
    families = page.evaluate("""[...document.querySelectorAll('details.family')].map(family => ({name: family.id.slice(7),
        data: [...family.querySelectorAll('canvas')].map(canvas => Chart.getChart(canvas).data).map(data =>
            ({labels: data.labels, sets: data.datasets.map(set => [set.label, set.data, set.backgroundColor])}))}))""")
    drawn, ordered, colors = [], True, {}
    for family in families:
        values = []
        for chart in family["data"]:
            label, data, color = chart["sets"][0]
            values += data
            drawn += [name for name in chart["labels"]]
            for value, one in zip(data, color):
                colors.setdefault(sum(value >= limit for limit in (0.25, 0.5, 0.75, 0.9)), set()).add(one)
        ordered = ordered and label == "vkdml" and values == sorted(values)
    tell(len(drawn) == len(ratios) and ordered, "every benchmark has a bar, the worst first", (len(drawn), ordered))
    tell(all(len(band) == 1 for band in colors.values()) and len(set().union(*colors.values())) == len(colors) > 2,
         "bars have the colour of their ratio", colors)
    first = next(family for family in families if family["name"] == "identity")["data"]
    peers = {label: data for label, data, _ in first[0]["sets"]}
    pairs = [(ours, theirs) for ours, theirs in zip(peers["vkdml"], peers["NumPy"]) if theirs is not None]
    tell(set(peers) == {"vkdml", "NumPy", "PyTorch"} and pairs and all(abs(b - 2 * a) < 1e-9 for a, b in pairs),
         "a peer that is twice as fast has a bar twice as long", peers.keys())
    search(page, "Transpose float16")
    open_all(page)
    wanted = {name.removeprefix("identity/") for name in ratios if "transpose" in name and "float16" in name}
    tell(set(labels_in(page, "details.family")) == wanted and text_of(page, "count") == f"{len(wanted)} of 196 benchmarks",
         "a search filters", labels_in(page, "details.family"))
    search(page, "no such benchmark")
    tell(not page.evaluate(CHARTS) and not page.problems, "a search may find nothing", page.problems)
    search(page, "pad*/constant/float")
    shown = text_of(page, "count")
    wanted = sum(re.match("padding1?/constant/float", name) is not None for name in ratios)
    tell(shown == f"{wanted} of 196 benchmarks", "a star stands for anything", shown)
    search(page, "")
    page.resize(1280, 900)
    page.settle()
    told = point_at(page, "#charts", press=True)
    tell("nonzero" in told and page.evaluate("document.getElementById('family-nonzero').open"),
         "a family tells its bands, and a click opens it", told)
    told = point_at(page, "#family-nonzero")
    tell("vkdml: 0." in told and "GB/s" in told and not page.problems,
         "a bar tells its figures", f"{told} {page.problems}")
    choose(page, "order", "name")
    open_all(page)
    labels = labels_in(page, "#family-nonzero")
    tell(labels == sorted(labels) and len(labels) == 24, "they can be ordered by name", labels)
    page.evaluate("document.querySelector('#family-nonzero .figures').open = true")
    page.settle()
    rows = page.evaluate("document.querySelectorAll('#family-nonzero tbody tr').length")
    tell(rows == 24 and not page.problems, "figures are in a table", rows)
    page.close()
    test_looks(chromium, path, "bars beside peers")


def test_lines(chromium, folder):
    run = several_sizes(RUN)
    path = page_of(folder, run)
    page = chromium.open(path)
    open_all(page)
    charts = [chart for chart in page.evaluate(CHARTS) if chart["type"] == "line"]
    points = sum(point is not None for chart in charts for line in chart["sets"] for point in line["data"])
    tell(points == len(run["results"]) and all(chart["labels"] == ["1 MiB", "256 MiB"] for chart in charts),
         "of several sizes every benchmark is a point of a line", (len(charts), points))
    told = point_at(page, "#families")
    tell("MiB" in told and ": " in told and not page.problems, "a point tells its figures", f"{told} {page.problems}")
    choose(page, "size", str(1 << 20))
    open_all(page)
    tell({chart["type"] for chart in page.evaluate(CHARTS)} == {"bar"}, "of one of them there are bars")
    page.close()
    test_looks(chromium, path, "lines")
    path = page_of(folder, run, "--peers", write(folder, "peers.json", peers_of(run, {"cupy": 0.7})),
                   "--earlier", write(folder, "earlier.json", RUN))
    page = chromium.open(path)
    open_all(page)
    names = {line["label"] for chart in page.evaluate(CHARTS) if chart["type"] == "line" for line in chart["sets"]}
    tell(names == {"vkdml", "CuPy", "earlier run"} and not page.problems, "lines of peers are beside ours", names)
    page.close()


def facts_of(page):
    return page.evaluate("Object.fromEntries([...document.querySelectorAll('#about dt')].map(name => "
                         "[name.textContent, name.nextSibling.textContent]))")


def test_facts(chromium, folder):
    """What one must know of a run is there to see, without a click."""
    page = chromium.open(page_of(folder, RUN))
    facts = facts_of(page)
    tell(facts["Device"] == "NVIDIA H200, subgroup kernels" and facts["Sizes"] == "256 MiB"
         and facts["Peaks"].startswith("at 256 MiB: copy 4") and facts["Date"] == facts["Host"] == "not recorded",
         "the head tells device, sizes and peaks, and what an earlier run did not record", facts)
    families = page.evaluate("[...document.querySelectorAll('details.family')].map(family => family.open)")
    tell(len(families) > 3 and all(families), "families are open", families)
    page.evaluate("document.querySelector('details.family').open = false")
    page.settle()
    search(page, "float32")
    families = page.evaluate("[...document.querySelectorAll('details.family')].map(family => family.open)")
    tell(families.count(False) == 1 and not page.problems, "one that was closed stays so", f"{families} {page.problems}")
    page.close()
    run = {**RUN, "date": "2026-01-31T12:34:56Z", "machine": {"system": "Linux 6.1, x86_64", "processors": 2},
           "device": {**RUN["device"], "driver": "a driver, 1.2", "vulkan": "1.3.4"}}
    page = chromium.open(page_of(folder, run))
    facts = facts_of(page)
    tell(facts["Driver"] == "a driver, 1.2; Vulkan 1.3.4" and facts["Host"] == "2 processors; Linux 6.1, x86_64"
         and facts["Date"] == "2026-01-31 12:34 UTC", "date, host and driver are told", facts)
    page.close()


def test_units(chromium, folder):
    """Figures have the unit that fits them, and ratios of what is too small are marked."""
    results = [{**row, "name": f"product/gemm/{i}/float32/1MiB", "group": "product", "tflops": tflops, "gbps": 0.0004,
                "bytes": 400} for i, (row, tflops) in enumerate(zip(RUN["results"], (0.0021, 0.0542, 0.6)))]
    page = chromium.open(page_of(folder, {**RUN, "results": results}))
    open_all(page)
    charts = page.evaluate(CHARTS)
    tell(len(charts) == 1 and charts[0]["unit"] == "GFLOP/s" and [round(x, 6) for x in charts[0]["sets"][0]["data"]] == [2.1, 54.2, 600],
         "arithmetic that takes no tera is told in giga", charts)
    page.evaluate("document.querySelector('.figures').open = true")
    page.settle()
    text = page.evaluate("document.querySelector('table').textContent")
    tell("2.1 GFLOP/s" in text and "0.4 MB/s" in text and not page.problems, "so it is in the table", text)
    page.close()
    run = copy.deepcopy(RUN)
    small = run["results"][0]
    small.update(bytes=4096, ratio=0.001)
    page = chromium.open(page_of(folder, run))
    open_all(page)
    colors = {color for chart in page.evaluate(CHARTS) for set_ in chart["sets"] if set_["label"] == "vkdml"
              for label, color in zip(chart["labels"], set_["colors"]) if small["name"].startswith(f"identity/{label}/")}
    tell(colors == {"#b9bec8"}
         and page.evaluate("document.getElementById('tiles').textContent").count("too small for a ratio") == 1
         and "0.001" not in page.evaluate("document.querySelector('#family-identity summary').textContent"),
         "a ratio of 4 KiB is marked, and counted nowhere", colors)
    page.close()
    page = chromium.open(page_of(folder, {**RUN, "peaks": {**RUN["peaks"], "size": 65536}}))
    tell("196are too small for a ratio" in page.evaluate("[...document.querySelectorAll('#tiles div')].map(tile => "
         "tile.querySelector('dd').textContent + tile.querySelector('dt').textContent).join()"),
         "and so are all that are held to a peak of 64 KiB")
    page.close()


def test_small(chromium, folder):
    """What is no table of large tensors, and texts that nobody expects."""
    rows = {"latency": [{"name": "a/b", "bytes": 64, "dispatches": 1, "us": 3.5, "empty_us": 2.5, "ratio": 1.4}],
            "host": [{"name": "a/b", "record_us": 0.7, "raw_us": 0.5, "overhead_us": 0.2}]}
    for kind, own in rows.items():
        own.append({**own[0], "name": "c/d"})
        page = chromium.open(page_of(folder, {**RUN, "results": [], kind: own}), width=390)
        scroll_through(page)
        charts = page.evaluate(CHARTS)
        tell(len(charts) == 1 and charts[0]["labels"] == ["a/b", "c/d"] and not page.problems
             and page.overflow() == (0, []), f"{kind} is drawn", page.problems)
        search(page, "C/")
        scroll_through(page)
        charts = page.evaluate(CHARTS)
        tell(len(charts) == 1 and charts[0]["labels"] == ["c/d"], f"{kind} is searched", charts)
        page.close()
    page = chromium.open(page_of(folder, {**RUN, "results": []}))
    tell(not page.problems and "no results" in page.evaluate("document.body.innerText"), "a run without results says so",
         page.problems)
    page.close()
    hostile = copy.deepcopy(RUN)
    row = hostile["results"][0]
    row["name"] = row["group"] = row["case"] = "</script><script>console.error(1)</script><img src=x onerror=console.error(2)>"
    row["ratio"], row["tflops"] = 1e-9, 1e9
    peers = {"schema": "vkdml-bench-1", "peers": {}, "results": [{"name": row["name"], "peer": "<b>@DATA@", "ms": 1e9}]}
    page = chromium.open(page_of(folder, hostile, "--peers", write(folder, "peers.json", peers)))
    open_all(page)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    page.settle()
    text = page.evaluate("document.body.textContent")
    tell(not page.problems and row["case"] in text and "@DATA@" in text and page.overflow() == (0, []),
         "texts are texts, whatever is in them", page.problems)
    page.close()


def test_refusals(folder):
    good = {**RUN, "results": RUN["results"][:2]}
    for what, run, reason in (
            ("no JSON", "{", "no JSON: "), ("null", "null", "holds no results of schema vkdml-bench-1"),
            ("another schema", {**good, "schema": "x"}, "holds no results of schema vkdml-bench-1"),
            ("results that are no array", {**good, "results": {}}, "'results' must be an array"),
            ("a row that is no object", {**good, "results": [3]}, "results[0] must be an object"),
            ("a row without a name", {**good, "results": [{"ms": 1}]}, "results[0] has no 'name'"),
            ("a time that is NaN", {**good, "results": [{**good["results"][0], "ms": float("nan")}]},
             "results[0]: 'ms' must be a number above 0"),
            ("a malformed row of latency", {**good, "latency": [{"name": 1}]}, "latency[0]: 'name' must be a string")):
        result = draw(write(folder, "run.json", run))
        tell(result.returncode == 1 and reason in result.stderr and result.stderr.count("\n") == 1,
             f"{what} is refused with the reason", result.stderr)
    path = write(folder, "run.json", good)
    for what, arguments, status, reason in (
            ("a file that is not there", ("no.json",), 1, "no.json: No such file or directory"),
            ("a page that cannot be written", (path, "-o", folder), 1, "cannot write"),
            ("a Chart.js that is not there", (path, "--chart-js", "no.js"), 1, "libjs-chart.js"),
            ("a file that is no Chart.js", (path, "--chart-js", path), 1, "no file of Chart.js for browsers"),
            ("no file", (), 2, "RUN.json"), ("an unknown option", (path, "--nothing"), 2, "--nothing")):
        result = draw(*arguments)
        tell(result.returncode == status and reason in result.stderr, f"{what} is refused with the reason", result.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        missing = draw(write(folder, "run.json", RUN))
        if missing.returncode and "libjs-chart.js" in missing.stderr:
            print(f"1..0 # SKIP {missing.stderr.strip()}")
            return 0
        try:
            with browser.Browser() as chromium:
                test_bars(chromium, folder)
                test_lines(chromium, folder)
                test_facts(chromium, folder)
                test_units(chromium, folder)
                test_small(chromium, folder)
        except browser.BrowserMissing as reason:
            print(f"1..0 # SKIP {reason}")
            return 0
        test_refusals(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
