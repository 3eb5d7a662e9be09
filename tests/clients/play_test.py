"""The page of `mercer play` in headless Chromium: typing, sliders, clicks, links and mistakes. `.ci/clients` runs it.

With a folder in `MERCER_SCREENSHOTS` it keeps screenshots there.
"""

import base64
import csv
import datetime
import http.server
import math
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

# A longer wait is a failure.
PATIENCE = 30
SHOTS = Path(os.environ["MERCER_SCREENSHOTS"]) if "MERCER_SCREENSHOTS" in os.environ else None


def browser(folder):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        f"--user-data-dir={folder}/profile",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


class Page(unittest.TestCase):
    """Each test has a program and a page of its own; the browser is shared."""

    files = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = browser(cls.folder.name)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def table(cls, name, rows):
        with open(Path(cls.folder.name, name), "w", newline="") as file:
            csv.writer(file).writerows(rows)

    def setUp(self):
        self.begin(*self.files)
        self.size(1300, 1000)
        self.scheme("light")
        self.browser.get(self.address)
        self.settled()

    def begin(self, *arguments):
        self.program = subprocess.Popen(
            ["mercer", "play", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=self.folder.name,
        )
        self.addCleanup(self.end, self.program)
        self.address = self.program.stdout.readline().strip()
        self.assertTrue(self.address.startswith("http://127.0.0.1:"), self.address)

    def end(self, program):
        program.kill()
        program.wait()
        program.stdout.close()

    def tearDown(self):
        # a refused request of the page, a blocked style or an exception would be told here
        complaints = [line["message"] for line in self.browser.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        self.browser.get("about:blank")
        self.assertEqual(complaints, [])

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def scheme(self, name):
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run_js(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def wait(self, condition, message=""):
        return WebDriverWait(self.browser, PATIENCE, 0.03).until(lambda _: condition(), message)

    def settled(self):
        """Waits until the page shows the answer to its newest state."""
        # the pause of typing is 120 ms
        time.sleep(0.2)
        self.wait(lambda: self.run_js("return running === null && !waiting && (answer !== null || $('fault').childElementCount > 0)"))

    def find(self, css):
        return self.browser.find_element(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.run_js("return document.querySelector(arguments[0]).textContent", css)

    def answer(self, path):
        return self.run_js(f"return answer.{path}")

    def write(self, text):
        field = self.find("#text")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)
        self.settled()

    def shot(self, name):
        if SHOTS:
            SHOTS.mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(SHOTS / f"{name}.png"))

    def whole(self, name):
        """A screenshot of the whole length of the page."""
        if SHOTS:
            SHOTS.mkdir(parents=True, exist_ok=True)
            taken = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
            (SHOTS / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def click_at(self, figure, x, y):
        """Clicks at a place in the data units of a figure."""
        place = self.run_js(
            """
            const [name, x, y] = arguments;
            const drawn = answer.figures[name], box = drawn.boxes[0];
            const svg = document.querySelector(`#${name} .drawing svg`);
            svg.scrollIntoView({ block: "center" });
            const frame = svg.getBoundingClientRect(), scale = frame.width / drawn.width;
            const t = (value, [from, to]) => (value - from) / (to - from);
            return [frame.left + scale * (box.x + t(x, box.across) * box.width),
                    frame.top + scale * (box.y + (1 - t(y, box.up)) * box.height)];
            """,
            figure, x, y,
        )
        actions = ActionChains(self.browser)
        actions.w3c_actions.pointer_action.move_to_location(round(place[0]), round(place[1]))
        actions.w3c_actions.pointer_action.click()
        actions.perform()
        self.settled()

    def slide(self, name, key, times):
        slider = self.find(f"#sliders input[id='{self.slider(name)}']")
        for _ in range(times):
            slider.send_keys(key)
        self.settled()

    def slider(self, name):
        found = self.run_js("return sliders.get(arguments[0])?.input.id", name)
        self.assertIsNotNone(found, f"there is no slider {name}: {self.run_js('return [...sliders.keys()]')}")
        return found


class Prior(Page):
    def test_a_kernel_is_drawn_while_it_is_typed(self):
        before = self.text("#covariance .drawing")
        self.write("SE(x, l=2) * Per(x, p=1) + Lin(x)")
        self.assertEqual(self.text("#fault"), "")
        for figure in ("prior", "covariance", "gram"):
            self.assertTrue(self.find(f"#{figure} svg").is_displayed(), figure)
        self.assertNotEqual(before, self.find("#covariance .drawing").get_attribute("innerHTML"))
        self.assertIn("The sum of 2 parts", self.text("#english"))
        self.assertIn("Lin(x)", self.text("#algebra"))
        self.assertTrue(self.find("#algebra math").is_displayed())
        self.shot("prior")

    def test_a_mistake_is_shown_at_its_place_and_the_last_figures_stay(self):
        self.write("SE(x) + Pre(x)")
        self.assertIn("Pre", self.text("#fault"))
        self.assertIn("╭─[ expression:1:9 ]", self.text("#fault pre"))
        self.assertEqual(self.find("#text").get_attribute("aria-invalid"), "true")
        self.assertTrue(self.find("#stale").is_displayed())
        self.assertTrue(self.find("#prior svg").is_displayed())
        self.shot("mistake")
        self.write("SE(x) + Per(x)")
        self.assertEqual(self.text("#fault"), "")
        self.assertFalse(self.find("#stale").is_displayed())

    def test_what_is_no_kernel_and_what_reads_files_is_refused(self):
        Path(self.folder.name, "secret.csv").write_text("x,y\n1,2\n3,4\n")
        for text, why in [
            ("1 + 1", "found a number"),
            ("", "found nothing"),
            ('let d = load("secret.csv"); SE(x)', "`secret.csv` cannot be read here"),
            ('let d = write(data(x=[1.0], y=[2.0]), "out.csv"); SE(x)', "files cannot be written here"),
            ('import "a.mer"; SE(x)', "scripts cannot be imported here"),
        ]:
            with self.subTest(text):
                self.run_js("$('text').value = arguments[0]; $('text').dispatchEvent(new Event('input'))", text)
                self.settled()
                self.assertIn(why, self.text("#fault"))
        self.assertFalse(Path(self.folder.name, "out.csv").exists())

    def test_points_come_and_go_by_clicks(self):
        self.write("SE(x, l=1)")
        for x, y in [(-2, -1), (0, 1), (2, 0.5)]:
            self.click_at("prior", x, y)
        self.assertEqual(self.answer("data.n"), 3)
        x, y = self.run_js("return state.points[1]")
        self.assertLess(math.hypot(x, y - 1), 0.05)
        self.assertTrue(self.find("#posterior svg").is_displayed())
        self.assertTrue(self.find("#evidence").is_displayed())
        terms = self.answer("evidence")
        self.assertAlmostEqual(terms["lml"], terms["fit"] + terms["complexity"] + terms["constant"], 9)
        self.shot("points")
        self.click_at("posterior", x, y)
        self.assertEqual(self.answer("data.n"), 2)
        self.click_at("posterior", 3.5, -0.5)
        self.assertEqual(self.answer("data.n"), 3)

    def test_the_keyboard_is_enough(self):
        field = self.find("#text")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("SE(x, l=1)")
        for x, y in [("-1", "0.5"), ("1.5", "-0.25")]:
            self.find("#point-x").send_keys(x, Keys.TAB, y, Keys.ENTER)
            self.settled()
        self.assertEqual(self.run_js("return state.points"), [[-1, 0.5], [1.5, -0.25]])
        self.find("#point-x").send_keys("one", Keys.TAB, "2", Keys.ENTER)
        self.assertEqual(self.find("#point-x").get_attribute("aria-invalid"), "true")
        self.assertIn("x: expected a number, found “one”", self.text("#add-fault"))
        value = self.answer("evidence.lml")
        self.slide("SE.l", Keys.ARROW_RIGHT, 12)
        self.assertNotEqual(self.answer("evidence.lml"), value)
        self.assertIn(self.answer("parameters")[0]["shown"], self.find(f"#{self.slider('SE.l')}").get_attribute("aria-valuetext"))
        # every control is reached by the key
        reached = set()
        self.run_js("document.activeElement.blur(); document.body.focus()")
        for _ in range(60):
            ActionChains(self.browser).send_keys(Keys.TAB).perform()
            reached.add(self.run_js("return document.activeElement.id"))
        for control in ("text", "data", "point-x", "point-y", "fit", "lo", "hi", "at", "draws", "seed", "copy-link", "copy-script"):
            self.assertIn(control, reached)
        self.find("#rows summary").click()
        self.find("#row-list button").click()
        self.settled()
        self.assertEqual(self.run_js("return state.points"), [[1.5, -0.25]])

    def enter(self, css, text):
        field = self.find(css)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text or Keys.DELETE, Keys.ENTER)
        self.settled()

    def test_what_is_no_number_is_told_beside_its_field(self):
        for css, text, message in [
            ("#at", "abc", "x₀: expected a number, found `abc`"),
            ("#at", "NaN", "x₀: expected a number, found `NaN`"),
            ("#lo", "low", "from: expected a number, found `low`"),
            ("#hi", "-9", "to: the range ends before it begins"),
        ]:
            with self.subTest(text):
                self.enter(css, text)
                self.assertIn(message, self.text("#view-fault"))
                self.assertEqual(self.find(css).get_attribute("aria-invalid"), "true")
                self.assertTrue(self.find("#stale").is_displayed())
                self.enter(css, "")
                self.assertEqual(self.text("#view-fault"), "")
                self.assertFalse(self.find("#stale").is_displayed())
        # one end alone is an end
        self.enter("#lo", "-1")
        lo, hi = self.answer("figures.prior.boxes")[0]["across"]
        self.assertAlmostEqual(lo, -1, delta=0.2)
        self.assertAlmostEqual(hi, 5, delta=0.2)
        # an emptied number is the usual one
        self.enter("#draws", "")
        self.assertEqual(self.run_js("return [state.draws, $('draws').value]"), [3, "3"])

    def test_a_state_is_a_link_and_history_leads_back(self):
        self.write("Per(x, p=2)")
        self.find("#at").click()
        self.find("#at").send_keys("1.5", Keys.ENTER)
        self.settled()
        link = self.browser.current_url
        script = self.answer("script")
        self.browser.get("about:blank")
        self.browser.get(link)
        self.settled()
        self.assertEqual(self.find("#text").get_attribute("value"), "Per(x, p=2)")
        self.assertEqual(self.find("#at").get_attribute("value"), "1.5")
        self.assertEqual(self.answer("script"), script)
        self.find("#again").click()
        self.settled()
        self.assertEqual(self.run_js("return state.seed"), 1)
        self.browser.back()
        self.settled()
        self.assertEqual(self.run_js("return state.seed"), 0)
        # the same state in a later run of the program
        self.begin("--state", link)
        self.assertTrue(self.address.endswith(link.split("#")[1]))
        self.browser.get(self.address)
        self.settled()
        self.assertEqual(self.answer("script"), script)

    def test_copies_are_the_link_and_the_script(self):
        self.browser.execute_cdp_cmd("Browser.grantPermissions", {
            "origin": self.address.rsplit("/", 2)[0], "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        for button, kept in [("#copy-link", self.browser.current_url), ("#copy-script", self.answer("script"))]:
            self.find(button).click()
            self.wait(lambda: self.text("#copied") != "")
            copied = self.browser.execute_async_script("const done = arguments[0]; navigator.clipboard.readText().then(done, (e) => done(String(e)))")
            self.assertEqual(copied, kept)
            self.run_js("$('copied').textContent = ''")


class Elsewhere(Page):
    """Another page in the same browser, which even knows the address."""

    def setUp(self):
        super().setUp()

        class Empty(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>elsewhere</title><link rel=icon href='data:,'>")

            def log_message(self, *_):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        self.browser.get(f"http://127.0.0.1:{other.server_address[1]}/")

    def tearDown(self):
        # the browser complains about each attempt
        self.assertNotEqual(self.browser.get_log("browser"), [])
        super().tearDown()

    def outcome(self, text):
        return self.browser.execute_async_script(
            "const [address, done] = arguments; const body = JSON.stringify({ text: 'SE(x)' });" + text, self.address)

    def test_it_reads_nothing(self):
        attempts = {
            "read": "fetch(address + 'sets').then((r) => r.text()).then(done, () => done('refused'))",
            "asked": "fetch(address + 'frame', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })"
                     ".then((r) => r.text()).then(done, () => done('refused'))",
            "sent": "fetch(address + 'frame', { method: 'POST', body, mode: 'no-cors' })"
                    ".then((r) => r.text()).then((text) => done(text || 'refused'), () => done('refused'))",
            "run": "const s = document.createElement('script'); s.src = address + 'page.js';"
                   "s.onload = () => done('run'); s.onerror = () => done('refused'); document.body.append(s)",
            "styled": "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = address + 'page.css';"
                      "l.onload = () => done('styled'); l.onerror = () => done('refused'); document.head.append(l)",
            "framed": "const f = document.createElement('iframe'); f.src = address;"
                      "f.onload = () => { try { done(f.contentDocument?.title || 'refused') } catch { done('refused') } };"
                      "document.body.append(f)",
        }
        for name, text in attempts.items():
            with self.subTest(name):
                self.assertEqual(self.outcome(text), "refused")


class WithData(Page):
    files = ("series.csv",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        level = [round(math.sin(i / 8) + i / 100 + 0.1 * math.sin(i * 12.9898), 4) for i in range(200)]
        cls.table("series.csv", [["t", "level"], *([i / 20, y] for i, y in enumerate(level))])

    def test_the_posterior_its_parts_and_the_evidence(self):
        self.write("SE(t, l=2) + Per(t, p=2.5)")
        self.assertEqual(self.answer("data.n"), 200)
        for figure in ("prior", "posterior", "parts", "covariance", "gram"):
            self.assertTrue(self.find(f"#{figure} svg").is_displayed(), figure)
        self.assertEqual(self.answer("figures.prior.boxes")[0]["up"], self.answer("figures.posterior.boxes")[0]["up"])
        self.wait(lambda: self.run_js("return [...sliders.values()].every((s) => s.svg.querySelector('polyline'))"))
        curves = self.run_js("return [...sliders.values()].map((s) => s.curve.lml)")
        self.assertTrue(all(len(set(curve)) > 5 for curve in curves))
        self.whole("data")

    def test_sliders_move_the_figures_live(self):
        self.write("SE(t, l=2)")
        picture, evidence = self.find("#posterior .drawing").get_attribute("innerHTML"), self.answer("evidence.lml")
        slider = self.find(f"#{self.slider('SE.l')}")
        self.run_js("window.frames = []; const shown = show; show = (found, waited) => { frames.push([found.milliseconds, waited]); shown(found, waited); }")
        actions = ActionChains(self.browser).move_to_element(slider).click_and_hold()
        for _ in range(40):
            actions.move_by_offset(-2, 0).pause(0.02)
        actions.release().perform()
        self.settled()
        frames = self.run_js("return frames")
        print(f"\n{len(frames)} frames of 200 rows while a slider moved, at most {max(f[0] for f in frames):.0f} ms, "
              f"with the way to the page and back {max(f[1] for f in frames):.0f} ms", flush=True)
        self.assertGreater(len(frames), 3)
        self.assertNotEqual(self.find("#posterior .drawing").get_attribute("innerHTML"), picture)
        self.assertNotEqual(self.answer("evidence.lml"), evidence)
        self.assertIn("v.SE", self.browser.current_url)
        # the whole movement is one step back
        self.browser.back()
        self.settled()
        self.assertEqual(self.answer("evidence.lml"), evidence)

    def test_a_fit_moves_the_sliders(self):
        self.write("SE(t, l=0.2)")
        before = self.answer("evidence.lml")
        self.find("#fit").click()
        self.wait(lambda: self.find("#fit").is_enabled())
        self.settled()
        self.assertEqual(self.text("#fit-note"), "converged")
        self.assertGreater(self.answer("evidence.lml"), before + 1)
        self.assertIn("SE.l", self.run_js("return Object.keys(state.values)"))

    def test_a_fit_is_stopped_with_its_best_values(self):
        Select(self.find("#data")).select_by_value("concrete")
        self.settled()
        self.write("ARD(SE) + ARD(SE) * ARD(Lin)")
        before = self.answer("evidence.lml")
        self.find("#fit").click()
        self.wait(lambda: self.find("#stop").is_displayed())
        time.sleep(2)
        self.find("#stop").click()
        self.wait(lambda: self.find("#fit").is_enabled())
        self.settled()
        self.assertEqual(self.text("#fit-note"), "stopped: these are the best values so far")
        self.assertGreater(self.answer("evidence.lml"), before)

    def test_nothing_is_drawn_outside_of_the_axes(self):
        self.write("SE(t, l=0.5, v=4)")
        cut = self.run_js("""
            return [...document.querySelectorAll(".drawing svg g[clip-path]")].map((group) => {
                const id = group.getAttribute("clip-path").match(/#([^)]*)/)[1];
                return [id, document.querySelectorAll(`clipPath[id="${id}"]`).length];
            });
        """)
        self.assertGreaterEqual(len(cut), 4)
        self.assertEqual(len({id for id, _ in cut}), len(cut))
        self.assertTrue(all(count == 1 for _, count in cut), cut)

    def test_rows_are_left_out_and_points_added(self):
        x, y = self.answer("data.rows")[150]
        self.click_at("posterior", x, y)
        self.assertEqual(self.answer("data.n"), 199)
        self.assertEqual(len(self.run_js("return state.removed")), 1)
        self.assertIn("take(", self.answer("script"))
        self.click_at("posterior", 10.5, 1.5)
        self.assertEqual(self.answer("data.n"), 200)
        self.assertIn("data(t=", self.answer("script"))
        self.find("#clear").click()
        self.settled()
        self.assertIn('load("series.csv")', self.answer("script"))

    def test_shipped_sets_of_one_and_of_several_inputs(self):
        Select(self.find("#data")).select_by_value("airline")
        self.settled()
        self.assertEqual(self.answer("data.target"), "passengers")
        self.write("Lin(year) + Per(year, p=1) * Lin(year) + SE(year)")
        self.assertEqual(self.text("#fault"), "")
        self.assertIn("passengers", self.text("#parts"))
        self.whole("airline")
        Select(self.find("#data")).select_by_value("concrete")
        self.settled()
        self.assertEqual(self.text("#fault"), "")
        self.assertTrue(self.find("#posterior svg").is_displayed())
        self.assertTrue(self.find("#gram svg").is_displayed())
        self.assertIn("in the order of the data; one row of 17 is shown", self.text("#gram .caption"))
        self.whole("concrete")

    def test_light_and_dark_wide_and_narrow(self):
        self.write("SE(t, l=2) + Per(t, p=2.5)")
        paper = lambda: self.run_js("return getComputedStyle(document.querySelector('#posterior svg rect[fill=white]')).fill")
        self.assertEqual(paper(), "rgb(255, 255, 255)")
        self.scheme("dark")
        self.assertEqual(paper(), "rgb(20, 23, 26)")
        self.whole("dark")
        for width in (360, 800):
            self.size(width, 740)
            time.sleep(0.3)
            self.settled()
            beyond = self.run_js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.assertLessEqual(beyond, 0, f"at {width} px the page scrolls sideways")
            for figure in ("posterior", "covariance", "parts"):
                drawn = self.run_js(f"return document.querySelector('#{figure} svg').getBoundingClientRect().width / answer.figures.{figure}.width")
                self.assertAlmostEqual(drawn, 1, delta=0.02, msg=f"{figure} is drawn for the width that it has")
            self.whole(f"dark-{width}")
        self.scheme("light")
        self.size(360, 740)
        self.settled()
        self.whole("light-360")


class WithDates(Page):
    files = ("days.csv",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        days = [(datetime.date(2021, 1, 1) + datetime.timedelta(i)).isoformat() for i in range(120)]
        sales = ["" if i == 7 else round(math.sin(i / 8) + i / 100, 4) for i in range(120)]
        cls.table("days.csv", [["date", "sales"], *zip(days, sales)])

    def test_the_view_takes_dates_and_the_figures_name_them(self):
        self.write("SE(date) + Lin(date)")
        for field, date in [("lo", "2021-02-01"), ("hi", "2021-03-31"), ("at", "2021-03-01")]:
            self.find(f"#{field}").send_keys(date, Keys.ENTER)
            self.settled()
            self.assertEqual(self.text("#view-fault"), "")
        self.assertIn("x0=2021-03-01", self.browser.current_url)
        for figure in ("prior", "posterior", "covariance", "gram"):
            self.assertIn("2021-0", self.text(f"#{figure} .drawing"), figure)
            self.assertNotIn("(days)", self.text(f"#{figure} .drawing"), figure)
        self.assertIn("k(date, 2021-03-01)", self.text("#covariance .drawing"))
        self.assertIn("1 with missing values left out", self.text("#data-note"))
        self.whole("dates")
        self.find("#at").send_keys("x", Keys.ENTER)
        self.settled()
        self.assertIn("x₀: expected a date such as 2021-01-31, found `2021-03-01x`", self.text("#view-fault"))

    def test_a_click_is_offered_where_it_works(self):
        self.write("SE(date)")
        self.assertNotIn("click", self.text("#prior .caption"))
        self.assertIn("points are not set by hand", self.text("#posterior .caption"))
        self.assertIn("click to move x₀", self.text("#covariance .caption"))
        box = self.answer("figures.covariance.boxes")[0]
        self.click_at("covariance", box["across"][0] + 10, sum(box["up"]) / 2)
        day = (datetime.datetime.fromisoformat(self.run_js("return state.at")) - datetime.datetime(1970, 1, 1)).days
        self.assertLessEqual(abs(day - box["across"][0] - 10), 2)
        self.assertEqual(self.text("#view-fault"), "")

    def test_a_place_on_the_axis_is_a_date_while_it_moves(self):
        self.write("Lin(date)")
        self.slide("Lin.c", Keys.ARROW_RIGHT, 3)
        self.assertRegex(self.find(f"#{self.slider('Lin.c')}").get_attribute("aria-valuetext"), r"^20\d\d-\d\d-\d\d$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
