"""What tools/check/peers/compare.py is made of, and of tools/bench/peers.py what it times of PyTorch (torch_timed.py, torch_windows.py)."""
