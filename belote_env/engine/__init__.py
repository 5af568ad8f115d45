"""The compiled kernel: every rule of the game, once, as Numba functions over plain ``int64`` arrays.

A state (layout.py) and a rule vector (options.py) go into every function. ``kernel.py`` is the way in:
``start_match``, ``next_deal``, ``legal_actions``, ``step``.
"""
