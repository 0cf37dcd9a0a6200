"""mkdocs calls this for every page: links to files beside docs/ (LICENSE, examples/) become links to the repository."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
OUTSIDE = re.compile(r"\]\(((?:\.\./)+)([^)#]+)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """A link that leaves docs/ is checked here, since mkdocs cannot see its target."""

    def repaired(match: re.Match[str]) -> str:
        target = (ROOT / "docs" / page.file.src_uri).parent / (match[1] + match[2])
        path = target.resolve()
        if path.is_relative_to(ROOT / "docs") or not path.exists():
            return match[0]  # inside of docs/, or broken: mkdocs says so
        return f"]({config['repo_url']}/blob/main/{path.relative_to(ROOT)}"

    return OUTSIDE.sub(repaired, markdown)
