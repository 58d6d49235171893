#!/usr/bin/env bash
# Writes both lock files from pyproject.toml. Arguments go to uv: `scripts/lock.sh --upgrade`.
set -euo pipefail
cd -- "$(dirname -- "$0")/.."
compile() {
  ./run.sh test --tool uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-header --no-emit-index-url --no-emit-find-links --no-annotate "$@"
}
compile "$@" --output-file requirements.lock pyproject.toml
compile "$@" --group dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
