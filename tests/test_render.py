"""The scene of a table, its text, picture and window."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from belote_env import render
from belote_env.cards import cards_of, pretty
from belote_env.engine import layout as at
from belote_env.game import Game
from belote_env.render import Renderer, Window, ansi, open_scene, picture, scene
from belote_env.rules import Rules
from belote_env.view import View

PRESETS = ("belote", "coinche_plus", "contree", "decouverte", "encheres", "belote_classique", "coinche_sans_annonces")


def games(preset: str, seed: int = 5, **options: object):
    """Yield a game before every action of two deals, and when each is over."""
    rng = random.Random(seed)
    game = Game(Rules.preset(preset, **options), seed=seed)
    for deal in range(2):
        if deal:
            if game.winner is not None:
                return
            game.next_deal()
        while not game.deal_over:
            yield game
            legal = game.legal_actions()
            game.step("pass" if game.phase == "auction" and rng.random() < 0.6 else rng.choice(legal))
        yield game


@pytest.mark.parametrize("preset", PRESETS)
def test_scenes_in_every_phase(preset):
    for game in games(preset):
        whole = open_scene(game.rules, game.state)
        assert [set(seat.hand) for seat in whole.seats] == [set(hand.split()) for hand in game.hands]
        assert {seat.place for seat in whole.seats} == {"bottom", "right", "top", "left"}
        for viewer in range(4):
            own = scene(game.view(viewer))
            assert own.seats[viewer].place == "bottom" and own.seats[viewer].name == "You"
            for seat in range(4):
                assert len(own.seats[seat].hand) + own.seats[seat].hidden == len(whole.seats[seat].hand)
                assert seat == viewer or not own.seats[seat].hand
            text = ansi(own)
            assert "\x1b" not in text
            assert all(pretty(card) in text for card in own.seats[viewer].hand)
            assert all(pretty(card) in text for _, card in own.trick)
        if game.phase == "play":
            assert sorted(whole.seats[game.seat].legal) == sorted(a[5:] for a in game.legal_actions())
        assert (whole.result is None) == (not game.deal_over)
        assert whole.calls == tuple(spoken(game))


def spoken(game):
    """The calls of the auction, by replaying the deal."""
    replay = Game.from_record(game.to_record() | {"actions": []})
    for action in game.actions:
        if replay.phase != "auction":
            return
        word = action.split()[-1]
        if action.startswith("bid"):
            suit = word[-2:] if word[-2:] in ("NT", "AT") else word[-1]
            value = word[: -len(suit)].replace("generale", "générale")
            if game.rules.auction == "tricks" and value != "capot":
                value += " trick" if value == "1" else " tricks"
            yield replay.seat, f"{value} {suit if len(suit) == 2 else pretty('7' + suit)[-1]}"
        elif action.startswith("take"):
            yield replay.seat, f"take {pretty('7' + word)[-1]}"
        else:
            yield replay.seat, action
        replay.step(action)


@pytest.mark.parametrize("preset", ["belote", "coinche"])
def test_own_view_does_not_depend_on_hidden_cards(preset):
    for game in games(preset):
        state = game.state
        if at.PHASE_NAMES[state[at.PHASE]] == "over" or state[at.TAKER] != at.NONE:
            continue
        other = state.copy()
        other[[at.HANDS + 1, at.HANDS + 2]] = state[[at.HANDS + 2, at.HANDS + 1]]
        other[[at.DEALT + 1, at.DEALT + 2]] = state[[at.DEALT + 2, at.DEALT + 1]]
        other[at.PACK : at.PACK + 32] = state[at.PACK : at.PACK + 32][::-1]
        legal = game.legal_ids()
        first, second = (scene(View(game.rules, s, 0, legal)) for s in (state, other))
        assert first == second and ansi(first) == ansi(second)
        assert open_scene(game.rules, state) != open_scene(game.rules, other)


def test_scene_of_a_view_is_made_from_the_hidden_state_alone():
    for game in games("contree", announce="choose"):
        view = game.view(1)
        again = View(game.rules, view.state, 1, view.legal)
        if game.phase in ("auction", "play"):
            assert np.array_equal(again.state[at.HANDS : at.HANDS + 4], view.state[at.HANDS : at.HANDS + 4])
        seen = {card for seat in scene(view).seats for card in seat.hand}
        assert seen == set(view.hand) and len(list(cards_of(int(view.state[at.HANDS])))) == 0


def test_direction_puts_the_next_seat_right_or_left():
    for preset, place in (("belote", "right"), ("belote_82", "left")):
        game = Game(preset, seed=1)
        assert scene(game.view(2)).seats[3].place == place
        assert open_scene(game.rules, game.state).seats[1].place == place


def test_color_only_on_request():
    shown = open_scene(Rules.preset("belote"), Game("belote", seed=1).state)
    assert "\x1b[31m" in ansi(shown, color=True)
    assert "\x1b" not in ansi(shown)


def test_pictures():
    pytest.importorskip("PIL")
    for preset in ("belote", "coinche_plus", "decouverte"):
        for number, game in enumerate(games(preset)):
            if number % 9 and not game.deal_over:
                continue
            for shown in (scene(game.view(0)), open_scene(game.rules, game.state)):
                image = picture(shown)
                assert image.shape == (640, 960, 3) and image.dtype == np.uint8
                assert np.array_equal(image, picture(shown))


def test_pictures_without_pillow_say_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "belote_env.render_picture", raising=False)
    monkeypatch.delitem(sys.modules, "belote_env.render_cards", raising=False)
    monkeypatch.setitem(sys.modules, "PIL", None)
    game = Game("belote", seed=1)
    with pytest.raises(ImportError, match=r"belote-env\[render\]"):
        picture(scene(game.view(0)))


def test_window(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window()
    image = np.zeros((40, 60, 3), dtype=np.uint8)
    assert window.show(image) and window.show(image)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not window.show(image) and window.closed and not window.show(image)
    window.close()


def test_renderer(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    game = Game("coinche", seed=1)
    assert Renderer(game.rules).render(game) is None
    assert Renderer(game.rules, "ansi", 2).render(game) == ansi(scene(game.view(2)))
    pytest.importorskip("PIL")
    assert Renderer(game.rules, "rgb_array").render(game).shape == (640, 960, 3)
    pytest.importorskip("pygame")
    human = Renderer(game.rules, "human", fps=None)
    assert human.render(game) is None
    human.close()
    human.close()
    with pytest.raises(ValueError, match="did you mean 'human'"):
        Renderer(game.rules, "humn")
    with pytest.raises(ValueError, match="render_seat"):
        Renderer(game.rules, "ansi", 4)
    assert set(render.__all__) >= {"Scene", "scene", "open_scene"}
