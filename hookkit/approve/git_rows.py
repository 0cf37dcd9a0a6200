"""ROWS about git: read-only sub-commands without network access."""

from hookkit.approve.row import DIGITS, NONE, PATTERN, TEXT, Row

_STYLE = (
    " --stat --shortstat --numstat --dirstat --summary --name-only --name-status --patch --no-patch --raw --oneline"
    " --color --no-color --color-words --word-diff --abbrev-commit --no-abbrev-commit --abbrev --minimal --patience"
    " --histogram --text --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines"
    " --ignore-cr-at-eol --function-context --full-index --no-renames --find-renames --find-copies --check --quiet"
    " --exit-code --no-ext-diff --no-textconv --cc --no-prefix --compact-summary --no-relative --relative"
    " --unified --color-moved --submodule --ignore-submodules"
)
_DIFF_VALUES = "GSl --diff-filter --diff-algorithm --inter-hunk-context --word-diff-regex --ws-error-highlight"
_LOG = Row(
    f"-pusbwzcm {DIGITS}{_STYLE} --all --branches --tags --remotes --decorate --no-decorate --graph --reverse --follow"
    " --first-parent --merges --no-merges --date-order --topo-order --author-date-order --full-history"
    " --simplify-merges --no-walk --pickaxe-all --pickaxe-regex --left-right --cherry-pick --cherry --boundary"
    " --no-notes --notes --relative-date --no-mailmap --use-mailmap --parents --children --clear-decorations -iEFP"
    " --invert-grep --all-match --regexp-ignore-case --fixed-strings --extended-regexp --perl-regexp",
    f"-nL{_DIFF_VALUES} --max-count --skip --since --after --until --before --author --committer --grep --format"
    " --pretty --date --decorate-refs --encoding",
    optional="-U",
    check="git",
)
_SHOW = Row(
    f"-pusbwzcm {DIGITS}{_STYLE} --decorate --no-decorate --no-notes",
    f"-n{_DIFF_VALUES} --format --pretty --date --encoding",
    optional="-U",
    check="git",
)
_DIFF = Row(
    f"-pusbwzacMCBDRW {DIGITS}{_STYLE} --cached --staged --merge-base",
    f"-I{_DIFF_VALUES} --ignore-matching-lines",
    optional="-U",
    check="git",
)

ROWS = {
    "git status": Row("-sbuzv --short --branch --porcelain --long --show-stash --ahead-behind --no-ahead-behind"
                      " --ignored --renames --no-renames --verbose --untracked-files --no-column", check="git"),
    "git log": _LOG,
    "git show": _SHOW,
    "git diff": _DIFF,
    "git whatchanged": _LOG,
    "git shortlog": Row("-sne --summary --numbered --email --all --no-merges", "--since --until --author",
                        check="git"),
    "git blame": Row("-bclltfnsewCM --show-email --show-name --show-number --root --line-porcelain --porcelain"
                     " --abbrev", "-L --since --date", check="git"),
    "git branch": Row("-arvi --all --remotes --list --verbose --show-current --no-color --color --ignore-case",
                      "--sort --format --contains --no-contains --merged --no-merged --points-at", operands=TEXT,
                      check="git list"),
    "git tag": Row("-ln --list --no-color", "--sort --format --contains --merged --points-at", operands=TEXT,
                   check="git list"),
    "git remote": Row("-v --verbose", operands=NONE, check="git"),
    "git remote show": Row(operands=NONE, check="git"),
    "git remote get-url": Row("--all --push", operands=TEXT, check="git"),
    "git config": Row("--get --get-all --global --local --show-origin --show-scope", operands=TEXT, most=1,
                      check="git config"),
    "git diff-tree": Row("-cmprtvz --cc --name-only --name-status --no-commit-id --no-ext-diff --no-textconv --numstat"
                         " --raw --root --stat --summary", check="git"),
    "git rev-parse": Row("--show-toplevel --abbrev-ref --short --verify --quiet -q --is-inside-work-tree --git-dir"
                         " --show-prefix --show-cdup --symbolic-full-name --git-common-dir --absolute-git-dir --all"
                         " --is-bare-repository --is-shallow-repository --show-superproject-working-tree", check="git"),
    "git rev-list": Row("--count --all --no-merges --merges --first-parent --left-right --reverse --objects",
                        "-n --max-count --since --until --author", check="git"),
    "git ls-files": Row("-cdmostuvz --cached --deleted --modified --others --stage --unmerged --exclude-standard"
                        " --error-unmatch --full-name --directory", "-x --exclude", check="git"),
    "git ls-tree": Row("-rdtlz --name-only --name-status --full-name --full-tree --long", check="git"),
    "git grep": Row(f"-iInvwlLcEFGPhHopWaz {DIGITS} --ignore-case --line-number --count --files-with-matches"
                    " --name-only --cached --word-regexp --fixed-strings --extended-regexp --perl-regexp --heading"
                    " --break --show-function --function-context --untracked --and --or --not --all-match",
                    "-eABCm --max-depth --threads", operands=PATTERN, check="git"),
    "git describe": Row("--tags --all --always --long --dirty --exact-match --contains --first-parent --abbrev",
                        "--match --exclude --candidates", check="git"),
    "git merge-base": Row("-a --all --is-ancestor --octopus --independent --fork-point", check="git"),
    "git name-rev": Row("--tags --name-only --all --always", "--refs", check="git"),
    "git show-ref": Row("-dsq --heads --tags --head --hash --dereference --verify --quiet", check="git"),
    "git for-each-ref": Row("--omit-empty --ignore-case",
                            "--format --sort --count --contains --points-at --merged --no-merged", check="git"),
    "git cat-file": Row("-tsep", check="git"),
    "git count-objects": Row("-vH --verbose --human-readable", operands=NONE, check="git"),
    "git check-ignore": Row("-vnqz --verbose --non-matching --no-index", check="git"),
    "git stash list": Row(f"-p {DIGITS} --stat --oneline", "-n --format", operands=NONE, check="git"),
    "git stash show": Row("-pu --patch --stat --name-only --include-untracked", check="git"),
    "git worktree list": Row("-vz --verbose --porcelain", operands=NONE, check="git"),
    "git reflog": Row(f"{DIGITS} --all --oneline --no-abbrev", "-n --date --max-count", operands=NONE, check="git"),
    "git version": Row("--build-options", operands=NONE),
}  # fmt: skip
