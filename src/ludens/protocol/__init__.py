"""What players and game servers say to each other: messages and replies as values, and as text.

Nothing here reads or writes a network; `read_message` and the functions of `replies` take any text and either
understand it or raise a `MessageError` that says what is wrong.
"""

from ludens.protocol.messages import Abort, Info, Message, Percepts, Ping, Play, Preview, Start, Stop
from ludens.protocol.reader import MAX_MESSAGE_BYTES, read_message
from ludens.protocol.replies import (
    ABORTED,
    BUSY,
    DONE,
    READY,
    InfoReply,
    info_text,
    move_text,
    ping_text,
    read_info,
    read_move,
)
from ludens.protocol.writer import write_message

__all__ = [
    "ABORTED",
    "BUSY",
    "DONE",
    "MAX_MESSAGE_BYTES",
    "READY",
    "Abort",
    "Info",
    "InfoReply",
    "Message",
    "Percepts",
    "Ping",
    "Play",
    "Preview",
    "Start",
    "Stop",
    "info_text",
    "move_text",
    "ping_text",
    "read_info",
    "read_message",
    "read_move",
    "write_message",
]
