"""Searching streams in windows."""

import pytest

from agentic_evals.model.trial import Blob
from agentic_evals.rules.expectations._streams import OVERLAP_BYTES, WHOLE_BYTES, found, windows
from tests.unit.rules.expectations.asking import spooled

MIB = 1024 * 1024


@pytest.mark.parametrize("size", [0, 1, WHOLE_BYTES])
def test_a_small_stream_is_one_window(size):
    """Up to 16 MiB nothing is cut, in memory or on disk."""
    data = b"x" * size
    for blob in (Blob.of(data), spooled(data)):
        (window,) = windows(blob)

        assert (size, True, True) == (len(window.data), window.first, window.last)


@pytest.mark.parametrize("chunk", [100 * MIB, 10 * MIB + 7, 256 * 1024])
def test_a_window_is_never_larger_than_16_mib(chunk):
    """Whatever the size of the chunks, memory is bounded."""
    pieces = [b"x" * min(chunk, 50 * MIB - start) for start in range(0, 50 * MIB, chunk)]
    sizes, ends = [], [0]
    for window in windows(spooled(*pieces)):
        sizes.append(len(window.data))
        assert window.offset == max(0, ends[-1] - OVERLAP_BYTES)
        ends.append(window.offset + len(window.data))

    assert max(sizes) <= WHOLE_BYTES
    assert 50 * MIB == ends[-1]


def test_only_the_ends_are_ends():
    """The first window is the beginning, the last one the end, and those between are neither."""
    ends = [(window.first, window.last) for window in windows(spooled(*[b"x" * MIB] * 40))]

    assert [(True, False), (False, False), (False, True)] == ends


def test_windows_put_together_are_the_stream():
    """Nothing is lost and nothing is out of place."""
    data = bytes(range(256)) * (40 * MIB // 256)
    whole = bytearray()
    for window in windows(spooled(*(data[start : start + 3_000_001] for start in range(0, len(data), 3_000_001)))):
        assert window.data[: len(whole) - window.offset] == whole[window.offset :]
        whole += window.data[len(whole) - window.offset :]

    assert data == bytes(whole)


def test_the_longest_needle_is_found_at_every_border():
    """A needle as long as two windows share lies whole in one of them."""
    needle = "n" * (OVERLAP_BYTES // 4)
    for at in (WHOLE_BYTES - 1, WHOLE_BYTES - len(needle) + 1, WHOLE_BYTES - OVERLAP_BYTES - 1):
        blob = spooled(b"x" * at, needle.encode(), b"y" * (WHOLE_BYTES + MIB))

        assert {needle} == found(blob, [needle])


def test_a_stream_is_read_no_further_than_needed():
    """Once every needle is found, nothing more is read."""
    blob = spooled(b"needle", *[b"x" * MIB] * 30)
    read = []
    blob.whole.chunks = _counted(blob.whole.chunks, read)

    assert {"needle"} == found(blob, ["needle"])
    assert len(read) < 20


def _counted(chunks, read):
    for chunk in chunks:
        read.append(chunk)
        yield chunk
