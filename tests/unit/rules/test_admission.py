"""Findings come in the order in which they are mended."""

from agentic_evals import wiring
from agentic_evals.model.finding import Finding, Location, Severity
from agentic_evals.rules.admission import contract_findings, ordered, refuses
from agentic_evals.rules.parse.fixture import Suite
from tests.unit.rules.contract.subjects import ATTACK, HONEST, case, subject


def finding(rule, line, severity=Severity.ERROR):
    """Return a finding of a rule at a line."""
    return Finding(rule, severity, "message", Location("f", "", line, 1))


def test_errors_come_before_warnings_and_each_by_place():
    """What refuses comes first; among equals the place decides."""
    found = [finding("a", 9), finding("b", 1, Severity.WARNING), finding("c", 3), finding("d", 1, Severity.NOTE)]

    assert ["c", "a", "b", "d"] == [one.rule for one in ordered(found)]


def test_a_rule_that_says_the_same_often_does_not_hide_the_others():
    """The fourth and later findings of one rule come after the first of every other; none is lost."""
    found = [finding("often", line) for line in range(1, 40)] + [finding("once", 99)]

    in_order = [one.rule for one in ordered(found)]

    assert ["often"] * 3 + ["once"] + ["often"] * 36 == in_order


def test_a_warning_never_comes_before_an_error():
    """A repeated error still comes before the first warning."""
    found = [finding("often", line) for line in range(1, 9)] + [finding("once", 0, Severity.WARNING)]

    assert "once" == ordered(found)[-1].rule


def test_only_errors_refuse():
    """Warnings and notes are shown, and refuse nothing."""
    assert not refuses([finding("a", 1, Severity.WARNING), finding("b", 1, Severity.NOTE)])
    assert refuses([finding("a", 1, Severity.WARNING), finding("b", 1)])


def rules_said(about):
    """Return which rules of the whole contract find something."""
    return {one.rule for one in contract_findings(about, wiring.contract_rules(), Suite("f", b"{}", ()))}


def test_an_honest_suite_meets_the_whole_contract():
    """A real-world case and an attack that each can fail meet every rule."""
    assert set() == rules_said(subject(HONEST, ATTACK, HONEST | {"required": False}))


def test_the_exempt_kinds_are_excused_from_what_asks_for_real_cases():
    """A self-test and a scaffold need no real-world case, no attack and no second trial."""
    asked = {"real-world-case-missing", "negative-case-missing", "trials-too-few"}
    about = subject(HONEST | {"real_world": False}, trials=1)

    assert asked == rules_said(about)
    for kind in ("runner_selftest", "scaffold"):
        assert set() == rules_said(subject(HONEST | {"real_world": False}, trials=1, eval_kind=kind))


def test_the_exempt_kinds_are_not_excused_from_being_able_to_fail():
    """What cannot fail, writes its own result or names another skill is refused in every kind."""
    idle = case("./run.sh", expected={"exit_code": 0})
    copied = case("cp", "a", "out.txt", expected={"exit_code": 0, "artifacts": [{"path": "out.txt", "exists": True}]})

    for kind in ("runner_selftest", "scaffold"):
        assert {"all-required-vacuous"} == rules_said(subject(idle, eval_kind=kind))
        assert {"trivial-write"} == rules_said(subject(HONEST, copied, eval_kind=kind))


def test_an_exemption_is_no_name_of_the_skill():
    """Calling the suite a scaffold in its words exempts it from nothing."""
    about = subject(HONEST | {"real_world": False, "category": "scaffold"}, notes="runner_selftest")

    assert {"real-world-case-missing", "negative-case-missing"} == rules_said(about)
