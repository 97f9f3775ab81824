"""The browser interface: a gallery of games, pages to play on, matches to watch, and an editor for rule sheets.

The server itself never evaluates rules. Each page that needs them has a process of its own (`page_processes`, `child`),
which is bounded in time and memory; what it sends is shown by `pages`.
"""
