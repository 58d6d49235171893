"""Sampling: fresh inputs, and how many."""

import pytest

from agentic_evals.rules.commands import Sampling, parse_command, samples


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./r --samples 128", Sampling(named=True, samples=128)),
        ("./r --samples=128", Sampling(named=True, samples=128)),
        ("./r --samples 8 --samples 64", Sampling(named=True, samples=64)),
        ("./r --samples=64 --samples 8", Sampling(named=True, samples=8)),
        ("N=64; ./r --samples $N", Sampling(named=True, samples=64)),
        ("N=64; ./r --samples=$N", Sampling(named=True, samples=64)),
        ("./r --samples $N", Sampling(named=True)),
        ("./r --samples many", Sampling(named=True)),
        ("./r --samples", Sampling(named=True)),
        ("./r --samples 64; ./r --samples 1", Sampling(named=True, samples=1)),
        ("./r --samples 64 --seed 7", Sampling(named=True, samples=64)),
        ("./r --seed 7", Sampling()),
        ("./r --seed $RANDOM", Sampling(fresh_seed=True, random=True)),
        ("./r --seed=$RANDOM", Sampling(fresh_seed=True, random=True)),
        ("./r --seed $RANDOM --seed 7", Sampling(random=True)),
        ("./r --seed {seed}", Sampling(fresh_seed=True)),
        ("./r --seed={seed}", Sampling(fresh_seed=True)),
        ("./r --seed '$RANDOM'", Sampling()),
        ("./r x-$RANDOM", Sampling(random=True)),
        ("SEED=$RANDOM ./r", Sampling(random=True)),
        ("./r <<< $RANDOM", Sampling(random=True)),
        ("echo $RANDOM; ./r", Sampling()),
        ("./r # --samples 64 $RANDOM", Sampling()),
        ("echo --samples 64; ./r", Sampling()),
        ("./o || ./r --samples 64", Sampling()),
        ("exit; ./r --samples 64", Sampling()),
        ("RANDOM=7; ./r --seed $RANDOM", Sampling()),
    ],
)
def test_what_is_really_evaluated_counts(command, expected):
    """In a command that is reached and proves something."""
    assert expected == samples(parse_command(["bash", "-c", command]))


def test_an_argv_evaluates_nothing():
    """Without a shell, only the placeholder is fresh."""
    assert not samples(parse_command(["./r", "--seed", "$RANDOM"])).non_deterministic
    assert samples(parse_command(["./r", "--seed", "{seed}"])).non_deterministic
    assert samples(parse_command(["./r", "--samples", "50"])).non_deterministic
