"""The certificate's files: what an operator is told about bad ones, and when new ones are read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from structlog.testing import capture_logs
from twisted.internet.defer import maybeDeferred

from pokerroom.ops.certificate import Certificate, CertificateUnusable, check_certificate
from pokerroom.ops.config import TlsConfig
from pokerroom.ops.metrics import Metrics
from tests.gateway.certificates import Authority


@pytest.fixture
def authority(tmp_path):
    made = Authority(tmp_path)
    made.write()
    return made


def reloads(metrics):
    value = metrics.registry.get_sample_value
    return [value("pokerroom_tls_reloads_total", {"result": result}) or 0 for result in ("done", "failed")]


def _removed(path: Path) -> None:
    path.unlink()


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _other(path: Path) -> None:
    issued = trustme.CA().issue_cert("localhost")
    issued.private_key_pem.write_to_path(str(path))


def _no_pem(path: Path) -> None:
    path.write_text("hello")


def _broken(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200] + b"\n-----END PRIVATE KEY-----\n")


def _encrypted(path: Path) -> None:
    key = load_pem_private_key(path.read_bytes(), None)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_removed, "the key of [tls] cannot be read: {key}: No such file or directory. Correct tls.key"),
        (_directory, "the key of [tls] cannot be read: {key}: Is a directory"),
        (_other, "the key of [tls] does not belong to its certificate: {key}, {certificate}. "),
        (_no_pem, "the key of [tls] is not a PEM file: {key}. "),
        (_broken, "the files of [tls] hold no usable pair: {certificate}, {key} ("),
        (_encrypted, "the key of [tls] is encrypted: {key}. Store it without a password"),
    ],
)
def test_bad_files_are_named_with_what_to_do(authority, spoil, told):
    """Missing, unreadable, mismatching, and what is no key: each has its own words, and none asks for a password."""
    files = authority.files
    spoil(Path(files.key))
    with pytest.raises(CertificateUnusable) as caught:
        check_certificate(files)
    assert str(caught.value).startswith(told.format(key=files.key, certificate=files.certificate))


def test_settings_without_files_are_fine():
    """TLS is optional."""
    check_certificate(TlsConfig())


def test_new_files_are_used_and_bad_ones_are_not(authority, run):
    """A pair that cannot be used is logged and counted once, the earlier one stays; a later good pair is used."""
    metrics = Metrics()
    certificate = Certificate(authority.files, metrics)
    first, expires = certificate.context, certificate.expires
    assert expires > datetime.now(UTC)

    run(certificate.refresh(maybeDeferred))
    assert (certificate.context is first, reloads(metrics)) == (True, [0, 0])

    _no_pem(Path(authority.files.certificate))
    with capture_logs() as logged:
        run(certificate.refresh(maybeDeferred))
        run(certificate.refresh(maybeDeferred))
    assert [entry["event"] for entry in logged] == ["tls.not_reloaded"]
    assert logged[0]["log_level"] == "error"
    assert "is not a PEM file" in logged[0]["reason"]
    assert (certificate.context is first, reloads(metrics)) == (True, [0, 1])

    authority.write()
    run(certificate.refresh(maybeDeferred))
    assert (certificate.context is first, reloads(metrics)) == (False, [1, 1])
