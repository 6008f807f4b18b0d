"""Formulas as MathML, made when the pages are built: browsers draw it without scripts or a network."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

FUNCTION = re.compile(r"\\(?:cos|cosh|cot|log|sin|tan|tanh)\b(?:\^\w)?(?=\s*(?:\w|\\[a-z]))(?!\s*\\right)")
PRIME = re.compile(r"<msup>(<mi>[^<]*</mi>)<mi>(&#x02032;)</mi></msup>")  # the sign is raised already
NOT_READ = re.compile(r">(?:&<|\\)")  # what the converter does not know, it copies


def mathml(node, display):
    """MathML of the formula of a node, which is written in LaTeX."""
    try:
        spaced = FUNCTION.sub(lambda name: rf"{name[0]}\,", node.astext())  # as TeX does
        markup = convert(spaced, display=display)
    except Exception as error:
        raise ExtensionError(f"{node.source}: cannot read the formula {node.astext()} ({error!r})") from error
    if NOT_READ.search(markup):
        raise ExtensionError(f"{node.source}: a command of the formula {node.astext()} is not known")
    return PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', markup)


def inline(translator, node):
    """Write a formula of a line of text."""
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def block(translator, node):
    """Write a formula on a line of its own, with its number if it has a label.

    The theme lets the keyboard scroll what has the class of its tables.
    """
    classes = "math notranslate nohighlight pst-scrollable-table-container"
    translator.body.append(translator.starttag(node, "div", CLASS=classes))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(mathml(node, "block") + "</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
