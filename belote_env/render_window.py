"""The window in which ``render_mode="human"`` shows its pictures; pygame is imported when it opens."""

from __future__ import annotations

import time
from typing import Any

import numpy as np


class Window:
    """A window that shows pictures, made by pygame when the first one is shown.

    Once the user has closed it, it stays closed and :meth:`show` does nothing.

    Args:
        title: of the window.
        fps: most pictures a second; :meth:`show` waits for as long as that takes. None: no wait.
    """

    def __init__(self, title: str = "Belote", fps: float | None = None) -> None:
        self.title = title
        self.closed = False
        self._pause = 1 / fps if fps else 0.0
        self._last = -1e9
        self._pygame: Any = None
        self._screen: Any = None

    def _open(self, size: tuple[int, int]) -> None:
        try:
            import pygame
        except ImportError as error:
            raise ImportError('a window needs pygame-ce: pip install "belote-env[render]"') from error
        self._pygame = pygame
        pygame.display.init()
        pygame.display.set_caption(self.title)
        self._screen = pygame.display.set_mode(size)

    def _handle_events(self) -> None:
        if any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self.close()

    def show(self, picture: np.ndarray) -> bool:
        """Show a picture, ``uint8 (height, width, 3)``; return False once the window has been closed.

        Raises:
            ImportError: without pygame.
        """
        if self.closed:
            return False
        height, width = picture.shape[:2]
        if self._screen is None or self._screen.get_size() != (width, height):
            self._open((width, height))
        self._handle_events()
        while not self.closed and (left := self._last + self._pause - time.monotonic()) > 0:
            time.sleep(min(left, 0.03))
            self._handle_events()
        if self.closed:
            return False
        surface = self._pygame.image.frombuffer(np.ascontiguousarray(picture).tobytes(), (width, height), "RGB")
        self._screen.blit(surface, (0, 0))
        self._pygame.display.flip()
        self._last = time.monotonic()
        return True

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._screen is not None:
            self._pygame.display.quit()
        self._screen = None
        self.closed = True
