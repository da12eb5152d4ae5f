"""Gzip streams with a shared prefix: the common part of many responses is compressed once.

A sync flush ends the compressed prefix at a byte boundary, and a stored block follows (RFC 1951). The CRC-32
and the length at the end (RFC 1952) are continued from those of the prefix.
"""

import struct
import zlib
from dataclasses import dataclass

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
RAW_DEFLATE, MAX_STORED_BYTES, UINT32_MASK = -15, 0xFFFF, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class GzipPrefix:
    """`gzipped` is `plain` compressed up to a byte boundary. `checksum` is the CRC-32 of `plain`."""

    plain: bytes
    gzipped: bytes
    checksum: int

    def complete(self, rest: bytes) -> bytes:
        """Return the complete gzip stream, with `rest` (at most MAX_STORED_BYTES) stored uncompressed."""
        length = len(rest)
        stored = struct.pack("<BHH", 1, length, MAX_STORED_BYTES ^ length) + rest
        whole = (len(self.plain) + length) & UINT32_MASK
        return self.gzipped + stored + struct.pack("<II", zlib.crc32(rest, self.checksum), whole)


class PrefixCompressor:
    """Compresses data that follows `plain` without compressing `plain` again."""

    def __init__(self, plain: bytes) -> None:
        self._compressor = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
        pressed = self._compressor.compress(plain) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
        self._prefix = GzipPrefix(plain, GZIP_HEADER + pressed, zlib.crc32(plain))

    def extend(self, more: bytes) -> GzipPrefix:
        press, before = self._compressor.copy(), self._prefix
        pressed = press.compress(more) + press.flush(zlib.Z_SYNC_FLUSH)
        return GzipPrefix(before.plain + more, before.gzipped + pressed, zlib.crc32(more, before.checksum))
