import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from maxmargin import LinearSVC, TableSVC, TableSVR
from maxmargin.ops.clock import watch
from maxmargin.storage import load_model, save_model
from maxmargin.tabular import texts
from maxmargin.tabular.preparation import BLOCKS, Preparation
from maxmargin.tabular.texts import RIDGE, Vocabulary, descend

WORDS = np.array([a + b for a in ("ba", "ke", "lo", "mi", "su") for b in ("d", "fen", "gat", "ro")])
TELLING = 4  # words that mean something


def draw_texts(n, seed=0, length=8):
    """Texts of random words, and how many of them are among the first few."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(WORDS), (n, length))
    lines = np.array([" ".join(WORDS[each]) for each in chosen], dtype=object)
    return lines, (chosen < TELLING).sum(axis=1)


def block(rows, name):
    return rows.X[:, rows.block == BLOCKS.index(name)]


def learn(column, y):
    target = np.asarray(y, dtype=float)[:, None]
    return Preparation.learn([column], ["t"], target - target.mean())


def test_texts_tell_what_they_say():
    lines, y = draw_texts(400)
    model = TableSVR().fit(lines[:300, None], y[:300])
    assert model.score(lines[300:, None], y[300:]) > 0.8
    said = str(model.preparation_)
    assert "n-grams, by linear machines" in said
    assert "length as a number" in said


def test_near_a_linear_machine_on_tf_idf():
    lines, count = draw_texts(300)
    label = np.where(count > np.median(count), "many", "few")
    theirs = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(lines[:200], label[:200])
    ours = TableSVC().fit(lines[:200, None], label[:200])
    least = theirs.score(lines[200:], label[200:]) - 0.03
    assert ours.score(lines[200:, None], label[200:]) > least


def test_texts_beside_numbers_and_words():
    lines, count = draw_texts(300)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"size": rng.normal(size=300), "title": lines, "kind": rng.choice(["p", "q"], 300)}
    )
    y = count + 2 * frame["size"] + 3 * (frame["kind"] == "p")
    frame.loc[::20, "title"] = None
    model = TableSVR().fit(frame[:200], y[:200])
    held = np.arange(200, 300) % 20 > 0
    assert model.score(frame[200:][held], y[200:][held]) > 0.9
    assert "length as a number, with an indicator of missing values" in str(model.preparation_)


def test_several_classes_have_two_columns_each():
    lines, count = draw_texts(150)
    label = np.minimum(count, 2)
    signs = np.where(label[:, None] == np.arange(3), 1.0, -1.0)
    _, rows = Preparation.learn([lines], ["t"], signs - signs.mean(axis=0))
    assert block(rows, "texts").shape[1] == 6


def test_no_row_sees_its_own_target():
    """Texts without meaning: a leak would show as agreement with the target."""
    lines, _ = draw_texts(400, seed=3)
    y = np.random.default_rng(4).normal(size=400)
    _, rows = learn(lines, y)
    assert abs(np.corrcoef(block(rows, "texts")[:, 0], y)[0, 1]) < 0.15


def test_the_steps_end_at_the_ridge_regression():
    """Compared with the closed form, for all rows and for those left out; weights count."""
    lines, count = draw_texts(60)
    y = (count - count.mean())[:, None].astype(np.float32)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    X = Vocabulary.learn(lines.tolist())[1]
    fold = np.arange(60) % 3
    mask = np.sqrt(weight)[:, None] * (fold[:, None] != np.arange(4))
    *_, (a, values) = descend(X, y, mask.astype(np.float32))
    for each in range(4):
        v = ridge(X.toarray().astype(float), y, weight, fold != each)
        np.testing.assert_allclose(values[:, 0, each], X @ v, atol=1e-3)
        np.testing.assert_allclose(X.T @ (mask[:, each] * a[:, 0, each]), v, atol=1e-3)


def ridge(X, y, weight, rows):
    w = weight[rows]
    G = X[rows] @ X[rows].T + RIDGE * np.diag(1 / w)
    return X[rows].T @ np.linalg.solve(G, y[rows, 0])


def test_long_texts_are_cut_with_a_word_about_it(monkeypatch):
    monkeypatch.setattr(texts, "MOST_LETTERS", 50)
    monkeypatch.setattr(texts, "LEAST_LETTERS", 20)
    lines, y = draw_texts(60)
    lines[0] = "one two " * 1_000_000
    learned, rows = learn(lines, y)
    assert "cut after 50 letters" in str(learned)
    assert np.isfinite(rows.X).all()


def test_only_the_most_frequent_ngrams_are_kept(monkeypatch):
    monkeypatch.setattr(texts, "MOST_NGRAMS", 30)
    lines, y = draw_texts(60)
    assert "texts: 30 n-grams" in str(learn(lines, y)[0])


def test_new_and_missing_texts():
    lines, y = draw_texts(80)
    learned, _ = learn(lines, y)
    new = learned.rows([np.array(["zzz qqq", None, "", "bad"], dtype=object)])
    assert np.isfinite(new.X).all()
    assert (block(new, "texts")[:3] == 0).all()


def test_texts_that_share_nothing():
    """Every text of letters that no other has: there is no n-gram to learn from twice."""
    lines = np.array([f"{chr(0x4E00 + i) * 3} {chr(0x5E00 + i) * 3}" for i in range(40)], object)
    _, rows = learn(lines, np.arange(40))
    assert np.isfinite(rows.X).all()


def test_time_is_up_before_they_are_read():
    lines, y = draw_texts(60)
    with watch(0.0):
        learned, _ = Preparation.learn([lines, np.arange(60.0)], ["t", "x"], y[:, None] - y.mean())
    assert "t  dropped: time was up before its texts were read" in str(learned)


def test_same_bits_twice_and_in_model_files(tmp_path):
    lines, y = draw_texts(80)
    X = np.column_stack([lines, np.arange(80)])
    one, two = (TableSVR(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    save_model(tmp_path / "m", one)
    again = load_model(tmp_path / "m").value
    np.testing.assert_array_equal(again.predict(X), one.predict(X))
    assert str(again.preparation_) == str(one.preparation_)


@pytest.mark.parametrize("n", [1, 3])
def test_a_few_rows_alone_are_prepared_alike(n):
    lines, y = draw_texts(60)
    learned, _ = learn(lines, y)
    np.testing.assert_allclose(learned.rows([lines[:n]]).X, learned.rows([lines]).X[:n], rtol=1e-6)
