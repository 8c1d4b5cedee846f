import pytest

from maxmargin.storage.pattern import PatternError, check_pattern


@pytest.mark.parametrize("pattern", [r"(?u)\b\w\w+\b", r"[a-z]+", r"\S+", r"a|b|cd"])
def test_usual_tokens_are_allowed(pattern):
    assert check_pattern(pattern) is None


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(\w+\s?)+$", r"(a|aa)+$"])
def test_patterns_with_too_many_ways_are_refused(pattern):
    with pytest.raises(PatternError, match="is refused"):
        check_pattern(pattern)
