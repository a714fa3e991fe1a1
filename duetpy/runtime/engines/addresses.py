"""Addresses of clusters: ``tls://host:8786``, ``tcp://127.0.0.1:8786``."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from attrs import frozen


@frozen
class Address:
    """Where a scheduler or a worker listens."""

    scheme: str
    host: str
    port: int

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_safe(self) -> bool:
        """Whether nobody on a network can read what is sent there."""
        return self.scheme == "tls" or (self.scheme == "tcp" and self.is_here)


def parse_address(text: str) -> Address:
    """Read an address; raises `ValueError`."""
    try:
        parts = urlsplit(str(text))
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("tcp", "tls") or not host or port is None or text != f"{scheme}://{parts.netloc}" or "@" in text:
        raise ValueError(f"{text!r} is not an address of a cluster; write tls://HOST:PORT, or tcp://127.0.0.1:PORT")
    return Address(scheme, host, port)
