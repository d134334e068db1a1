import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placesText } from "../appliance/app/commands/devices.ts";
import { DOCUMENT_KINDS } from "../appliance/app/service/document-kinds.ts";
import { choicesOf, STAT_METRICS } from "../appliance/base/input/deck-fields.ts";
import { ROWS } from "../appliance/config/settings.ts";
import type { Evidence } from "../appliance/deck/usb/model.ts";
import { MODELS } from "../appliance/deck/usb/models.ts";
import { DETAIL_DIMENSIONS } from "../appliance/store/blocks/detail.ts";
import {
  type BoardKind,
  ofBoard,
  ofDeck,
  reportsIn,
  triedText,
  wellText,
} from "./hardware-reports.ts";

/** A part of a page that says what declarations say, and nothing else. */
interface Part {
  /** `docs/limits.md` */
  readonly page: string;
  readonly first: RegExp;
  /** The first line that is none of it; unless given, one that begins neither with `|` nor with two spaces. */
  readonly end?: RegExp;
  readonly lines: readonly string[];
}

const ROOT = join(import.meta.dirname, "..");
const WIDTH = 132;
const CARD_WIDTH = 100;
/** A key for each site. */
const OF_SITES = [
  "`STATS_TOKEN_<ID>`",
  "",
  "",
  "a site's token: `STATS_TOKEN_MY_SITE` for `my-site`",
];
const [KB, MB] = [1_024, 1_048_576];

const EVIDENCE: Readonly<Record<Evidence, string>> = {
  HW: "verified elsewhere",
  SRC: "from source",
  OFF: "from documentation",
  INF: "inferred",
  untested: "untested",
};

/** Reports of hardware that people have sent. */
const REPORTS = reportsIn(join(ROOT, "docs/hardware"));

const BOARDS: readonly BoardKind[] = [
  ...["5", "4", "3"].map((which) => ({
    name: `Raspberry Pi ${which}`,
    model: `Raspberry Pi ${which}`,
    notes: "64-bit, with a cable or Wi-Fi",
  })),
  {
    name: "Raspberry Pi Zero 2 W",
    model: "Raspberry Pi Zero 2 W",
    notes: "needs a USB hub and a USB Ethernet adapter: Debian has no firmware for its Wi-Fi yet",
  },
  {
    name: "any x64 or arm64 PC",
    model: undefined,
    notes: "as a checkout on Debian 12 or 13, without the image",
  },
];

/** The file for the owner of a box. */
const CARD = "firmware-config/boot/tallydeck.env";

const PARTS: readonly Part[] = [
  {
    page: "docs/configuration.md",
    first: /^\| key +\| flag/,
    lines: table([
      ["key", "flag", "default", ""],
      ...[...ROWS].flatMap(([key, setting]) => {
        const { flag, fallback, usual, help, more } = setting;
        if (help === undefined) return [];
        const word = /^[\d.]*$/.test(fallback ?? "") ? (fallback ?? "") : `\`${fallback}\``;
        const row = [
          `\`${key}\``,
          flag === undefined ? "" : `\`--${flag}\``,
          usual ?? word,
          `${help}${more ?? ""}`,
        ];
        return key === "STATS_TOKEN" ? [row, OF_SITES] : [row];
      }),
    ]),
  },
  ...[
    ["The service", /^(?!UPDATE|PUBLIC_|ACME_|DDNS|OPEN_PORT)/],
    ["Updates", /^UPDATE/],
    [
      "A public address: the box counts sites on https:// by itself",
      /^(?:PUBLIC_|ACME_|DDNS|OPEN_PORT)/,
    ],
  ].map(([name, keys]) => cardPart(name as string, keys as RegExp)),
  {
    page: "docs/limits.md",
    first: /^\| kind +\|/,
    lines: table([
      ["kind", "at most", "of each", "together", "in a backup"],
      ...DOCUMENT_KINDS.map(({ name, bound, inBackup }) => [
        ...[name, `${bound.count}`, sizeText(bound.bytes), sizeText(bound.together)],
        inBackup === "kept" ? "yes" : "no",
      ]),
    ]),
  },
  {
    page: "docs/hardware.md",
    first: /^\| board +\| runs +\|/,
    lines: table([
      ["board", "runs", "an update kept", "a way back", "notes"],
      ...BOARDS.map((kind) => {
        const reports = ofBoard(REPORTS, kind);
        const [kept, back] = ["update", "back"].map((step) => wellText(reports, step));
        const runs = triedText(reports);
        // Without the image there is nothing to update.
        return kind.model === undefined
          ? [kind.name, runs, "", "", kind.notes]
          : [kind.name, runs, kept ?? "", back ?? "", kind.notes];
      }),
    ]),
  },
  {
    page: "docs/hardware.md",
    first: /^\| deck +\| id +\|/,
    lines: table([
      ["deck", "id", "has", "others' evidence", "real units"],
      ...MODELS.map((model) => [
        ...[model.name, `\`${model.id}\``, placesText(model), EVIDENCE[model.evidence]],
        triedText(ofDeck(REPORTS, model.id)),
      ]),
    ]),
  },
  {
    page: "docs/deck.md",
    first: /^\| counts +\|/,
    lines: table([
      ["counts", "`metric`"],
      ...choicesOf(STAT_METRICS).map(({ id, name }) => [name, `\`${id}\``]),
    ]),
  },
  {
    page: "docs/collector-api.md",
    first: /^- Dimensions: /,
    lines: wrapped(
      `- Dimensions: ${DETAIL_DIMENSIONS.map((name) => `\`${name}\``).join(", ")}.`,
      "  ",
    ),
  },
];

/** A section of the file on the card. @param keys the keys that it has */
function cardPart(name: string, keys: RegExp): Part {
  const lines = [...ROWS].flatMap(([key, { card }]) => {
    if (card === undefined || !keys.test(key)) return [];
    const [example, comment] = card;
    return [
      ...(comment === undefined ? [] : wrapped(`# ${comment}`, "# ", CARD_WIDTH)),
      `#${key}=${example}`,
    ];
  });
  return {
    page: CARD,
    first: new RegExp(`^# --- ${name} -+$`),
    end: /^$/,
    lines: [`# --- ${name} `.padEnd(CARD_WIDTH, "-"), ...lines],
  };
}

/** Rows of cells, the head first, as the formatter has them. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => cells[column]?.padEnd(width)).join(" | ")} |`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line);
}

function wrapped(text: string, indent: string, width = WIDTH): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.length + word.length + 1 > width) {
      lines.push(line);
      line = indent + word;
    } else line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}

function sizeText(bytes: number): string {
  return bytes >= MB ? `${bytes / MB} MB` : `${Math.round(bytes / KB)} kB`;
}

/** @throws {Error} where the page has no such part */
function withPart(text: string, { page, first, end = /^(?!\|| {2})/, lines }: Part): string {
  const old = text.split("\n");
  const at = old.findIndex((line) => first.test(line));
  if (at < 0)
    throw new Error(`${page} has no line like ${first}, where scripts/make-tables begins.`);
  const length = old.slice(at + 1).findIndex((line) => end.test(line));
  return old.toSpliced(at, length + 1, ...lines).join("\n");
}

/** The pages that have such parts, as they are and as the code has them. */
export function madePages(): { page: string; is: string; made: string }[] {
  return [...Map.groupBy(PARTS, ({ page }) => page)].map(([page, parts]) => {
    const is = readFileSync(join(ROOT, page), "utf8");
    return { page, is, made: parts.reduce(withPart, is) };
  });
}

if (import.meta.main)
  for (const { page, is, made } of madePages())
    if (made !== is) {
      writeFileSync(join(ROOT, page), made);
      console.error(`${page}: written`);
    }
