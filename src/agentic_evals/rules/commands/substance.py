"""How much an invocation is worth: whether it exercises the skill, its repository, or only that something starts."""

import enum
from collections.abc import Sequence

from agentic_evals.rules.commands.facts import Facts, origin
from agentic_evals.rules.commands.invocations import Invocation, InvocationKind
from agentic_evals.rules.commands.values import Reach


class Substance(enum.IntEnum):
    """Ordered from nothing to an entry point of the skill, so that the better of two is `max`."""

    NONE = 0
    WIRING = 1
    """An entry point that is only asked for its help or its version."""
    REPOSITORY = 2
    """A script of the repository outside the skill: it counts only beside something of the skill."""
    SUBSTANTIVE = 3


def is_substantive(invocation: Invocation, facts: Facts) -> Substance:
    """Return what an invocation is worth, however surely it is reached."""
    worth = _worth(invocation, facts)
    return Substance.WIRING if worth is not Substance.NONE and invocation.only_help else worth


def best_substance(found: Sequence[Invocation], facts: Facts, reach: Reach = Reach.REACHED) -> Substance:
    """Return the best worth among the invocations that are reached at least this surely."""
    sure = [invocation for invocation in found if invocation.reach.weakened_by(reach) is reach]
    return max((is_substantive(invocation, facts) for invocation in sure), default=Substance.NONE)


def _worth(invocation: Invocation, facts: Facts) -> Substance:
    match invocation.kind:
        case InvocationKind.SCRIPT | InvocationKind.MODULE:
            return _worth_of_files(invocation, facts)
        case InvocationKind.TEST_RUNNER:
            return Substance.SUBSTANTIVE if any(map(facts.exists, invocation.paths)) else Substance.NONE
        case InvocationKind.PROGRAM:
            return Substance.SUBSTANTIVE if invocation.name in facts.programs else Substance.NONE
        case InvocationKind.URL:
            return Substance.SUBSTANTIVE if origin(invocation.name) in facts.origins else Substance.NONE


def _worth_of_files(invocation: Invocation, facts: Facts) -> Substance:
    files = [path for path in invocation.paths if facts.is_file(path)]
    if any(map(facts.in_skill, files)):
        return Substance.SUBSTANTIVE
    if invocation.kind is InvocationKind.MODULE and f"python -m {invocation.name}" in facts.programs:
        return Substance.SUBSTANTIVE
    return Substance.REPOSITORY if files else Substance.NONE
