"""The state of a shell: what branches, functions and loops leave of it."""

from agentic_evals.rules.commands.scope import UNKNOWN, Ending, Scope, either, known
from agentic_evals.rules.commands.values import Reach


def test_what_may_be_either_is_neither_for_sure():
    """Equal values stay what they are."""
    assert known("a") == either([known("a"), known("a")])
    assert ("a", "b") == either([known("a"), known("b")]).options
    assert either([known("a"), UNKNOWN]).text is None


def test_a_fork_changes_nothing_of_its_origin():
    """Like a subshell."""
    scope = Scope()
    inner = scope.fork(Reach.CONDITIONAL)
    inner.assign("x", known("a"))
    inner.end(Ending.EXIT)

    assert {} == scope.variables
    assert (Reach.REACHED, None) == (scope.reach, scope.ended)


def test_all_branches_leaving_is_leaving():
    """Nothing follows them."""
    scope = Scope()
    branches = [scope.fork(), scope.fork()]
    for branch in branches:
        branch.end(Ending.EXIT)
    scope.join(branches)

    assert Reach.DEAD is scope.reach


def test_one_branch_leaving_is_a_doubt():
    """Unless it is a guard that leaves with a failure, where guards are looked for."""
    for ending, guards, reach in [
        (Ending.EXIT, True, Reach.CONDITIONAL),
        (Ending.GUARD, True, Reach.REACHED),
        (Ending.GUARD, False, Reach.CONDITIONAL),
    ]:
        scope = Scope()
        branch = scope.fork()
        branch.end(ending)
        scope.join([scope.fork(), branch], guards=guards)

        assert reach is scope.reach


def test_a_function_is_left_by_return_and_a_shell_by_exit():
    """What a function leaves by `return` goes on behind it."""
    for ending, reach in [(Ending.RETURN, Reach.REACHED), (Ending.EXIT, Reach.DEAD)]:
        scope = Scope()
        before = scope.fork()
        scope.end(ending)
        scope.resume(before, Ending.RETURN)

        assert reach is scope.reach


def test_what_is_dead_does_not_end_again():
    """A `break` behind an `exit` changes nothing."""
    scope = Scope()
    scope.end(Ending.EXIT)
    scope.end(Ending.LOOP)

    assert Ending.EXIT is scope.ended


def test_a_child_inherits_what_is_exported():
    """And neither functions nor aliases."""
    scope = Scope(variables={"x": known("a"), "y": known("b")}, exported={"y"}, aliases={"z"})

    assert {"y": known("b")} == scope.child().variables
    assert not scope.child().aliases
