"""`run`: evaluate fixtures and gate on the verdict."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from agentic_evals.cli.config import configure
from agentic_evals.cli.documents import document, show, writable_files, write
from agentic_evals.cli.findings import show_findings
from agentic_evals.cli.options import LeafChoice, OneValue, Seconds, default_fixtures, setting_source
from agentic_evals.model.errors import ExitCode, UsageError, strongest
from agentic_evals.reports._text import one_line

if TYPE_CHECKING:
    from agentic_evals.flows.admit import Admission
    from agentic_evals.flows.evaluate import Evaluated, Request
    from agentic_evals.flows.rooms import Wanted

_VARIABLES: Final = {
    "trials": "AGENTIC_EVALS_TRIALS",
    "outputs": "AGENTIC_EVALS_OUTPUT",
    "verbose": "AGENTIC_EVALS_VERBOSE",
    "report_only": "AGENTIC_EVALS_NO_GATE",
    "fail_fast": "AGENTIC_EVALS_FAIL_FAST",
}
_FLAGS: Final = {"report_only": "--report-only"}


@click.command(epilog="Example: agentic-evals run fixtures/agentic_eval.json --output runs/today/")
@click.argument("fixtures", nargs=-1, metavar="[FIXTURE]…", type=click.Path())
@click.option(
    "--trials", type=click.IntRange(1), envvar=_VARIABLES["trials"], help="Replace the fixture's number of trials."
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Trials at once. [default: the number of cores]")
@click.option("--timeout-seconds", type=Seconds(), help="For cases that set none. [default: 30]")
@click.option("--fail-fast", is_flag=True, envvar=_VARIABLES["fail_fast"], help="Stop at the first FAIL.")
@click.option(
    "--case", "cases", multiple=True, metavar="NAME", help="Run only this case (repeatable); establishes no readiness."
)
@click.option(
    "--only-category", "categories", multiple=True, metavar="NAME", help="Run only cases of this category (repeatable)."
)
@click.option(
    "--isolation",
    type=click.Choice(["auto", "none", "process", "namespace"]),
    default="auto",
    show_default=True,
    help="How far trials are kept apart.",
)
@click.option(
    "--workspace",
    type=click.Choice(["auto", "overlay", "copy", "shared"]),
    default="auto",
    show_default=True,
    help="Which view of the workspace each trial has.",
)
@click.option(
    "--require",
    multiple=True,
    metavar="GUARANTEE=GRADE",
    help="Block trials where this is not in force (repeatable), e.g. workspace_private=verified.",
)
@click.option(
    "--copy-limit", default="200MB,20000", show_default=True, metavar="BYTES,FILES", help="Largest workspace to copy."
)
@click.option(
    "--max-output",
    default="2GiB",
    show_default=True,
    metavar="BYTES",
    help="A stream that grows larger ends its trial.",
)
@click.option("--executor", type=LeafChoice("executors"), default="local", show_default=True, help="Where trials run.")
@click.option(
    "--report-only", is_flag=True, envvar=_VARIABLES["report_only"], help="Exit 0 for 3, 5 and 7; recorded as a bypass."
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    type=OneValue(),
    envvar=_VARIABLES["outputs"],
    metavar="[FORMAT:]FILE | DIR/",
    help="Write a report (repeatable); `DIR/` keeps the whole run there.",
)
@click.option(
    "--format",
    "form",
    type=LeafChoice("formats"),
    default="terminal",
    show_default=True,
    help="What to print on standard output.",
)
@click.option("--verbose", is_flag=True, envvar=_VARIABLES["verbose"], help="Show every trial.")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    is_eager=True,
    callback=configure,
    help="Settings; the nearest agentic-evals.toml or [tool.agentic-evals] is taken by default.",
)
@click.pass_context
def run(ctx: click.Context, /, fixtures: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click hands over its options
    """Evaluate fixtures: load, check the contract, run, judge, report, gate.

    Without a fixture, the nearest skill's `fixtures/agentic_eval.json` is taken. Exits 0 only for
    READY; see the reference of exit codes for every other answer.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    paths = default_fixtures(fixtures)
    outputs = _Outputs(options["outputs"], options["form"], len(paths))
    codes = [_one(ctx, path, options, outputs, number) for number, path in enumerate(paths, 1)]
    return strongest(codes)


def _one(ctx: click.Context, path: str, options: dict[str, Any], outputs: _Outputs, number: int) -> ExitCode:
    from agentic_evals import wiring

    config = ctx.meta.get("agentic_evals.config")
    setters = {"flag": "--trials", "variable": _VARIABLES["trials"], "file": f"the settings in {config}"}
    trials_by = setters.get(setting_source(ctx, "trials"))
    admission = wiring.admit()(path, options["trials"], trials_by)
    if not admission.admitted or admission.subject is None:
        outputs.refuse(admission)
        return ExitCode.REJECTED
    show_findings(admission.findings)
    run_id = wiring.clock().new_run_id()
    with wiring.scratch(run_id, admission.subject.facts.root) as folder:
        request = _request(ctx, options, outputs.folder_for(number), run_id, folder)
        evaluated = _evaluate(admission, options, request)
    outputs.deliver(evaluated)
    return ExitCode(evaluated.report.exit_code)


def _evaluate(admission: Admission, options: dict[str, Any], request: Request) -> Evaluated:
    from agentic_evals import wiring
    from agentic_evals.cli.console import Console

    return wiring.evaluation(options["executor"]).run(admission, request, Console(verbose=options["verbose"]))


def _request(ctx: click.Context, options: dict[str, Any], kept_in: str | None, run_id: str, folder: str) -> Request:
    from agentic_evals import wiring
    from agentic_evals.flows.evaluate import Request

    bypass_by = {"flag": "--report-only", "variable": _VARIABLES["report_only"]}.get(setting_source(ctx, "report_only"))
    return Request(
        run_id=run_id,
        wanted=_wanted(options, folder),
        jobs=options["jobs"] or os.cpu_count() or 1,
        timeout_seconds=options["timeout_seconds"],
        fail_fast=options["fail_fast"],
        cases=options["cases"],
        categories=options["categories"],
        max_output=size_in_bytes(options["max_output"], "--max-output"),
        bypass=bypass_by if options["report_only"] else None,
        folder=kept_in,
        caller=dict(os.environ),
        own_prefix=wiring.own_environment(),
        settings={
            name: {"value": _plain(options[name]), "set_by": setting_source(ctx, name)} for name in sorted(options)
        },
        tool=wiring.tool(),
    )


def _wanted(options: dict[str, Any], folder: str) -> Wanted:
    from agentic_evals.flows.rooms import Wanted

    limit_bytes, _, limit_files = options["copy_limit"].partition(",")
    return Wanted(
        scratch=folder,
        workspace_mode=options["workspace"],
        level=options["isolation"],
        copy_limit=(size_in_bytes(limit_bytes, "--copy-limit"), _files(limit_files)),
        require=_required(options["require"]),
    )


def _required(texts: tuple[str, ...]) -> dict[str, str]:
    from agentic_evals.rules.isolation import GRADES, GUARANTEES

    found: dict[str, str] = {}
    for text in texts:
        name, _, grade = text.partition("=")
        if name not in GUARANTEES or grade not in GRADES:
            message = f"--require: {text!r} is not GUARANTEE=GRADE"
            raise UsageError(message, hint=f"Guarantees: {', '.join(GUARANTEES)}. Grades: {', '.join(GRADES)}.")
        found[name] = grade
    return found


class _Outputs:
    """Where results go, checked before anything runs."""

    def __init__(self, outputs: tuple[str, ...], form: str, fixtures: int) -> None:
        folders = [path for path in outputs if path.endswith("/")]
        if len(folders) > 1:
            message = "a run is kept in one folder"
            raise UsageError(message, hint="Give one `--output DIR/`.")
        self._files = writable_files(path for path in outputs if not path.endswith("/"))
        if self._files and fixtures > 1:
            message = f"{fixtures} fixtures cannot share one file: each report would replace the one before"
            raise UsageError(message, hint="Give `--output DIR/`: each run then has a folder of its own in it.")
        self._folder = folders[0] if folders else None
        self._several = fixtures > 1
        self._form = form

    def folder_for(self, number: int) -> str | None:
        """Return where the run of the fixture with this number, from 1, is kept; `None` for the usual place."""
        return f"{self._folder}{number:03d}" if self._folder and self._several else self._folder

    def refuse(self, admission: Admission) -> None:
        """Say why a fixture is refused: to people on standard error, to programs as the document they asked for.

        A file that was asked for gets the findings where it is new; one that is there stays as it is.
        """
        from agentic_evals import wiring
        from agentic_evals.flows.check import findings_report

        show_findings(admission.findings)
        click.echo(f"{one_line(admission.path, 1000)}: REFUSED by its contract; nothing was executed", err=True)
        report = findings_report([admission], wiring.tool())
        for form, path in self._files:
            if os.path.exists(path) or wiring.formats()[form].findings is None:
                click.echo(f"{one_line(path, 1000)} was not written: nothing ran", err=True)
            else:
                write(report, [(form, path)])
        if self._form != "terminal":
            show(report, self._form)

    def deliver(self, evaluated: Evaluated) -> None:
        """Write and print the report in every form that was asked for."""
        evaluated.folder.write("report.json", document(evaluated.report, "json").encode())
        write(evaluated.report, self._files)
        show(evaluated.report, self._form)
        if self._form == "terminal":
            click.echo(f"evidence: {one_line(evaluated.folder.path, 1000)}")


def size_in_bytes(text: str, flag: str) -> int:
    """Read a size such as `2GiB`, `200MB` or `1000`, in bytes.

    Raises:
        UsageError: it is none.

    """
    units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
    number = text.rstrip("bBkKmMgGiI")
    unit = text[len(number) :].lower()
    if not number.strip().isdigit() or unit not in units:
        message = f"{flag}: {text!r} is no size"
        raise UsageError(message, hint="Write a size such as 2GiB, 200MB or 1000.")
    return int(number) * units[unit]


def _files(text: str) -> int:
    if text and not text.isdigit():
        message = f"--copy-limit: {text!r} is no number of files"
        raise UsageError(message, hint="Write the limit as BYTES,FILES, such as 200MB,20000.")
    return int(text) if text else 20_000


def _plain(value: Any) -> Any:  # noqa: ANN401 - any option
    return list(value) if isinstance(value, tuple) else value


def _stop(number: int, _frame: object) -> NoReturn:
    """Stop the run once; further signals are ignored while it cleans up and writes what it has."""
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    del number
    raise KeyboardInterrupt


COMMAND: Final = run
