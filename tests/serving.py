"""Servers of tests, on this machine alone."""

import contextlib
import http.server
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    """A server that says nothing of clients who hang up before the end, as those do who refuse an answer."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    """What all answers share: no line is logged."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(handler):
    """A server at work, in threads of its own."""
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
