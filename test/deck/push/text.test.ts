import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { cleanText, isDrawable } from "../../../appliance/deck/push/text.ts";

/** Any characters at all, halves of surrogate pairs among them. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  maxLength: 300,
});

const textOf = (raw: string) => cleanText(raw).text;

describe("push text", () => {
  it("leaves ASCII, Latin-1 and the ellipsis as they are", () => {
    const text = "Ünïcode ~ ¡¿ÿ\nline two…";
    assert.deepEqual(cleanText(text), { text, replaced: 0, truncated: false });
  });

  it("accepts an empty text", () => {
    assert.deepEqual(cleanText(""), { text: "", replaced: 0, truncated: false });
  });

  it("composes letters and their accents", () => {
    assert.equal(textOf("Cafe\u0301"), "Café");
  });

  it("makes every line break a newline", () => {
    assert.equal(textOf("a\r\nb\rc\nd\u2028e\u2029f"), "a\nb\nc\nd\ne\nf");
  });

  it("folds curly quotes and primes", () => {
    assert.equal(textOf("‘a’ ‚b′ “c” „d″"), "'a' 'b' \"c\" \"d\"");
  });

  it("folds dashes and the minus sign", () => {
    assert.equal(textOf("a–b—c−d"), "a-b-c-d");
  });

  it("folds bullets, currency and trade mark", () => {
    assert.equal(textOf("• 5 € Tally™"), "· 5 EUR TallyTM");
  });

  it("leaves arrows, ticks, degrees and letters of other alphabets as they are", () => {
    const text = "✓ ✗ ↑ ↓ → ← 21° ⚠ Łódź Tiếng Việt Ωμέγα Жук";
    assert.deepEqual(cleanText(text), { text, replaced: 0, truncated: false });
  });

  it("joins a letter and its mark where there is such a letter, else shows a question mark", () => {
    assert.deepEqual(cleanText("e\u0323\u0302 x\u0323"), {
      text: "ệ x?",
      replaced: 1,
      truncated: false,
    });
  });

  it("makes tabs and odd spaces plain spaces", () => {
    assert.equal(textOf("a\tb\u00a0c\u2009d\u202fe"), "a b c d e");
  });

  it("writes signs as the letters and digits that they stand for", () => {
    assert.deepEqual(cleanText("CO₂ 21 ℃ ﬁne m³ ① ㎞ Ⅳ"), {
      text: "CO2 21 °C fine m³ 1 km IV",
      replaced: 0,
      truncated: false,
    });
  });

  it("drops what terminals take for colours and titles, whole", () => {
    assert.equal(textOf("\u001b[1;31mFAIL\u001b[0m ok\u001b[K \u009b32mgreen"), "FAIL ok green");
    assert.equal(textOf("\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b\u001b(Bc\u001b7"), "abc");
  });

  it("drops what has no shape", () => {
    assert.equal(textOf("a\u200bb\u200dc\ufe0fd\u0007e\u0085f\u00adg\ufeff"), "abcdefg");
  });

  it("shows what the font lacks as question marks and counts them", () => {
    assert.deepEqual(cleanText("日本 🚀 ok"), {
      text: "?? ? ok",
      replaced: 3,
      truncated: false,
    });
  });

  it("counts an emoji of several code points by its drawable parts", () => {
    assert.deepEqual(cleanText("👩‍💻"), { text: "??", replaced: 2, truncated: false });
  });

  it("shows half a surrogate pair as a question mark", () => {
    assert.deepEqual(cleanText("a\ud83d"), { text: "a?", replaced: 1, truncated: false });
  });

  it("does not count question marks that were sent", () => {
    assert.equal(cleanText("why?").replaced, 0);
  });

  it("keeps 256 characters", () => {
    assert.deepEqual(cleanText("x".repeat(256)), {
      text: "x".repeat(256),
      replaced: 0,
      truncated: false,
    });
  });

  it("cuts the 257th character and says so", () => {
    const { text, truncated } = cleanText("x".repeat(257));
    assert.equal(text.length, 256);
    assert.equal(truncated, true);
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
