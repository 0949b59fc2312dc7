"""The frame around the stand-in's pages, which need no script and load nothing."""

from html import escape

from starlette.responses import HTMLResponse

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;"
    "color:#1d1c1d}form{margin:1.5rem 0}button{font:inherit;padding:.5rem 1.2rem;margin-right:"
    ".6rem;border:1px solid #888;border-radius:4px;background:#fff}button.yes{background:#007a5a;"
    "border-color:#007a5a;color:#fff}article{border-top:1px solid #ddd;padding:.6rem 0}"
    "pre{white-space:pre-wrap;font:inherit}small{color:#555}"
)
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def build_page(title: str, body: str, *, status: int = 200) -> HTMLResponse:
    """A page; the body is HTML and has been escaped by who wrote it."""
    name = escape(title)
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{STYLE}</style></head><body><h1>{name}</h1>{body}</body></html>"
    )
    return HTMLResponse(html, status, headers=HEADERS)
