"""The browser interface: a gallery of games, tables to play at, matches to watch, and an editor for rule sheets.

The server itself never evaluates rules. Each page that needs them has a process of its own (`tables`, `child`), which
is bounded in time and memory; what it sends is shown by `pages`.
"""
