# Sourced by scripts/try, scripts/test and scripts/install-peers: virtual environments with hookkit in them.

pythons=(3.10 3.11 3.12 3.13 3.14) # the versions that hookkit supports

# make_venv DIRECTORY PYTHON [EXTRA]: made once, installed again when a dependency or the launcher has changed.
make_venv() {
  local venv=$1 python=$2 extra=${3:+[$3]} stamp=$1/.hookkit${3:+-$3}
  if [ -e "$venv/.place" ] && [ "$(cat "$venv/.place")" != "$PWD" ]; then
    rm -rf "$venv" # made by us, and moved or copied since: its paths lead elsewhere
  fi
  if [ ! -x "$venv/bin/python" ]; then
    "$python" -m venv "$venv" >/dev/null 2>&1 || {
      rm -rf "$venv"
      echo "$python cannot make a virtual environment: install its venv package (Debian: python3-venv)" >&2
      return 1
    }
  fi
  if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || [ scripts/hookkit -nt "$stamp" ] || [ scripts/hookkit-hook -nt "$stamp" ]; then
    echo "Installing hookkit$extra into $venv ..." >&2
    install "$venv" ".$extra" || return 1
    mend_launcher "$venv"
    printf '%s' "$PWD" >"$venv/.place"
    touch "$stamp"
  fi
}

# install VENV WHAT: with the versions that hookkit is checked with, or with the newest where these cannot be had.
install() {
  local pip=("$1/bin/python" -m pip install --quiet --disable-pip-version-check)
  "${pip[@]}" --constraint scripts/constraints.txt --editable "$2" 2>/dev/null && return
  echo "Not all versions of scripts/constraints.txt can be had here: taking the newest ..." >&2
  "${pip[@]}" --editable "$2"
}

# With a blank in the path pip writes a first line that no kernel can run: let the shell find the interpreter.
mend_launcher() {
  case $PWD in
    *" "*) ;;
    *) return 0 ;;
  esac
  {
    echo '#!/bin/sh'
    echo "'''exec' \"$PWD/$1/bin/python\" \"\$0\" \"\$@\""
    echo "' '''"
    tail -n +2 "$1/bin/hookkit"
  } >"$1/launcher"
  chmod +x "$1/launcher"
  mv "$1/launcher" "$1/bin/hookkit"
}

# find_python: any supported Python, the default one first.
find_python() {
  local version
  if python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    command -v python3
    return
  fi
  for version in "${pythons[@]}"; do
    find_version "$version" && return
  done
  echo "hookkit needs Python 3.10 or newer on PATH" >&2
  return 1
}

# find_version 3.12: the path of that Python, on PATH or in pyenv. A shim may exist and not work, so each is run.
find_version() {
  local name
  for name in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if [ "$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then
      command -v "$name"
      return
    fi
  done
  return 1
}
