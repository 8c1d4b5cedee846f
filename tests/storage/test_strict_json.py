import pytest

from maxmargin.storage.strict_json import read_json, write_json


def test_a_value_comes_back():
    value = {"a": [1, 2.5, None, True, "ß"], "b": {}}
    text = write_json(value)
    assert text.isascii()
    assert read_json(text) == value


@pytest.mark.parametrize("text", [b'{"a": 1, "a": 2}', b"[NaN]", b"[1,]", b"\xff", b"[" * 100_000])
def test_what_is_not_strict_is_an_error(text):
    with pytest.raises(ValueError, match=r"."):
        read_json(text)
