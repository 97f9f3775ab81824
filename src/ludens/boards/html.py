"""Pictures as HTML for notebooks: the SVG, with its caption."""

from __future__ import annotations

from html import escape

from ludens.boards.picture import Picture
from ludens.boards.svg import to_svg
from ludens.printable import printable


def to_html(picture: Picture) -> str:
    """One element with the picture, and its caption below."""
    caption = f"<figcaption>{escape(printable(picture.caption))}</figcaption>" if picture.caption else ""
    return f'<figure style="margin: 0; max-width: 100%; overflow-x: auto">{to_svg(picture)}{caption}</figure>'
