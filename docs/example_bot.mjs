// A bot that speaks belote-bot/1 (docs/protocol.md): node docs/example_bot.mjs
// It passes unless it holds the jack and the nine of a suit, leads its highest card and throws its lowest.

import { createInterface } from "node:readline";

const PLAIN = "789JQKTA"; // from weak to strong
const TRUMP = "78QKTA9J";

// Cards are written rank first: "TH" is the ten of hearts.
const strength = (card, trump) => (card[1] === trump ? 8 + TRUMP.indexOf(card[0]) : PLAIN.indexOf(card[0]));

function bid({ legal, hand, turned }) {
  const cards = turned ? [...hand, turned] : hand;
  const suit = [..."SHDC"].find((s) => cards.includes("J" + s) && cards.includes("9" + s));
  // "take H" in the turned-card auction, "bid 80H" or "bid 5H" in the others; the lowest comes first.
  return legal.find((action) => suit && (action === `take ${suit}` || /^bid \d+.$/.test(action) && action.endsWith(suit)));
}

function play({ legal, contract, trick }) {
  const cards = legal.map((action) => action.replace("play ", ""));
  cards.sort((a, b) => strength(a, contract?.denomination) - strength(b, contract?.denomination));
  return `play ${trick.length === 0 ? cards.at(-1) : cards[0]}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const view = JSON.parse(line);
  const action = { auction: bid, play }[view.phase]?.(view) ?? view.legal[0];
  console.log(JSON.stringify({ id: view.id, action }));
}
