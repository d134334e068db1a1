"""Asks on a key, and waits until somebody presses it: python3 confirm.py "Deploy?" && ./deploy

The key shows the channel "confirm", and its press is set to "Mark as seen". Needs Python 3.8 or
newer and nothing else, TALLYDECK_URL (the Web UI's address, like http://tallydeck.local:3000) and
TALLYDECK_PUSH_TOKEN. Ends with 0 when it was pressed, with 1 when nobody did for ten minutes.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

BOX = os.environ["TALLYDECK_URL"].rstrip("/")
TOKEN = os.environ["TALLYDECK_PUSH_TOKEN"]
PATIENCE_S = 600


def call(method, path, body=None, headers=None):
    """Returns the answer and what names its state; raises urllib.error.HTTPError when it is refused."""
    request = urllib.request.Request(
        BOX + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + TOKEN,
            "Content-Type": "application/json",
            **(headers or {}),
        },
    )
    with urllib.request.urlopen(request, timeout=35) as answer:
        return json.loads(answer.read() or b"null"), answer.headers.get("ETag")


def changes(channel):
    """What the channel holds: now, and whenever the box answers because it changed."""
    value, known = call("GET", "/api/channels/" + channel)
    while True:
        yield value
        try:
            path = "/api/channels/" + channel + "?wait=25"
            value, known = call("GET", path, headers={"If-None-Match": known})
        except urllib.error.HTTPError as error:
            if error.code != 304:  # The same as before.
                raise


def confirm(question):
    own = uuid.uuid4().hex
    call("POST", "/api/push/confirm", {"text": question, "hold": True, "id": own, "ttl": 0})
    deadline = time.monotonic() + PATIENCE_S
    for value in changes("confirm"):
        if value["id"] != own:
            return False  # Somebody else asks now, or cleared it.
        is_pressed = value["ack"] is not None
        if is_pressed or time.monotonic() > deadline:
            break
    call("DELETE", "/api/push/confirm")
    return is_pressed


if __name__ == "__main__":
    sys.exit(0 if confirm(sys.argv[1]) else 1)
