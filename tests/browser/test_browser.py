"""Tests browser.py, by which pages are tested: each kind of fault in a page must be seen. Prints TAP."""
import os
import sys
import tempfile
import threading

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from tap import finish, tell

HEAD = ('<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>x</title>')
FAULTS = {
    "a script that does not compile": ("<script>const top = 1;</script>", "Identifier 'top' has already been declared"),
    "an exception": ("<script>nothing.there();</script>", "ReferenceError: nothing is not defined"),
    "an exception in a timer": ("<script>setTimeout(() => { throw new Error('late'); });</script>", "Error: late"),
    "a promise that nobody catches": ("<script>Promise.reject(new Error('lost'));</script>", "Error: lost"),
    "a message to console.error": ("<script>console.error('wrong', 7);</script>", "error: wrong 7"),
    "a picture that is not there": ('<img alt="" src="nothing.png">', "nothing.png"),
    "a style sheet from the network": ('<link rel="stylesheet" href="https://example.org/x.css">',
                                       "request: https://example.org/x.css"),
}

def write(folder, body, head=HEAD):
    path = os.path.join(folder, "the page.html")
    with open(path, "w") as file:
        file.write(head + body)
    return path


def test_faults(chromium, folder):
    for name, (body, problem) in FAULTS.items():
        page = chromium.open(write(folder, body))
        tell(any(problem in told for told in page.problems), f"{name} is a problem", page.problems)
        page.close()
    page = chromium.open(write(folder, "<script>console.log('fine', 1);</script>"))
    tell(page.problems == [] and page.console == ["log: fine 1"], "a page without faults has no problems",
         page.problems)
    page.close()


def test_page(chromium, folder):
    path = write(folder, "<p id=a>before</p><script>document.getElementById('a').onclick = e => "
                 "{ e.target.textContent = location.hash; };</script>")
    page = chromium.open(path + "#there")
    page.click("#a")
    tell('<p id="a">#there</p>' in page.dom(), "the document is what scripts and clicks made of it", page.dom())
    page.close()
    for width in (390, 1280):
        page = chromium.open(path, width=width, dark=True)
        tell(page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]") == [width, True],
             f"a window is {width} pixels wide and dark")
        picture = os.path.join(folder, "page.png")
        page.screenshot(picture)
        with open(picture, "rb") as file:
            data = file.read(24)
        tell(data[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(data[16:20], "big") == width, "and so is its picture")
        page.close()
    for what, head, body in (("an element that is too wide", HEAD, '<p style="width: 700px">wide</p>'),
                             ("a page for no phone", "<!DOCTYPE html><title>x</title>", "text")):
        page = chromium.open(write(folder, body, head), width=390)
        tell(page.overflow()[0] > 0, f"{what} overflows", page.overflow())
        page.close()
    page = chromium.open(write(folder, "<p>text</p>"), width=390)
    tell(page.overflow() == (0, []), "text does not", page.overflow())
    page.close()


def test_failures(folder):
    with browser.Browser(timeout=2) as chromium:
        try:
            chromium.open(write(folder, "<script>for (;;) {}</script>"))
            told = ""
        except browser.BrowserError as error:
            told = str(error)
        tell("in 2 s" in told, "a page that never ends is given up", told)
    with browser.Browser() as chromium:
        try:
            chromium.open(os.path.join(folder, "nothing.html"))
            told = ""
        except browser.BrowserError as error:
            told = str(error)
        tell("ERR_FILE_NOT_FOUND" in told, "a file that is not there is an error", told)
        threading.Timer(0.2, chromium.process.kill).start()
        try:
            chromium.open(write(folder, "text")).evaluate("new Promise(() => {})")
            told = ""
        except browser.BrowserError as error:
            told = str(error)
        tell("has ended" in told, "a browser that ends is an error", told)


def main():
    try:
        with browser.Browser() as chromium, tempfile.TemporaryDirectory() as folder:
            test_faults(chromium, folder)
            test_page(chromium, folder)
            test_failures(folder)
    except browser.BrowserMissing as reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    return finish()


if __name__ == "__main__":
    sys.exit(main())
