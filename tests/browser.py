"""A browser for the tests that open pages. pip cannot install one, and a machine may have none."""

import json
import os
import select
import shutil
import subprocess

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def headless_browser():
    """The command of a browser with no window, and no network but this machine; files, options are to follow.

    Without a browser the test is skipped, and the run says so. ``DIRPRIV_BROWSER=required`` makes it fail
    instead; so does the name or path of one browser in its place, which then is the one that is used.
    """
    wanted = os.environ.get("DIRPRIV_BROWSER", "")
    names = BROWSERS if wanted in ("", "required") else (wanted,)
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        message = f"needs a browser, which pip cannot install; none is here of {', '.join(names)}"
        if wanted:
            pytest.fail(f"DIRPRIV_BROWSER={wanted}: {message}", pytrace=False)
        pytest.skip(message)
    command = [browser, "--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run",
               "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]  # fmt: skip
    if os.geteuid() == 0:  # as in a container; the browser's own sandbox refuses that
        command.append("--no-sandbox")
    return command


class Page:
    """A page of a browser that is driven by the protocol of its developer tools, through pipes.

    ``events`` are all messages of the browser's own accord: requests, messages of the console, errors.
    """

    def __init__(self, browser, profile, address, seconds=60):
        self.events, self._rest, self._count, self._seconds = [], b"", 0, seconds
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        self._process = subprocess.Popen(
            # the browser reads from its file 3 and writes to its file 4
            ["bash", "-c", f'exec "$@" 3<&{read} 4>&{write}', "browser", *browser,
             f"--user-data-dir={profile}", "--remote-debugging-pipe"],
            pass_fds=(read, write), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(read), os.close(write)
        self._session = {}
        target = self.call("Target.createTarget", url="about:blank")
        self._session = {"sessionId": self.call("Target.attachToTarget", **target, flatten=True)["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=address)

    def call(self, method, **params):
        """Call a method of the protocol; return its result."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params} | self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != self._count:
            self.events.append(answer)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _message(self):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], self._seconds)
            assert ready, f"the browser has said nothing for {self._seconds} s"
            more = os.read(self._read, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        first, _, self._rest = self._rest.partition(b"\0")
        return json.loads(first)

    def run(self, script, **where):
        """The value of a script, which may be a promise."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, **where)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def resize(self, width, height=900):
        """Give the page another size, in pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def told(self, method):
        """What the browser has told of its own accord, by the name of its messages."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def close(self):
        """End the browser."""
        self._process.terminate()
        self._process.wait()
        os.close(self._read), os.close(self._write)
