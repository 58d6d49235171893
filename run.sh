#!/usr/bin/env bash
#
# Runs agentic-evals from this checkout, on a machine that has only Python 3.11+ and bash.
#
#   ./run.sh COMMAND …           the program
#   ./run.sh test [--all] …      lint, then the test suite; what follows goes to pytest
#   ./run.sh test --lint         lint alone
#   ./run.sh test --tool NAME …  one development tool (ruff, mypy, towncrier, …)
#
# The environment is made once, outside the checkout, in
#   ${XDG_CACHE_HOME:-~/.cache}/agentic-evals/envs/<lock>-<python>-<platform>
# and is valid only when its stamp file, written last, is there. Setting up writes nothing into the checkout.

[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -u

readonly ENVIRONMENT=5 # the exit code for a machine that lacks something

say() { printf 'agentic-evals: %s\n' "$*" >&2; }

# --- where things are ----------------------------------------------------------------------------

find_checkout() {
  local self=${BASH_SOURCE[0]} target
  while [ -L "$self" ]; do
    target=$(readlink -- "$self")
    case $target in
      /*) self=$target ;;
      *) self=${self%/*}/$target ;;
    esac
  done
  case $self in
    */*) self=${self%/*} ;;
    *) self=. ;;
  esac
  root=$(CDPATH='' cd -P -- "${self:-/}" && pwd -P) || exit "$ENVIRONMENT"
}

find_cache() {
  case ${XDG_CACHE_HOME:-} in
    /*) cache=$XDG_CACHE_HOME/agentic-evals ;;
    *)
      local home=${HOME:-}
      [ -n "$home" ] || home=$(unset HOME && printf '%s' ~)
      cache=${home%/}/.cache/agentic-evals
      ;;
  esac
}

# A folder of our own below the temporary one, for an account whose home cannot be written.
find_other_cache() {
  cache=${TMPDIR:-/tmp}/agentic-evals-$UID
  mkdir -m 700 "$cache" 2>/dev/null
  if [ -L "$cache" ] || [ ! -d "$cache" ] || [ ! -O "$cache" ] || [ ! -w "$cache" ]; then
    say "no place to keep the environment: neither the cache folder nor $cache can be written."
    say "Set XDG_CACHE_HOME to a folder that you can write."
    exit "$ENVIRONMENT"
  fi
  own_caches=yes
}

hash_lock() {
  local sum
  lock=$root/requirements$1.lock
  if ! [ -r "$lock" ]; then
    say "$lock is missing or cannot be read: this checkout is not whole."
    exit "$ENVIRONMENT"
  fi
  sum=$(sha256sum <"$lock" 2>/dev/null) ||
    sum=$(shasum -a 256 <"$lock" 2>/dev/null) ||
    sum=$(cksum <"$lock")
  sum=${sum%%-*}
  sum=${sum//[!0-9a-f]/}
  lock_hash=${sum:0:20}
}

# Which environment serves this lock and the python3 on PATH is remembered in a small file,
# so that a start needs no Python to find out.
name_pointer() {
  local first
  first=$(type -P python3)
  first=${first//\//%}.${PYENV_VERSION:-}
  first=${first//\//%}
  [ "${#first}" -le 120 ] || first=${first: -120}
  pointer=$cache/envs/found/$lock_hash.$MACHTYPE.$first
}

is_ready() {
  local key=''
  [ -r "$pointer" ] || return 1
  IFS= read -r key <"$pointer"
  env=$cache/envs/$key
  [ -n "$key" ] && [ -e "$env/.complete" ] && [ -x "$env/bin/python" ]
}

# --- making the environment ----------------------------------------------------------------------

# One line: major, minor, implementation, whether venv can make pip, the interpreter itself.
# Old Pythons must be able to run this, too.
readonly PROBE='
import os, sys
try:
    import ensurepip, venv
    pip = "pip"
except ImportError:
    pip = "no-pip"
name = getattr(getattr(sys, "implementation", None), "name", "unknown")
base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
print("%d %d %s %s %s" % (sys.version_info[0], sys.version_info[1], name, pip, base))
'

find_python() {
  local name path facts major minor implementation seen=''
  for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
    path=$(type -P "$name") || continue
    facts=$("$path" -E -s -c "$PROBE" 2>/dev/null </dev/null) || continue
    read -r major minor implementation can_pip python <<<"$facts"
    if [ "$implementation" = cpython ] && [ "$major" = 3 ] && [ "$minor" -ge 11 ]; then
      tag=cp$major$minor
      return
    fi
    seen="$seen $path ($implementation $major.$minor)"
  done
  if path=$(type -P uv) && path=$("$path" python find --no-project '>=3.11' 2>/dev/null); then
    if facts=$("$path" -E -s -c "$PROBE" 2>/dev/null </dev/null); then
      read -r major minor implementation can_pip python <<<"$facts"
      tag=cp$major$minor
      return
    fi
  fi
  say "Python 3.11 or newer is needed, and none was found on PATH.${seen:+ Found only:$seen.}"
  say "Install it (on Debian or Ubuntu: apt-get install python3 python3-venv), then run this again."
  exit "$ENVIRONMENT"
}

need_ensurepip() {
  [ "$can_pip" = pip ] && return
  local package="python3.${tag#cp3}-venv"
  say "$python cannot make environments: its module ensurepip is missing."
  if [ -e /etc/debian_version ]; then
    say "Install one package, then run this again: apt-get install $package"
  else
    say "Install the package of your system that holds it (Debian calls it $package), or uv, then run this again."
  fi
  exit "$ENVIRONMENT"
}

build_with_uv() {
  uv venv --quiet --python "$python" "$env" &&
    uv pip sync --quiet --python "$env/bin/python" --require-hashes "$lock"
}

build_with_pip() {
  "$python" -I -m venv "$env" &&
    "$env/bin/python" -I -m pip install -qq --no-input --no-deps --no-compile \
      --disable-pip-version-check --progress-bar off --require-hashes --requirement "$lock"
}

# Exactly one process at a time makes this environment; a second one waits and then finds it made.
take_turn() {
  if type -P flock >/dev/null; then
    exec 9>"$env.lock" || return 1
    flock -n 9 && return
    say 'waiting for another process that is setting the environment up …'
    flock 9
    return
  fi
  local owner waited='' nameless=0
  turn=$env.turn
  until mkdir "$turn" 2>/dev/null; do
    [ -d "${turn%/*}" ] && [ -w "${turn%/*}" ] || return 1
    [ -n "$waited" ] || say 'waiting for another process that is setting the environment up …'
    waited=yes
    owner=''
    { IFS= read -r owner <"$turn/owner"; } 2>/dev/null
    if [ -n "$owner" ]; then
      nameless=0
      kill -0 "$owner" 2>/dev/null || drop_stale_turn "$owner"
    elif [ "$((nameless += 1))" -gt 50 ]; then
      nameless=0
      drop_stale_turn ''
    fi
    sleep 0.2
  done
  printf '%s\n' "$BASHPID" >"$turn/owner"
  trap 'rm -rf -- "$turn"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

# Only who can rename it removes it, and only while it still belongs to the process that is gone.
drop_stale_turn() {
  local aside=$turn.$BASHPID found=''
  mv -- "$turn" "$aside" 2>/dev/null || return
  { IFS= read -r found <"$aside/owner"; } 2>/dev/null
  if [ "$found" != "$1" ]; then
    mv -- "$aside" "$turn" 2>/dev/null # a new owner came in between: give it back
    return
  fi
  rm -rf -- "$aside"
}

write_whole() { # FILE TEXT
  printf '%s\n' "$2" >"$1.$BASHPID" && mv -f -- "$1.$BASHPID" "$1"
}

# Runs in a subshell: nothing that it changes reaches the program.
build() (
  umask 022
  unset VIRTUAL_ENV CONDA_PREFIX PYTHONHOME PYTHONPATH PYTHONPLATLIBDIR __PYVENV_LAUNCHER__
  unset PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_PYTHON PIP_REQUIRE_VIRTUALENV PIP_DRY_RUN
  unset UV_SYSTEM_PYTHON UV_PYTHON UV_TARGET UV_PREFIX UV_VENV_SEED UV_NO_BINARY
  if [ -z "${HOME:-}" ] || [ -n "$own_caches" ]; then
    export UV_CACHE_DIR=$cache/uv PIP_CACHE_DIR=$cache/pip
  fi
  [ -n "${HOME:-}" ] || unset HOME
  cd -- "$cache" || exit 1
  take_turn || exit 1
  if ! [ -e "$env/.complete" ] || ! [ -x "$env/bin/python" ]; then
    say "setting up the environment, once for this version (Python 3.${tag#cp3}, $1 packages): up to a minute …"
    SECONDS=0
    rm -rf -- "$env"
    if type -P uv >/dev/null && { build_with_uv || { say 'uv did not manage; trying pip …' && false; }; }; then
      : # made
    else
      need_ensurepip
      rm -rf -- "$env"
      build_with_pip || exit 1
    fi
    write_whole "$env/.complete" "$python" || exit 1
    say "ready after $SECONDS s."
  fi
  write_whole "$pointer" "${env##*/}"
)

make_environment() { # SUFFIX
  local status own_caches=''
  if ! (umask 022 && mkdir -p -- "$cache/envs/found") 2>/dev/null || ! [ -w "$cache/envs/found" ]; then
    find_other_cache
    name_pointer
    is_ready && return
    mkdir -p -- "$cache/envs/found" || exit "$ENVIRONMENT"
  fi
  [ -e "$cache/CACHEDIR.TAG" ] ||
    write_whole "$cache/CACHEDIR.TAG" 'Signature: 8a477f597d28d172789f06886806bc55' 2>/dev/null
  find_python
  env=$cache/envs/$lock_hash-$tag-$MACHTYPE$1
  build "$(grep -c '^[a-z].*==' "$lock")"
  status=$?
  case $status in
    0) ;;
    "$ENVIRONMENT" | 130 | 143) exit "$status" ;;
    *)
      say 'the environment could not be set up; the reason stands above. This checkout was not touched.'
      exit "$ENVIRONMENT"
      ;;
  esac
}

environment() { # '' for running, '-dev' for testing
  find_cache
  hash_lock "$1"
  name_pointer
  is_ready || make_environment "$1"
}

# --- the program ---------------------------------------------------------------------------------

# Isolated (-I): what the caller set for its own Python does not reach the program, and stays as it
# was for the commands that the program runs. Byte code goes to the cache.
readonly START='
import sys
sys.path.insert(0, sys.argv.pop(1))
sys.argv[0] = "agentic-evals"
from agentic_evals.cli.main import main
sys.exit(main())
'

run_program() {
  environment ''
  exec "$env/bin/python" -I -X utf8 -X pycache_prefix="$cache/pycache" -c "$START" "$root/src" "$@"
}

# --- the tests -----------------------------------------------------------------------------------

check() { # NAME COMMAND…: silent when all is well
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    say "lint: $name: ok"
  else
    say "lint: $name: FAILED"
    printf '%s\n' "$output" >&2
    failed="$failed $name"
  fi
}

lint() {
  local worker=src/agentic_evals/adapters/worker
  failed=''
  check 'ruff check' "$env/bin/ruff" check --cache-dir "$state/ruff" .
  check 'ruff format' "$env/bin/ruff" format --check --cache-dir "$state/ruff" .
  check 'mypy' "$env/bin/python" -m mypy --cache-dir "$state/mypy"
  # Its modules import each other as siblings; only what lints imports sees a package there.
  MYPYPATH=$worker check 'mypy worker' \
    "$env/bin/python" -m mypy --cache-dir "$state/mypy-worker" --explicit-package-bases "$worker"/[!_]*.py "$worker"/__main__.py
  PYTHONPATH=src check 'lint-imports' "$env/bin/lint-imports" --no-logo --cache-dir "$state/import_linter"
}

run_tests() {
  local failed='' status name
  environment -dev
  cd -- "$root" || exit "$ENVIRONMENT"
  state=$cache/checkouts/${root##*/}-$(printf '%s' "$root" | cksum | tr -d ' ')
  (umask 022 && mkdir -p -- "$state") || exit "$ENVIRONMENT"
  for name in ${!PYTHON@}; do
    unset "$name"
  done
  unset VIRTUAL_ENV CONDA_PREFIX PYTEST_ADDOPTS PYTEST_PLUGINS MYPYPATH
  export PYTHONPYCACHEPREFIX=$cache/pycache HYPOTHESIS_STORAGE_DIRECTORY=$state/hypothesis
  if [ "${1:-}" = --tool ]; then
    shift
    name=${1:-}
    if ! [ -x "$env/bin/$name" ] || [ -z "$name" ]; then
      say "no such development tool: ${name:-(none given)}"
      exit 2
    fi
    shift
    exec "$env/bin/$name" "$@"
  fi
  lint
  if [ "${1:-}" = --lint ]; then
    [ -z "$failed" ] || exit 1
    exit 0
  fi
  LINT_FAILED=${failed# } "$env/bin/python" -m pytest -n 2 -o cache_dir="$state/pytest" "$@"
  status=$?
  [ "$status" -ne 0 ] || [ -z "$failed" ] || status=1
  exit "$status"
}

find_checkout
if [ "${1:-}" = test ]; then
  shift
  run_tests "$@"
fi
run_program "$@"
