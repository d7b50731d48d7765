"""What tools/check_peers.py is made of, and of tools/bench_peers.py what it times of PyTorch (torch_timed.py, torch_windows.py)."""
