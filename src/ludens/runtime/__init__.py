"""How work is run, bounded and cancelled: deadlines, child processes, caches on disk, kernels and their warm-up."""
