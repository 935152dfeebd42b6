"""Each example of the documentation prints what its page says, and each link leads somewhere."""

import re

import pytest

from tests.pages import DOCS, rewrite, run

PAGES = sorted(DOCS.glob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_stands_below_them(page, tmp_path):
    for example, printed in run(page, tmp_path):
        assert printed == example.output, f"example {example.number} of {page.name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_pages_and_headings(page):
    for target, anchor in LINK.findall(INLINE.sub("", FENCED.sub("", page.read_text()))):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in map(slug, HEADING.findall(FENCED.sub("", file.read_text()))), anchor


def slug(heading):
    """The anchor that mkdocs makes of a heading."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def test_every_page_is_in_the_navigation():
    navigation = (DOCS.parent / "mkdocs.yml").read_text()
    assert [page.name for page in PAGES if page.name not in navigation] == []


def test_a_page_that_lies_is_noticed_and_mended(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```python\n1 / 0\n```\n")
    assert [printed == example.output for example, printed in run(page, tmp_path)] == [False] * 2
    rewrite(page, tmp_path)
    assert [printed == example.output for example, printed in run(page, tmp_path)] == [True] * 2
    assert "ZeroDivisionError: division by zero" in page.read_text()
