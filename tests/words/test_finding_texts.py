# SPDX-License-Identifier: Apache-2.0
"""The texts of findings: each names facts that exist, and is fit for its place."""

import re

import pytest

from describe import cards

TITLE_WORDS = 12


@pytest.fixture(params=cards.texts(), ids=lambda text: text.name)
def text(request: pytest.FixtureRequest) -> cards.Text:
    found: cards.Text = request.param
    return found


def test_the_library_fills_in_each_fact_that_has_an_example() -> None:
    assert cards.known() == cards.COUNTS | set(cards.VALUES)


def test_no_text_is_left_out() -> None:
    assert len(cards.texts()) == cards.TEXTS.read_text().count("\nTEXT(")


def test_it_names_facts_that_exist(text: cards.Text) -> None:
    assert cards.facts(text.template) <= cards.known()


def test_its_braces_and_brackets_are_closed(text: cards.Text) -> None:
    left = re.sub(r"{[^{}\[\]]*}", "", text.template)
    assert not re.search(r"[{}\[\]]", re.sub(r"\[[^\[\]]*\]", "", left))


def test_each_bracket_names_a_fact_that_may_be_missing(text: cards.Text) -> None:
    for bracket in re.findall(r"\[([^]]*)\]", text.template):
        assert cards.facts(bracket)


def test_a_title_has_at_most_twelve_words(text: cards.Text) -> None:
    if text.part == "title":
        for variant in cards.variants(text.template):
            assert len(variant.split()) <= TITLE_WORDS, variant


def test_a_sentence_ends(text: cards.Text) -> None:
    """A part of a list continues in the next text, and a title has no full stop."""
    goes_on = re.search(r"each|before DOING|for ever|resolved|card has room", text.when)
    if text.part in ("title", "same") or goes_on or text.template == "{name}":
        assert not text.template.endswith(".") or text.name == "STOP"
    else:
        assert text.template.rstrip("])").endswith((".", ":")), text.template
