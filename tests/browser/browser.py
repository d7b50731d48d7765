"""Opens local files in a headless Chromium, for tests: what it prints, what its scripts make of it, what it looks like.

    with browser.Browser() as chromium:
        page = chromium.open("page.html", width=390)
        page.problems          # what a person would see red in the developer tools; must be []
        page.evaluate("document.title")
        page.screenshot("page.png")

It speaks the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/) over two pipes and needs nothing
besides Python and the browser. Nothing outside local files can be loaded: host names resolve to nothing, and what a page
asked for is in page.problems.

browser.py FILE [WIDTH [SCREENSHOT.png]] prints the problems, and what sticks out on the right.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
LOCAL = ("file", "data", "blob", "about")


class BrowserMissing(Exception):
    """There is no Chromium."""


class BrowserError(Exception):
    """The browser ended, was silent for too long, or refused a command."""


def find():
    """The browser's path: $VKDML_BROWSER, else the first of the usual names."""
    named = os.environ.get("VKDML_BROWSER")
    path = named or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if not path:
        raise BrowserMissing(f"there is no {PROGRAMS[0]} (Debian: apt install chromium); $VKDML_BROWSER names another")
    return path


class Browser:
    """A browser, to be used in `with`. timeout: seconds that it may be silent for when it owes an answer; None: any."""

    def __init__(self, timeout=None):
        self.timeout = timeout
        self.number = 0
        self.buffer = b""
        self.listeners = {}  # by session
        path = find()
        self.folder = tempfile.TemporaryDirectory(prefix="vkdml-browser-", ignore_cleanup_errors=True)
        command = [path, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
                   # Pages are the project's own, and root in a container has no other choice.
                   "--no-sandbox",
                   # A container's /dev/shm may be small.
                   "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
                   "--disable-extensions", "--disable-sync", "--disable-background-networking",
                   "--disable-component-update", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--force-color-profile=srgb", "--hide-scrollbars", "about:blank"]
        from_us, self.to_browser = os.pipe()
        self.from_browser, to_us = os.pipe()
        self.log = tempfile.TemporaryFile()
        # The browser reads commands from its descriptor 3 and answers on 4; a shell puts them there, whatever ours are.
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{from_us} 4>&{to_us}', "sh", *command],
                                        pass_fds=(from_us, to_us), stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, start_new_session=True)
        os.close(from_us)
        os.close(to_us)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser and all of its processes."""
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its session's: helpers that outlive it
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.log.close()
        self.folder.cleanup()

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result; events that come before it go to their pages."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        try:
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self.to_browser, data):]
        except BrokenPipeError:
            raise BrowserError(self.last_words("has ended")) from None
        deadline = self.deadline()
        while True:
            answer = self.receive(deadline, method)
            if answer.get("id") == number:
                break
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def deadline(self):
        """Of an answer that is due from now on; None: how slow the machine is nobody knows, and who runs the test ends it."""
        return None if self.timeout is None else time.monotonic() + self.timeout

    def receive(self, deadline, what):
        """The next message; an event is given to its page as well."""
        while b"\0" not in self.buffer:
            rest = None if deadline is None else max(0, deadline - time.monotonic())
            if not select.select([self.from_browser], [], [], rest)[0]:
                raise BrowserError(self.last_words(f"did not answer {what} in {self.timeout} s"))
            data = os.read(self.from_browser, 1 << 20)
            if not data:
                raise BrowserError(self.last_words("has ended"))
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message and message.get("sessionId") in self.listeners:
            self.listeners[message["sessionId"]](message["method"], message["params"])
        return message

    def last_words(self, what):
        self.log.seek(0)
        return f"the browser {what}\n" + self.log.read().decode(errors="replace")[-2000:]

    def open(self, path, width=1280, height=900, dark=False, script=None):
        """A Page once it has loaded. path may end in ?QUERY or #FRAGMENT. script runs before the page's own."""
        return Page(self, path, width, height, dark, script)


class Page:
    """An open page.

    problems: console errors and warnings, uncaught exceptions, what could not be loaded, what is no local file.
    console: everything that was printed, "level: text".
    """

    def __init__(self, browser, path, width, height, dark, script):
        self.browser = browser
        self.problems, self.console = [], []
        self.loaded = False
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.target = target
        browser.listeners[self.session] = self.hear
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        if script:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.loaded = False
        result = self.call("Page.navigate", url=url_of(path))
        if "errorText" in result:
            raise BrowserError(f"{path}: {result['errorText']}")
        deadline = browser.deadline()
        while not self.loaded:
            browser.receive(deadline, f"with the load of {path}")
        self.settle()

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def hear(self, method, event):
        """Keeps what events tell."""
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.consoleAPICalled":
            text = " ".join(str(part.get("value", part.get("description", part["type"]))) for part in event["args"])
            self.console.append(f"{event['type']}: {text}")
            if event["type"] in ("error", "warning", "assert"):
                self.problems.append(self.console[-1])
        elif method == "Runtime.exceptionThrown":
            self.problems.append("exception: " + exception_text(event["exceptionDetails"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            entry = event["entry"]
            self.problems.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}".strip())
        elif method == "Network.requestWillBeSent":
            url = event["request"]["url"]
            if urllib.parse.urlsplit(url).scheme not in LOCAL:
                self.problems.append(f"request: {url}")

    def settle(self):
        """Waits until fonts are there and two frames were drawn, so that observers and animation frames have run."""
        self.evaluate("document.fonts.ready.then(() => new Promise(done => "
                      "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))))")

    def evaluate(self, expression):
        """The value of an expression, awaited where it is a promise: what JSON can hold."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {exception_text(result['exceptionDetails'])}")
        return result["result"].get("value")

    def resize(self, width, height):
        self.width, self.height = width, height
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def overflow(self):
        """How many pixels of the page lie right of the window, and what sticks out: (0, []) where all is well.

        Held to the width asked for: on a phone innerWidth grows with a page that is too wide, or names no viewport.
        """
        return tuple(self.evaluate("(width => {" + """
            const extra = Math.max(0, document.scrollingElement.scrollWidth - width);
            const out = [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > width + 1);
            return [extra, !extra ? [] : out.slice(0, 8).map(e => e.outerHTML.slice(0, 100))];
        """ + f"}})({self.width})"))

    def dom(self):
        """The document's HTML after its scripts ran."""
        return self.evaluate("document.documentElement.outerHTML")

    def click(self, selector):
        """Clicks on the first element that fits."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")
        self.settle()

    def screenshot(self, path, full=False):
        """Writes a PNG of the window, or of the full page: then the window is as high, so that what waits to be seen is
        there."""
        height = self.height
        if full:
            self.resize(self.width, min(16000, max(height, self.evaluate("document.scrollingElement.scrollHeight"))))
            self.settle()
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
        if full:
            self.resize(self.width, height)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        del self.browser.listeners[self.session]


def exception_text(details):
    exception = details.get("exception", {})
    return exception.get("description") or f"{details['text']} {exception.get('value', '')}".strip()


def url_of(path):
    """A file's URL; what follows ? or # stays."""
    text = str(path)
    if "://" in text or text.startswith(("data:", "about:")):
        return text
    cut = min((text.index(mark) for mark in "?#" if mark in text), default=len(text))
    return pathlib.Path(text[:cut]).resolve().as_uri() + text[cut:]


def main(path, width="1280", picture=None):
    with Browser() as chromium:
        page = chromium.open(path, width=int(width))
        print("\n".join(page.problems) or "no problems")
        extra, elements = page.overflow()
        print(f"{extra} pixels right of the window", *elements, sep="\n")
        if picture:
            page.screenshot(picture, full=True)
        return 1 if page.problems else 0


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
