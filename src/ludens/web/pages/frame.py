"""What all pages share: the head with its links, and how they look."""

from __future__ import annotations

from html import escape

from nicegui import ui

LINKS = (("/", "Games"), ("/watch", "Watch"), ("/write", "Write"))
LOGO = (
    '<svg width="30" height="30" viewBox="0 0 30 30" aria-hidden="true">'
    '<rect x="1" y="1" width="28" height="28" rx="7" fill="#a5521c"/><g fill="#f6e7cf">'
    '<rect x="6" y="6" width="8" height="8" rx="2"/><rect x="16" y="16" width="8" height="8" rx="2"/></g>'
    '<circle cx="20" cy="10" r="4" fill="#23201a"/><circle cx="10" cy="20" r="4" fill="#fff"/></svg>'
)
FAVICON = LOGO.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')


def head(current: str, version: str) -> None:
    """Begin a page."""
    ui.add_head_html(f'{_style(version)}<script src="/look/ludens.js?{version}"></script>')
    ui.html(_links(current), sanitize=False, tag="header").classes("top")


def missing_page(version: str) -> str:
    """What is shown at addresses where there is nothing."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>ludens: no such page</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{_style(version)}</head>'
        f'<body style="margin: 0"><header class="top">{_links("")}</header><section class="wrap" id="main">'
        '<h1>There is no such page</h1><p><a href="/">All games</a></p></section></body></html>'
    )


def _style(version: str) -> str:
    return f'<link rel="stylesheet" href="/look/ludens.css?{version}">'


def _links(current: str) -> str:
    links = "".join(
        f'<a href="{path}"{" aria-current=page" if path == current else ""}>{escape(name)}</a>' for path, name in LINKS
    )
    return (
        f'<a class="skip" href="#main">to the content</a><a class="brand" href="/">{LOGO} ludens</a><nav>{links}</nav>'
    )
