"""Secrets and signatures of webhooks."""

import base64

from pokerroom.webhooks.signing import secret_text, signed_headers

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_a_signature_is_that_of_standard_webhooks():
    """The example that libraries of that standard test themselves with."""
    secret = base64.b64decode(SECRET.removeprefix("whsec_"))
    assert secret_text(secret) == SECRET
    body = b'{"test": 2432232314}'
    assert signed_headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
