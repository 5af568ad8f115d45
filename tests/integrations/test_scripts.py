"""Every script that fits this environment learns for a moment, says its scores, and leaves a policy that plays."""

from __future__ import annotations

import importlib
import os
import sys

import pytest

torch = pytest.importorskip("torch")

from agents.registry import make  # noqa: E402
from belote_env import Game, Rules  # noqa: E402

pytestmark = pytest.mark.integrations

NEEDS = {
    "cleanrl_ppo": "torch",
    "sb3_maskable_ppo": "sb3_contrib",
    "torchrl_ppo": "torchrl",
    "tianshou_ppo": "tianshou",
    "rllib_ppo": "ray.rllib",
}
AGENT = "scripts.integrations.policy:agent"


@pytest.fixture(autouse=True)
def no_policy(monkeypatch):
    """Undo what a script leaves in the environment."""
    monkeypatch.setenv("BELOTE_POLICY", "")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NEEDS)
def test_script(name, tmp_path, monkeypatch, capsys):
    pytest.importorskip(NEEDS[name])
    monkeypatch.setattr(
        sys, "argv", [name, "--rules", "contree", "--steps", "64", "--deals", "2", "--out", str(tmp_path)]
    )
    importlib.import_module(f"scripts.integrations.{name}").main()
    printed = capsys.readouterr().out
    for line in ("before", "after"):
        assert printed.count(f"{line}: ") == 2 and "points a deal against easy" in printed
    assert any(path.name.startswith("events.out") for path in tmp_path.rglob("*"))
    assert os.environ["BELOTE_POLICY"] == str(tmp_path / "policy.safetensors")

    game = Game("contree", seed=1)
    agent = make(AGENT, game.rules, 0)
    while not game.deal_over:
        view = game.view()
        action = agent.act(view)
        assert action in view.legal
        game.step(action)
    assert len(agent.fingerprint) == 64


def test_no_policy():
    with pytest.raises(ValueError, match=r"BELOTE_POLICY is '', expected the policy.safetensors"):
        make(AGENT, Rules.preset("coinche"), 0)


def test_numpy_and_torch_agree(tmp_path):
    from belote_env.observation import SCALE
    from scripts.integrations.policy import PolicyAgent, mask_logits, mlp, save

    network = mlp()
    view = Game("coinche", seed=2).view()
    logits = network(torch.from_numpy(view.observation / SCALE))
    masked = mask_logits(logits, torch.from_numpy(view.action_mask))
    assert (masked.softmax(-1)[view.action_mask == 0] == 0).all()
    save(network, tmp_path / "policy.safetensors")
    agent = PolicyAgent((tmp_path / "policy.safetensors").read_bytes())
    assert agent.act(view) == int(masked.argmax())


def test_torchrl_environment():
    """TorchRL's own check of the batched environment, each seat's returns, and its PettingZoo wrapper."""
    pytest.importorskip("torchrl")
    from torchrl.envs.utils import check_env_specs

    from scripts.integrations.torchrl_env import BeloteBatch, pettingzoo_env
    from scripts.integrations.torchrl_ppo import returns_of

    env = BeloteBatch(3, "coinche")
    env.set_seed(0)
    check_env_specs(env)
    batch = env.rollout(100, break_when_any_done=False)
    returns, ended = returns_of(batch)
    (last, *_) = batch["next", "done"][0].flatten().nonzero().flatten().tolist()
    final = batch["next", "rewards"][0, last]
    for t in range(last + 1):
        assert ended[0, t] and returns[0, t] == final[batch["seat"][0, t]]
    assert not ended[:, -1].any() or batch["next", "done"][:, -1].any()
    with pytest.warns(UserWarning):
        wrapped = pettingzoo_env("coinche")
    assert wrapped.rollout(80)["next", "done"][-1].all()
