#!/usr/bin/env bash
# Counts the words, lines and longest word of a text file.
set -euo pipefail

fail() {
  printf 'word-count: %s\n' "$1" >&2
  exit 2
}

[ "${1:-}" = count ] && [ -n "${2:-}" ] || fail 'usage: run.sh count FILE [--json OUT]'
file=$2
[ -f "$file" ] || fail "cannot find $file"
if ! tr -d '\0' <"$file" | cmp -s - "$file"; then
  fail "$file is not text"
fi

words=$(wc -w <"$file" | tr -d ' ')
lines=$(wc -l <"$file" | tr -d ' ')
longest=$(tr -cs '[:alpha:]' '\n' <"$file" | awk 'length > length(best) { best = $0 } END { print best }')

printf 'words: %s\nlines: %s\nlongest: %s\n' "$words" "$lines" "$longest"
if [ "${3:-}" = --json ]; then
  [ -n "${4:-}" ] || fail '--json needs a file'
  mkdir -p -- "$(dirname -- "$4")"
  printf '{"words": %s, "lines": %s, "longest": "%s"}\n' "$words" "$lines" "$longest" >"$4"
fi
