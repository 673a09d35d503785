"""The widget of a story, by anywidget. The page runs in a frame of its own, without access to the notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isolab._story import Story

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("a widget needs anywidget: pip install 'isolab[notebook]'") from error


class StoryWidget(anywidget.AnyWidget):
    """Shows the page of a story; another `page` replaces it."""

    _esm = """
    export default {
      render({ model, el }) {
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
        frame.style.cssText = 'width: 100%; border: 0; resize: vertical;';
        const show = () => {
          frame.title = model.get('title');
          frame.style.height = `${model.get('height')}px`;
          frame.srcdoc = model.get('page');
        };
        show();
        model.on('change', show);
        el.append(frame);
        return () => model.off('change', show);
      },
    };
    """
    title = traitlets.Unicode().tag(sync=True)
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(640).tag(sync=True)


def widget_of(story: Story) -> StoryWidget:
    if story.page is None:
        raise ValueError("this story has no page, because it could not be drawn; print(story) shows its sentences")
    return StoryWidget(title=story.title, page=story.page)
