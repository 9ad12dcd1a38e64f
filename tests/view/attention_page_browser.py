"""Opens the pages of attention_page() in Chromium and uses them as a reader does, with
mouse, keyboard and finger: attention_page_browser.py PAGES [SCREENSHOTS]

PAGES is the program that writes the pages (pages.cpp). SCREENSHOTS is a folder for
pictures of them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import chromium

ROW = 20  # the height of a token
FOCUSABLE = "a[href], button, input, [tabindex]"
PHONE = 360

browser = None
folder = None


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def expect_equal(found, expected, what):
    expect(found == expected, f"{what}: expected {expected!r}, found {found!r}")


def eventually(holds, what):
    """For what the browser does with one of its next frames."""
    end = time.monotonic() + 10
    while not holds():
        expect(time.monotonic() < end, what)
        time.sleep(0.02)


def opened(name, width=1280, height=860, touch=False):
    browser.size(width, height, touch)
    browser.open(folder / name)
    expect_equal(browser.requests(), [f"file://{folder / name}"], "requests")
    expect_equal(browser.run("innerWidth"), width, "the width")


def box(selector):
    return browser.run(f"(() => {{ const box = document.querySelector({selector!r})"
                       ".getBoundingClientRect();"
                       "return [box.x, box.y, box.width, box.height]; })()")


def text(selector):
    return browser.run(f"document.querySelector({selector!r}).innerText")


def drawn(selector):
    return browser.run(f"document.querySelector({selector!r}).toDataURL()")


def focused():
    return browser.run("(() => { const element = document.activeElement; return element.id "
                       "|| element.getAttribute('aria-label') || element.value || "
                       "element.className; })()")


def focus(selector):
    browser.run(f"document.querySelector({selector!r}).focus()")


def click(selector):
    browser.run(f"document.querySelector({selector!r}).scrollIntoView({{block: 'nearest'}})")
    x, y, width, height = box(selector)
    browser.click(x + width / 2, y + height / 2)


def token(side, index):
    """Where a token is on the screen."""
    x, y, width, _ = box("#lines")
    return x + width * (0.2 if side == "query" else 0.8), y + ROW * (index + 0.5)


def values():
    """The tables beside the lines: their titles, each with [(index, token, weight)]."""
    tables = browser.run("""[...document.querySelectorAll('#values h4')].map((title) => [
        title.textContent, [...title.nextSibling.rows].map(
          (row) => [...row.cells].map((cell) => cell.textContent))])""")
    return {title: [tuple(row) for row in rows] for title, rows in tables}


def cell_place(i, j, n, m):
    """Where a cell of a heat map without names is on the screen."""
    x, y, width, height = box("#map")
    return x + width * (j + 0.5) / m, y + height * (i + 0.5) / n


def close_to(written, weight):
    # Four decimals are shown, of weights that are kept in steps of 1 / 65534.
    return abs(float(written) - weight) <= 0.5e-4 + 0.5 / 65534 + 1e-6


# --- the page of a model of char_lm's sizes

def it_is_small_and_opens_at_once():
    expect((folder / "model.html").stat().st_size < 150_000, "the page is too large")
    times = []
    for _ in range(3):
        opened("model.html")
        times.append(browser.run(
            "performance.getEntriesByType('navigation')[0].loadEventEnd"))
    expect(min(times) < 1000, f"opening takes {times} ms")
    expect_equal(text("h1"), "A model of characters", "the title")
    expect_equal(browser.run("document.querySelectorAll('#heads button').length"), 16,
                 "heads")


def its_numbers_are_the_model_s():
    opened("model.html")
    layers = json.loads((folder / "model.json").read_text())
    for layer, head, i in (0, 0, 20), (1, 3, 7), (3, 2, 25):
        click(f"#heads div:nth-of-type({layer + 1}) button:nth-child({head + 1})")
        browser.move(*token("query", i))
        weights = layers[layer][head]
        (to_title, to), (by_title, by) = values().items()
        expect(to_title.endswith(f"({i}) attends to"), to_title)
        expect(by_title.endswith(f"({i}) is attended to by"), by_title)
        for rows, true in (to, weights[i]), (by, [row[i] for row in weights]):
            largest = sorted(true, reverse=True)
            expect(len(rows) == min(13, sum(weight > 1e-5 for weight in true)),
                   f"{len(rows)} rows")
            for place, (index, _, weight) in enumerate(rows[:12]):
                expect(close_to(weight, true[int(index)]), f"{weight} at {index}")
                expect(close_to(weight, largest[place]), f"{weight} in place {place}")
            if len(rows) == 13:
                expect(abs(float(rows[12][2]) - sum(largest[12:])) < 1e-3, rows[12])
        # The heat map has the same numbers, here of the last query.
        for j in 0, 5, i:
            browser.move(*cell_place(i, j, 64, 64))
            cell = text("#cell")
            expect(f"({i}) →" in cell and f"({j}): " in cell, cell)
            expect(close_to(cell.rpartition(" ")[2], weights[i][j]), cell)
            kept = {int(index): weight for index, _, weight in to[:12]}
            expect(kept.get(j, cell.rpartition(" ")[2]) == cell.rpartition(" ")[2], cell)
        browser.move(*cell_place(3, 50, 64, 64))
        expect(text("#cell").endswith(": 0.0000"), text("#cell"))


def the_mean_over_heads_is_that_of_the_model():
    opened("model.html")
    layers = json.loads((folder / "model.json").read_text())
    one = drawn("#map")
    click("#choice input[value=mean]")
    expect("mean of 4 heads" in text("#name"), text("#name"))
    expect(drawn("#map") != one, "the mean looks like one head")
    browser.move(*token("query", 9))
    for index, _, weight in list(values().values())[0]:
        mean = sum(head[9][int(index)] for head in layers[0]) / 4
        expect(abs(float(weight) - mean) < 1e-4, f"{weight} is not {mean}")
    click("#choice input[value=head]")
    expect(drawn("#map") == one, "the head does not come back")


def the_mouse_shows_what_it_points_at():
    opened("model.html")
    before = drawn("#lines"), drawn("#map")
    expect("Point at a token" in text("#values"), text("#values"))
    browser.move(*token("query", 5))
    first = drawn("#lines"), drawn("#map")
    expect(first[0] != before[0] and first[1] != before[1], "nothing is drawn")
    browser.move(*token("key", 5))
    expect(drawn("#lines") != first[0], "queries and keys look alike")
    browser.move(5, 5)
    expect((drawn("#lines"), drawn("#map")) == before, "something stays")
    # A click keeps it.
    browser.click(*token("query", 5))
    browser.move(5, 5)
    expect(text("#values").startswith("␣ (5) attends to"), text("#values"))
    expect(text("#said").startswith("␣, query 5. attends to "), text("#said"))
    browser.press("Escape")
    expect((drawn("#lines"), drawn("#map")) == before, "Escape leaves something")


def the_keyboard_reaches_everything():
    for name in "model.html", "translation.html":
        opened(name)
        reached = []
        while True:
            browser.press("Tab")
            if browser.run("document.activeElement === document.body") or (
                    reached and focused() == reached[0]):
                break
            reached.append(focused())
            # By the keyboard, focus is seen.
            expect(browser.run("getComputedStyle(document.activeElement).outlineStyle")
                   != "none", f"no outline around {reached[-1]}")
        wanted = browser.run(
            f"[...document.querySelectorAll({FOCUSABLE!r})].filter("
            "(element) => element.checkVisibility() && element.value !== 'mean').length")
        expect_equal(len(reached), wanted, f"what Tab reaches: {reached}")
        expect(len(set(reached)) == len(reached), f"twice: {reached}")
        for control in "skip", "head", "tokens", "map":
            expect(control in reached, f"{control} is not among {reached}")
        expect(("snapshot" in reached) == (name == "translation.html"), reached)


def arrow_keys_move():
    opened("model.html")
    focus("#heads button")
    for key, where in (("ArrowRight", "0.attn, head 1"), ("ArrowDown", "1.attn, head 1"),
                       ("ArrowLeft", "1.attn, head 0"), ("ArrowLeft", "0.attn, head 3"),
                       ("End", "3.attn, head 3"), ("ArrowUp", "2.attn, head 3"),
                       ("Home", "0.attn, head 0")):
        browser.press(key)
        expect_equal(focused(), f"transformer.h.{where}", key)
        pressed = browser.run("document.querySelector('[aria-pressed=true]').ariaLabel")
        expect_equal(pressed, focused(), "the chosen head")
    focus("#choice input")
    browser.press("ArrowRight")
    expect("mean" in text("#name"), text("#name"))
    browser.press("ArrowLeft")

    focus("#tokens")
    before = drawn("#lines")
    for key, title in (("ArrowDown", "F (0) attends to"), ("ArrowDown", "i (1) attends to"),
                       ("End", "l (63) attends to"), ("Home", "F (0) attends to"),
                       ("ArrowDown", "i (1) attends to"), ("ArrowUp", "F (0) attends to")):
        browser.press(key)
        expect_equal(list(values())[0], title, key)
    expect(drawn("#lines") != before, "nothing is drawn")
    browser.press("ArrowRight")
    expect(text("#said").startswith("F, key 0. "), text("#said"))
    browser.press("Escape")

    focus("#map")
    for key, cell in (("ArrowDown", "F (0) → F (0)"), ("ArrowDown", "i (1) → F (0)"),
                      ("ArrowRight", "i (1) → i (1)"), ("ArrowLeft", "i (1) → F (0)"),
                      ("ArrowUp", "F (0) → F (0): 1.0000")):
        browser.press(key)
        expect(text("#cell").startswith(cell), f"{key}: {text('#cell')}")


def a_finger_taps():
    for name in "model.html", "translation.html", "hostile.html":
        opened(name, PHONE, 740, touch=True)
        expect_equal(browser.run("document.documentElement.scrollWidth"), PHONE,
                     f"the width of {name}")
    opened("model.html", PHONE, 740, touch=True)
    browser.run("document.querySelector('#tokens').scrollIntoView()")
    before = drawn("#lines")
    browser.tap(*token("query", 5))
    expect(text("#values").startswith("␣ (5) attends to"), text("#values"))
    expect(drawn("#lines") != before, "nothing is drawn")
    browser.tap(*token("query", 5))
    expect("Point at a token" in text("#values"), text("#values"))
    browser.run("document.querySelector('#map').scrollIntoView()")
    browser.tap(*cell_place(10, 2, 64, 64))
    expect("(10) → " in text("#cell"), text("#cell"))


def dark_mode_is_dark():
    opened("model.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    look = lambda: (browser.run(paper), drawn("#map"), drawn("#lines"),
                    drawn("#heads canvas"))
    light = look()
    browser.dark(True)
    eventually(lambda: all(a != b for a, b in zip(light, look())), "dark looks like light")
    red, green, blue = map(int, browser.run(paper)[4:-1].split(","))
    expect(red + green + blue < 120, f"dark paper is {browser.run(paper)}")
    browser.dark(False)
    eventually(lambda: look() == light, "light does not come back")


# --- other pages

def hostile_tokens_are_text():
    opened("hostile.html")
    expect_equal(browser.run("typeof globalThis.hacked"), "undefined", "hacked")
    expect_equal(browser.run("document.querySelectorAll('img').length"), 0, "images")
    expect_equal(browser.run("document.scripts.length"), 3, "scripts")
    expect_equal(text("h1"), "<script>globalThis.hacked = 1</script>", "the title")
    expect_equal(browser.run("document.title"), text("h1"), "the title of the window")
    image = '"><img src=x onerror="globalThis.hacked = 1">'
    expect_equal(text("#note"), image, "the note")
    expect_equal(text("#heads h2"), image, "the path")
    expect_equal(text("#snapshot-label"),
                 "</script><script>globalThis.hacked = 1</script>", "the label")
    names = [
        "<script>globalThis.hacked = 1</script>",
        "</script><script>globalThis.hacked = 1</script>",
        image,
        "<!-- ' \" \\ \\u003c ]]> @WEIGHTS@ @DATA@",
        "\\n\\u001b[31m\\u2028\\u202e\\xff",
        "${globalThis.hacked = 1}",
        "␣␣",
        '""',
        "日本語 مرحبا é",
    ]
    click("#heads button:nth-child(2)")
    for index, name in enumerate(names):
        browser.move(*token("query", index))
        tables = values()
        expect_equal(list(tables)[0], f"{name} ({index}) attends to", "the token")
        for place, found, _ in list(tables.values())[0]:
            expect_equal(found, names[int(place)], "a key")
    # The weight of query 2 and key 3 is NaN: it is the first, and in its colour.
    browser.move(*token("query", 2))
    expect_equal(list(values().values())[0][0][2], "NaN", "the first weight")
    browser.move(5, 5)
    expect("not a number" in text("#scale"), text("#scale"))
    pixels = """(() => {
        const map = document.querySelector('#map');
        const copy = new OffscreenCanvas(map.width, map.height).getContext(
          '2d', { willReadFrequently: true });
        copy.drawImage(map, 0, 0);
        const { data } = copy.getImageData(0, 0, map.width, map.height);
        return data.filter((red, k) => k % 4 === 0 && red === 0xc4
          && data[k + 1] === 0x17 && data[k + 2] === 0x8c).length;
      })()"""
    expect(browser.run(pixels) > 100, "no cell has the colour of NaN")
    click("#heads button:nth-child(1)")
    expect_equal(browser.run(pixels), 0, "cells of NaN in a head without")
    expect_equal(browser.run("typeof globalThis.hacked"), "undefined", "hacked")


def the_slider_and_two_texts():
    opened("translation.html")
    expect_equal(text("#snapshot-label"), "step 200", "the last snapshot")
    heads = [text("#name")]
    last = drawn("#map"), drawn("#lines"), drawn("#heads canvas")
    focus("#snapshot")
    browser.press("Home")
    expect_equal(text("#snapshot-label"), "step 0", "the first snapshot")
    first = drawn("#map"), drawn("#lines"), drawn("#heads canvas")
    expect(all(a != b for a, b in zip(first, last)), "the snapshots look alike")
    browser.press("ArrowRight")
    expect_equal(text("#snapshot-label"), "step 100", "the next snapshot")
    source = ["j'", "aime", "le", "chat", "."]
    target = ["<BOS>", "I", "like", "the", "cat", "."]
    kinds = (("encoder.layers.1.self_attn", source, source),
             ("decoder.layers.0.self_attn", target, target),
             ("decoder.layers.1.multihead_attn", target, source))
    for path, queries, keys in kinds:
        click(f"#heads button[aria-label='{path}, head 1']")
        expect(text("#name").startswith(path), text("#name"))
        lines = drawn("#lines")
        for i in range(len(queries)):
            browser.move(*token("query", i))
            (title, rows), *others = values().items()
            expect_equal(title, f"{queries[i]} ({i}) attends to", path)
            expect(all(keys[int(j)] == name for j, name, _ in rows), f"{path}: {rows}")
            expect_equal(len(others), 1 if queries is keys else 0, f"{path}: other tables")
            expect(abs(sum(float(weight) for *_, weight in rows) - 1) < 1e-3, rows)
        browser.move(*token("key", 1))
        expect(f"{keys[1]} (1) is attended to by" in values(), list(values()))
        browser.move(5, 5)
        expect(drawn("#lines") == lines, "something stays")


def one_token_is_enough():
    opened("one.html")
    browser.move(*token("query", 0))
    expect_equal(values(), {"alone (0) attends to": [("0", "alone", "1.0000")],
                            "alone (0) is attended to by": [("0", "alone", "1.0000")]},
                 "the only weight")
    expect(browser.run("document.querySelector('#choice').hidden"), "a choice of one head")


def thousands_of_tokens():
    for name, count in ("2000.html", 2000), ("10000.html", 10000):
        opened(name)
        focus("#tokens")
        browser.press("ArrowDown")
        top = drawn("#lines")
        browser.press("End")
        expect_equal(list(values())[0], f"word{count - 1} ({count - 1}) attends to", "End")
        expect(browser.run("document.querySelector('#tokens').scrollTop") > count * ROW - 800,
               "it has not scrolled")
        expect(drawn("#lines") != top, "nothing is drawn")
        height = browser.run("document.querySelector('#lines').height")
        expect(height <= 860, f"a canvas of {height} pixels")
        took = browser.run("(() => { const start = performance.now(); for (let i = 0; i < 5; "
                           "++i) hover({ side: 'query', index: i }); return "
                           "(performance.now() - start) / 5; })()")
        expect(took < 500, f"{took} ms from one token to the next")
    expect("the 400 largest weights are kept" in text("#remark"), text("#remark"))
    browser.press("Home")
    rows = list(values().values())[0]
    expect_equal(rows[0][1], "word5000", "the largest weight")
    expect(abs(float(rows[0][2]) - 0.0798) < 1e-4, f"it is {rows[0]}")


def few_queries_of_many_keys():
    opened("wide.html")
    _, _, width, height = box("#map")
    expect(width > 200 and height >= 24, f"a heat map of {width} x {height}")
    browser.move(*cell_place(1, 1000, 2, 3000))
    cell = text("#cell")
    expect(cell.startswith("word1 (1) → word"), cell)
    expect(float(cell.rpartition(" ")[2]) > 0.05, cell)


def screenshots(where):
    """Pictures of the pages, to look at."""
    for name, page, width, touch, dark, index in (
            ("light", "model.html", 1280, False, False, 20),
            ("dark", "model.html", 1280, False, True, 12),
            ("phone", "translation.html", PHONE, True, False, None),
            ("two_texts", "translation.html", 1280, False, False, 3),
            ("many", "2000.html", 1280, False, False, 5)):
        opened(page, width, 800, touch)
        browser.dark(dark)
        if name == "two_texts":
            click("#heads button[aria-label='decoder.layers.0.multihead_attn, head 0']")
        if index is not None:
            browser.move(*token("query", index))
        browser.screenshot(where / f"{name}.png", whole=touch)
        browser.dark(False)


def main(pages, pictures=None):
    global browser, folder
    program = chromium.find()
    if not program:
        print("skipped: no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="heed-pages-") as name:
        folder = pathlib.Path(name)
        subprocess.run([pages, folder], check=True)
        browser = chromium.Browser(program)
        failed = 0
        try:
            for test in (it_is_small_and_opens_at_once, its_numbers_are_the_model_s,
                         the_mean_over_heads_is_that_of_the_model,
                         the_mouse_shows_what_it_points_at, the_keyboard_reaches_everything,
                         arrow_keys_move, a_finger_taps, dark_mode_is_dark,
                         hostile_tokens_are_text, the_slider_and_two_texts,
                         one_token_is_enough, thousands_of_tokens,
                         few_queries_of_many_keys):
                try:
                    test()
                    expect_equal(browser.complaints(), [], "the console")
                    print(f"{test.__name__}: ok")
                except (AssertionError, RuntimeError) as error:
                    failed += 1
                    print(f"{test.__name__}: {error}")
            if pictures:
                screenshots(pathlib.Path(pictures))
        finally:
            browser.close()
    sys.exit(1 if failed else 0)


main(*sys.argv[1:])
