"""How each agent is found, pointed at the scripted model, and started. One row an agent."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.realagents.model import PORT
from tests.realclient.harness import write

URL = f"http://127.0.0.1:{PORT}"
INSTALLED = Path(os.environ.get("HOOKKIT_AGENTS") or Path.home() / ".cache" / "hookkit-agents")


@dataclass(frozen=True)
class Agent:
    """`program` is a glob below the directory of the installed agents; `prepare` writes its own settings."""

    name: str
    program: str
    arguments: tuple[str, ...]
    variables: dict[str, str]
    prepare: Callable[[Path, Path], object]

    def command(self, prompt: str) -> list[str]:
        """The command line, or [] if the agent is not installed. Of several builds, the last runs on every machine."""
        found = sorted((INSTALLED / self.name).glob(self.program))
        node = [shutil.which("node") or ""] if self.program.endswith(".js") else []
        if not found or node == [""]:
            return []
        return [*node, str(found[-1]), *(word.replace("@PROMPT", prompt) for word in self.arguments)]


def codex(home: Path, project: Path) -> None:
    write(
        home / ".codex" / "config.toml",
        f"""model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{URL}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[projects."{project}"]
trust_level = "trusted"
""",
    )


def gemini(home: Path, _: Path) -> None:
    auth = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    write(home / ".gemini" / "settings.json", json.dumps({"security": auth, **quiet}))


def qwen(home: Path, _: Path) -> None:
    auth = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
    quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    write(home / ".qwen" / "settings.json", json.dumps({"security": auth, **quiet}))


def opencode(home: Path, project: Path) -> None:
    """Its look for a newer plugin package goes to the model's port, which has none: else it waits for a minute."""
    models = {"scripted": {"name": "scripted", "limit": {"context": 100000, "output": 8000}}}
    options = {"baseURL": f"{URL}/v1", "apiKey": "key"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models}
    settings = {"model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": False}
    write(project / "opencode.json", json.dumps({**settings, "provider": {"scripted": provider}}))
    write(home / ".npmrc", f"registry={URL}/\nfetch-retries=0\n")


def nothing(_: Path, __: Path) -> None:
    """Variables are enough for this agent."""


AGENTS = (
    Agent(
        "codex",
        "node_modules/@openai/codex-*/vendor/*/bin/codex",
        ("exec", "--dangerously-bypass-hook-trust", "-s", "danger-full-access", "@PROMPT"),
        {"MODEL_KEY": "key"},
        codex,
    ),
    Agent(
        "gemini",
        "node_modules/@google/gemini-cli/bundle/gemini.js",
        ("-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", "@PROMPT"),
        {"GEMINI_API_KEY": "key", "GOOGLE_GEMINI_BASE_URL": URL, "GEMINI_CLI_NO_RELAUNCH": "true"},
        gemini,
    ),
    Agent(
        "copilot",
        "node_modules/@github/copilot-*/copilot",
        ("--allow-all-tools", "--trust-folder", "-p", "@PROMPT"),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
            "COPILOT_PROVIDER_API_KEY": "key",
            "COPILOT_MODEL": "scripted",
            "COPILOT_AUTO_UPDATE": "false",
        },
        nothing,
    ),
    Agent(
        "qwen",
        "node_modules/@qwen-code/qwen-code/cli.js",
        ("--approval-mode", "yolo", "-p", "@PROMPT"),
        {
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": f"{URL}/v1",
            "OPENAI_MODEL": "scripted",
            "QWEN_CODE_NO_RELAUNCH": "true",
        },
        qwen,
    ),
    Agent(
        "opencode",
        "node_modules/opencode-*/bin/opencode",
        ("run", "@PROMPT"),
        {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        opencode,
    ),
)
