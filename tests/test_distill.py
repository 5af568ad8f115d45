"""Distillation: the outcomes it learns from, and runs that are repeatable, stopped, killed and resumed."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from decisions import SMALL, best_score, random_game, small_network
from runs import killed, train, what_counts

from agents import checkpoint
from agents.network import VALUE_BINS, Answer
from agents.teacher import SENSIBLE_BIDS, outcomes, prospects, rule_actions
from belote_cli import main
from belote_env import Rules
from training import distill, evaluation, processes
from training.distill import Batch, Config
from training.precision import precision_of
from training.processes import Interrupts, Place
from training.run import Run, prepare, read_progress

pytestmark = pytest.mark.filterwarnings("ignore:var\\(\\)")  # of one decision of a kind, where tables are so few

TINY = Config(
    rules=("belote", "coinche"), sizes=SMALL, tables=16, steps=3, rounds=5, epochs=2, minibatches=2, imagined_calls=1,
    imagined_cards=1, imagined_endings=1, save_every=2, evaluate_every=2, evaluation_deals=3, against=("random",),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("distill") / "whole"
    assert train(distill, folder, TINY)
    return folder


@pytest.mark.parametrize("preset", ["belote", "coinche_plus", "encheres"])
def test_outcomes_are_what_comes_of_playing_on_by_rule(preset):
    rules, tried_everything = Rules.preset(preset), 0
    for seed in range(8):
        game = random_game(rules, seed, 4 * seed)
        values = outcomes(game.state[None], rules, threads=1)[0]
        tried = np.flatnonzero(~np.isnan(values))
        if len(game.legal_ids()) == 1 or game.phase in ("announce", "belote"):
            assert len(tried) == 0
            continue
        assert set(tried) <= set(game.legal_ids())
        tried_everything += len(tried) == len(game.legal_ids())
        side = game.seat & 1
        for action in tried:
            other = game.clone()
            other.step(int(action))
            while not other.deal_over:
                other.step(int(rule_actions(other.state[None], rules, threads=1)[0]))
            scores = other.result["scores"]
            assert values[action] == pytest.approx(scores[side] - scores[1 - side], abs=0.4)
    assert tried_everything >= 4


def test_outcomes_of_the_last_cards_are_those_of_perfect_play():
    rules, found = Rules.preset("belote"), 0
    for seed in range(40):
        game = random_game(rules, seed, 24 + seed % 8)
        if game.phase != "play" or len(game.legal_ids()) == 1:
            continue
        values = outcomes(game.state[None], rules, solve=5, threads=1)[0]
        for action in game.legal_ids():
            other = game.clone()
            other.step(action)
            assert values[action] == pytest.approx(best_score(other, game.seat & 1), abs=0.4)
        found += 1
        # With more cards in hand nothing is solved.
        early = random_game(rules, seed, 12)
        if early.phase == "play":
            played, solved = (outcomes(early.state[None], rules, solve=solve, threads=1) for solve in (0, 5))
            np.testing.assert_array_equal(played, solved)
    assert found >= 8


@pytest.mark.parametrize("preset", ["belote", "coinche_plus", "encheres"])
def test_prospects_are_those_outcomes(preset):
    rules = Rules.preset(preset)
    for seed in range(8):
        game = random_game(rules, seed, 4 * seed)
        told = prospects(game.state[None], rules, threads=1)[0]
        rest = game.clone()
        while not rest.deal_over:
            rest.step(int(rule_actions(rest.state[None], rules, threads=1)[0]))
        scores, side = rest.result["scores"], game.seat & 1
        assert told[0] == pytest.approx(scores[side] - scores[1 - side], abs=0.4)
        if game.phase == "play" and len(game.legal_ids()) > 1:
            values = outcomes(game.state[None], rules, threads=1)[0]
            values = values[~np.isnan(values)]
            assert told[1:].tolist() == pytest.approx([values.mean(), values.max(), values.min()], abs=1e-3)
        elif len(game.legal_ids()) == 1:
            assert (told == told[0]).all()
    over = rest.state[None]
    assert not prospects(over, rules).any()


def test_of_many_bids_a_few_are_tried():
    game = random_game("coinche_plus", 3, 0)
    values = [outcomes(game.state[None], game.rules, seed=seed)[0] for seed in range(20)]
    tried = [set(np.flatnonzero(~np.isnan(one))) for one in values]
    assert all(0 < len(one) <= SENSIBLE_BIDS + 2 for one in tried)  # those, one daring bid, and passing
    assert len(set().union(*tried)) > SENSIBLE_BIDS + 2


def test_advantages_of_what_was_tried():
    values = torch.tensor([[1.0, float("nan"), 4.0], [2.0, 2.0, float("nan")]])
    found = distill.advantages_of(values, ~values.isnan())
    assert found.tolist() == [[-1.5, 0.0, 1.5], [0.0, 0.0, 0.0]]


def one_decision(kind, targets, scores, temperature):
    """Return the loss and figures of an answer to one decision, of the policy alone."""
    answer = Answer(torch.tensor([scores]), torch.zeros(1, len(VALUE_BINS)), torch.zeros(1, 32, 3))
    batch = Batch(
        torch.zeros(1, 1), torch.tensor([targets]), torch.tensor([0.5]), torch.ones(1, 128, dtype=torch.uint8)
    )
    softness = 6.0 / math.log(3.0)  # 6 points make chances of 3 to 1
    config = replace(TINY, temperature=temperature, softness=softness, value_weight=0.0, belief_weight=0.0)
    return distill.losses(kind, answer, batch, config)


def test_loss_of_calls_by_hand():
    """Logits are points over the temperature; what was not tried is not learned."""
    targets, scores = [6.0 / 162, 0.0, float("nan")], [2.0, 0.0, 50.0]
    _, figures = one_decision("call", targets, scores, 3.0)
    assert float(figures["explained"]) == pytest.approx(1.0)
    loss, figures = one_decision("call", targets, scores, 1.0)
    # Advantages of ±1 point where ±3 are right.
    assert float(loss) == pytest.approx(2 * (2 / 162) ** 2, rel=1e-4)
    assert float(figures["explained"]) == pytest.approx(1 - 4 / 9, rel=1e-4)


def test_loss_of_cards_by_hand():
    """The divergence from the softmax of points over the softness, among the cards that were tried."""
    targets, even = [6.0 / 162, 0.0, float("nan")], 6.0 / math.log(3.0)
    loss, figures = one_decision("card", targets, [math.log(3.0), 0.0, 50.0], even)
    assert float(loss) == pytest.approx(0.0, abs=1e-5) and float(figures["agreed"]) == 1.0
    # Logits that count every third of that are three times as large.
    loss, _ = one_decision("card", targets, [3 * math.log(3.0), 0.0, 50.0], even / 3)
    assert float(loss) == pytest.approx(0.0, abs=1e-5)
    loss, figures = one_decision("card", targets, [0.0, math.log(3.0), 50.0], even)
    assert float(loss) == pytest.approx(0.75 * math.log(3) + 0.25 * math.log(1 / 3), rel=1e-4)
    assert float(figures["agreed"]) == 0.0


def test_a_batch_can_be_learned_by_heart():
    """The targets of a batch are within reach of the network that is to learn them."""
    calls, cards, endings = distill.LabelledTables("belote", replace(TINY, tables=32, steps=20, stakes=0.0), 0, 0).play(
        small_network(), 1.0, torch.device("cpu")
    )
    assert min(len(calls), len(cards), len(endings)) > 10
    network = small_network().requires_grad_(True)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for kind, model, batch in (
        ("call", network.bidding, calls),
        ("card", network.play, cards),
        ("ending", network.ending, endings),
    ):
        for _ in range(60):
            loss, figures = distill.losses(kind, model(batch.observations), batch, TINY)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert figures["explained" if kind == "call" else "agreed"] > 0.5


def test_last_cards_are_learned_from_by_what_is_at_stake():
    spreads = np.repeat([0.0, 10.0, 20.0, 300.0], 2000) / 162
    values = np.stack([spreads, np.zeros(8000), np.full(8000, np.nan)], axis=1)
    kept = distill.LabelledTables("belote", TINY, 0, 0)._matters(values).reshape(4, 2000).mean(1)
    assert kept.tolist() == pytest.approx([0.1, 0.5, 1.0, 1.0], abs=0.05) and kept[2] > 0.99 and kept[3] == 1.0
    few, all_of_them = (
        distill.LabelledTables("belote", replace(TINY, steps=32, stakes=stakes, random_share=0.0), 0, 0).play(
            small_network(), 1.0, torch.device("cpu")
        )
        for stakes in (1e4, 0.0)
    )
    assert len(all_of_them[2]) > 50 and len(few[2]) < 0.3 * len(all_of_them[2])
    assert len(few[1]) == len(all_of_them[1])  # of the others, none is left out


def test_a_run_may_learn_of_cards_alone_and_keeps_the_rest(whole, tmp_path):
    config = replace(TINY, rounds=2, kinds=("card",), start=str(whole), sizes=replace(SMALL, play_layers=3))
    assert train(distill, tmp_path / "cards", config)
    before, after = (checkpoint.load(str(folder)).network for folder in (whole, tmp_path / "cards"))
    assert after.sizes == config.sizes
    mine, its = after.bidding.state_dict(), before.bidding.state_dict()
    assert all(torch.equal(mine[name], its[name]) for name in its)
    assert "call/explained" not in read_progress(tmp_path / "cards")[-1]
    with pytest.raises(ValueError, match="expected some of call, card, ending"):
        distill.check(replace(TINY, kinds=("cards",)))


def test_repeatable(whole, tmp_path):
    assert train(distill, tmp_path / "again", TINY)
    assert what_counts(tmp_path / "again") == what_counts(whole)
    assert train(distill, tmp_path / "other", replace(TINY, rounds=2, seed=1))
    assert what_counts(tmp_path / "other")[0] != what_counts(whole)[0]


def test_what_a_run_leaves(whole):
    figures = read_progress(whole)
    assert figures[0]["step"] == 0 and len(figures) == 6
    measured = [number for number, line in enumerate(figures) if "points/belote/random" in line]
    assert measured == [0, 2, 4, 5]  # before the first round, after every second one, and at the end
    for number in measured:
        for rules in TINY.rules:
            low, points, high = (figures[number][f"points/{rules}/random{end}"] for end in ("/low", "", "/high"))
            assert low <= points <= high
            assert 0 <= figures[number][f"made/{rules}/random"] <= 1 and f"bid/{rules}/random" in figures[number]
    policy = checkpoint.load(str(whole))
    assert [rules.base for rules in policy.rules] == ["belote", "coinche"]
    assert policy.notes["decisions"] == figures[-1]["step"]


def test_the_board(whole):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = EventAccumulator(str(whole)).Reload()
    assert len(board.Scalars("card/agreed")) == 5 and len(board.Scalars("points/coinche/random")) == 4
    deals = board.Tensors("deal/belote/text_summary")
    assert len(deals) == 4 and "dealer seat" in deals[-1].tensor_proto.string_val[0].decode()


def test_stopped_and_resumed(whole, tmp_path, monkeypatch, capfd):
    folder, rounds = tmp_path / "stopped", iter([False, False, True] + [False] * 9)
    monkeypatch.setattr(Interrupts, "seen", lambda self: next(rounds))
    assert not train(distill, folder, TINY)
    assert len(read_progress(folder)) == 4
    assert train(distill, folder, TINY, resume=True)
    assert what_counts(folder) == what_counts(whole)
    told = capfd.readouterr().err
    assert "round 5/5" in told and "belote: random " in told


def test_killed_and_resumed(whole, tmp_path):
    """Figures that were logged after the state was last saved are not told twice."""
    folder = tmp_path / "killed"
    killed(distill, folder, TINY, lines=4)
    assert train(distill, folder, TINY, resume=True)
    assert what_counts(folder) == what_counts(whole)


def test_with_rounds_mixed_and_half_precision_killed_and_resumed(tmp_path):
    config = replace(TINY, keep=3, precision="bfloat16", kinds=("card", "ending"), evaluate_every=0)
    assert train(distill, tmp_path / "whole", config)
    assert not list((tmp_path / "whole" / "shards").iterdir())  # of no use any longer
    killed(distill, tmp_path / "killed", config, lines=3)
    assert len(list((tmp_path / "killed" / "shards").iterdir())) == 2 * 3
    assert train(distill, tmp_path / "killed", config, resume=True)
    assert what_counts(tmp_path / "killed") == what_counts(tmp_path / "whole")
    assert train(distill, tmp_path / "alone", replace(config, keep=1))
    assert what_counts(tmp_path / "alone")[0] != what_counts(tmp_path / "whole")[0]
    with pytest.raises(ValueError, match="precision is 'half', expected float32 or bfloat16"):
        distill.check(replace(TINY, precision="half"))


def test_half_precision_says_nearly_the_same():
    """What is counted of an observation is the same, or cards would be confused."""
    tables = distill.LabelledTables("coinche", replace(TINY, tables=32, steps=30), 0, 0)
    _, cards, endings = tables.play(small_network(), 1.0, torch.device("cpu"))
    assert min(len(cards), len(endings)) > 10
    network = small_network()
    for model, batch in ((network.play, cards), (network.ending, endings)):
        exact = model(batch.observations).scores
        with precision_of("bfloat16", torch.device("cpu")):
            scores = model(batch.observations).scores
        assert scores.dtype == torch.bfloat16
        assert torch.allclose(scores.float(), exact, atol=0.03 * float(exact.abs().max()))


def test_killed_before_the_state_was_saved(tmp_path):
    run = Run(tmp_path)
    run.log(0, {"loss": 1.0})
    run.log(10, {"loss": 0.5})
    assert Run(tmp_path).load() is None
    assert read_progress(tmp_path) == []


def test_two_processes(tmp_path):
    config = replace(TINY, rounds=2, rules=("belote",))
    prepare(tmp_path / "two", "distill", config)
    assert processes.start(distill.train, (tmp_path / "two", config, "cpu"), 2)
    tensors, figures = what_counts(tmp_path / "two")
    assert len(figures) == 3 and "points/belote/random" in figures[-1]
    assert tensors["tables-belote.0.states"] != tensors["tables-belote.1.states"]
    with pytest.raises(ValueError, match="was begun with 2 processes and goes on with as many, not 1"):
        train(distill, tmp_path / "two", config, resume=True)
    assert train(distill, tmp_path / "one", config)
    assert figures[-1]["step"] > 1.5 * read_progress(tmp_path / "one")[-1]["step"]
    # The network that has learned nothing is the same, and so is what it plays.
    assert figures[0] == what_counts(tmp_path / "one")[1][0]


def test_what_a_process_refuses_is_told():
    with pytest.raises(ValueError, match="device 'gpu' cannot be used"):
        processes.start(processes.join, ("gpu",), 2)


def test_processes_share_an_evaluation(monkeypatch):
    network, rules = small_network(), [Rules.preset("belote"), Rules.preset("coinche")]
    alone = evaluation.compare_all(network, rules, ("random", "easy"), 5, Place(0, 1, torch.device("cpu")))
    shares = []
    monkeypatch.setattr(evaluation, "gather", lambda share, place: shares.append(share) or [share])
    for rank in range(2):
        evaluation.compare_all(network, rules, ("random", "easy"), 5, Place(rank, 2, torch.device("cpu")))
    assert [[len(part) for part in share] for share in shares] == [[3] * 4, [2] * 4]
    monkeypatch.setattr(evaluation, "gather", lambda share, place: shares)
    together = evaluation.compare_all(network, rules, ("random", "easy"), 5, Place(1, 2, torch.device("cpu")))
    assert [one.pairing.agents for one in together] == [("policy", "random"), ("policy", "easy")] * 2
    assert [one.pairing.rules.base for one in together] == ["belote", "belote", "coinche", "coinche"]
    for one, other in zip(alone, together, strict=True):
        assert one.deals == 5 and one.differences == other.differences
        assert one.sides[0].contracts == other.sides[0].contracts


def test_mistakes(tmp_path, capsys):
    def fails(*argv):
        assert main(["train", "distill", str(tmp_path / "run"), "--against", "random", *argv]) == 2
        *notices, message = capsys.readouterr().err.splitlines()
        assert message.startswith("belote: ") and all("compiling" in notice for notice in notices)
        return message

    assert "holds no run" in fails("--resume")
    assert "unknown preset 'belot'" in fails("--rules", "belot")
    assert "tables is 0, expected 1 or more" in fails("--tables", "0")
    assert "there is no checkpoint 'nothing'" in fails("--start", "nothing")
    assert "evaluate_every is -1, expected 0 (never) or more" in fails("--evaluate-every", "-1")
    assert "evaluation_deals is 1, expected 2 or more" in fails("--evaluation-deals", "1")
    assert "unknown agent 'eazy'" in fails("--against", "eazy")
    assert "--processes is 0" in fails("--processes", "0")
    assert "invalid int value: 'many'" in fails("--rounds", "many")
    assert "device 'gpu' cannot be used" in fails("--device", "gpu", "--rounds", "1")
    assert "seed is -1, expected 0 or more" in fails("--seed", "-1")
    assert "learning_rate is nan, expected 0 to 1" in fails("--learning-rate", "nan")
    assert "softness is 0.0, expected 0.01 to 10000" in fails("--softness", "0")
    assert "bidding_width is -4, expected 1 or more" in fails("--bidding-width", "-4")
    assert "rules: belote belote: one is given twice" in fails("--rules", "belote", "belote")
    # What failed before its first figures is no run, and does not stand in the way of a better one.
    assert "device 'gpu' cannot be used" in fails("--device", "gpu", "--rounds", "2")
    (tmp_path / "run" / "progress.jsonl").write_text("3\n")
    assert "holds a run already: give --resume" in fails("--rounds", "2")
    refused = fails("--resume", "--rounds", "7")
    assert "is a run of another configuration: rounds=2 there, 7 here" in refused
    path = tmp_path / "run" / "config.json"
    config = path.read_text()
    for name, value in (("rounds", "x"), ("rules", "belote"), ("rules", [1]), ("sizes", 3), ("learning_rate", True)):
        path.write_text(json.dumps({**json.loads(config), name: value}))
        message = f"{name} is {value!r} in the configuration of the run, expected something like "
        assert message in fails("--resume")
    path.write_text(config)
    assert "progress.jsonl is damaged: a line is '3'" in fails("--resume")
