"""The guards of a session: settings, hooks, hookkit itself, the record of commands."""

from hookkit.policy.base.table import each, rules

_SETTINGS = (
    ".claude/settings*.json ~/.claude/settings*.json .claude/hooks/* ~/.claude/hooks/* hookkit.toml hookkit.local.toml"
    " ~/.config/hookkit/* /etc/hookkit/* .mentu/genesis.key ~/.codex/config.toml .codex/config.toml .cursor/hooks.json"
    " ~/.cursor/hooks.json .gemini/settings.json ~/.gemini/settings.json"
)
_STATE = (
    "//*/bin/hookkit //*/bin/hookkit-hook ~/.local/state/hookkit ~/.local/state/hookkit/* /*/hookkit/trust.json"
    " /*/hookkit/approvals/*"
)
_GIT = ".git/config .git/config.worktree ~/.gitconfig ~/.config/git/config .git/info/attributes"
_HISTORY = "~/.bash_history ~/.zsh_history ~/.local/share/fish/fish_history"
_TOUCHES = "Write|Edit({})\nDelete({})"
_NEW = "Bash(mkdir *)"
_DECIDES = "This changes the settings that decide what an agent may do."
_HOOKS = "This changes or removes the repository's git hooks."

RULES = [
    *rules("guard.settings", "ask", _DECIDES, each(_TOUCHES, _SETTINGS)),
    *rules("guard.settings", "ask", _DECIDES, each(_TOUCHES, ".claude ~/.config/hookkit"), unless=_NEW),
    *rules("guard.state", "ask", "This changes what hookkit has written down: approvals, trust, the ledger.",
           each(_TOUCHES, _STATE)),
    *rules("guard.git-hooks", "ask", _HOOKS, each(_TOUCHES, ".git/hooks/*") + "Delete(.husky)\nDelete(.husky/*)"),
    *rules("guard.git-hooks", "ask", _HOOKS, each(_TOUCHES, ".git/hooks"), unless=_NEW),
    *rules("guard.git-config", "ask", "This changes git settings, which can make git run any program.",
           each("Write|Edit({})", _GIT)),
    *rules("guard.hookkit", "ask", "This changes what hookkit trusts, approves or has recorded.", """
        Bash(hookkit trust *)
        Bash(hookkit approve *)
        Bash(hookkit allow-once **)
        Bash(hookkit taint --clear *)
        Bash(hookkit ledger prune *)
        Bash(hookkit ledger repair *)
        Bash(hookkit errors --clear *)
        Bash(hookkit init *)
        Bash(hookkit doctor --fix *)
        """ + each("""
        Bash({} -m hookkit trust *)
        Bash({} -m hookkit approve *)
        Bash({} -m hookkit allow-once **)
        Bash({} -m hookkit taint --clear *)
        Bash({} -m hookkit init *)
        Bash({} -m hookkit uninit *)
        Bash({} */hookkit *)
        """, "python python3")),
    *rules("guard.uninstall", "ask", "This removes or stops hookkit, which guards this session.", """
        Bash(hookkit uninit *)
        Bash(pip uninstall * hookkit *)
        Bash(pip3 uninstall * hookkit *)
        Bash(uv pip uninstall * hookkit *)
        Bash(pipx uninstall hookkit *)
        Bash(uv tool uninstall hookkit *)
        Bash(brew uninstall hookkit *)
        Bash(pkill * hookkit *)
        Bash(killall * hookkit *)
        """),
    *rules("guard.skip-permissions", "ask", "This starts an agent that asks for no permission.", """
        Bash(claude --dangerously-skip-permissions *)
        Bash(claude --permission-mode * bypassPermissions *)
        Bash(claude --permission-mode=bypassPermissions *)
        Bash(codex --dangerously-bypass-approvals-and-sandbox *)
        Bash(codex --yolo *)
        Bash(gemini --yolo *)
        """),
    *rules("guard.no-verify", "ask", "This skips the checks that the repository runs on a commit or a push.",
           each("Bash(git {} --no-verify *)", "commit push merge pull rebase cherry-pick am")),
    *rules("guard.hooks-path", "ask", "This switches the repository's git hooks off, or replaces them.", """
        Bash(git -c core.hooksPath=* *)
        Bash(git config * core.hooksPath *)
        Bash(git config * core.hookspath *)
        """, unless="Bash(git config --get *)"),
    *rules("guard.history", "ask", "This hides or changes the record of commands that were run.",
           each("Write|Edit({})", _HISTORY) + """
        Bash(history -c *)
        Bash(history -d *)
        Bash(unset * HISTFILE *)
        Bash(export HISTFILE=* *)
        Bash(export HISTSIZE=0 *)
        Bash(set +o history)
        """),
]  # fmt: skip
