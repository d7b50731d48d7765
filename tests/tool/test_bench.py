"""Tests `vkdml bench`: test_bench.py COMMAND SOURCE_ROOT. Prints TAP. VKDML_DEVICE picks the device."""
import copy
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

COMMAND, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(ROOT, "tools", "bench"))
sys.dont_write_bytecode = True
import page

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from tap import finish, tell

QUICK = ["--seconds-each", "0", "--repeat", "1", "--peak-bytes", "256KiB"]

# A benchmark for each row of the tables that the project holds its speed to.
WANTED = [
    *(f"identity/{name}/{type_}/256MiB" for name in ("contiguous", "strided_rows", "broadcast/rows", "transpose",
                                                     "nchw_to_nhwc", "nhwc_to_nchw")
      for type_ in ("float64", "float32", "float16", "uint8")),
    *(f"identity/permutation{rank}d/float32/256MiB" for rank in (5, 6, 7, 8)),
    *(f"padding/{mode}{shape}/{type_}/256MiB" for mode in ("constant", "edge", "reflection", "symmetric", "wrap")
      for shape in ("", "/short_rows") for type_ in ("float32", "float16", "uint8")),
    "identity/contiguous/transfer/float32/256MiB", "diagonal/identity_matrix/float32/256MiB",
    "diagonal/identity_matrix/transfer/float32/256MiB",
    *(f"nonzero/{shape}/density{density}/{type_}/256MiB" for shape in ("4d", "flat")
      for density in ("0.001", "0.1", "0.5", "1") for type_ in ("float32", "float16", "uint8")),
]

def bench(*arguments):
    return subprocess.run([COMMAND, "bench", *arguments], capture_output=True, text=True)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file)
    return path


def documented(section):
    """The fields in the table after a heading line of docs/BENCHMARKS.md."""
    with open(os.path.join(ROOT, "docs", "BENCHMARKS.md")) as file:
        text = file.read()
    table = text[text.index(section) + len(section):].strip().split("\n\n")[0]
    return {field for row in table.splitlines()[2:] for field in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_options():
    for arguments, reason in {
        ("--bytes", "12"): "'12' must be at most 16 sizes from 256 to 2GiB",
        ("--bytes", "64KB"): "'64KB' must be",
        ("--bytes", "1MiB,,2MiB"): "'1MiB,,2MiB' must be",
        ("--bytes", "5GiB"): "'5GiB' must be",
        ("--bytes", "18446744073709551616"): "must be at most 16 sizes",
        ("--peak-bytes", "1MiB,2MiB"): "at most 1 sizes",
        ("--repeat", "0"): "'0' must be a whole number from 1 to 1000",
        ("--seconds", "nan"): "vkdml bench: --seconds: 'nan' must be a number of seconds",
        ("--seconds-each", "-1"): "vkdml bench: --seconds-each: '-1' must be a number of seconds",
        ("--seconds", "9", "--seconds-each", "1"): "must be one of the two: ",
        ("--seconds", "9", "--host"): "must be --seconds-each",
        ("--sweep", "3", "--latency"): "one at a time",
        ("--filter", "no/such/*"): "no benchmark fits 'no/such/*'",
        ("--list", "--filter", "no/such"): "no benchmark fits 'no/such'",
        ("identity",): "identity: No such file",
        ("--compare", "/no/such.json"): "/no/such.json",
        ("--from", __file__): os.path.basename(__file__),
        ("--html", "page.html"): "tools/bench/page.py",
        ("--device", "no such device"): "no such device",
    }.items():
        result = bench(*arguments)
        wrong = any(word in reason for word in ("must be", "at most", "one at a time", "what is", "page.py"))
        tell(result.returncode == (2 if wrong else 1) and reason in result.stderr and not result.stdout,
             f"`{' '.join(map(os.path.basename, arguments))}` is refused with the reason", result.stderr + result.stdout)


def test_list():
    listed = dict(line.split("  ", 1) for line in bench("--list").stdout.splitlines())
    tell(set(WANTED) <= set(listed), "there is a benchmark for every goal", set(WANTED) - set(listed))
    rows = bench("--list", "--filter", "identity/*/float32/*", "--bytes", "64KiB,1MiB").stdout.splitlines()
    tell(rows and all(re.match(r"identity/.*/float32/(64KiB|1MiB)  ELEMENT_WISE_IDENTITY seed=1 ", row) for row in rows)
         and len(rows) % 2 == 0, "a pattern filters whole names, and each size is listed", rows)
    operators = {filters: {line.split("  ", 1)[1].split()[0] for line in bench("--list", *filters).stdout.splitlines()}
                 for filters in (("-f", "gemm"), ("-f", "GEMM"), ("-f", "DML_OPERATOR_GEMM"), ("-f", "max_pooling*"),
                                 ("-f", "Convolution,unfold"), ("-f", "convolution", "-f", "UNFOLD"))}
    tell("GEMM" in operators["-f", "gemm"] and operators["-f", "gemm"] == operators["-f", "GEMM"]
         and operators["-f", "DML_OPERATOR_GEMM"] == {"GEMM"}, "operators are found in any case", operators)
    tell(operators["-f", "max_pooling*"] and all(name.startswith("MAX_POOLING") for name in operators["-f", "max_pooling*"]),
         "and by a pattern, whatever their benchmarks are called", operators)
    both = operators["-f", "Convolution,unfold"]
    tell({"CONVOLUTION", "UNFOLD"} <= both and both == operators["-f", "convolution", "-f", "UNFOLD"],
         "several filters name what any of them fits", operators)


def test_time():
    """The time of a whole run is kept, within what one benchmark takes."""
    arguments = ["--bytes", "16KiB", "--peak-bytes", "256KiB", "--repeat", "1", "--filter", "identity/*/float32/*"]
    count = len(bench("--list", *arguments[-2:]).stdout.splitlines())
    result = bench(*arguments, "--seconds", "0")
    said = re.search(r"# time was up: (\d+) of (\d+) benchmarks were not reached; all take about \d+ s and more\n$", result.stdout)
    tell(result.returncode == 3 and said and said.groups() == (str(count - 1), str(count)),
         "where time is up what is not reached is told, and the exit code is 3", result.stdout)
    samples = []
    for seconds in ("0.5", "6"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            result = bench(*arguments[:-1], "identity/contiguous/*float32/*", "--json", path, "--seconds", seconds)
            samples.append(read_json(path)["results"][0]["samples"])
    tell(result.returncode == 0 and samples[1] > samples[0] and "not reached" not in result.stdout,
         "where there is more time than all take it is used", f"{samples} {result.stdout}")


def test_run(folder):
    """A run with all kinds of files; returns its JSON's path."""
    paths = {kind: os.path.join(folder, "run." + kind) for kind in ("json", "csv")}
    result = bench(*QUICK, "--filter", "*/float32/*", "--bytes", "16KiB", "--reference",
                   *(part for kind, path in paths.items() for part in (f"--{kind}", path)))
    tell(result.returncode == 0 and not result.stderr, "every operator's benchmarks run, their results held to the "
         "reference and the plain loops", result.stderr)
    if result.returncode:
        sys.exit("there is no run to look at")
    run = read_json(paths["json"])
    results = {row["name"]: row for row in run["results"]}
    fields = documented("Of `results`:")
    optional = {"loop_ms", "tflops"}
    wrong = [name for name, row in results.items() if not fields - optional <= set(row) <= fields]
    tell(run["schema"] == "vkdml-bench-1" and len(fields) > 15 and not wrong, "results have the documented fields",
         f"{wrong}\n{fields}")
    known = documented("unless `_us`.") | {"schema"}
    tell(set(run) | {"latency", "host", "models"} == known, "a run has the documented fields", set(run) ^ known)
    tell(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["date"]) and run["machine"]["processors"] >= 1
         and run["machine"]["system"] and run["device"]["driver"] and re.fullmatch(r"1\.\d+\.\d+", run["device"]["vulkan"]),
         "with date, machine and driver", f"{run['date']} {run['machine']} {run['device']}")
    peaks = run["peaks"]
    close = lambda a, b: abs(a - b) <= 1e-6 * abs(b)
    wrong = [name for name, row in results.items() if not (
        row["ms_p10"] <= row["ms"] <= row["ms_p90"] and close(row["gbps"], row["bytes"] / row["ms"] * 1e-6)
        and close(row["ratio"], row["gbps"] / peaks[row["peak"] + "_gbps"]) and row["samples"] >= 1)]
    tell(not wrong, "times, bytes, speeds and ratios agree", wrong)
    tell(peaks["copy_gbps"] == max(peaks["copy_command_gbps"], peaks["copy_kernel_gbps"])
         and peaks["fill_gbps"] == max(peaks["fill_command_gbps"], peaks["fill_kernel_gbps"])
         and peaks["size"] == 256 * 1024, "the peaks are the better of command and kernel", peaks)
    held = {name: row["peak"] for name, row in results.items() if row["peak"] != "copy"}
    reads = {name for name in results if re.match(r"(reduce|argmin|argmax|attention/decode\w*)/|window/pool/\w+_global/", name)}
    tell(peaks["read_gbps"] > 0 and reads == {name for name, peak in held.items() if peak == "read"}
         and held["diagonal/fill/float32/16KiB"] == "fill", "reductions are held to the read peak", held)
    # The smallest images are of 64 channels of 16 x 16: 64 KiB.
    images, padded = 4 * 64 * 16 * 16, 4 * 64 * 22 * 22
    moved = {"identity/contiguous": 2 * 16384, "identity/transpose": 2 * 16384, "identity/broadcast/rows": 16384 + 4096,
             "identity/broadcast/columns": 16384 + 4 * 4, "padding/constant": images + padded, "diagonal/fill": 16384,
             "nonzero/flat/density1": images + 4 + images, "nonzero/4d/density1": images + 4 + 4 * images}
    got = {name: results[f"{name}/float32/16KiB"]["bytes"] for name in moved}
    tell(got == moved, "bytes are those that must move", f"{got}\n{moved}")
    test_csv(paths["csv"], results)
    tell(drawable(paths["json"]) is None, "tools/bench/page.py takes the run", drawable(paths["json"]))
    return paths["json"]


def drawable(path):
    """What keeps tools/bench/page.py from drawing a file that the command wrote; None: nothing."""
    try:
        page.read(path, page.RESULT)
    except page.Wrong as reason:
        return str(reason)


def test_csv(path, results):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    tell([row["name"] for row in rows] == list(results)
         and all(float(row["ms"]) == results[row["name"]]["ms"] for row in rows), "the CSV has the same results")


def test_reports(folder, path):
    """Reports on a run that was made, so that nothing in them depends on this machine's speed."""
    run = read_json(path)
    for row in run["results"]:
        row["ms_p10"], row["ms_p90"] = row["ms"] * 0.99, row["ms"] * 1.01
    now = write_json(os.path.join(folder, "now.json"), run)
    name = run["results"][3]["name"]

    def compare(factor, spread=0.01):
        then = copy.deepcopy(run)
        row = then["results"][3]
        row["ratio"] *= factor
        row["ms_p10"], row["ms_p90"] = row["ms"] * (1 - spread), row["ms"] * (1 + spread)
        return bench("--from", now, "--compare", write_json(os.path.join(folder, "then.json"), then))

    drop = compare(1.2)
    tell(drop.returncode == 1 and f"# DROP {name}: ratio" in drop.stdout and drop.stdout.count("DROP") == 1
         and f"# 1 of {len(run['results'])} ratios dropped" in drop.stdout, "a drop is told and fails", drop.stdout)
    for what, result in {"a change within noise and margin": compare(1.04), "a rise": compare(0.5),
                         "a drop within a noisy run's spread": compare(1.2, 0.3)}.items():
        tell(result.returncode == 0 and "DROP" not in result.stdout, f"{what} passes", result.stdout + result.stderr)
    other = copy.deepcopy(run)
    for row in other["results"]:
        row["name"] += "x"
    result = bench("--from", now, "--compare", write_json(os.path.join(folder, "other.json"), other))
    tell(result.returncode == 1 and "holds none of these benchmarks" in result.stderr,
         "a baseline of other benchmarks fails", result.stderr)

    peers = {"schema": "vkdml-bench-1", "peers": {"<torch>": "1"}, "results": [
        {"name": name, "peer": "</script>", "bytes": 1, "ms": run["results"][3]["ms"] * 3, "gbps": 1}]}
    result = bench("--from", now, "--peers", write_json(os.path.join(folder, "peers.json"), peers))
    tell(result.returncode == 0 and re.search(re.escape(name) + r" +</script> .* 3\.00$", result.stdout, re.MULTILINE),
         "peers are compared with, whatever their names", result.stdout)
    test_malformed(folder, now, run, peers)


def test_malformed(folder, now, run, peers):
    """Files that hold no results, and rows that are none: each is refused with the reason, before anything is printed."""
    def refused(what, option, content, reason):
        path = os.path.join(folder, "wrong.json")
        with open(path, "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        result = bench(*(("--from", path) if option == "--from" else ("--from", now, option, path)))
        tell(result.returncode == 1 and result.stderr.startswith(path) and reason in result.stderr and not result.stdout
             and result.stderr.count("\n") == 1, f"{option}: {what} is refused with the reason", result.stdout + result.stderr)

    for option in ("--from", "--compare", "--peers"):
        for what, content in {"null": None, "a number": 3, "an array": []}.items():
            refused(what, option, content, "must hold one JSON object")
        for what, content in {"another schema": {"schema": "x", "results": []}, "no schema": {"results": []}, "no results": {"schema": "vkdml-bench-1"},
                              "results that are an object": {"schema": "vkdml-bench-1", "results": {}},
                              "results that are null": {"schema": "vkdml-bench-1", "results": None}}.items():
            refused(what, option, content, "holds no results of schema vkdml-bench-1")
        refused("an empty file", option, "", ":1: ")
        refused("a file that is cut off", option, '{"schema": "vkdml-bench-1",\n "results": [', ":2: ")
        for what, row in {"a row that is null": None, "a row that is a number": 7, "a row that is an array": []}.items():
            refused(what, option, {"schema": "vkdml-bench-1", "results": [row]}, "results[0] must be an object")
    texts, numbers = {"name", "group", "type", "peak", "peer"}, {"ms", "bytes", "gbps", "ratio", "ms_p10", "ms_host"}
    for option, file in (("--from", run), ("--compare", run), ("--peers", peers)):
        whole = {"schema": "vkdml-bench-1", "results": [copy.deepcopy(file["results"][0])] * 2}
        for field in sorted((texts | numbers | {"size"}) & set(whole["results"][0])):
            if field not in ("ms_p10", "ms_host") and (option != "--peers" or field in ("name", "peer", "ms")):
                second = {key: value for key, value in whole["results"][1].items() if key != field}
                refused(f"a row without {field}", option, {**whole, "results": [whole["results"][0], second]},
                        f"results[1] has no '{field}'")
                wrong = ("", 3, None, []) if field in texts else ("3", None, -1, True, 1.5) if field == "size" else (
                    "3", None, 0, -1.5, True, {})
                for value in wrong:
                    refused(f"a row whose {field} is {value!r}", option,
                            {**whole, "results": [whole["results"][0], {**second, field: value}]},
                            f"results[1]: '{field}' must be ")
        refused("NaN", option, json.dumps(whole).replace('"ms": ', '"ms": NaN, "ms_p50": '), "'ms' must be a number above 0")


def test_sweep(folder):
    path = os.path.join(folder, "sweep.json")
    lines = []
    some = ("--filter", "activation_*/*")
    operators = len({line.split("/")[0] for line in bench("--list", *some).stdout.splitlines()})
    for seed in ("7", "7", "8"):
        result = bench(*QUICK, "--sweep", "2", "--seed", seed, "--bytes", "16KiB", *some, "--json", path)
        if result.returncode:
            tell(False, "a sweep runs", result.stderr)
            return
        lines.append({row["name"]: row["case"] for row in read_json(path)["results"]})
    tell(lines[0] == lines[1] and lines[0] != lines[2] and len(lines[0]) == 2 * operators,
         "a sweep's cases are those of its seed, two of each operator", lines)
    tell("# the slowest 1 %:" in result.stdout and any(f": {line}" in result.stdout for line in lines[2].values()),
         "the slowest are told with their lines", result.stdout)
    groups = re.findall(r"^# +[0-9.]+ +[0-9.]+ +(\d+)  \w+: \d+-bit.* \((\S+)\)$", result.stdout, re.MULTILINE)
    tell(sum(int(count) for count, _ in groups) == len(lines[2]) and {name for _, name in groups} <= set(lines[2]),
         "every case is in one group, told with its slowest", result.stdout)
    path = os.path.join(folder, "large.json")
    result = bench(*QUICK, "--sweep", "2", "--seed", "1", "--bytes", "8MiB", "--filter", "diagonal/", "--json", path)
    large = {row["name"] for row in read_json(path)["results"] if row["bytes"] >= 4 << 20}
    told = re.findall(r"^# [0-9.]+ diagonal: .*; (\S+): DIAGONAL_MATRIX ", result.stdout, re.MULTILINE)
    tell("# the slowest 1 % of those that move 4 MiB and more:" in result.stdout and len(told) == 1 and set(told) <= large,
         "the slowest are those that move much", result.stdout)


def test_latency(folder):
    path = os.path.join(folder, "latency.json")
    result = bench(*QUICK, "--latency", "--filter", "[bdinpv]*/float32/*", "--bytes", "1KiB", "--json", path)
    rows = read_json(path)["latency"]
    tell(result.returncode == 0 and len(rows) > 30 and all(set(row) == documented("Of `latency`:") for row in rows)
         and drawable(path) is None, "latencies have the documented fields", f"{result.stderr}{drawable(path)}")
    # A device of four storage buffers normalizes in two as well. Statistics come before what takes them: where rows do not fit
    # registers, and on processors. Those of one row only have shares, and scales of reductions are multiplied first.
    dispatches = {"nonzero": (2,), "batch_normalization": (1, 2), "normalize": (1, 2, 3, 4, 5), "dynamic_quantize_linear": (4, 5),
                  "batch_normalization_grad": (5, 6, 7), "batch_normalization_training": (5, 6, 7, 8),
                  "batch_normalization_training_grad": (8, 9, 10), "adam_optimizer": (2, 7), "lrn_grad": (1, 5, 6, 7)}
    wrong = [row for row in rows if row["dispatches"] not in dispatches.get(row["name"].split("/")[0], (1,))]
    tell(not wrong, "no operator takes more than one dispatch, but for the few that are known to", wrong)


def test_models(folder):
    path = os.path.join(folder, "models.json")
    model = os.path.join(ROOT, "examples", "models", "graph.json")
    result = bench("--seconds-each", "0", "--repeat", "3", "--json", path, model)
    fields = documented("Of `models`:")
    run = read_json(path) if result.returncode == 0 else {"models": [{}]}
    (row,) = run["models"]
    tell(result.returncode == 0 and set(row) == fields and (row["name"], row["nodes"]) == ("network", 5),
         "a graph is timed as a whole, with the documented fields", f"{set(row) ^ fields}{result.stderr}")
    tell(row["samples"] >= 3 and row["ms_p10"] <= row["ms"] <= row["ms_p90"] and row["ratio"] > 0
         and row["node_by_node_ms_p10"] <= row["node_by_node_ms"] <= row["node_by_node_ms_p90"] and run["results"] == []
         and set(run) == documented("unless `_us`.") - {"peaks", "latency", "host"} | {"schema"}, "and as JSON", run)
    tell(re.search(r"^network +graph( +[0-9.]+){3} +\d+$", result.stdout, re.MULTILINE)
         and re.search(r"^ +node by node( +[0-9.]+){3} +\d+  [0-9.]+$", result.stdout, re.MULTILINE), "in both ways",
         result.stdout)
    tell(row["compile_ms"] > 0 and re.search(r"^# network: compiled in [0-9.]+ with its pipelines made$", result.stdout, re.MULTILINE),
         "compiling it again is timed", result.stdout)
    operator = os.path.join(ROOT, "examples", "models", "identity.json")
    result = bench("--seconds-each", "0", operator)
    tell(result.returncode == 0 and re.search(r"^\w+ +operator( +[0-9.]+){3} +\d+$", result.stdout, re.MULTILINE)
         and "node by node" not in result.stdout, "an operator has no nodes", result.stdout + result.stderr)
    result = bench(write_json(os.path.join(folder, "empty.json"), {"resources": {}, "dispatchables": {}, "commands": []}))
    tell(result.returncode == 1 and "the model dispatches nothing" in result.stderr and not result.stdout,
         "a model without a dispatch is refused", result.stdout + result.stderr)


def test_no_features():
    result = bench(*QUICK, "--no-features", "--filter", "element_wise_add/packed/float16/*", "--bytes", "16KiB")
    tell(result.returncode == 0 and "no feature enabled" in result.stdout.splitlines()[0] and
         re.search(r"^element_wise_add/packed/float16/16KiB +0.05 ", result.stdout, re.MULTILINE) is not None,
         "benchmarks run on a device without features", result.stdout + result.stderr)


def test_host(folder):
    path = os.path.join(folder, "host.json")
    rows = []
    for benchmark in ("identity/transpose", "padding/edge", "diagonal/fill", "nonzero/flat/density1"):
        result = bench("--host", "--filter", f"{benchmark}/float32/*", "--bytes", "1KiB", "--json", path)
        rows += read_json(path)["host"] if result.returncode == 0 else []
    tell(len(rows) == 4 and all(set(row) == documented("Of `host`:") for row in rows) and drawable(path) is None,
         "the host's costs have the documented fields", result.stderr)
    wrong = [row for row in rows if row["descriptor_updates"] or row["allocations"]]
    tell(not wrong, "recording bindings unchanged neither allocates nor updates descriptors", wrong)
    wrong = [row for row in rows if row["commands"] < 4 * row["dispatches"] or row["dispatches"] < 1]
    tell(not wrong, "what a dispatch records is seen", wrong)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if "VKDML_TEST_MAX_CASES" not in os.environ: # what follows from the device alone is tried on each
            test_options()
            test_list()
            test_time()
            path = test_run(folder)
            test_reports(folder, path)
            test_sweep(folder)
        test_models(folder)
        test_latency(folder)
        test_host(folder)
        test_no_features()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
