import { ask, json, statusOf } from "./ask.ts";
import { type Attack, again, type Field, type Figure, scaled, tally, word } from "./attack.ts";
import { sharedAddress } from "./owner.ts";

const WRONG_TOKENS = 62;
const EVERY_MS = 10_000;
const EMPTY_CODES = 10;

/** Wrong tokens from the owner's own address, then the right one; the same at the Web UI's door. */
export const tokens: Attack = async (field) => {
  const wrong: number[] = [];
  const wrongSite: number[] = [];
  const right: number[] = [];
  await again(field, EVERY_MS, async () => {
    for (let i = 0; i < scaled(WRONG_TOKENS, field); i++) {
      wrong.push(await read(field, word(field.random, 20), field.target.site));
      wrongSite.push(await read(field, field.target.token, word(field.random, 8)));
    }
    right.push(await read(field, field.target.token, field.target.site));
  });
  return [
    ["wrong tokens, by status", tally(wrong)],
    ["the right token with a wrong site", tally(wrongSite)],
    ["then the right token, from the same address", tally(right)],
    ...(await codes(field)),
  ];
};

function read({ target }: Field, token: string, site: string): Promise<number> {
  return statusOf(
    ask(target.origin, `/stats?site=${site}`, {
      headers: { authorization: `Bearer ${token}` },
      from: sharedAddress(target),
    }),
  );
}

/** Tries empty codes, which must not use up the tries for real ones. */
async function codes({ target, random }: Field): Promise<Figure[]> {
  const { control } = target;
  if (control === undefined) return [];
  const signIn = (code: string) => statusOf(ask(control, "/api/session", json({ code })));
  const empty: number[] = [];
  for (let i = 0; i < EMPTY_CODES; i++) empty.push(await signIn(""));
  const six = String(Math.floor(random() * 1e6)).padStart(6, "0");
  return [
    ["empty setup codes", tally(empty)],
    ["then a code of six digits, a wrong one", await signIn(six)],
  ];
}
