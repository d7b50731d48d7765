"""What tools/check_peers.py is made of."""
