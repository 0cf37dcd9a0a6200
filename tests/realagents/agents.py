"""How each agent is found, pointed at the scripted model, and started. One row an agent."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.realagents.model import PORT
from tests.realclient.harness import write

URL = f"http://127.0.0.1:{PORT}"
INSTALLED = Path(os.environ.get("HOOKKIT_AGENTS") or Path.home() / ".cache" / "hookkit-agents")


@dataclass(frozen=True)
class Agent:
    """`program` is a glob below the directory of the installed agents; `prepare` writes its own settings.

    `login` are arguments for a first call of the program. `prompts` says that a run without a person sends prompts to
    hooks, `survives` that the session goes on after a deny.
    """

    name: str
    program: str
    arguments: tuple[str, ...]
    variables: dict[str, str]
    prepare: Callable[[Path, Path], object]
    login: str = ""
    prompts: bool = True
    survives: bool = True
    scope: str = ""  # of `init`, if not the project: where a project's hooks need a person's trust

    def command(self, prompt: str) -> list[str]:
        """The command line, or [] if the agent is not installed. Of several builds, the last runs on every machine."""
        found = sorted((INSTALLED / self.name).glob(self.program))
        if not found:
            return []
        own = sorted((INSTALLED / self.name).glob("node_modules/node-*/bin/node"))
        node = [str(own[0]) if own else "node"] if self.program.endswith(("js", "mjs")) else []
        if self.login:
            node = ["sh", "-c", f'"$0" {self.login} && exec "$0" "$@"']
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


def settings(path: Path, values: dict[str, object]) -> None:
    """Add values to a settings file, which may hold hooks."""
    write(path, json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **values}))


def gemini(home: Path, _: Path) -> None:
    auth = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    settings(home / ".gemini" / "settings.json", {"security": auth, **quiet})


def qwen(home: Path, _: Path) -> None:
    auth = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
    quiet = {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    settings(home / ".qwen" / "settings.json", {"security": auth, **quiet})


def opencode(home: Path, project: Path) -> None:
    """Its look for a newer plugin package goes to the model's port, which has none: else it waits for a minute."""
    models = {"scripted": {"name": "scripted", "limit": {"context": 100000, "output": 8000}}}
    options = {"baseURL": f"{URL}/v1", "apiKey": "key"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models}
    settings = {"model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": False}
    write(project / "opencode.json", json.dumps({**settings, "provider": {"scripted": provider}}))
    write(home / ".npmrc", f"registry={URL}/\nfetch-retries=0\n")


def droid(home: Path, _: Path) -> None:
    model = {"model": "scripted", "displayName": "scripted", "baseUrl": f"{URL}/v1", "apiKey": "key"}
    model |= {"provider": "generic-chat-completion-api"}
    write(home / ".factory" / "settings.json", json.dumps({"customModels": [model]}))


def kimi(home: Path, _: Path) -> None:
    """Its own settings go before the hooks that `init` has added to the same file."""
    path = home / ".kimi-code" / "config.toml"
    hooks = path.read_text() if path.exists() else ""
    write(
        path,
        f"""default_model = "scripted"
telemetry = false
[providers.scripted]
type = "openai"
base_url = "{URL}/v1"
api_key = "key"
[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
{hooks}""",
    )


def vibe(home: Path, _: Path) -> None:
    write(
        home / ".vibe" / "config.toml",
        f"""active_model = "scripted"
enable_telemetry = false
enable_update_checks = false
[[providers]]
name = "scripted"
api_base = "{URL}/v1"
api_key_env_var = "MODEL_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "scripted"
provider = "scripted"
alias = "scripted"
""",
    )


def grok(home: Path, _: Path) -> None:
    write(
        home / ".grok" / "config.toml",
        f"""[cli]
auto_update = false
[features]
telemetry = false
[models]
default = "scripted"
[model.scripted]
model = "scripted"
base_url = "{URL}/v1"
name = "scripted"
api_key = "key"
context_window = 128000
""",
    )


def kilo(home: Path, project: Path) -> None:
    opencode(home, project)
    (project / "opencode.json").rename(project / "kilo.json")


def pi(home: Path, _: Path) -> None:
    model = {"id": "scripted", "contextWindow": 128000, "maxTokens": 8192}
    provider = {"baseUrl": f"{URL}/v1", "api": "openai-completions", "apiKey": "key", "models": [model]}
    write(home / ".pi" / "agent" / "models.json", json.dumps({"providers": {"scripted": provider}}))


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
    Agent(
        "droid",
        "node_modules/@factory/cli-*/bin/droid",
        ("exec", "--skip-permissions-unsafe", "-m", "custom:scripted", "@PROMPT"),
        {"FACTORY_API_KEY": "fk-key", "FACTORY_API_BASE_URL": URL, "DROID_DISABLE_AUTO_UPDATE": "1"},
        droid,
        prompts=False,
    ),
    Agent(
        "kimi",
        "node_modules/@moonshot-ai/kimi-code/dist/main.mjs",
        ("-p", "@PROMPT"),
        {},
        kimi,
    ),
    Agent(
        "cline",
        "node_modules/@cline/cli-*/bin/cline",
        ("--json", "@PROMPT"),
        {"CLINE_TELEMETRY_DISABLED": "1", "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": f"{URL}/v1"},
        nothing,
        login=f"auth --provider openai-compatible --apikey key --modelid scripted --baseurl {URL}/v1",
        prompts=False,
        survives=False,
    ),
    Agent(
        "vibe",
        "bin/vibe",
        ("--trust", "--auto-approve", "-p", "@PROMPT"),
        {"MODEL_KEY": "key", "MISTRAL_API_KEY": "key"},
        vibe,
        prompts=False,
    ),
    Agent(
        "grok",
        "node_modules/@xai-official/grok-*/bin/grok",
        ("-m", "scripted", "--always-approve", "--trust", "--disable-web-search", "-p", "@PROMPT"),
        {"XAI_API_KEY": "key", "GROK_MODELS_BASE_URL": f"{URL}/v1", "GROK_TELEMETRY_ENABLED": "0"},
        grok,
        prompts=False,
    ),
    Agent(
        "kilo",
        "node_modules/@kilocode/cli-*/bin/kilo",
        ("run", "--auto", "@PROMPT"),
        {
            "KILO_DISABLE_AUTOUPDATE": "1",
            "KILO_DISABLE_MODELS_FETCH": "1",
            "KILO_DISABLE_LSP_DOWNLOAD": "1",
            "KILO_TELEMETRY_LEVEL": "off",
            "KILO_DISABLE_SESSION_INGEST": "1",
            "KILO_DISABLE_CODEBASE_INDEXING": "1",
            "KILO_API_URL": URL,
            "KILO_DISABLE_PRESENCE": "1",
        },
        kilo,
    ),
    Agent(
        "pi",
        "node_modules/@earendil-works/pi-coding-agent/dist/cli.js",
        ("--provider", "scripted", "--model", "scripted", "--mode", "json", "-p", "@PROMPT"),
        {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"},
        pi,
        scope="user",
    ),
    Agent(
        "goose",
        "node_modules/@aaif/goose-binary-*/bin/goose",
        ("run", "--with-builtin", "developer", "-t", "@PROMPT"),
        {
            "GOOSE_PROVIDER": "openai",
            "GOOSE_MODEL": "scripted",
            "OPENAI_API_KEY": "key",
            "OPENAI_HOST": URL,
            "OPENAI_BASE_PATH": "v1/chat/completions",
            "GOOSE_MODE": "auto",
            "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_TELEMETRY_ENABLED": "false",
        },
        nothing,
        prompts=False,
    ),
)
