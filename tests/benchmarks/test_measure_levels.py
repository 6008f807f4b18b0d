"""The measurement of levels of one's own densities: few kernels, and a variant that must be found."""

from dataclasses import replace

import measure_levels

COUNT, SEED = 8, 3


def test_few_kernels_have_sound_levels(monkeypatch):
    """None is below the true level, refused or loose; all false declarations but narrow peaks are found."""
    honest = measure_levels.honest_table(COUNT, SEED)
    assert len(honest) >= 4 and sum(row[0] for row in honest.values()) == COUNT
    assert all(row[1:4] == [0, 0, 0] for row in honest.values())
    false = {kind: row for kind, row in measure_levels.false_table(COUNT, SEED).items() if kind != "peak"}
    assert len(false) >= 2 and all(row[1] == row[0] for row in false.values())
    # the wrong variant: the level of a kernel that is 1 % steeper than it says is below
    of = measure_levels.honest
    monkeypatch.setattr(measure_levels, "honest", lambda rng: replace(one := of(rng), metric=1.01 * one.metric))
    monkeypatch.setattr(measure_levels, "STEEP", 0.0)
    wrong = measure_levels.honest_table(COUNT, SEED)
    assert sum(row[1] for row in wrong.values()) >= 0.75 * COUNT
