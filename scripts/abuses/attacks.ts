import type { Attack } from "./attack.ts";
import { badges } from "./badges.ts";
import { halfOpen } from "./half-open.ts";
import { questions } from "./questions.ts";
import { slowReaders } from "./slow-readers.ts";
import { surveys } from "./surveys.ts";
import { tokens } from "./tokens.ts";
import { values } from "./values.ts";

/** By the names the command line has for them. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  "half-open": halfOpen,
  "slow-readers": slowReaders,
  badges,
  values,
  surveys,
  tokens,
  questions,
};
