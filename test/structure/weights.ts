interface Weight {
  readonly files: number;
  readonly lines: number;
}

/** Part of the project → the most that it may have. A change that adds raises a number here, and says why in its message. */
const WEIGHTS: Readonly<Record<string, Weight>> = {
  "appliance/base/": { files: 110, lines: 8_220 },
  "appliance/store/": { files: 170, lines: 24_120 },
  "appliance/deck/": { files: 92, lines: 11_610 },
  "appliance/traffic/": { files: 111, lines: 12_270 },
  "appliance/links/": { files: 100, lines: 11_750 },
  "appliance/config/": { files: 4, lines: 920 },
  "appliance/box/": { files: 91, lines: 10_130 },
  "appliance/control/": { files: 62, lines: 7_400 },
  "appliance/app/": { files: 64, lines: 7_230 },
  "image/": { files: 59, lines: 7_540 },
  "scripts/": { files: 97, lines: 9_550 },
  "test/": { files: 714, lines: 107_540 },
  "web/": { files: 219, lines: 20_910 },
};

/** A part that lost so many lines has its number lowered, so that it does not grow back unseen. */
const SLACK_LINES = 100;

/** @param sources path → text @returns a sentence for each part that is heavier than it may be, or lighter than it says */
export function imbalancesIn(
  sources: ReadonlyMap<string, string>,
  weights: Readonly<Record<string, Weight>> = WEIGHTS,
): string[] {
  return Object.entries(weights).flatMap(([part, most]) => {
    const texts = [...sources].filter(([file]) => file.startsWith(part)).map(([, text]) => text);
    const lines = texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
    const has = `${part} has ${texts.length} files and ${lines} lines`;
    if (texts.length > most.files || lines > most.lines)
      return [
        `${has}, and may have ${most.files} and ${most.lines}: see test/structure/weights.ts`,
      ];
    if (lines <= most.lines - SLACK_LINES) return [`${has}: lower its ${most.lines}`];
    return [];
  });
}
