"""Deployed or compiled process definitions."""

from __future__ import annotations

from headrace._core import Definition

__all__ = ["Definition"]
