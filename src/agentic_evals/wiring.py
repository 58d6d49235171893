"""The composition root: the only module that knows every adapter and every catalogue."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from agentic_evals import __version__
from agentic_evals.discovery import Catalogue, leaves

if TYPE_CHECKING:
    from agentic_evals.adapters.clock import SystemClock
    from agentic_evals.adapters.pages import RulePages
    from agentic_evals.flows.admit import Admit
    from agentic_evals.flows.diagnose import Diagnose
    from agentic_evals.flows.evaluate import Evaluation
    from agentic_evals.flows.regrade import Regrade
    from agentic_evals.ports import AgentRuntime, ExecutorFactory, Forge, Importer
    from agentic_evals.reports._format import Format
    from agentic_evals.rules.operator import Operator
    from agentic_evals.rules.subject import Rule


@cache
def operators() -> Catalogue[Operator]:
    """Return the expectation operators."""
    from agentic_evals.rules.operator import Operator

    return leaves("agentic_evals.rules.expectations", "OPERATOR", Operator)


@cache
def contract_rules() -> Catalogue[Rule]:
    """Return the rules of the contract."""
    from agentic_evals.rules.subject import Rule

    return leaves("agentic_evals.rules.contract", "RULE", Rule)


@cache
def formats() -> Catalogue[Format]:
    """Return the report formats."""
    from agentic_evals.reports._format import Format

    return leaves("agentic_evals.reports", "FORMAT", Format)


@cache
def executors() -> Catalogue[ExecutorFactory]:
    """Return the executors."""
    from agentic_evals.ports import ExecutorFactory

    return leaves("agentic_evals.adapters.executors", "EXECUTOR", ExecutorFactory)


@cache
def runtimes() -> Catalogue[AgentRuntime]:
    """Return the agent runtimes."""
    from agentic_evals.ports import AgentRuntime

    return leaves("agentic_evals.adapters.runtimes", "RUNTIME", AgentRuntime)  # type: ignore[type-abstract]  # a protocol checked at run time


@cache
def forges() -> Catalogue[Forge]:
    """Return the forges."""
    from agentic_evals.ports import Forge

    return leaves("agentic_evals.adapters.forges", "FORGE", Forge)  # type: ignore[type-abstract]  # a protocol checked at run time


@cache
def importers() -> Catalogue[Importer]:
    """Return the importers of foreign suites."""
    from agentic_evals.ports import Importer

    return leaves("agentic_evals.adapters.importers", "IMPORTER", Importer)  # type: ignore[type-abstract]  # a protocol checked at run time


def admit() -> Admit:
    """Build the flow that reads fixtures and asks the contract."""
    from agentic_evals.adapters.workspace import Files
    from agentic_evals.flows.admit import Admit

    return Admit(Files(own_checkout()), operators(), contract_rules(), importers())


def evaluation(executor: str) -> Evaluation:
    """Build the flow of `run` for this machine."""
    from agentic_evals.adapters.process import WorkerSandbox
    from agentic_evals.adapters.store import FolderStore
    from agentic_evals.flows.evaluate import Evaluation

    return Evaluation(WorkerSandbox(), FolderStore(), clock(), executors()[executor].build)


def regrade() -> Regrade:
    """Build the flow of `regrade`."""
    from agentic_evals.adapters.store import FolderStore
    from agentic_evals.flows.regrade import Regrade

    return Regrade(FolderStore(), operators())


def diagnose() -> Diagnose:
    """Build the flow of `doctor`."""
    from agentic_evals.adapters.process import WorkerSandbox
    from agentic_evals.flows.diagnose import Diagnose

    return Diagnose(WorkerSandbox(), executors(), runtimes(), forges(), importers())


def pages() -> RulePages:
    """Return the documentation pages of rules."""
    from agentic_evals.adapters.pages import RulePages

    return RulePages()


def worker_command() -> list[str]:
    """Return the argv that starts the supervising worker."""
    from agentic_evals.adapters import worker_client

    return worker_client.start_command()


def clock() -> SystemClock:
    """Return the machine's clock."""
    from agentic_evals.adapters.clock import SystemClock

    return SystemClock()


def scratch(run_id: str, workspace: str) -> Any:  # noqa: ANN401 - a context manager of the adapter
    """Return the context in which a run has its private folder for temporary files."""
    from agentic_evals.adapters import spool

    return spool.scratch(run_id, workspace)


def own_checkout() -> str | None:
    """Return the repository that this program runs from, or `None` where it is installed."""
    package = os.path.dirname(os.path.abspath(__file__))
    checkout = os.path.dirname(os.path.dirname(package))
    here = os.path.basename(os.path.dirname(package)) == "src"
    return checkout if here and os.path.isfile(os.path.join(checkout, "SKILL.md")) else None


def own_environment() -> str:
    """Return the folder of this program's own virtual environment; empty where it has none."""
    return sys.prefix if sys.prefix != sys.base_prefix else ""


def tool() -> dict[str, str]:
    """Return what made a report."""
    return {
        "name": "agentic-evals",
        "version": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
    }
