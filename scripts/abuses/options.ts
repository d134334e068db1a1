import { parseArgs } from "node:util";
import { SITE, TOKEN } from "../benches/servers.ts";
import { BLOCK } from "./addresses.ts";
import type { Target } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

/** All attacks at the same time. */
export const TOGETHER = "all";
/** None: what the machine itself can do meanwhile. */
const CALM = "calm";
/** Questions about the fullest database that there can be, within the memory of the image's unit. */
export const FULL = "full";
const PARTS = [CALM, ...Object.keys(ATTACKS), FULL, TOGETHER];
/** What a part alone takes of the time that all together have. */
export const ALONE_S = 30;

interface Options {
  readonly parts: readonly string[];
  readonly seconds: number;
  readonly rate: number;
  readonly scale: number;
  readonly settle: number;
  readonly days: number;
  readonly floodedDays: number;
  readonly seed: number;
  /** What runs already; its `origin` is empty when a service is to be started. */
  readonly target: Target;
}

/** The names of the attacks that make a part. */
export function attacksOf(part: string): readonly string[] {
  if (part === CALM) return [];
  if (part === FULL) return ["questions"];
  return part === TOGETHER ? Object.keys(ATTACKS) : [part];
}

/** Ends the process when something is wrong. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parse(args);
    return checked(values);
  } catch (error) {
    console.error(`${(error as Error).message}\nscripts/abuse --help tells what it takes.`);
    process.exit(2);
  }
}

function parse(args: string[]) {
  return parseArgs({
    args,
    options: {
      only: { type: "string", default: PARTS.join(",") },
      seconds: { type: "string", default: "180" },
      rate: { type: "string", default: "200" },
      scale: { type: "string", default: "1" },
      settle: { type: "string", default: "30" },
      days: { type: "string", default: "400" },
      "flooded-days": { type: "string", default: "30" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
      attackers: { type: "string", default: "127.64.0.0/10" },
      visitors: { type: "string", default: "127.1.0.0/16" },
      url: { type: "string", default: "" },
      control: { type: "string" },
      site: { type: "string", default: SITE },
      token: { type: "string", default: TOKEN },
    },
  });
}

/** @throws {Error} that says what is wrong. */
function checked(values: ReturnType<typeof parse>["values"]): Options {
  const { url, control, site, token, attackers, visitors } = values;
  const parts = values.only.split(",");
  for (const part of parts)
    if (!PARTS.includes(part)) throw new Error(`There is no part ${part}: ${PARTS}.`);
  for (const block of [attackers, visitors])
    if (!BLOCK.test(block)) throw new Error(`${block} is no block like 127.64.0.0/10.`);
  for (const each of [url, control ?? ""])
    if (each !== "" && !URL.canParse(each)) throw new Error(`${each} is no URL.`);
  if (url === "" && control !== undefined) throw new Error("--control needs --url.");
  const number = (
    name: "seconds" | "rate" | "scale" | "settle" | "days" | "flooded-days" | "seed",
  ) => {
    const value = Number(values[name]);
    if (!(value >= 0) || values[name] === "") throw new Error(`--${name} takes a number.`);
    return value;
  };
  return {
    parts,
    seconds: number("seconds"),
    rate: number("rate"),
    scale: number("scale"),
    settle: number("settle"),
    days: number("days"),
    floodedDays: number("flooded-days"),
    seed: number("seed"),
    target: {
      origin: origin(url),
      control: control && origin(control),
      site,
      token,
      attackers,
      visitors,
    },
  };
}

function origin(url: string): string {
  return url === "" ? "" : new URL(url).origin;
}
