"""The fixtures of the plugin, as its users get them, in place of those of the other tests."""

from __future__ import annotations

from headrace.testing.plugin import clock, engine

__all__ = ["clock", "engine"]
