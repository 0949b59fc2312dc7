"""Reports: Markdown with numbered citations becomes one self-contained HTML file."""
