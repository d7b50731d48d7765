"""The table that tools/bench/networks.py prints, and that tools/docs/performance_page.py writes of its run."""

HEADER = ["network", "type", "nodes", "fused ms", "node by node", "temporary MiB", "naive", "compile ms", "again", "PyTorch"]


def short(value):
    """Some three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(value, base):
    return f"{value / base:.2f}x"


def row(result):
    fused, temporary = result["fused_ms"], result["fused_bytes"]
    return [result["network"], result["type"], str(result["nodes"]), short(fused), times(result["nodes_ms"], fused),
            short(temporary / 2**20), times(result["naive_bytes"], temporary) if temporary else "", short(result["cold_ms"]),
            short(result["warm_ms"]), times(result["torch_ms"], fused) if result.get("torch_ms") else "not measured"]


def table(run):
    lines = ["| " + " | ".join(cells) + " |" for cells in [HEADER, *map(row, run["results"])]]
    return "\n".join([lines[0], "|---" * len(HEADER) + "|", *lines[1:]]) + "\n"
