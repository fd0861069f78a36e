"""Certificates for the gateway's tests, and their files."""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme

from pokerroom.ops.config import TlsConfig


class Authority:
    """Issues certificates for `127.0.0.1` and `localhost`, and writes them where a room expects them."""

    def __init__(self, directory: Path) -> None:
        self._authority = trustme.CA()
        self.files = TlsConfig(certificate=str(directory / "room.pem"), key=str(directory / "room.key"))
        self.trusted = directory / "authority.pem"
        """What clients trust."""
        self._authority.cert_pem.write_to_path(str(self.trusted))

    def write(self, **details: str) -> None:
        """Write a new pair; `details` are of the certificate."""
        issued = self._authority.issue_cert("127.0.0.1", "localhost", **details)
        Path(self.files.certificate).write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
        Path(self.files.key).write_bytes(issued.private_key_pem.bytes())

    def client(self) -> ssl.SSLContext:
        """The context of a client that trusts this authority alone."""
        context = ssl.create_default_context()
        self._authority.configure_trust(context)
        return context
