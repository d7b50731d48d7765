"""The table that tools/bench/networks.py prints, and that tools/docs/performance_page.py writes of its run."""

HEADER = ["network", "type", "nodes", "fused ms", "node by node", "temporary MiB", "naive", "compile ms", "again"]
PEERS = {"torch_ms": "PyTorch", "torch_compile_ms": "compiled", "onnx_ms": "ONNX Runtime, CPU"}


def short(value):
    """Some three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(value, base):
    return f"{value / base:.2f}x"


def row(result):
    """Runs from before fused and node by node took turns have no ratio of their own."""
    fused, temporary = result["fused_ms"], result["fused_bytes"]
    ratio = result.get("nodes_ratio", result["nodes_ms"] / fused)
    return [result["network"], result["type"], str(result["nodes"]), short(fused), times(ratio, 1),
            short(temporary / 2**20), times(result["naive_bytes"], temporary) if temporary else "", short(result["cold_ms"]),
            short(result["warm_ms"])]


def beside(result, peers):
    return [times(result[peer], result["fused_ms"]) if result.get(peer) else "not measured" for peer in peers]


def table(run):
    """Columns of peers that were not timed at all are left out."""
    results = run["results"]
    peers = [peer for peer in PEERS if any(result.get(peer) for result in results)]
    rows = [HEADER + [PEERS[peer] for peer in peers], *(row(result) + beside(result, peers) for result in results)]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]) + "\n"
