"""`explain`: the documentation of a rule, in the terminal."""

from __future__ import annotations

from typing import Final

import click

from agentic_evals.model.errors import UsageError


@click.command(epilog="Example: agentic-evals explain all-required-vacuous")
@click.argument("rule", required=False)
def explain(rule: str | None) -> int:
    """Show the documentation of a rule; without an argument, list every rule."""
    from agentic_evals import wiring

    pages = wiring.pages()
    if rule is None:
        for name in pages.names():
            click.echo(f"{name:<28} {pages.summary(name)}")
        return 0
    if rule not in pages.names():
        raise UsageError(f"there is no rule {rule!r}", hint=_hint(rule, pages.names()))
    click.echo(pages.text(rule), nl=False)
    return 0


def _hint(rule: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(rule, names, 3, 0.5)
    return f"Did you mean {' or '.join(near)}?" if near else "`agentic-evals explain` lists every rule."


COMMAND: Final = explain
