"""Tools that several agents share: the name and the fields that hookkit knows for each."""

from hookkit.dialects._reading import ACTION, DIRECTORY, PATCH, PATHS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.dialects._reading import Tools

FILE = {"path": "file_path", "absolute_path": "file_path", "filePath": "file_path"}
TEXTS = {"old_str": "old_string", "new_str": "new_string", "oldString": "old_string", "newString": "new_string",
         "old_text": "old_string", "new_text": "new_string", "file_text": "content"}  # fmt: skip
SHELL = {"cmd": "command", "dir_path": DIRECTORY, "directory": DIRECTORY, "workdir": DIRECTORY}
EDITOR = {**FILE, **TEXTS, "command": ACTION, "input": PATCH, "patch": PATCH}

# Gemini CLI's tools; Qwen Code began as a copy of it.
GEMINI: "Tools" = {
    "run_shell_command": ("Bash", SHELL),
    "read_file": ("Read", FILE),
    "read_many_files": ("Read", {"paths": PATHS, "include": PATHS, "files": PATHS}),
    "write_file": ("Write", FILE),
    "replace": ("Edit", FILE),
    "glob": ("Glob", {"dir_path": "path"}),
    "grep_search": ("Grep", {"dir_path": "path"}),
    "search_file_content": ("Grep", {"dir_path": "path"}),
    "list_directory": ("LS", {"dir_path": "path"}),
    "web_fetch": ("WebFetch", {}),
    "google_web_search": ("WebSearch", {}),
    "write_todos": ("TodoWrite", {}),
    "activate_skill": ("Skill", {"name": "skill"}),
}
