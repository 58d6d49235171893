"""Markdown for summaries and comments: inert, short first, within its budget."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agentic_evals.reports import _markdown
from agentic_evals.reports.markdown import COMMENT_BYTES, FORMAT, SUMMARY_BYTES, findings_within, render_within
from tests.unit.reports.samples import blocked, case, checked, failed, finding, findings_report, hostile, report, trial

ANYTHING = st.text(st.characters(codec=None), max_size=60)
GFM = MarkdownIt("gfm-like", {"linkify": False})


def rendered(text):
    """Return the HTML that a reader of the Markdown sees."""
    return GFM.render(text)


def test_it_begins_with_a_third_level_heading_that_says_the_readiness():
    """Summaries of several steps stand under headings of the page."""
    assert "### `sample`: READY (cases only, nothing claimed)" == FORMAT.render(report()).splitlines()[0]


def test_the_most_severe_comes_first():
    """Failed required cases precede blocked, flaky and optional ones, and passed cases are folded."""
    cases = [
        case("fine"),
        case("optional", "FAIL", required=False),
        case("flaky", flaky=True),
        case("waits", "BLOCKED"),
        case("breaks", "FAIL"),
    ]
    text = FORMAT.render(report(*cases, readiness="NOT_READY", exit_code=3, gate="shut"))
    places = [text.index(f"`{name}`") for name in ("breaks", "waits", "flaky", "optional", "fine")]

    assert sorted(places) == places
    assert text.index("1 passed</summary>") < places[-1]


def test_each_failing_case_is_folded_with_its_problems_and_output():
    """The page stays short until a reader opens a case."""
    text = FORMAT.render(failed())

    assert "<details><summary>FAIL <code>breaks</code></summary>\n\nCommand: `./run.sh breaks`" in text
    assert "* `expected/exit_code: FAIL`" in text
    assert "stdout of trial 1:\n\n```text\nout\n```\n\n</details>" in text


def test_obstacles_and_findings_name_their_rules():
    """Rule ids are what `explain` takes."""
    text = FORMAT.render(blocked(findings=(finding(),)))

    assert "* `case-blocked`: `needs`: a precondition of a required case is unmet" in text
    assert "* **warning** `some-rule` `fixtures/agentic_eval.json:4:7` `/cases/0/expected`: something is odd" in text


def test_a_bypass_is_said():
    """An exit of 0 that was asked for is no READY."""
    assert "**Gate bypassed by `--report-only`" in FORMAT.render(blocked(gate="bypassed", exit_code=0))


def test_hostile_text_makes_no_markup():
    """No link, image, HTML, mention or further block comes out of foreign text."""
    html = rendered(FORMAT.render(hostile()))

    assert 1 == html.count("<h3>")
    assert "<a " not in html
    assert "<img" not in html


@pytest.mark.parametrize("write", [_markdown.prose, _markdown.code, _markdown.cell])
@given(text=ANYTHING)
def test_any_text_stays_words(write, text):
    """Whatever the text is, it makes one paragraph without links, emphasis, HTML or mentions of people."""
    html = rendered(f"x {write(text)} y")
    tags = html.replace("<p>", "", 1).replace("</p>", "", 1).replace("<code>", "", 1).replace("</code>", "", 1)

    assert "<" not in tags


@pytest.mark.parametrize("text", ["@someone", "see @org/team", "#12", "group/project!7", "org/repo#1"])
def test_prose_mentions_nobody(text):
    """A forge that looks for mentions after rendering finds none."""
    words = rendered(_markdown.prose(text))

    assert "@s" not in words
    assert "@o" not in words
    assert "#1" not in words
    assert "!7" not in words


@pytest.mark.parametrize(
    "text", ["- item", "+ item", "1. item", "# heading", "> quote", "```", "---", "===", "| a | b |"]
)
def test_prose_starts_no_block(text):
    """A text at the start of a line is still a paragraph."""
    assert rendered(_markdown.prose(text)).startswith("<p>")


@given(ANYTHING)
def test_a_cell_is_one_cell(text):
    """A pipe in a case's name does not make another column."""
    html = rendered(f"| a | b |\n|---|---|\n| {_markdown.cell(text)} | {_markdown.prose(text)} |\n")

    assert 2 == html.count("<td>")
    assert 1 == html.count("<tbody>")


@given(ANYTHING)
def test_a_block_is_closed_only_by_its_own_fence(text):
    """Nothing that a trial prints ends the quotation."""
    html = rendered(f"{_markdown.block(text)}\n\nafter\n")

    assert 1 == html.count("<pre>")
    assert html.endswith("<p>after</p>\n")


@given(ANYTHING)
def test_html_holds_no_tag(text):
    """A summary line is words."""
    assert not {"<", ">"} & set(_markdown.html(text))


def many(number):
    """Make a report of many failing cases with long names and output in characters of three bytes."""
    cases = [
        case(
            f"case-{index}",
            "FAIL",
            trials=(trial("FAIL", 1, stdout="数" * 3000, problems=("数" * 300,)),),
            problems=("数" * 300,),
        )
        for index in range(number)
    ]
    return report(*cases, readiness="NOT_READY", exit_code=3, gate="shut")


@pytest.mark.parametrize("budget", [2000, COMMENT_BYTES, SUMMARY_BYTES])
def test_the_budget_is_kept_in_bytes(budget):
    """A summary over its limit is dropped whole, so what does not fit is counted instead."""
    text = render_within(many(2000), budget)

    assert budget >= len(text.encode())
    assert "### `sample`: NOT\\_READY" in text
    assert "Left out for want of room: " in text
    assert text.count("<details>") == text.count("</details>")


def test_what_fits_is_whole():
    """Nothing is left out where there is room."""
    assert "Left out" not in FORMAT.render(many(3))


def test_findings_keep_the_budget():
    """A check of many fixtures counts what it leaves out, and refused fixtures come first."""
    refused = replace(checked(*[finding("error", message="m" * 500)] * 300, admitted=False), path="refused.json")
    text = findings_within(findings_report(checked(), refused), 5000)

    assert 5000 >= len(text.encode())
    assert text.startswith("### `refused.json`: REFUSED (2 cases)")
    assert "findings. The JSON report has everything." in text
