"""The examples of the operators' page verify what the room signs."""

import json
import re
import time
from pathlib import Path

import pytest

from pokerroom.webhooks.signing import secret_text, signed_headers
from tests.node import node

PAGE = Path(__file__).parents[2] / "deploy" / "operations" / "webhooks.md"
SECRET = bytes(range(32))
BODY = b'{"type":"test"}'


def example(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return text


def by_python(headers, body):
    names = {}
    exec(example("python"), names)
    return names["verified"](secret_text(SECRET), headers, body)


def by_javascript(headers, body):
    values = json.dumps([secret_text(SECRET), headers, body.decode()])
    script = f"{example('javascript')}\nconsole.log(verified(...{values}));"
    return node("--input-type=module", "-", stdin=script).strip() == "true"


@pytest.mark.parametrize("verified", [by_python, by_javascript])
def test_the_example_takes_the_rooms_messages_and_no_others(verified):
    """Not with another body, id or time, nor an old one; also if a second signature is there."""
    now_s = int(time.time())
    headers = signed_headers(SECRET, "msg_1", now_s, BODY)
    assert verified(headers, BODY)
    both = f"v1,AAAA {headers['webhook-signature']}"
    assert verified({**headers, "webhook-signature": both}, BODY)
    assert not verified(headers, BODY + b" ")
    assert not verified({**headers, "webhook-id": "msg_2"}, BODY)
    assert not verified({**headers, "webhook-signature": "v1,"}, BODY)
    assert not verified(signed_headers(SECRET, "msg_1", now_s - 301, BODY), BODY)
