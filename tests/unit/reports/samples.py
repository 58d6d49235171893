"""Small reports to render: one call a shape, and every field can be replaced."""

from dataclasses import replace

from agentic_evals.model.report import (
    CaseReport,
    CheckedFixture,
    FindingReport,
    FindingsReport,
    Gate,
    ObstacleReport,
    RunReport,
    StreamReport,
    TrialReport,
)

HOSTILE = (
    "a\x1b[31mred\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x00\x9b2J\u202egnp.exe\ud800\u2066\U000e0041\ufffe]]>"
)
"""ANSI, OSC 8, NUL, a C1 control, bidirectional marks, half a pair, a tag, no character, the end of a CDATA section."""


def trial(outcome="PASS", number=1, case="works", **other):
    """Make a trial."""
    made = TrialReport(
        trial_id=f"{case}/{number}",
        outcome=outcome,
        problems=() if outcome == "PASS" else (f"expected/exit_code: {outcome}",),
        termination={"kind": "exited", "code": 0},
        exit_code=0,
        timed_out=False,
        duration_ms=12.0,
        started_unix_ms=0,
        stdout="out\n",
        stderr="",
        streams={"stdout": StreamReport(4, "0" * 64), "stderr": StreamReport(0, "0" * 64)},
        artifact_hashes={},
    )
    return replace(made, **other)


def case(name="works", outcome="PASS", **other):
    """Make a case of two trials that agree."""
    trials = () if outcome == "NOT_TESTED" else (trial(outcome, 1, name), trial(outcome, 2, name))
    made = CaseReport(
        name=name,
        type="positive",
        case_id=f"0:{name}",
        required=True,
        outcome=outcome,
        problems=tuple(dict.fromkeys(problem for each in trials for problem in each.problems)),
        argv=("./run.sh", name),
        flaky=False,
        passed_trials=sum(each.outcome == "PASS" for each in trials),
        total_trials=len(trials),
        pass_rate=None,
        pass_rate_interval=None,
        pass_power_k=None,
        declared_evidence_class=None,
        effective_evidence_class=None,
        live_qualified=None,
        evidence_disqualifiers=(),
        real_world=True,
        category=None,
        vacuous=False,
        any_failure_passes=False,
        null_trial=None,
        trials=trials,
        line=3,
    )
    return replace(made, **other)


def finding(severity="warning", rule="some-rule", message="something is odd", **other):
    """Make a finding."""
    made = FindingReport(rule, severity, message, "fixtures/agentic_eval.json", "/cases/0/expected", 4, 7, "Mend it.")
    return replace(made, **other)


def report(*cases, readiness="READY", exit_code=0, gate="open", obstacles=(), **other):
    """Make a report of a run."""
    cases = cases or (case(),)
    outcomes = [each.outcome for each in cases]
    made = RunReport(
        source="fixtures/agentic_eval.json",
        run_id="r1",
        fixture_sha256="0" * 64,
        skill="sample",
        readiness=readiness,
        headline=f"{readiness} (cases only, nothing claimed)",
        case_readiness=readiness,
        claim_readiness="NOT_DECLARED",
        gate=Gate(gate, exit_code, "--report-only" if gate == "bypassed" else None),
        exit_code=exit_code,
        obstacles=tuple(obstacles),
        outcome_counts={word: outcomes.count(word) for word in ("PASS", "FAIL", "BLOCKED", "NOT_TESTED")},
        cases=tuple(cases),
        contract="met",
        findings=(),
        selection="whole",
        generated_at="2030-01-02T03:04:05Z",
        duration_ms=1500.0,
        trials=2,
        mocked=False,
        live=False,
        eval_kind=None,
        eval_tier=None,
        proof_scope=None,
        claims=None,
        capability_readiness=None,
        repo={"sha": None, "ref": None, "dirty": None},
        isolation={"level": "process", "workspace": "copy", "recorder": "off"},
        environment={},
        settings={},
        tool={"name": "agentic-evals", "version": "1.2.3"},
        limits=("The recorder is off.",),
    )
    return replace(made, **other)


def failed(name="breaks", **other):
    """Make a report whose gate is shut by one failed case."""
    obstacle = ObstacleReport("case-failed", "a required case failed", 3, name)
    return report(
        case(),
        case(name, "FAIL"),
        readiness="USABLE_WITH_GAPS",
        exit_code=3,
        gate="shut",
        obstacles=[obstacle],
        **other,
    )


def blocked(**other):
    """Make a report whose gate is shut although nothing failed."""
    obstacle = ObstacleReport("case-blocked", "a precondition of a required case is unmet", 5, "needs")
    shut = {"readiness": "USABLE_WITH_GAPS", "exit_code": 5, "gate": "shut", "obstacles": [obstacle]}
    return report(case(), case("needs", "BLOCKED"), **(shut | other))


def hostile():
    """Make a report in which every text from outside tries to act."""
    bad = trial("FAIL", 1, HOSTILE, stdout=HOSTILE, stderr=f"{HOSTILE}\n```\n</details>", problems=(HOSTILE,))
    one = case(
        HOSTILE, "FAIL", type="negative", trials=(bad,), problems=(HOSTILE,), argv=("sh", HOSTILE), total_trials=1
    )
    return failed(
        skill=HOSTILE,
        source=f"{HOSTILE}.json",
        cases=(one,),
        findings=(finding(message=HOSTILE, file=HOSTILE, pointer=f"/{HOSTILE}", hint=HOSTILE),),
        limits=(HOSTILE,),
    )


def checked(*findings, admitted=True, **other):
    """Make the result of checking one fixture."""
    made = CheckedFixture(
        "fixtures/agentic_eval.json", admitted, "met" if admitted else "broken", "0" * 64, 2, findings
    )
    return replace(made, **other)


def findings_report(*fixtures):
    """Make the result of checking fixtures."""
    fixtures = fixtures or (checked(finding("error", fragment='"trials": 3'), finding("note"), admitted=False),)
    return FindingsReport(fixtures, 0 if all(each.admitted for each in fixtures) else 1, {"version": "1.2.3"})
