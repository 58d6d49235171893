"""The fixture says which skill it is about, as the skill does."""

from agentic_evals.rules.contract.skill_name_mismatch import RULE
from tests.unit.rules.contract.subjects import HONEST, facts, fragments, message, said, subject


def test_the_name_of_skill_md_is_accepted():
    """The same name on both sides keeps the rule."""
    assert [] == said(RULE, subject(HONEST))


def test_another_name_is_refused():
    """Another name breaks it; both names are said, and the right one can be pasted."""
    about = subject(HONEST, around=facts(name="other-skill"))

    assert [("error", "/skill")] == said(RULE, about)
    assert {"'example-skill'", "'other-skill'"} <= set(message(RULE, about).replace(",", "").split())
    assert ['"skill": "other-skill"'] == fragments(RULE, about)


def test_without_skill_md_any_name_will_do():
    """Where there is no SKILL.md, or no name in it, nothing can be compared."""
    assert [] == said(RULE, subject(HONEST, around=facts(name=None, text=None)))
