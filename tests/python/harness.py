"""Calls a function of the running program: `python FILE FUNCTION '{"argument": ...}'`. Prints its result as JSON."""

import json
import sys
import time
import urllib.request


def main(functions):
    name, arguments = sys.argv[1:]
    print(json.dumps(functions[name](**json.loads(arguments))))


def failure(call):
    """The exception that a call raises: its class, and what the SDK made of the response."""
    try:
        call()
    except Exception as error:
        return {
            "class": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "body": getattr(error, "body", None),
            "text": str(error),
        }
    return {"class": None}


def in_flight(provider):
    """Requests in flight at a mock provider."""
    origin = provider.removesuffix("/v1")
    with urllib.request.urlopen(f"{origin}/mock/stats", timeout=5) as response:
        return json.load(response)["stats"]["in_flight"]


def seconds_until_idle(provider, patience=10.0):
    """How long a mock provider still has a request in flight; None when it is longer than the patience."""
    start = time.monotonic()
    while in_flight(provider) > 0:
        if time.monotonic() - start > patience:
            return None
        time.sleep(0.005)
    return time.monotonic() - start
