"""The room's TLS certificate: two PEM files, read into a context for new connections, and read again when they change.

Knows no connections. Files are read in a thread, never on the reactor.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import structlog
from cryptography import x509
from twisted.internet.defer import Deferred

from pokerroom.ops.config import TlsConfig
from pokerroom.ops.observer import Observer

RELOAD_S: Final = 10
"""The files are looked at this often."""

_log = structlog.get_logger()


class CertificateUnusable(Exception):  # noqa: N818 -- what the operator reads, not a fault
    """The files of `[tls]` cannot be used; the message names the file and says what to do."""


class Certificate:
    """The certificate in use; `context` is for the next connection. Raises `CertificateUnusable` for bad files."""

    def __init__(self, files: TlsConfig, observer: Observer) -> None:
        self._files = files
        self._observer = observer
        self._seen = _stamps(files)
        self.context, self.expires = _loaded(files)
        """`expires` is when the certificate does, in UTC."""

    def refresh(self, in_thread: Callable[..., Deferred[Any]]) -> Deferred[None]:
        """Look at the files, and take a new pair. If it cannot be used, the present one stays and the log says why."""
        return in_thread(self._read).addCallback(self._take)

    def _read(self) -> tuple[ssl.SSLContext, datetime] | CertificateUnusable | None:
        stamps = _stamps(self._files)
        if stamps == self._seen:
            return None
        self._seen = stamps
        try:
            return _loaded(self._files)
        except CertificateUnusable as unusable:
            return unusable

    def _take(self, read: tuple[ssl.SSLContext, datetime] | CertificateUnusable | None) -> None:
        if isinstance(read, CertificateUnusable):
            self._observer.tls_reload("failed")
            _log.error("tls.not_reloaded", reason=str(read), message="the earlier certificate stays in use")
        elif read is not None:
            self.context, self.expires = read
            self._observer.tls_reload("done")
            _log.info("tls.reloaded", expires=self.expires.isoformat())


def check_certificate(files: TlsConfig) -> None:
    """Raise `CertificateUnusable` if the files of the settings cannot be used; pass if there are none."""
    if files.certificate:
        _loaded(files)


def _stamps(files: TlsConfig) -> tuple[tuple[int, ...], ...]:
    """Return what changes when a file is written, replaced, or made readable; links are followed."""
    found: list[tuple[int, ...]] = []
    for path in (files.certificate, files.key):
        try:
            stat = Path(path).stat()
        except OSError:
            found.append((0,))
        else:
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))
    return tuple(found)


def _loaded(files: TlsConfig) -> tuple[ssl.SSLContext, datetime]:
    for setting, path in (("certificate", files.certificate), ("key", files.key)):
        try:
            text = Path(path).read_bytes()
        except OSError as error:
            raise CertificateUnusable(
                f"the {setting} of [tls] cannot be read: {path}: {error.strerror}. Correct tls.{setting}, or let the "
                "room's user read the file."
            ) from error
        if b"-----BEGIN " not in text:
            raise CertificateUnusable(f"the {setting} of [tls] is not a PEM file: {path}. Convert it to PEM.")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # a client that renegotiates makes the room do the expensive part of a handshake as often as it likes
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_CIPHER_SERVER_PREFERENCE
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(files.certificate, files.key, password=_no_password)
        leaf = x509.load_pem_x509_certificates(Path(files.certificate).read_bytes())[0]
    except _Encrypted as error:
        raise CertificateUnusable(
            f"the key of [tls] is encrypted: {files.key}. Store it without a password, with mode 0600."
        ) from error
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            reason = (
                f"the key of [tls] does not belong to its certificate: {files.key}, {files.certificate}. "
                "Name the two files of one pair; the room's own certificate is the first of its file."
            )
        else:
            reason = (
                f"the files of [tls] hold no usable pair: {files.certificate}, {files.key} "
                f"({error.reason or 'not read by OpenSSL'}). Check them with `openssl x509` and `openssl pkey`."
            )
        raise CertificateUnusable(reason) from error
    except (OSError, ValueError) as error:
        raise CertificateUnusable(
            f"the files of [tls] cannot be used: {files.certificate}, {files.key}: {error}"
        ) from error
    return context, leaf.not_valid_after_utc


class _Encrypted(Exception):  # noqa: N818 -- found while a file is read
    """A key asks for a password. Without this OpenSSL would ask at the terminal."""


def _no_password() -> str:
    raise _Encrypted
