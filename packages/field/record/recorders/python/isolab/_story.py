"""The story of a violation, as objects and as HTML for notebooks. Needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from typing import Any, Optional


@dataclass(frozen=True)
class Story:
    """The smallest part of a history that violates its level, with the reasons in sentences."""

    name: Optional[str]
    """The name of the anomaly, such as lost-update."""
    title: str
    summary: str
    sentences: tuple[str, ...]
    """The reasons, one after the other."""
    history: Optional[str]
    """The part of the history, in the notation of isolab's documentation."""
    svg: Optional[str] = field(repr=False)
    """The picture, if it could be drawn."""
    page: Optional[str] = field(repr=False)
    """A page of HTML that needs no other file, with the picture, the sentences and the steps of the cycle."""

    @classmethod
    def of(cls, shrunk: dict[str, Any], svg: Optional[str], page: Optional[str]) -> Story:
        title = shrunk.get("title") or shrunk.get("name") or "Violation"
        sentences = tuple(shrunk["explanation"])
        return cls(shrunk.get("name"), title, shrunk["summary"], sentences, shrunk.get("history"), svg, page)

    def __str__(self) -> str:
        steps = ["%4d. %s" % (i + 1, sentence) for i, sentence in enumerate(self.sentences)]
        return "\n".join(["%s: %s" % (self.title, self.summary), "", *steps])

    def widget(self) -> Any:
        """The interactive page of the story as a widget of a notebook. Needs `pip install 'isolab[notebook]'`."""
        from isolab._widget import widget_of

        return widget_of(self)

    def _repr_html_(self) -> str:
        """The story without scripts. The picture is an image, so that nothing in it reaches the notebook."""
        picture = ""
        if self.svg is not None:
            data = b64encode(self.svg.encode()).decode()
            style = "max-width:100%;height:auto"
            picture = '<img src="data:image/svg+xml;base64,%s" alt="%s" style="%s">' % (data, escape(self.title), style)
        steps = "".join("<li>%s</li>" % escape(sentence) for sentence in self.sentences)
        head = "<p><strong>%s</strong>: %s</p>" % (escape(self.title), escape(self.summary))
        return '<div class="isolab-story">%s%s<ol>%s</ol></div>' % (head, picture, steps)
