"""What well-known tokens and private keys look like, whoever they belong to."""

from __future__ import annotations

import re
from typing import Final

_BODY: Final = rb"[0-9A-Za-z_\-.]"
_STARTS: Final = (
    (rb"AKIA", rb"[0-9A-Z]{16}"),
    (rb"gh[pousr]_", rb"[0-9A-Za-z]{36,255}"),
    (rb"github_pat_", rb"[0-9A-Za-z_]{50,255}"),
    (rb"glpat-", rb"[0-9A-Za-z_\-]{20,255}"),
    (rb"sk-ant-", rb"[0-9A-Za-z_\-]{20,255}"),
    (rb"sk-", rb"(?:proj-)?[0-9A-Za-z_\-]{32,255}"),
    (rb"xox[abprs]-", rb"[0-9A-Za-z\-]{10,255}"),
    (rb"[rs]k_live_", rb"[0-9A-Za-z]{20,255}"),
    (rb"AIza", rb"[0-9A-Za-z_\-]{35}"),
    (rb"npm_", rb"[0-9A-Za-z]{36}"),
    (rb"pypi-AgEI", rb"[0-9A-Za-z_\-]{50,1024}"),
    (rb"hf_", rb"[0-9A-Za-z]{30,255}"),
    (rb"SG\.", rb"[0-9A-Za-z_\-]{16,64}\.[0-9A-Za-z_\-]{16,128}"),
    (rb"eyJ", rb"[0-9A-Za-z_\-]{10,2048}\.eyJ[0-9A-Za-z_\-]{10,4096}\.[0-9A-Za-z_\-]{10,2048}"),
)
_KEY: Final = rb"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----"
_KEY_END: Final = rb"(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|\xe2\x80\xa6|\Z)"

LONGEST: Final = 16_384
"""No shape matches more bytes than this."""
SHAPES: Final = re.compile(
    b"|".join([*(start + rest for start, rest in _STARTS), _KEY + rb"[\s\S]{0,12288}?" + _KEY_END])
)
"""Every shape; a private key may be cut off where the text, or a quotation, ends."""
CUT: Final = re.compile(b"(?:" + b"|".join(start for start, _ in _STARTS) + b")" + _BODY + rb"{4,}(?=\xe2\x80\xa6)")
"""The beginning of a token before the mark of a quotation that was cut."""
ANCHORS: Final = b"|".join([*(start + _BODY + b"{8}" for start, _ in _STARTS), rb"-----BEGIN"])
"""How every match of `SHAPES` begins, blanks and line breaks aside; for an engine without backtracking."""
