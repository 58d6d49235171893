"""The program and a skill, as the end-to-end tests have them."""

from tests.e2e.conftest import program, skill

__all__ = ["program", "skill"]
