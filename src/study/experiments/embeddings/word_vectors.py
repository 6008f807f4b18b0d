"""Vectors of words from texts that every run has, the docstrings of NumPy: words with like neighbours are alike."""

import re
from collections import Counter

import numpy as np

REACH = 4  # words to each side that are neighbours


def texts():
    """The words of each docstring of NumPy's public names, in their order."""
    return [re.findall("[a-z]{3,}", (getattr(np, name).__doc__ or "").lower()) for name in sorted(np.__all__)]


def word_vectors(documents, count, dim):
    """The most frequent words and a unit vector of each, of positive pointwise mutual information with each other.

    The eigenvectors of the largest eigenvalues have an arbitrary sign; here their largest entry is positive.
    """
    frequencies = Counter(word for text in documents for word in text)
    words = sorted(frequencies, key=lambda word: (-frequencies[word], word))[:count]
    numbers = {word: number for number, word in enumerate(words)}
    together = np.zeros((len(words), len(words)))
    for text in documents:
        of_text = np.array([numbers.get(word, -1) for word in text], dtype=int)
        for step in range(1, REACH + 1):
            pairs = np.stack([of_text[:-step], of_text[step:]])
            np.add.at(together, tuple(pairs[:, (pairs >= 0).all(axis=0)]), 1.0)
    together += together.T
    even = np.outer(together.sum(axis=0), together.sum(axis=0)) / together.sum()
    values, axes = np.linalg.eigh(np.log(np.maximum(together / even, 1.0)))
    largest = np.argsort(-np.abs(values), kind="stable")[:dim]
    axes = axes[:, largest]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]) * np.sqrt(np.abs(values[largest]))
    return words, axes / np.linalg.norm(axes, axis=1, keepdims=True)
