import assert from "node:assert/strict";
import fc from "fast-check";
import { cleanText, isDrawable } from "../../../appliance/deck/push/text.ts";

/** Any characters at all, halves of surrogate pairs among them. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  maxLength: 300,
});

const LATIN = "Ünïcode ~ ¡¿ÿ\nline two…";
const SIGNS = "✓ ✗ ↑ ↓ → ← 21° ⚠ Łódź Tiếng Việt Ωμέγα Жук";
const textOf = (raw: string) => cleanText(raw).text;

describe("push text", () => {
  const CLEANED: Readonly<Record<string, readonly [string, string, number?, boolean?]>> = {
    "leaves ASCII, Latin-1 and the ellipsis as they are": [LATIN, LATIN],
    "accepts an empty text": ["", ""],
    "composes letters and their accents": ["Cafe\u0301", "Café"],
    "makes every line break a newline": ["a\r\nb\rc\nd\u2028e\u2029f", "a\nb\nc\nd\ne\nf"],
    "folds curly quotes and primes": ["‘a’ ‚b′ “c” „d″", "'a' 'b' \"c\" \"d\""],
    "folds dashes and the minus sign": ["a–b—c−d", "a-b-c-d"],
    "folds bullets, currency and trade mark": ["• 5 € Tally™", "· 5 EUR TallyTM"],
    "leaves arrows, ticks, degrees and letters of other alphabets as they are": [SIGNS, SIGNS],
    "joins a letter and its mark where there is such a letter, else shows a question mark": [
      "e\u0323\u0302 x\u0323",
      "ệ x?",
      1,
    ],
    "makes tabs and odd spaces plain spaces": ["a\tb\u00a0c\u2009d\u202fe", "a b c d e"],
    "writes signs as the letters and digits that they stand for": [
      "CO₂ 21 ℃ ﬁne m³ ① ㎞ Ⅳ",
      "CO2 21 °C fine m³ 1 km IV",
    ],
    "drops what has no shape": ["a\u200bb\u200dc\ufe0fd\u0007e\u0085f\u00adg\ufeff", "abcdefg"],
    "shows what the font lacks as question marks and counts them": ["日本 🚀 ok", "?? ? ok", 3],
    "counts an emoji of several code points by its drawable parts": ["👩‍💻", "??", 2],
    "shows half a surrogate pair as a question mark": ["a\ud83d", "a?", 1],
    "does not count question marks that were sent": ["why?", "why?"],
    "keeps 256 characters": ["x".repeat(256), "x".repeat(256)],
    "cuts the 257th character and says so": ["x".repeat(257), "x".repeat(256), 0, true],
  };
  for (const [sentence, [raw, text, replaced = 0, truncated = false]] of Object.entries(CLEANED))
    it(sentence, () => {
      assert.deepEqual(cleanText(raw), { text, replaced, truncated });
    });

  it("drops what terminals take for colours and titles, whole", () => {
    assert.equal(textOf("\u001b[1;31mFAIL\u001b[0m ok\u001b[K \u009b32mgreen"), "FAIL ok green");
    assert.equal(textOf("\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b\u001b(Bc\u001b7"), "abc");
  });

  it("counts characters after the cleanup", () => {
    assert.equal(cleanText("€".repeat(86)).truncated, true);
    assert.equal(cleanText(`${"x".repeat(256)}\u200b\ufe0f`).truncated, false);
  });

  it("says so, too, when only a blank or a line end was cut", () => {
    assert.equal(cleanText(`${"x".repeat(256)} `).truncated, true);
    assert.equal(cleanText(`${"x".repeat(256)}\n`).truncated, true);
  });

  it("counts only the question marks that are shown", () => {
    assert.equal(cleanText("日".repeat(300)).replaced, 256);
    assert.equal(cleanText(`${"x".repeat(255)}日本`).replaced, 1);
  });

  it("yields only what the font can draw, whatever comes in", () => {
    fc.assert(
      fc.property(anyText, (raw) => {
        const { text } = cleanText(raw);
        assert.ok([...text].every((one) => one === "\n" || isDrawable(one)));
        assert.ok([...text].length <= 256);
      }),
    );
  });

  it("changes nothing when cleaned twice", () => {
    fc.assert(
      fc.property(anyText, (raw) => {
        const once = textOf(raw);
        assert.deepEqual(cleanText(once), { text: once, replaced: 0, truncated: false });
      }),
    );
  });
});
