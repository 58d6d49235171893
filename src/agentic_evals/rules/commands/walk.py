"""The walk over a syntax tree: which simple commands it holds, and how surely each of them is reached."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from agentic_evals.rules.commands.branches import Clause, case_bodies, for_words, if_clauses, loop_parts
from agentic_evals.rules.commands.expand import SUBSTITUTIONS, Expander
from agentic_evals.rules.commands.found import Found, Unreadable
from agentic_evals.rules.commands.grammar import Node, parse_shell
from agentic_evals.rules.commands.lines import LINES, Pipeline, Stage, pipelines, split_lines
from agentic_evals.rules.commands.outcomes import output_of, status_of_test, value_of
from agentic_evals.rules.commands.scope import UNKNOWN, Ending, Function, Scope, Stdin, Value
from agentic_evals.rules.commands.simple import ReadScript, Starter
from agentic_evals.rules.commands.values import HOLE, Reach, Word

_CHANGING_FOLDER: Final = frozenset({"cd", "pushd", "popd", "chdir"})
_ISOLATED: Final = frozenset({"subshell", *SUBSTITUTIONS})


class Walker:
    """Walks statements, keeps the state of the shell, and hands each simple command to the starter."""

    def __init__(self, found: Found, read_script: ReadScript | None) -> None:
        self._found = found
        self._expander = Expander(self._substitute)
        self.starter = Starter(found, self._expander, self, read_script)
        self._uncalled: dict[int, tuple[Node, str | None]] = {}
        self._handlers: Mapping[str, Callable[[Node, Scope], None]] = {
            "command": self._command,
            "variable_assignment": self.starter.assignments,
            "variable_assignments": self.starter.assignments,
            "declaration_command": self.starter.declaration,
            "unset_command": self.starter.unset,
            **dict.fromkeys(LINES, self._line),
            "file_redirect": self._bare_redirect,
            "herestring_redirect": self._bare_redirect,
            "subshell": self._subshell,
            "compound_statement": self._compound,
            "if_statement": self._if,
            "while_statement": self._while,
            "for_statement": self._for,
            "c_style_for_statement": self._for,
            "case_statement": self._case,
            "function_definition": self._define,
            "test_command": self._test,
        }

    def text(self, text: str, scope: Scope) -> None:
        """Walk a shell text; where it cannot be read, keep the problem and nothing else of it."""
        self._found.read(text)
        root = parse_shell(text)
        if isinstance(root, str):
            self._found.problem(root)
            return
        place = len(self._found.commands)
        try:
            self.sequence(root.children, scope)
        except Unreadable as problem:
            self._found.forget_from(place, str(problem))

    def finish(self) -> None:
        """Walk the functions that nothing called: they are dead."""
        while self._uncalled:
            _, (body, cwd) = self._uncalled.popitem()
            self.statement(body, Scope(cwd=cwd, reach=Reach.DEAD))

    def sequence(self, nodes: Sequence[Node], scope: Scope) -> None:
        """Walk statements one after the other."""
        for place, node in enumerate(nodes):
            if node.kind == ";;":
                raise Unreadable("`;;` stands outside a case")
            if node.kind not in self._handlers:
                continue
            if place + 1 < len(nodes) and nodes[place + 1].kind == "&":
                self.statement(node, scope.fork())
                scope.status = True
            else:
                self.statement(node, scope)
                self._stop_at_failure(node, scope)

    def statement(self, node: Node, scope: Scope) -> None:
        """Walk one statement."""
        handler = self._handlers.get(node.kind)
        scope.suspect = False
        self._found.enter()
        try:
            if handler is None:
                self._expander.substitutions(node, scope)
            else:
                handler(node, scope)
        finally:
            self._found.leave()

    def call(self, function: Function, arguments: tuple[Word, ...], scope: Scope) -> None:
        """Walk the body of a function as its caller reaches it."""
        key = id(function.body)
        self._uncalled.pop(key, None)
        if key in scope.calls:
            scope.status = None
            return
        before = scope.fork()
        scope.positional, scope.local_names, scope.doubts, scope.loops = arguments, set(), frozenset(), 0
        scope.calls |= {key}
        scope.reach = scope.reach.weakened_by(function.reach)
        self.statement(function.body, scope)
        for name in scope.local_names:
            scope.assign(name, before.variables.get(name, UNKNOWN))
        scope.positional, scope.local_names = before.positional, before.local_names
        scope.calls, scope.loops = before.calls, before.loops
        if scope.doubts or function.reach is not Reach.REACHED:
            scope.status, scope.suspect = None, True
        scope.resume(before, Ending.RETURN)

    def _stop_at_failure(self, node: Node, scope: Scope) -> None:
        fails = scope.status is False and node.kind in {"command", "subshell", *LINES}
        if scope.stops_at_failure and fails and scope.ended is None:
            scope.end(Ending.GUARD, status=False)

    def _command(self, node: Node, scope: Scope) -> None:
        if len(split_lines(node)) > 1:
            self._line(node, scope)
        else:
            self.starter.command(node, scope)

    def _line(self, node: Node, scope: Scope) -> None:
        items = pipelines(node)
        stops = scope.stops_at_failure
        for item in items:
            scope.stops_at_failure = stops and item is items[-1] and not item.negations
            match item.operator:
                case "&&":
                    self._and(item, scope)
                case "||":
                    self._or(item, scope)
                case _:
                    self._pipeline(item, scope)
        scope.stops_at_failure = stops

    def _and(self, item: Pipeline, scope: Scope) -> None:
        sure = scope.status
        if sure is False:
            self._pipeline(item, scope.fork(Reach.DEAD))
        elif sure is None and scope.suspect:
            self._maybe(item, scope)
        elif sure is None:
            self._presumably(item, scope)
        else:
            self._pipeline(item, scope)

    def _presumably(self, item: Pipeline, scope: Scope) -> None:
        """Walk what runs when the command before it succeeds, as an honest run presumes; leaving is not presumed."""
        before = scope.fork()
        self._pipeline(item, scope)
        if scope.ended is not None and before.ended is None:
            scope.doubts |= {scope.ended}
            scope.ended = None
            scope.reach = before.reach.weakened_by(Reach.CONDITIONAL)
            scope.status = False
        elif scope.status is True:
            scope.status = None

    def _maybe(self, item: Pipeline, scope: Scope) -> None:
        branch = scope.fork(Reach.CONDITIONAL)
        self._pipeline(item, branch)
        scope.join([scope.fork(), branch])
        scope.status = None

    def _or(self, item: Pipeline, scope: Scope) -> None:
        sure = scope.status
        branch = scope.fork(Reach.DEAD if sure is True else Reach.CONDITIONAL)
        branch.after_failure = True
        self._pipeline(item, branch)
        if sure is True:
            return
        branch.after_failure = False
        if sure is False:
            scope.join([branch])
            return
        untouched = scope.fork()
        untouched.status = True
        scope.join([untouched, branch], guards=True)

    def _pipeline(self, item: Pipeline, scope: Scope) -> None:
        if len(item.stages) == 1:
            self._stage(item.stages[0], scope)
        else:
            self._pipe(item.stages, scope)
        if item.negations % 2 and scope.ended is None and scope.status is not None:
            scope.status = not scope.status

    def _pipe(self, stages: Sequence[Stage], scope: Scope) -> None:
        stdin = scope.stdin
        status: bool | None = None
        for place, stage in enumerate(stages):
            inner = scope.fork()
            inner.stdin, inner.pipeline_position = stdin, place
            start = len(self._found.commands)
            self._stage(stage, inner)
            stdin = self._piped(start)
            status, scope.suspect = inner.status, inner.suspect
        scope.status = status if status is not True else None

    def _stage(self, stage: Stage, scope: Scope) -> None:
        redirects = self.starter.redirects(stage.redirects, scope)
        node = stage.node
        if node is None:
            self.starter.invoke((), scope, redirects)
        elif node.kind == "command":
            words = tuple(word for child in stage.words for word in self._expander.fields(child, scope))
            self.starter.command(node, scope, redirects, words)
        else:
            before = scope.redirects, scope.stdin
            scope.redirects = (*redirects, *scope.redirects)
            scope.stdin = self.starter.stdin(redirects, scope)
            self.statement(node, scope)
            scope.redirects, scope.stdin = before

    def _piped(self, start: int) -> Stdin:
        """Return what the next command of a pipeline reads."""
        sources = [
            place
            for place, command in enumerate(self._found.commands[start:], start)
            if not command.captured and command.reach is not Reach.DEAD
        ]
        text = output_of(self._found.commands[sources[0]]) if len(sources) == 1 else None
        return Stdin(text=text, piped=True, sources=tuple(sources))

    def _bare_redirect(self, node: Node, scope: Scope) -> None:
        self.starter.invoke((), scope, self.starter.redirects((node,), scope))

    def _subshell(self, node: Node, scope: Scope) -> None:
        inner = scope.fork()
        self.sequence(node.children, inner)
        left_early = bool(inner.doubts - scope.doubts)
        scope.status = None if left_early else inner.status
        scope.suspect = left_early or inner.suspect

    def _compound(self, node: Node, scope: Scope) -> None:
        if node.first != "((":
            self.sequence(node.children, scope)
            return
        self._expander.substitutions(node, scope)
        self._blur(node, scope)
        number = node.text[2:-2].strip()
        scope.status = int(number[-9:]) != 0 if number.isdecimal() else None

    def _substitute(self, node: Node, scope: Scope) -> Value:
        inner = scope.fork()
        start = len(self._found.commands)
        if node.first == ">(":
            inner.stdin = Stdin(piped=True)
        else:
            inner.captured, inner.redirects = True, ()
        self.sequence(node.children, inner)
        if node.kind == "process_substitution":
            return UNKNOWN
        scope.status = inner.status
        return value_of(self._found.commands[start:])

    def _if(self, node: Node, scope: Scope) -> None:
        tested, branches = scope, list[Scope]()
        settled = False
        for place, clause in enumerate(if_clauses(node)):
            if place and clause.condition:
                tested = tested.fork(Reach.CONDITIONAL)
            status = self._condition(clause, tested)
            body = tested.fork(Reach.DEAD if settled or status is False else Reach.CONDITIONAL)
            self.sequence(clause.body, body)
            if not settled and status is not False:
                branches.append(body)
            settled = settled or status is True
        if not settled:
            untaken = tested.fork()
            untaken.status = True
            branches.append(untaken)
        scope.join(branches, guards=True)

    def _condition(self, clause: Clause, scope: Scope) -> bool | None:
        """Walk a condition and return whether it surely holds; that of `else` does."""
        if not clause.condition:
            return True
        stops, scope.stops_at_failure = scope.stops_at_failure, False
        self.sequence(clause.condition, scope)
        scope.stops_at_failure = stops
        return scope.status

    def _while(self, node: Node, scope: Scope) -> None:
        self._blur(node, scope)
        clause = loop_parts(node)
        before = scope.fork()
        status = self._condition(clause, scope)
        if node.first == "until" and status is not None:
            status = not status
        self._loop(clause.body, scope, before, never=status is False)

    def _for(self, node: Node, scope: Scope) -> None:
        words = [word for child in for_words(node) for word in self._expander.fields(child, scope)]
        name = node.child("variable_name")
        self._blur(node, scope)
        if name is not None and node.kind == "for_statement":
            options = tuple(dict.fromkeys(option for word in words for option in word.options)) or (HOLE,)
            scope.assign(name.text, Value(options, certain=False, computed=any(word.computed for word in words)))
        body = node.child("do_group", "compound_statement")
        never = node.child("in") is not None and not words
        self._loop(body.children if body else (), scope, scope.fork(), never=never)

    def _loop(self, body: Sequence[Node], scope: Scope, before: Scope, *, never: bool) -> None:
        inner = scope.fork(Reach.DEAD if never else Reach.CONDITIONAL)
        inner.loops += 1
        self.sequence(body, inner)
        if not never:
            scope.join([scope.fork(), inner])
        scope.resume(before, Ending.LOOP)
        scope.status = None

    def _case(self, node: Node, scope: Scope) -> None:
        value = node.children[1]
        self._expander.substitutions(value, scope)
        branches = [scope.fork()]
        for patterns, body in case_bodies(node):
            for pattern in patterns:
                self._expander.substitutions(pattern, scope)
            branch = scope.fork(Reach.CONDITIONAL)
            self.sequence(body, branch)
            branches.append(branch)
            if any(pattern.text == "*" for pattern in patterns):
                branches[0] = branch
        scope.join(branches)
        scope.status = None

    def _define(self, node: Node, scope: Scope) -> None:
        name = node.child("word")
        body = node.children[-1]
        if name is not None:
            scope.functions[name.text] = Function(body, scope.reach)
            self._uncalled[id(body)] = (body, scope.cwd)
        scope.status = True

    def _test(self, node: Node, scope: Scope) -> None:
        self._expander.substitutions(node, scope)
        self.starter.emit((Word.literal(node.first),), scope)
        scope.status = status_of_test(node.text)

    def _blur(self, node: Node, scope: Scope) -> None:
        """Forget what a loop may change before it comes round again."""
        pending = [node]
        while pending:
            current = pending.pop()
            if current.kind == "variable_name":
                scope.forget(current.text)
            elif current.kind == "command_name" and current.text in _CHANGING_FOLDER:
                scope.cwd = None
            if current.kind not in _ISOLATED:
                pending.extend(current.children)
