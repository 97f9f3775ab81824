"""One backend for all generated machine code: a small part of Python, its translation to LLVM and C, and memory."""
