from pathlib import Path

from maxmargin import plots

PAGE = Path(__file__).parents[2] / "docs" / "pictures.md"


def test_every_plot_is_on_the_page_of_pictures():
    text = PAGE.read_text(encoding="utf-8")
    functions = {name for name in plots.__all__ if name.islower()}
    drawn = {name for name in functions if f"{name}(" in text}
    assert drawn == functions
    assert "MarginDisplay.from_estimator(" in text


def test_every_picture_is_there_and_described():
    for page in PAGE.parent.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert "![](" not in text
        for linked in text.split("](images/")[1:]:
            assert (PAGE.parent / "images" / linked.partition(")")[0]).is_file()
