"""A tape as text and as a graph.

    Node #42 { op=sigmoid input=[#16] }
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.tape.forms import Slot, mapped
from zyg.tape.nodes import Constant, Input, Node
from zyg.tape.wengert import Tape


def listing(tape: Tape) -> str:
    """All nodes but the constants, which stand where they are read; the outputs at the end."""
    lines: list[str] = []
    beginnings = {idx: order for order, idx in enumerate(tape.adjoints, start=1)}
    for node in tape.nodes:
        if node.idx in beginnings:
            lines.append(f"// adjoint program {beginnings[node.idx]}")
        if not isinstance(node, Constant):
            lines.append(shown_node(node))
    lines += [f"// assumed: {assumption}" for assumption in tape.assumptions]
    lines.append(f"output=[{', '.join(reference(tape, idx) for idx in tape.outputs)}]")
    return "\n".join(lines)


def shown_node(node: Node) -> str:
    """`Node #42 { op=sigmoid input=[#16] }`"""
    if isinstance(node, Constant):
        return f"Node #{node.idx} {{ {shown_constant(node.value)} }}"
    if isinstance(node, Input):
        return f"Node #{node.idx} {{ input={shown(node.value)} }}"
    return f"Node #{node.idx} {{ op={node.op} {shown_operands(node)} }}"


def shown_operands(node: Node) -> str:
    """`input=[#16, Const(1)]`, and the options of the call."""
    tape = node.tape
    _, parents, form = tape.calls[node.idx]
    names = [reference(tape, parent) for parent in parents]
    if form is None:
        return f"input=[{', '.join(names)}]"
    args = [shown_part(part, names) for part in form.args]
    options = [f"{name}={shown_part(part, names, True)}" for name, part in form.kwargs.items()]
    return " ".join([f"input=[{', '.join(args)}]", *options])


class _Text:
    """A text that stands for itself in the printed form of a container."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shown_part(part: Any, names: list[str], is_option: bool = False) -> str:
    """An argument: that of another node as `#1`, a literal as `Const(1)`, an option bare."""
    if isinstance(part, (Slot, list, tuple, dict, slice)):
        text = mapped(part, lambda slot: _Text(names[slot.position]))
        if type(part) is Slot or text != part or is_option:
            return repr(text)
    if is_option:
        return getattr(part, "__name__", repr(part))
    return shown_constant(part)


def reference(tape: Tape, idx: int) -> str:
    """How an operand is written: `#1`, or `Const(2.0)`."""
    return shown_constant(tape.values[idx]) if tape.is_constant(idx) else f"#{idx}"


def shown_constant(value: Any) -> str:
    return f"Const({shown(value)})"


def shown(value: Any) -> str:
    """A value in short: of an array, its dtype and shape."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else str(value)


# Graphs


def graph(tape: Tape) -> tuple[dict[int, str], list[tuple[int, int]]]:
    """The labels of all nodes but constants, and the edges from parents to children."""
    labels: dict[int, str] = {}
    edges: list[tuple[int, int]] = []
    for node in tape.nodes:
        if isinstance(node, Constant):
            continue
        if isinstance(node, Input):
            labels[node.idx] = f"#{node.idx} input"
        else:
            constants = [
                shown_constant(tape.values[parent]) for parent in node.parents
                if tape.is_constant(parent)
            ]
            labels[node.idx] = " ".join([f"#{node.idx} {node.op}", *constants])
        edges += [(parent, node.idx) for parent in node.parents if not tape.is_constant(parent)]
    return labels, edges


def to_graphviz(tape: Tape) -> str:
    """The graph in the language of Graphviz: `dot -Tsvg`.

    >>> from zyg.tape import trace
    >>> print(to_graphviz(trace(lambda x: x * x, 2.0)))
    digraph tape {
        n0 [label="#0 input" shape=box]
        n1 [label="#1 multiply" peripheries=2]
        n0 -> n1
        n0 -> n1
    }
    """
    labels, edges = graph(tape)
    lines = ["digraph tape {"]
    for idx, label in labels.items():
        style = " shape=box" if idx in tape.inputs else ""
        style += " peripheries=2" if idx in tape.outputs else ""
        lines.append(f'    n{idx} [label="{label}"{style}]')
    lines += [f"    n{parent} -> n{child}" for parent, child in edges]
    return "\n".join([*lines, "}"])


def to_mermaid(tape: Tape) -> str:
    """The graph in the language of Mermaid, which pages of Markdown show.

    >>> from zyg.tape import trace
    >>> print(to_mermaid(trace(lambda x: x * x, 2.0)))
    flowchart TD
        n0["#0 input"]
        n1(["#1 multiply"])
        n0 --> n1
        n0 --> n1
    """
    labels, edges = graph(tape)
    lines = ["flowchart TD"]
    for idx, label in labels.items():
        opening, closing = ("([", "])") if idx in tape.outputs else ("[", "]")
        lines.append(f'    n{idx}{opening}"{label}"{closing}')
    lines += [f"    n{parent} --> n{child}" for parent, child in edges]
    return "\n".join(lines)
