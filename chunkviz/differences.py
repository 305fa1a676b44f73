"""Where chunkings of one document do not agree, whatever strategies made them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunking import Chunking
from chunkviz.text.visible import visible_at

Ints = NDArray[np.int64]


def differences(chunkings: Sequence[Chunking]) -> list[int]:
    """Where the chunkings of one document do not agree: code points, in order; empty for fewer than two chunkings.

    Two borders are the same if only white space lies between them, so they are compared by how many visible
    characters stand before them. A place differs if a chunk starts there in one chunking and in another none does,
    or the same for ends. Starts and ends are told apart because overlapping chunks have both, at different places.
    So where chunks have different starts and different ends, the list is empty exactly when all chunkings have the
    same chunks, apart from white space at their edges.
    Each place is given as the first visible character after it, the end of the last one where there is none.
    """
    if len(chunkings) < 2:
        return []
    document = chunkings[0].document
    if any(c.document.fingerprint != document.fingerprint for c in chunkings):
        raise ValueError("only chunkings of one document can be compared")
    seen = visible_at(document)
    if not len(seen):
        return []
    disputed: list[Ints] = []
    for edges in (
        [[c.start for c in one.chunks] for one in chunkings],
        [[c.end for c in one.chunks] for one in chunkings],
    ):
        each = [np.unique(np.searchsorted(seen, np.array(positions, dtype=np.int64))) for positions in edges]
        places, votes = np.unique(np.concatenate(each), return_counts=True)
        disputed.append(places[votes < len(chunkings)])
    places = np.union1d(*disputed)
    found: list[int] = np.append(seen, seen[-1] + 1)[places].tolist()
    return found
