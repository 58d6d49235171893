"""The programs that are known by name: those that prove nothing, shells, and interpreters."""

import re
from typing import Final

TRIVIAL: Final = frozenset(
    """
    : [ [[ alias arch base32 base64 basename basenc bg bind break builtin cal cat cd chdir chgrp chmod chown cksum clear
    cmp column comm command compgen complete continue coproc cp csplit cut date dd declare df diff dir dircolors dirname
    dirs disown du echo egrep enable env exit expand export expr factor false fc fg fgrep file find fmt fold
    free getconf getopts grep groups hash head help hexdump history host hostid hostname id ifconfig install jobs join
    kill killall less let link ln local locale logname logout look ls mapfile md5sum mkdir mkfifo mktemp more mv
    nice nl nohup nproc numfmt od paste pathchk pgrep pkill popd pr printenv printf ps pushd pwd read readarray readlink
    readonly realpath rename return rev rm rmdir sed select seq set sha1sum sha224sum sha256sum sha384sum sha512sum
    shift shopt shuf sleep sort split stat stdbuf stty sum suspend sync tac tail tee test time timeout times top
    touch tput tr trap true truncate tsort tty type typeset ulimit umask unalias uname unexpand uniq unlink unset
    uptime users vdir wait watch wc whatis whereis which who whoami xargs xxd yes zcat
    """.split()
)
"""Programs and builtins of every machine, which repeat, count, look, move or wait: none of them is a skill."""

WRITERS: Final = frozenset({"cp", "mv", "ln", "install", "touch", "dd", "rsync", "link", "truncate", "rename"})
"""Programs that put a file in place without making what it holds."""

HOUSEKEEPING: Final = TRIVIAL | frozenset(
    """
    . apk apt apt-get brew cabal choco conda dnf doas gem mamba man micromamba nano open pacman patch pip pip3 pipx port
    rsync rustup scp snap source start su sudo tar unzip uv vi vim winget yum zip zypper
    """.split()
)
"""Programs of every machine, and those that install others; that a skill mentions one does not make it its own."""

SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "rbash"})
"""Shells whose text is read with the bash grammar."""

DRAWING_SHELLS: Final = frozenset({"bash", "zsh", "ksh", "mksh", "rbash"})
"""Shells that have a `$RANDOM`."""

RESERVED: Final = frozenset(["if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
                             "select", "function", "{", "}"])  # fmt: skip
"""Words that begin or end a construct; as the name of a program they show that the text was misread."""

_INTERPRETERS: Final = re.compile(
    r"(?P<python>(?:python|pypy)(?:\d+(?:\.\d+)*)?t?|ipython3?)|(?P<node>node|nodejs|bun|deno|tsx|ts-node)"
    r"|(?P<perl>perl(?:5[\d.]*)?)|(?P<ruby>ruby)|(?P<php>php\d*(?:\.\d+)?)|(?P<r>Rscript)|(?P<awk>[gmn]?awk)"
    r"|(?P<other>lua|luajit|tclsh|osascript|pwsh|fish|julia|groovy|elixir|escript|swift|racket|guile|bc|dc)"
)


def interpreter_family(program: str | None) -> str | None:
    """Return which language a program interprets: python, node, perl, ruby, php, r, awk, other, or none."""
    found = _INTERPRETERS.fullmatch(program or "")
    return found.lastgroup if found else None
