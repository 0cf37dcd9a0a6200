"""Git: shared history, uncommitted work, programs run by git."""

from hookkit.policy.base.table import each, rules

_HELP = "Bash(git * -h *)\nBash(git * --version *)\n"
_FILES = "This replaces files by a committed version; other changes in them are lost."
_PUSH = "Bash(git push -n *)"
_OLD = each("Bash(* --prune=*{}* *)\nBash(* --expire=*{}* *)", "never day week month year")
_ADDRESS = "clone fetch pull ls-remote push remote submodule"

RULES = [
    *rules("git.force-push-main", "deny", "This overwrites the main branch on the server and loses the work of others.",
           each("""
           Bash(git push --force * {} *)
           Bash(git push --force * *:{} *)
           Bash(git push --force * */{} *)
           Bash(git push * +{} *)
           Bash(git push * +*:{} *)
           Bash(git push * +*/{} *)
           """, "main master"), instead="git push --force-with-lease", unless=_PUSH),
    *rules("git.delete-main", "deny", "This deletes the main branch on the server.",
           each("Bash(git push --delete * {} *)\nBash(git push * :{} *)\nBash(git push * :*/{} *)", "main master"),
           unless=_PUSH),
    *rules("git.force-push", "ask", "This rewrites history that others may have pulled.", """
        Bash(git push --force *)
        Bash(git push * +* *)
        Bash(git http-push --force *)
        """, instead="git push --force-with-lease", unless=_PUSH),
    *rules("git.rewrite-main", "ask", "This rewrites the history of the main branch, which others may have pulled.",
           each("Bash(git push --force-with-lease * {} *)\nBash(git push --force-with-lease * *:{} *)", "main master"),
           unless=_PUSH),
    *rules("git.delete-remote-branch", "ask", "This deletes a branch or a tag on the server.",
           "Bash(git push --delete *)\nBash(git push * :* *)", unless=_PUSH),
    *rules("git.mirror-push", "ask", "This deletes every branch and tag on the server that is not here.", """
        Bash(git push --mirror *)
        Bash(git push --prune *)
        """, unless=_PUSH),
    *rules("git.rewrite-history", "ask", "This rewrites the commits of whole branches.", """
        Bash(git filter-branch *)
        Bash(git filter-repo *)
        Bash(git-filter-repo *)
        Bash(bfg *)
        Bash(git fast-import --force *)
        Bash(git lfs migrate *)
        """, unless=f"{_HELP}Bash(* --analyze *)"),
    *rules("git.discard-changes", "ask", "This throws away changes that are not committed.", """
        Bash(git reset --hard *)
        Bash(git reset --merge *)
        Bash(git checkout -- *)
        Bash(git checkout .)
        Bash(git checkout ./**)
        Bash(git checkout :/*)
        Bash(git checkout */)
        Bash(git checkout * .)
        Bash(git checkout -f *)
        Bash(git checkout --pathspec-from-file=* *)
        Bash(git checkout --pathspec-from-file *)
        Bash(git switch -f *)
        Bash(git restore --worktree *)
        Bash(git read-tree --reset *)
        Bash(git read-tree -u *)
        Bash(git checkout-index -f *)
        Bash(git submodule deinit -f *)
        Bash(git submodule update --force *)
        Bash(git worktree remove --force *)
        """, instead="git stash", unless=_HELP),
    *rules("git.discard-files", "ask", _FILES, "Bash(git checkout * *\\** *)\nBash(git checkout ** ** *)",
           instead="git stash",
           unless=_HELP + each("Bash(git checkout {} *)", "--ours --theirs -b --track --orphan")),
    *rules("git.discard-files", "ask", _FILES, "Bash(git restore *)", instead="git stash",
           unless=f"{_HELP}Bash(* --staged *)"),
    *rules("git.remove-all", "ask", "This deletes every tracked file of the project.",
           each("Bash(git rm * {} *)", ". ./ :/ \\* ./\\*"), instead="git rm --cached",
           unless=f"{_HELP}Bash(* --cached *)\nBash(* -n *)"),
    *rules("git.clean", "ask", "This deletes files that git does not track and cannot bring back.",
           "Bash(git clean -f *)", instead="git clean -n",
           unless=f"{_HELP}Bash(* -n *)"),
    *rules("git.delete-stash", "ask", "This deletes stashed work.", "Bash(git stash drop *)\nBash(git stash clear *)",
           unless=_HELP),
    *rules("git.delete-branch", "ask", "This deletes a branch, even if no other branch has its commits.",
           "Bash(git branch -D *)\nBash(git update-ref -d *)\nBash(git symbolic-ref -d *)", instead="git branch -d",
           unless=_HELP),
    *rules("git.move-branch", "ask", "This moves a branch; commits that only this branch has are lost.", """
        Bash(git checkout -B * *)
        Bash(git switch -C * *)
        Bash(git branch -f *)
        Bash(git update-ref refs/heads/* *)
        Bash(git fetch * +*:refs/heads/* *)
        """, unless=f"{_HELP}Bash(git branch -m *)"),
    *rules("git.delete-commits", "ask", "This deletes commits and files that git could still bring back.", """
        Bash(git reflog expire *)
        Bash(git reflog delete *)
        Bash(git gc --prune=* *)
        Bash(git -c gc.pruneExpire=* gc *)
        Bash(git prune --expire=* *)
        Bash(git prune --expire *)
        Bash(git prune)
        """, unless=f"{_HELP}Bash(git prune -n *)\nBash(git reflog expire -n *)\n{_OLD}"),
    *rules("git.run-by-config", "ask", "This makes git run a program on later commands.", """
        Bash(git config * core.sshCommand *)
        Bash(git config * core.fsmonitor *)
        Bash(git config * core.gitProxy *)
        Bash(git config * core.askPass *)
        Bash(git config * gpg.program *)
        Bash(git config * diff.external *)
        Bash(git config * uploadpack.packObjectsHook *)
        Bash(git config * filter.*.clean *)
        Bash(git config * filter.*.smudge *)
        Bash(git config * alias.* !*)
        Bash(git config * credential.helper !*)
        """, unless=each("Bash(git config {} *)", "--get --get-all --unset --unset-all")
           + each("Bash(git config core.fsmonitor {})", "true false")),
    *rules("git.global-config", "ask", "This changes the git settings of every repository on the machine.",
           "Bash(git config --global *)\nBash(git config --system *)", instead="git config",
           unless=each("Bash(* {} *)", "--get --get-all --get-regexp --list -l") + """
        Bash(git config **)
        Bash(git config get *)
        Bash(git config list *)
        """),
    *rules("git.run-program", "ask", "This makes git run a program that the line names.",
           each("Bash(git {} --upload-pack *)\nBash(git {} --upload-pack=* *)\nBash(git {} --exec=* *)",
                "fetch clone pull ls-remote fetch-pack archive")
           + each("Bash(git {} * ext::* *)", _ADDRESS) + """
        Bash(git push --receive-pack *)
        Bash(git push --receive-pack=* *)
        Bash(git push --exec=* *)
        Bash(git grep --open-files-in-pager *)
        """, unless=_HELP),
]  # fmt: skip
