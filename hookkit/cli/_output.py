"""What the people's commands share in printing: a verdict looks the same everywhere, with colour or without."""

import json
import os
from typing import Any, NoReturn

import typer
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from hookkit.settings import layers
from hookkit.system import files

NOTHING = "-"
STYLES = {
    "deny": "bold red",
    "ask": "bold yellow",
    "allow": "bold green",
    "unsure": "bold yellow",
    "error": "bold red",
    "rewrite": "cyan",
    "modify": "cyan",
    "none": "dim",
    NOTHING: "dim",
}
LONGEST = 200
PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)}  # ESC is shown as \u241b
HIGHEST = 2**62  # of a row's number: a database holds no larger ones


def plain(text: str) -> str:
    """An agent's command may hold what a terminal would obey, or cannot be told; here it is only shown."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else PICTURES.get(char, "\ufffd") for char in text)


class Shown:
    """Whatever is printed, made plain at the last moment, so that no place can forget to."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self.inner = inner

    def __rich_console__(self, out: Console, options: ConsoleOptions) -> RenderResult:
        for segment in out.render(self.inner, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


class _Plain(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [Shown(renderable) for renderable in renderables]


def console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr, highlight=False)
    made.push_render_hook(_Plain())
    return made


def stop(message: object) -> NoReturn:
    """Bad usage, or a file that cannot be read: said on stderr, whole and unwrapped."""
    console(stderr=True).print(str(message), style="red", markup=False, soft_wrap=True)
    raise typer.Exit(2)


def echo_json(value: Any) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    typer.echo(text.encode("utf-8", "backslashreplace").decode())


def verdict(name: str | None) -> Text:
    name = name or "none"
    return Text(name, STYLES.get(name, ""))


def short(text: str, longest: int = LONGEST) -> str:
    """One line, not too long."""
    line = " ".join(text.split("\n"))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def head(text: str, lines: int = 3) -> str:
    """The first lines; a summary is no place for whole documents."""
    kept = [line for line in text.strip().splitlines() if line.strip()]
    return "\n".join(kept[:lines]) + (f"\n… {len(kept) - lines} more lines" if len(kept) > lines else "")


def given(args: str) -> Any:
    """A tool's arguments as a person writes them: a JSON object is the whole input, other text the tool's subject."""
    try:
        value = json.loads(args)
    except (ValueError, RecursionError):
        return args
    return value if isinstance(value, dict) else args


class Here:
    """The settings where you are, and short names for the places that rules come from."""

    def __init__(self) -> None:
        self.environ = dict(os.environ)
        self.cwd = os.getcwd()
        self.project = files.repository(self.cwd)
        self.settings = layers.load(self.cwd, self.environ)
        self.layers = {path: layer for layer, path in layers.layers(self.project, self.environ)}
        self.layers.update({path: "genesis" for path in self.layers if path.endswith(layers.GENESIS)})

    def layer(self, rule: dict[str, Any]) -> str:
        """The layer that a rule stands in; of what is no layer, its own name."""
        source = str(rule.get("source", ""))
        return self.layers.get(source) or ("actors" if source.startswith("actors.") else self.path(source))

    def rule(self, rule: dict[str, Any]) -> Text:
        """A rule for people: its pattern, where it comes from, whom it is about."""
        who = f" for {', '.join(rule['actors'])}" if rule.get("actors") else ""
        return Text.assemble(rule.get("match", "*"), (f"  {self.layer(rule)}{who}", "dim"))

    def path(self, path: str) -> str:
        """A path as a person here would write it."""
        home = files.home(self.environ)
        if path == self.cwd:
            return "."
        for root, name in ((self.project, ""), (home, "~/")):
            if root and path.startswith(root.rstrip("/") + "/"):
                return name + path[len(root.rstrip("/")) + 1 :]
        return path

    def warn(self, out: Console) -> None:
        """What of the settings is not in force, and why: an answer without it would be half of one."""
        for said in self.settings.broken:
            out.print(f"left out {said}", style="red", markup=False, soft_wrap=True)
        for path in self.settings.untrusted:
            said = f"{self.path(path)} is not trusted yet: it can only make things stricter."
            out.print(f"{said} Read it, then run: hookkit trust", style="yellow", markup=False, soft_wrap=True)


def rule_row(rule: dict[str, Any], here: Here) -> dict[str, Any]:
    """A rule for machines: as it was written, with its layer and file."""
    return {**rule, "layer": here.layer(rule)}
