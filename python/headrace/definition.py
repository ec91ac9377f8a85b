"""Deployed or compiled process definitions."""

from __future__ import annotations

from headrace._core import Definition

__all__ = ["Definition"]


def sensitive_fields(definition: Definition) -> frozenset[str]:
    """The names of the fields that are shown as ``***`` (hr.Sensitive)."""
    return frozenset(name for node in definition.nodes for name in node["sensitive"])


def _svg(definition: Definition) -> str:
    from headrace import drawing

    return drawing.to_svg(definition)


# The class is the compiled module's: what only a notebook needs is added here.
setattr(Definition, "_repr_svg_", _svg)  # noqa: B010
