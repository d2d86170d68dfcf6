"""XML elements with their lines. Document types, and with them entities, are refused."""

from __future__ import annotations

from xml.parsers import expat

from ougi.scene.limits import Budget, LimitError
from ougi.scene.problems import SceneError, scene_error, warn_user

_MAX_DEPTH = 100


class Element:
    """An XML element and the line on which it begins."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[Element] = []
        self.text = ""

    def find(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next(iter(self.find_all(tag)), None)

    def find_all(self, tag: str) -> list[Element]:
        """All children with this tag."""
        return [child for child in self.children if child.tag == tag]


def parse_xml(
    content: bytes, file: str, budget: Budget, *, children: bool = True, text: bool = False
) -> Element:
    """The root element of a file: with its children, and, with `text`, also with texts.

    Blank text before the XML header and zero bytes at the end, which are not XML, are warnings.
    """
    shift = 0
    stripped = content.lstrip(b" \t\r\n")
    if stripped.startswith(b"<?xml") and len(stripped) < len(content):
        warn_user(file, "blank text before the XML header was ignored")
        shift = content.count(b"\n", 0, len(content) - len(stripped))
        content = stripped
    if content.endswith(b"\0") and b"\0" not in content[:4]:
        warn_user(file, "zero bytes at the end were ignored")
        content = content.rstrip(b"\0")
    root = Element("", {}, 0)
    stack = [root]
    parser = expat.ParserCreate()

    def line() -> int:
        return parser.CurrentLineNumber + shift

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, line())
        budget.take("elements", 1, "the number of XML elements")
        if len(stack) > _MAX_DEPTH:
            raise scene_error(file, "elements are nested too deeply", element.line)
        if children or len(stack) == 1:
            stack[-1].children.append(element)
        stack.append(element)

    def refuse_doctype(*_: object) -> None:
        raise scene_error(file, "a DOCTYPE is not allowed", line())

    def add_text(part: str) -> None:
        stack[-1].text += part

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.StartDoctypeDeclHandler = refuse_doctype
    if text:
        parser.buffer_text, parser.buffer_size = True, 2**20
        parser.CharacterDataHandler = add_text
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        message = expat.errors.messages[error.code]
        raise scene_error(file, f"not valid XML: {message}", error.lineno + shift) from None
    except SceneError:
        raise
    except LimitError as error:
        raise scene_error(file, str(error)) from None
    except (LookupError, ValueError) as error:  # an encoding that expat does not know, or one of many bytes
        raise scene_error(file, f"{error}; save the file as UTF-8", line()) from None
    return root.children[0]
