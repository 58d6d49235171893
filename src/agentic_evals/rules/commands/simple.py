"""Simple commands: assignments, functions, builtins, wrappers and shells looked through, and what is left kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from agentic_evals.rules.commands.builtins import EFFECTS
from agentic_evals.rules.commands.expand import Expander
from agentic_evals.rules.commands.folders import joined
from agentic_evals.rules.commands.found import Found, Unreadable
from agentic_evals.rules.commands.grammar import Node
from agentic_evals.rules.commands.options import Syntax, leading_options
from agentic_evals.rules.commands.outcomes import status_of
from agentic_evals.rules.commands.programs import RESERVED
from agentic_evals.rules.commands.scope import Ending, Function, Scope, Stdin, Value, known
from agentic_evals.rules.commands.shells import ShellCall, ShellInput, shell_call
from agentic_evals.rules.commands.values import Reach, Redirect, SimpleCommand, Word
from agentic_evals.rules.commands.wrappers import Started, unwrap

Words = tuple[Word, ...]
Redirects = tuple[Redirect, ...]
Assignments = tuple[tuple[str, Word], ...]
ReadScript = Callable[[str], str | None]

_MOST_ITEMS: Final = 1000
_MOST_SCRIPTS: Final = 4
_EXEC: Final = Syntax.of("-a")
_KEYWORDS: Final = frozenset({"time", "coproc"})
_UNALIASED: Final = "an alias"


class Shell(Protocol):
    """The walk, as the commands that start further text need it."""

    def text(self, text: str, scope: Scope) -> None:
        """Walk a shell text."""

    def call(self, function: Function, arguments: Words, scope: Scope) -> None:
        """Walk a function."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What a command is given besides its words."""

    redirects: Redirects = ()
    assignments: Assignments = ()


class Starter:
    """Takes simple commands apart and keeps what they really start."""

    def __init__(self, found: Found, expander: Expander, shell: Shell, read_script: ReadScript | None) -> None:
        self._found = found
        self._expander = expander
        self._shell = shell
        self._read_script = read_script
        self._special: dict[str, Callable[[Words, Scope, _Given], None]] = {
            "eval": self._eval,
            "exec": self._exec,
            "command": self._command,
            "builtin": self._command,
            "trap": self._trap,
            "source": self._source,
            ".": self._source,
        }

    def command(self, node: Node, scope: Scope, redirects: Redirects = (), more: Words = ()) -> None:
        """Take in a command of the syntax tree."""
        words: list[Word] = []
        assignments: list[tuple[str, Word]] = []
        for child in node.children:
            if child.kind == "variable_assignment":
                assignments.append(self._assignment(child, scope))
            elif child.kind not in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
                words.extend(self._expander.fields(child, scope))
        own = self.redirects(node.children, scope)
        self.invoke((*words, *more), scope, (*redirects, *own), tuple(assignments))

    def assignments(self, node: Node, scope: Scope) -> None:
        """Take in assignments that stand alone."""
        scope.status = True
        for child in node.children if node.kind == "variable_assignments" else (node,):
            if child.kind == "variable_assignment":
                self._assign(child, scope)

    def declaration(self, node: Node, scope: Scope) -> None:
        """Take in `export`, `declare`, `local`, `readonly` and `typeset`."""
        words = [Word.literal(node.first)]
        names: list[str] = []
        for child in node.children[1:]:
            if child.kind == "variable_assignment":
                names.append(self._assign(child, scope))
                words.append(Word(text=None, raw=child.text))
                continue
            fields = self._expander.fields(child, scope)
            words.extend(fields)
            names.extend(word.text for word in fields if word.text)
        if node.first == "export" or any(
            (word.text or "").startswith("-") and "x" in (word.text or "") for word in words
        ):
            scope.exported |= {name for name in names if name == "-f" or not name.startswith("-")}
        if node.first in {"local", "declare", "typeset"} and scope.calls:
            scope.local_names |= set(names)
        self.emit(tuple(words), scope)
        scope.status = True

    def unset(self, node: Node, scope: Scope) -> None:
        """Take in `unset`."""
        words = [word for child in node.children[1:] for word in self._expander.fields(child, scope)]
        self.invoke((Word.literal("unset"), *words), scope)

    def redirects(self, nodes: Sequence[Node], scope: Scope) -> Redirects:
        """Return the redirections among some nodes."""
        found: list[Redirect] = []
        for child in nodes:
            if child.kind == "heredoc_redirect":
                found.append(self._here_document(child, scope))
            elif child.kind in {"file_redirect", "herestring_redirect"}:
                found.append(self._redirect(child, scope))
        return tuple(found)

    def stdin(self, redirects: Redirects, scope: Scope) -> Stdin:
        """Return what a command with these redirections finds on its standard input."""
        stdin = scope.stdin
        for redirect in redirects:
            if redirect.operator in {"<<", "<<-", "<<<"}:
                stdin = Stdin(text=redirect.body)
            elif redirect.operator in {"<", "<>", "<&"} and redirect.fd in {None, 0}:
                stdin = Stdin()
        return stdin

    def emit(
        self, words: Words, scope: Scope, given: _Given = _Given(), *, written: Words = (), projects: Words = ()
    ) -> None:
        """Keep a command."""
        stdin = self.stdin(given.redirects, scope)
        self._found.add(
            SimpleCommand(
                words=words,
                reach=scope.reach,
                cwd=scope.cwd,
                redirects=given.redirects,
                inherited=scope.redirects,
                assignments=given.assignments,
                projects=tuple(path for word in projects if word.text and (path := joined(scope.cwd, word.text))),
                written=written or words,
                piped=stdin.piped,
                piped_from=stdin.sources,
                pipeline_position=scope.pipeline_position,
                stdin_text=stdin.text,
                captured=scope.captured,
                scripts=scope.scripts,
            )
        )

    def invoke(
        self,
        words: Words,
        scope: Scope,
        redirects: Redirects = (),
        assignments: Assignments = (),
        *,
        functions: bool = True,
    ) -> None:
        """Run a command in the shell of the scope."""
        given = _Given(redirects, assignments)
        if not words:
            for variable, word in assignments:
                scope.assign(variable, _value(word))
            self.emit((), scope, given)
            return
        while len(words) > 1 and words[0].raw in _KEYWORDS:
            words = words[1 + leading_options(words[1:], Syntax()) :]
        name = words[0].text if words and words[0].names_a_program else None
        if name is None:
            self.emit(words, scope, given)
            scope.status = None
        elif words[0].raw in RESERVED:
            raise Unreadable(f"`{words[0].raw}` stands where a program should")
        elif name in scope.aliases:
            self.emit((Word(text=None, raw=words[0].raw, spelled=_UNALIASED), *words[1:]), scope, given)
            scope.status = None
        elif functions and name in scope.functions:
            self._call(scope.functions[name], words, scope, given)
        elif name in self._special:
            self._special[name](words, scope, given)
        else:
            self._builtin_or_program(words, scope, given)
        scope.after_failure = False

    def start(self, words: Words, scope: Scope, given: _Given = _Given()) -> bool | None:
        """Start a program, with its wrappers and shells looked through; return whether it surely succeeds or fails."""
        started = unwrap(words)
        cwd = scope.cwd
        for folder in started.folders:
            cwd = None if folder.text is None else joined(cwd, folder.text)
        inner = scope.fork(Reach.CONDITIONAL if started.conditional else Reach.REACHED)
        inner.cwd = cwd
        given = replace(given, assignments=given.assignments + started.assignments)
        call = shell_call(started.words)
        if call is not None and self._look_through(call, inner, given):
            return inner.status
        self._keep(started, words, inner, given, call)
        return status_of(started.words)

    def _builtin_or_program(self, words: Words, scope: Scope, given: _Given) -> None:
        effect = EFFECTS.get(words[0].text or "")
        if effect is None:
            scope.status = self.start(words, scope, given)
            return
        self.emit(words, scope, given)
        scope.status = status_of(words)
        effect(words, scope)

    def _keep(self, started: Started, written: Words, scope: Scope, given: _Given, call: ShellCall | None) -> None:
        self.emit(started.words, scope, given, written=written, projects=started.searched)
        script = call.source if call is not None and call.kind is ShellInput.SCRIPT else started.words[0]
        arguments = call.arguments if call is not None else started.words[1:]
        if call is None or call.executes:
            self._follow(script, arguments, scope.child())

    def _look_through(self, call: ShellCall, scope: Scope, given: _Given) -> bool:
        """Walk the text that a shell is given, and tell whether there was one."""
        text = call.source.text if call.source is not None and call.kind is ShellInput.TEXT else None
        if call.kind is ShellInput.STDIN:
            text = self.stdin(given.redirects, scope).text
        if text is None:
            return False
        for name, word in given.assignments:
            scope.assign(name, _value(word))
            scope.exported.add(name)
        inner = scope.child()
        inner.positional, inner.draws = call.arguments, call.draws
        inner.redirects = (*given.redirects, *scope.redirects)
        inner.stdin = Stdin() if call.kind is ShellInput.STDIN else self.stdin(given.redirects, scope)
        if not call.executes:
            inner.reach = Reach.DEAD
        self._shell.text(text, inner)
        scope.status = inner.status if call.executes and not inner.doubts else None
        return True

    def _follow(self, script: Word | None, arguments: Words, scope: Scope) -> None:
        """Walk a script that can be read, after the command that starts it."""
        path = joined(scope.cwd, script.text) if script is not None and script.text else None
        if self._read_script is None or path is None or path in scope.scripts or len(scope.scripts) >= _MOST_SCRIPTS:
            return
        text = self._read_script(path)
        if text is not None:
            scope.scripts = (*scope.scripts, path)
            scope.positional = arguments
            self._shell.text(text, scope)

    def _call(self, function: Function, words: Words, scope: Scope, given: _Given) -> None:
        before = scope.redirects, scope.stdin
        scope.redirects = (*given.redirects, *scope.redirects)
        scope.stdin = self.stdin(given.redirects, scope)
        self._shell.call(function, words[1:], scope)
        scope.redirects, scope.stdin = before

    def _eval(self, words: Words, scope: Scope, given: _Given) -> None:
        texts = [word.text for word in words[1:]]
        known_texts = [text for text in texts if text is not None]
        if len(known_texts) < len(texts):
            self.emit(words, scope, given)
            scope.status = None
        else:
            self._shell.text(" ".join(known_texts), scope)

    def _exec(self, words: Words, scope: Scope, given: _Given) -> None:
        rest = words[1 + leading_options(words[1:], _EXEC) :]
        if rest:
            self.start(rest, scope, given)
            scope.end(Ending.EXIT)
        else:
            self.emit((), scope, given)
            scope.redirects = (*given.redirects, *scope.redirects)

    def _command(self, words: Words, scope: Scope, given: _Given) -> None:
        place = 1 + leading_options(words[1:], Syntax())
        options = "".join(word.text or "" for word in words[1:place])
        if place == len(words) or "v" in options.lower():
            self.emit(words, scope, given)
            scope.status = None
        else:
            self.invoke(words[place:], scope, given.redirects, given.assignments, functions=False)

    def _trap(self, words: Words, scope: Scope, given: _Given) -> None:
        self.emit(words, scope, given)
        text = words[1].text if len(words) > 2 else None  # noqa: PLR2004 - the words as seen
        if text and text != "-":
            self._shell.text(text, scope.fork(Reach.CONDITIONAL))
        scope.status = True

    def _source(self, words: Words, scope: Scope, given: _Given) -> None:
        self.emit(words, scope, given)
        scope.status = None
        if len(words) > 1:
            before = scope.fork()
            scope.doubts = frozenset()
            self._follow(words[1], words[2:], scope)
            scope.scripts, scope.positional = before.scripts, before.positional
            scope.resume(before, Ending.RETURN)

    def _assign(self, node: Node, scope: Scope) -> str:
        array = node.child("array")
        if array is not None:
            return self._assign_array(node, array, scope)
        name, word = self._assignment(node, scope)
        if node.child("subscript") is not None:
            scope.forget(name)
            return name
        scope.assign(name, _value(word))
        return name

    def _assign_array(self, node: Node, array: Node, scope: Scope) -> str:
        name = node.children[0].text
        items = tuple(word for child in array.children[1:-1] for word in self._expander.fields(child, scope))
        before = scope.arrays.get(name, ()) if node.child("+=") is not None else ()
        kept = (*before, *items)[:_MOST_ITEMS]
        scope.assign(name, _value(kept[0]) if kept else known(""))
        scope.arrays[name] = kept
        return name

    def _assignment(self, node: Node, scope: Scope) -> tuple[str, Word]:
        target = node.children[0]
        name = (target.children[0] if target.kind == "subscript" else target).text
        value = node.children[-1]
        word = Word.literal("") if value.kind in {"=", "+="} else self._expander.single(value, scope)
        if node.child("+=") is not None:
            before = scope.variables.get(name)
            appended = (before.text or "") + word.text if before and before.text is not None and word.text else None
            options = tuple(
                f"{left}{right}" for left in (before.options if before else ("",)) for right in word.options
            )
            word = replace(word, text=appended, options=options[:_MOST_ITEMS], raw=value.text)
        return name, word

    def _redirect(self, node: Node, scope: Scope) -> Redirect:
        descriptor = node.child("file_descriptor")
        operator = next((child.kind for child in node.children if child.kind[:1] in {"<", ">", "&"}), "")
        parts = [child for child in node.children if child.kind not in {operator, "file_descriptor"}]
        target = self._expander.single(parts[0], scope) if parts else Word.literal("-")
        fd = int(descriptor.text[-9:]) if descriptor is not None and descriptor.text.isdecimal() else None
        body = None if operator != "<<<" or target.text is None else f"{target.text}\n"
        return Redirect(operator, fd, target, body)

    def _here_document(self, node: Node, scope: Scope) -> Redirect:
        start, body = node.child("heredoc_start"), node.child("heredoc_body")
        delimiter = start.text if start is not None else ""
        if not delimiter.isascii():
            raise Unreadable("the end of a here-document is marked with characters beyond ASCII")
        operator = "<<-" if node.child("<<-") is not None else "<<"
        word = Word.literal("")
        if body is not None:
            word = self._expander.here_document(body, scope, quoted=bool(set(delimiter) & set("'\"\\")))
        text = word.text
        if text and operator == "<<-":
            text = "\n".join(line.lstrip("\t") for line in text.split("\n"))
        target = replace(Word.literal(delimiter), sampled=word.sampled, computed=word.computed)
        return Redirect(operator, None, target, text)


def _value(word: Word) -> Value:
    return Value(word.options, word.text is not None, word.sampled, word.computed)
