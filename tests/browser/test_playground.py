"""The playground: points that are dragged, steps, keys, sizes."""

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.kernels import RBF

pytestmark = pytest.mark.browser


def test_a_dragged_point_changes_the_certificate(screen):
    page, first, scene = screen.page, screen.certificate, screen.scene()
    page.locator("#panes canvas").scroll_into_view_if_needed()
    box = page.locator("#panes canvas").bounding_box()
    left, right, bottom, top = scene["box"]
    x, y = scene["points"][0][:2]
    px = box["x"] + (x - left) / (right - left) * box["width"]
    py = box["y"] + (top - y) / (top - bottom) * box["height"]
    page.mouse.move(px, py)
    page.mouse.down()
    with screen.refit():
        page.mouse.move(px + 60, py + 40, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "old => document.querySelector('.certificate dd').innerText !== old", arg=first["primal"]
    )
    moved = screen.scene()["points"][0]
    assert moved[0] == pytest.approx(x + 60 / box["width"] * (right - left), abs=0.02)
    assert screen.status == "CERTIFIED"


def test_steps_of_smo_end_at_the_librarys_model(screen):
    screen.choose("Set", "ten points")
    screen.choose("Solver", "smo")
    with screen.refit():
        screen.press("First step")
    assert screen.page.get_by_text("Step 1 of").is_visible()
    assert screen.status != "CERTIFIED"
    with screen.refit():
        screen.press("Last step")
    table = np.array(screen.scene()["points"])
    model = SVC(kernel=RBF(gamma=1.0), C=1.0, solver="smo").fit(table[:, :2], table[:, 2])
    found = screen.certificate
    assert screen.status == "CERTIFIED"
    assert float(found["dual"]) == pytest.approx(model.certificate_.dual, rel=1e-5)
    assert int(found["support vectors"]) == len(model.support_)


def test_rounds_of_adaboost_are_played(screen):
    screen.choose("Set", "ten points")
    screen.choose("Model", "adaboost")
    with screen.refit():
        screen.press("First step")
    assert screen.page.get_by_text("Round 1 of").is_visible()
    screen.page.get_by_role("combobox", name="Speed").select_option("15")
    screen.press("Play", exact=True)
    screen.page.wait_for_function("() => document.body.innerText.includes('Round 3 of')")
    screen.press("Pause")
    assert screen.page.locator("canvas.chart").is_visible()


def test_hard_margin_says_why_there_is_none(screen):
    screen.choose("Set", "overlapping")
    screen.choose("Model", "hard")
    screen.choose("Kernel", "linear")
    assert screen.page.get_by_text("Not separable").is_visible()
    assert screen.page.get_by_text("The cross is a mean of both classes").is_visible()


def test_keys_alone_draw_a_model(screen):
    page = screen.page
    page.get_by_role("button", name="Clear").focus()
    page.keyboard.press("Enter")
    page.locator("#panes canvas").focus()
    for key in ("1", "Enter", "Shift+ArrowRight", "Shift+ArrowRight", "2"):
        page.keyboard.press(key)
    with screen.refit():
        page.keyboard.press("Enter")
    assert page.locator("#count").inner_text().startswith("2 points")
    with screen.refit():
        for key in ("m", "ArrowRight", "ArrowRight", "m"):
            page.keyboard.press(key)
    page.get_by_role("tab", name="Playground").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#room-tables").is_visible()


def test_two_models_stand_side_by_side(screen):
    screen.press("Compare two models")
    screen.fitted(pane=1)
    assert screen.page.locator("#panes canvas").count() == 2
    assert screen.page.get_by_text("No certificate").is_visible()


def test_an_address_keeps_a_scene(screen, studio):
    screen.page.goto(studio.root + "#set=ten points&kind=adaboost&rounds=7")
    screen.page.reload()
    screen.fitted()
    assert screen.page.locator("#count").inner_text().startswith("10 points")
    assert "n_estimators=7" in screen.page.locator("#code").text_content()


def test_pictures_are_saved(screen):
    for name, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("Points as CSV", b"x,y,class")):
        with screen.page.expect_download() as saved:
            screen.press(name, exact=True)
        assert saved.value.path().read_bytes().startswith(start)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows(screen, scheme):
    screen.page.emulate_media(color_scheme=scheme)
    for width in (420, 1600):
        screen.page.set_viewport_size({"width": width, "height": 900})
        for tab in ("Playground", "Tables", "A model"):
            screen.room(tab)
            assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    dark = screen.page.evaluate("document.documentElement.classList.contains('dark')")
    assert dark == (scheme == "dark")


def test_the_certificate_keeps_its_height(screen):
    panel = screen.page.locator(".certificate").first
    heights = {panel.bounding_box()["height"]}
    for kind in ("hard", "adaboost", "logistic", "svc"):
        screen.choose("Model", kind)
        heights.add(panel.bounding_box()["height"])
    assert max(heights) - min(heights) <= 1
