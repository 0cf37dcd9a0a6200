# Sourced by scripts/try and scripts/test: a .venv with hookkit in it, made once and kept up to date.

make_venv() { # make_venv [EXTRA]
  local extra=${1:+[$1]} stamp=.venv/.hookkit${1:+-$1}
  if [ -e .venv/.place ] && [ "$(cat .venv/.place)" != "$PWD" ]; then
    rm -rf .venv # made by us, and moved or copied since: its paths lead elsewhere
  fi
  if [ ! -x .venv/bin/python ]; then
    local python
    python=$(find_python) || { echo "hookkit needs Python 3.10 or newer on PATH" >&2; exit 1; }
    "$python" -m venv .venv 2>/dev/null || {
      rm -rf .venv
      echo "$python cannot make a virtual environment: install its venv package (Debian: python3-venv)" >&2
      exit 1
    }
  fi
  # Installed again only when what it depends on has changed.
  if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || [ scripts/hookkit -nt "$stamp" ]; then
    echo "Installing hookkit$extra into .venv ..." >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".$extra"
    mend_launcher
    printf '%s' "$PWD" >.venv/.place
    touch "$stamp"
  fi
}

# With a blank in the path pip writes a first line that no kernel can run: let the shell find the interpreter.
mend_launcher() {
  case $PWD in
    *" "*) ;;
    *) return 0 ;;
  esac
  {
    echo '#!/bin/sh'
    echo "'''exec' \"$PWD/.venv/bin/python\" \"\$0\" \"\$@\""
    echo "' '''"
    tail -n +2 .venv/bin/hookkit
  } >.venv/launcher
  chmod +x .venv/launcher
  mv .venv/launcher .venv/bin/hookkit
}

find_python() {
  local name
  for name in python3 python3.13 python3.12 python3.11 python3.10; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}
