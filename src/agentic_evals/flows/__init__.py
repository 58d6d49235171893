"""Sequences of steps over ports; no argv, no printing, no judgement of their own."""
