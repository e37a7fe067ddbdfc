"""Headless Chromium, driven as a reader would drive it: for tests of pages.

It has no network: every name resolves to nothing, so that a page which asks for anything but the
files beside it fails with a line in its console.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

from nizkbench import layout
from nizkbench.errors import NizkBenchError

#: What drives it; Debian's package chromium-driver, and a package of its own elsewhere.
DRIVER = "chromedriver"

#: How long a page may take until it stands, in seconds, on a machine with other work.
STANDS_WITHIN = 60.0

FLAGS = (
    "--headless=new",
    # A container's root has no sandbox, and little shared memory.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    # Drawing by the processor in the place of a graphics card.
    "--enable-unsafe-swiftshader",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-background-networking",
)


class NoBrowserError(Exception):
    """There is no Chromium on this machine, or nothing to drive it."""


class Browser:
    """A window of Chromium."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome

    def open(self, page: Path, view: str = "") -> None:
        """Open a page from the disk, with what stands behind the # of its address, until it stands.

        A page without scripts of its own stands when it is loaded.
        """
        self.chrome.get("about:blank")  # else another # alone would not load the page again
        self.chrome.get(f"{page.as_uri()}{view}")
        WebDriverWait(self.chrome, STANDS_WITHIN).until(
            lambda _: self.run(
                "return document.documentElement.dataset.ready === 'yes'"
                " || !document.getElementById('plot') && document.readyState === 'complete'"
            )
        )

    def run(self, script: str, *arguments: object) -> object:
        """What a script returns."""
        found: object = self.chrome.execute_script(script, *arguments)
        return found

    def text(self, selector: str) -> str:
        """What an element says."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        """What each of some elements says."""
        found = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector,
        )
        assert isinstance(found, list)
        return [str(one) for one in found]

    def number(self, script: str, *arguments: object) -> float:
        """The number that a script returns."""
        found = self.run(script, *arguments)
        assert isinstance(found, (int, float)), found
        return found

    def click(self, selector: str) -> None:
        """Click an element where it is."""
        found = self.chrome.find_element("css selector", selector)
        self.run("arguments[0].scrollIntoView({ block: 'center' })", found)
        found.click()

    def point_at(self, x: float, y: float, *, click: bool = False) -> None:
        """Move the pointer to a place of the window, in pixels, and click there if asked to."""
        actions = ActionChains(self.chrome)
        actions.w3c_actions.pointer_action.move_to_location(  # type: ignore[no-untyped-call]
            int(x), int(y)
        )
        if click:
            actions.w3c_actions.pointer_action.click()
        actions.perform()

    def complaints(self) -> list[str]:
        """Errors of the console since it was last asked."""
        lines = self.chrome.get_log("browser")  # type: ignore[no-untyped-call]
        return [line["message"] for line in lines if line["level"] == "SEVERE"]


@contextmanager
def browser(width: int = 1280, height: int = 1000) -> Iterator[Browser]:
    """A window of this size, in CSS pixels; `NoBrowserError` says what this machine lacks."""
    driver = shutil.which(DRIVER)
    if driver is None:
        raise NoBrowserError(f"no {DRIVER} is installed (Debian: apt-get install chromium-driver)")
    options = ChromeOptions()
    try:
        options.binary_location = os.fspath(layout.browser())
    except NizkBenchError as error:
        raise NoBrowserError(str(error)) from error
    for flag in (*FLAGS, f"--window-size={width},{height}"):
        options.add_argument(flag)
    # A window is never as narrow as a telephone; what it shows can be.
    options.add_experimental_option(
        "mobileEmulation",
        {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1, "touch": False}},
    )
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    try:
        yield Browser(chrome)
    finally:
        chrome.quit()
