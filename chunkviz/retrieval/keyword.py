"""Search by words: BM25 over the words of each text.

Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework; computed by bm25s in Lucene's variant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import regex
from numpy.typing import NDArray

# Scripts that put no blanks between words: pairs of neighbouring characters stand in for words, as Lucene's CJK analyser
# does. Everywhere else a word is a run of letters, digits and marks, with what joins parts of a name: key_7Qm2, U.S.
_TOGETHER: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD: Final = regex.compile(rf"(?P<together>[{_TOGETHER}]+)|(?:(?![{_TOGETHER}])[\p{{L}}\p{{N}}\p{{M}}_])+")


def words(text: str) -> list[str]:
    """The words of a text as BM25 compares them: case folded, nothing stemmed, nothing left out.

    >>> words("The API-key key_7Qm2, Größe"), words("天气好")
    (['the', 'api', 'key', 'key_7qm2', 'grösse'], ['天气', '气好'])
    """
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        if match["together"] is None or len(word) == 1:
            found.append(word)
        else:
            found += [word[i : i + 2] for i in range(len(word) - 1)]
    return found


def scores(texts: Sequence[str], questions: Sequence[str], k1: float = 1.5, b: float = 0.75) -> NDArray[np.float32]:
    """float32 (questions, texts): BM25 of every text for every question; 0 where they share no word.

    k1 : how fast a word's repetition stops counting; b : how much long texts are held back, in [0, 1]
    """
    corpus = [words(text) for text in texts]
    if not any(corpus):
        return np.zeros((len(questions), len(texts)), dtype=np.float32)
    import bm25s  # brings scipy where it is installed; loaded with the first search by words

    model = bm25s.BM25(k1=k1, b=b, method="lucene")
    model.index(corpus, show_progress=False)
    known = {word for text in corpus for word in text}
    made = np.zeros((len(questions), len(texts)), dtype=np.float32)
    for row, question in enumerate(questions):
        asked = [word for word in words(question) if word in known]
        if asked:
            made[row] = model.get_scores(asked)
    return made
