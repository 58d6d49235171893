"""Reads the network addresses that a traced program hands to the kernel."""

from __future__ import annotations

import trace_files as files
import trace_ptrace as ptrace

_MOST_ADDRESS = 128
_MESSAGE_SIZE, _MMESSAGE_SIZE = 56, 64
_MOST_MESSAGES = 64
_UNIX, _INET, _INET6 = 1, 2, 10
_INET_SIZE, _INET6_SIZE = 8, 24  # up to the end of the address
_NAMES = {0: "unspec", _UNIX: "unix", _INET: "inet", _INET6: "inet6", 16: "netlink", 17: "packet", 40: "vsock"}


def read_address(tid: int, pointer: int, length: int) -> bytes:
    """Return the socket address at `pointer`; raises `OSError`."""
    length &= 0xFFFFFFFF
    return ptrace.read_memory(tid, pointer, min(length, _MOST_ADDRESS)) if pointer and length else b""


def addresses_of_messages(tid: int, pointer: int, several: int) -> list[bytes]:
    """Return the addresses in the `several` message headers at `pointer`, as far as they have one; raises `OSError`."""
    found = []
    for number in range(min(several & 0xFFFFFFFF, _MOST_MESSAGES)):
        header = ptrace.read_memory(tid, pointer + number * _MMESSAGE_SIZE, 16)
        name = int.from_bytes(header[:8], "little")
        if name:
            found.append(read_address(tid, name, int.from_bytes(header[8:12], "little")))
    return found


def describe(address: bytes) -> dict[str, object]:
    """Return family, address and port, or the path, of a socket address."""
    family = int.from_bytes(address[:2], "little")
    facts: dict[str, object] = {"family": _NAMES.get(family, str(family))}
    if family == _INET and len(address) >= _INET_SIZE:
        facts.update(address=".".join(map(str, address[4:8])), port=int.from_bytes(address[2:4], "big"))
    elif family == _INET6 and len(address) >= _INET6_SIZE:
        facts.update(address=_inet6(address[8:24]), port=int.from_bytes(address[2:4], "big"))
    elif family == _UNIX:
        name = address[2:]
        abstract = name[:1] == b"\0"
        facts["path"] = "@" + files.text(name[1:]) if abstract else files.text(name.partition(b"\0")[0])
    elif address:
        facts["raw"] = address.hex()
    return facts


def _inet6(address: bytes) -> str:
    import _socket

    return _socket.inet_ntop(_socket.AF_INET6, address)
