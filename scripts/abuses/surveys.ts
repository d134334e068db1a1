import { addressOf, ask, type Reply, statusOf } from "./ask.ts";
import { type Attack, type Field, type Figure, isOver, scaled, tally, word } from "./attack.ts";

/** The addresses of attackers, more than the limit once remembered. Their bodies are invalid, and cost little. */
const FORGETTING = 10_100;
const RESPONSES = 6_000;
const FIRST_ADDRESS = 10_000;
const AT_ONCE = 100;
/** Answers of a response, as many as fit into a body of 2 KiB. */
const ANSWERS = 180;

/**
 * Uses up one address's responses, comes from so many others that a short memory would forget it,
 * tries it again, sends made-up answers from each of many more, and lets the owner look.
 */
export const surveys: Attack = async (field) => {
  const first = await fromFirst(field, 4);
  let address = 1;
  const others = await many(field, scaled(FORGETTING, field), () => send(field, address++, "?"));
  const again = await fromFirst(field, 4);
  const made = await many(field, scaled(RESPONSES, field), () => respond(field, address++));
  return [
    ["four responses from one address", tally(first)],
    ["bodies that are none, each from another address", tally(others)],
    ["four more from the first address", tally(again)],
    ["responses of made-up answers, each from another address", tally(made)],
    ...(await ownerLooks(field)),
  ];
};

/** Sends `count` requests, several at a time, while the attack lasts. */
async function many(
  field: Field,
  count: number,
  one: () => Promise<number>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  let begun = 0;
  const sender = async () => {
    while (begun++ < count && !isOver(field)) statuses.push(await one());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return statuses;
}

async function fromFirst(field: Field, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push(await respond(field, 0));
  return statuses;
}

function respond(field: Field, address: number): Promise<number> {
  const answer = () => [word(field.random, 4), "x"];
  const a = Object.fromEntries(Array.from({ length: ANSWERS }, answer));
  return send(field, address, JSON.stringify({ sv: 1, a }));
}

function send({ target }: Field, address: number, body: string): Promise<number> {
  return statusOf(
    ask(target.origin, `/s?s=${target.site}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      from: addressOf(target.attackers, FIRST_ADDRESS + address),
    }),
  );
}

async function ownerLooks({ target }: Field): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const cross of ["os", "dv"])
    figures.push([
      `the owner opens the survey, grouped by ${cross}`,
      await ask(target.origin, `/surveys?site=${target.site}&sv=1&cross=${cross}`, {
        headers: { authorization: `Bearer ${target.token}` },
      }).then(told, (error) => `not answered: ${error.message}`),
    ]);
  return figures;
}

function told({ status, body, ms }: Reply): string {
  return `${status}, ${(body.length / 1_000).toFixed(0)} kB, ${ms.toFixed(0)} ms`;
}
