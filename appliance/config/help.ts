import { ROWS, type Setting } from "./settings.ts";

const COLUMN = 19;
const WIDTH = 100;

/** Lines for `--help` about the flags of settings: all of them, or some. */
export function flagsHelp(isMeant: (flag: string) => boolean = () => true): string {
  return [...ROWS]
    .flatMap(([key, setting]) => {
      const { flag, value, help } = setting;
      if (flag === undefined || help === undefined || !isMeant(flag)) return [];
      const head = `  --${flag}${value === undefined ? "" : ` ${value}`}`;
      const text = wrapped(
        `${plain(value === undefined ? help.replace(/^1: /, "") : help)} (${[key, usualText(setting)].filter(Boolean).join(", ")})`,
      );
      return head.length < COLUMN - 1
        ? [head.padEnd(COLUMN) + text.join(`\n${" ".repeat(COLUMN)}`)]
        : [head, ...text.map((line) => " ".repeat(COLUMN) + line)];
    })
    .join("\n");
}

/** The word for what holds while a setting is unset; empty where it goes without saying. */
function usualText({ usual, fallback = "" }: Setting): string {
  return usual ?? fallback;
}

/** A phrase in Markdown without its links and marks. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (COLUMN + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
