"""The program: a lazy group of commands, and the one boundary where errors become exit codes."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import types
from typing import Any, Final

import click

from agentic_evals import __version__
from agentic_evals.cli import front
from agentic_evals.model.errors import EvalsError, ExitCode

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""Loading makes many objects and hardly any garbage; looking for it after every 700, as is usual, costs time."""
_PLUGIN_LOADER: Final = "pydantic.plugin._loader"


class LazyGroup(click.Group):
    """Imports a command only when it is used, so that `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of use."""
        del ctx
        return front.visible_commands()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in front.COMMANDS:
            return None
        module = importlib.import_module(f"agentic_evals.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.COMMAND
        return command

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the front page, the very text that is shown where nothing was imported."""
        del ctx
        formatter.write(front.help_page())


@click.group(cls=LazyGroup, context_settings={"help_option_names": list(front.HELP_OPTIONS), "max_content_width": 100})
@click.version_option(__version__, prog_name="agentic-evals")
def program() -> None:
    """Say truthfully whether an agent skill works."""


def guarded(arguments: list[str]) -> int:
    """Run the program and return a code of `ExitCode`; nothing is raised."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    _leave_out_plugins()
    _write_whatever_the_encoding()
    try:
        result: Any = program.main(arguments, prog_name="agentic-evals", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.USAGE
    except click.UsageError as error:
        error.show()
        return ExitCode.USAGE
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except EvalsError as error:
        return _said(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK  # of a command that only informs; one that judges keeps its verdict, see `documents.show`
    except Exception:  # noqa: BLE001 - the one boundary: whatever else comes here is a bug of ours
        return _bug()
    return int(result) if isinstance(result, int) else ExitCode.OK


def _leave_out_plugins() -> None:
    """Keep plug-ins that other distributions register with pydantic from changing how a document is read.

    Looking for them costs every start some tens of milliseconds. The module replaced is pydantic's
    own and private: should it go, plug-ins are looked for again, and nothing else changes.
    """
    if _PLUGIN_LOADER not in sys.modules:
        loader: Any = types.ModuleType(_PLUGIN_LOADER)
        loader.get_plugins = tuple
        sys.modules[_PLUGIN_LOADER] = loader


def _write_whatever_the_encoding() -> None:
    """Write out what the encoding of standard output lacks, as standard error does, instead of ending with an error."""
    if sys.stdout is None:  # closed by the caller: what is printed goes nowhere, and the exit code stands
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open as long as the program runs
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _said(error: EvalsError) -> int:
    from agentic_evals.reports._text import visible

    click.echo(f"error: {visible(error.message)}", err=True)
    if error.hint:
        click.echo(f"hint: {visible(error.hint)}", err=True)
    return error.exit_code


def _bug() -> int:
    import traceback

    traceback.print_exc()
    click.echo(
        "This is a bug of agentic-evals. Please report it with the lines above and the output of `doctor`.", err=True
    )
    return ExitCode.BUG
