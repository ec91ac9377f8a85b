"""The colours of drawings and tables: one set for light themes, one for dark ones, each on paper of its own, so that a page of the other
kind does no harm. The contrast of text is 4.5 to 1 or more."""

from __future__ import annotations

_LIGHT = {
    "paper": "#ffffff",
    "fill": "#f6f8fa",
    "ink": "#1f2328",
    "soft": "#57606a",
    "good": "#0b6b3a",
    "bad": "#b42318",
    "gone": "#6e5494",
}
_DARK = {"paper": "#161b22", "fill": "#21262d", "ink": "#e6edf3", "soft": "#a0a8b2", "good": "#4ac26b", "bad": "#ff8f85", "gone": "#c4a7f5"}

_DIAGRAM = """
.hr-diagram .hr-paper{{fill:{paper};stroke:none}}
.hr-diagram .hr-shape{{fill:{fill};stroke:{ink}}}
.hr-diagram .hr-scope{{fill:{paper};stroke:{ink}}}
.hr-diagram .hr-solid,.hr-diagram .hr-head{{fill:{ink};stroke:none}}
.hr-diagram .hr-icon,.hr-diagram .hr-flow{{fill:none;stroke:{ink}}}
.hr-diagram text{{fill:{ink}}}
.hr-diagram .hr-note{{fill:{soft}}}
.hr-diagram .hr-open .hr-shape,.hr-diagram .hr-open .hr-scope{{stroke:{good};stroke-width:2.6}}
.hr-diagram .hr-bad .hr-shape,.hr-diagram .hr-bad .hr-scope{{stroke:{bad};stroke-width:2.6}}
.hr-diagram .hr-token rect{{fill:{good}}}
.hr-diagram .hr-incident rect{{fill:{bad}}}
.hr-diagram .hr-done rect{{fill:{paper};stroke:{good}}}
.hr-diagram .hr-gone rect{{fill:{paper};stroke:{gone}}}
.hr-diagram .hr-token text,.hr-diagram .hr-incident text{{fill:{paper};font-weight:bold}}
.hr-diagram .hr-done text{{fill:{good}}}
.hr-diagram .hr-gone text{{fill:{gone}}}
"""

_FORM = """
.hr-diagram{font:12px system-ui,sans-serif}
.hr-diagram .hr-thick{stroke-width:3}
.hr-diagram .hr-bold{stroke-width:2.6}
.hr-diagram .hr-flow{stroke-linejoin:round}
.hr-diagram .hr-middle{text-anchor:middle}
.hr-diagram .hr-end{text-anchor:end}
.hr-diagram .hr-note{font-size:11px}
"""

_TABLE = """
.hr-table{{background:{paper};color:{ink}}}
.hr-table th,.hr-table td{{border-bottom:1px solid {soft}}}
.hr-table .hr-good{{color:{good};border-color:{good}}}
.hr-table .hr-bad{{color:{bad};border-color:{bad}}}
.hr-table .hr-gone{{color:{gone};border-color:{gone}}}
.hr-table .hr-soft{{color:{soft};border-color:{soft}}}
"""

_TABLE_FORM = """
.hr-table{font:13px system-ui,sans-serif;border-collapse:collapse;border-radius:6px}
.hr-table caption{text-align:left;font-weight:bold;padding:4px 0}
.hr-table th,.hr-table td{text-align:left;padding:4px 10px;vertical-align:top;max-width:32em;overflow-wrap:anywhere}
.hr-table .hr-badge{display:inline-block;border:1px solid;border-radius:9px;padding:0 8px;white-space:nowrap}
"""


def _themes(rules: str) -> str:
    return f"{rules.format(**_LIGHT)}@media (prefers-color-scheme:dark){{{rules.format(**_DARK)}}}"


def _short(style: str) -> str:
    return "".join(line for line in style.splitlines())


STYLE = _short(_FORM + _themes(_DIAGRAM))
TABLE_STYLE = _short(_TABLE_FORM + _themes(_TABLE))
