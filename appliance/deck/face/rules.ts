import { FIELD_LIMITS } from "../../base/input/deck-fields.ts";
import { exactly, type Having, listOf, type NoFields, NUMBER } from "../../base/input/schema.ts";
import { COLOR } from "../../base/names.ts";

/** Colours while a number is beyond a bound. */
const RULE = {
  ...exactly({}, { above: NUMBER, below: NUMBER, color: COLOR, background: COLOR }),
  oneOf: [{ required: ["above"] }, { required: ["below"] }],
  description: "must have one of above and below",
};

/** Rules for the colours of a number, with a hysteresis. */
export const NUMBER_RULES = {
  /** The first that holds counts. */
  rules: {
    ...listOf(RULE, FIELD_LIMITS.rules),
    description: `must be a list of at most ${FIELD_LIMITS.rules} rules`,
  },
  hysteresis: { ...NUMBER, minimum: 0, description: "must be a number from 0 on" },
};
type NumberRules = Having<NoFields, typeof NUMBER_RULES>;

interface FoundNumber {
  text: string;
  value: number;
}

/** Digits in groups of three, or in one piece, or decimals alone; signs of a word, as in CO2 or room-3, begin none. */
const DIGITS =
  /(?<![\p{L}\p{N}.,]|[\p{L}\p{N}][-_])([+-](?<![\p{L}\p{N}][+-]))?(\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*|\.\d+)(?:e([+-]?\d{1,3})(?![\p{L}\p{N}]))?/iu;

/**
 * The first number of a text. Spaces and apostrophes group thousands. A single `.` or `,` begins the decimals; with both,
 * the last one does; a repeated one groups thousands: `-3,5 °C` is -3.5, `1 234.5` and `1.234,5` are 1234.5, `1,234,567`
 * is 1234567, and `1.234` is a little more than 1. An exponent belongs to it: `9e-06`.
 */
export function numberIn(text: string): FoundNumber | undefined {
  const found = DIGITS.exec(text);
  if (found === null) return undefined;
  const [whole, sign = "", digits = "", exponent = "0"] = found;
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const mark = digits[last];
  const isDecimal = mark !== undefined && digits.indexOf(mark) === last;
  const groups = (part: string) => part.replace(/[^\d]/g, "");
  const plain = isDecimal
    ? `${groups(digits.slice(0, last))}.${digits.slice(last + 1)}`
    : groups(digits);
  const value = Number(`${sign === "-" ? "-" : ""}${plain}e${exponent}`);
  return Number.isFinite(value) ? { text: whole, value } : undefined;
}

/**
 * The place of the rule that holds for a text; undefined for none.
 * @param before the rule that held until now, which holds on until the number has come back by the hysteresis
 */
export function ruleFor(
  { rules = [], hysteresis = 0 }: NumberRules,
  text: string | undefined,
  before: number | undefined,
): number | undefined {
  const number = text === undefined ? undefined : numberIn(text)?.value;
  if (number === undefined) return undefined;
  const index = rules.findIndex(({ above, below }, i) => {
    const slack = i === before ? hysteresis : 0;
    return above !== undefined
      ? number > above - slack
      : below !== undefined && number < below + slack;
  });
  return index === -1 ? undefined : index;
}
