/**
 * License expressions as SPDX 2.3 has them, annex D: https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/
 */

/** Licenses that are known here, of https://spdx.org/licenses. With another, somebody has to read its terms first. */
const KNOWN: ReadonlySet<string> = new Set(
  `0BSD AFL-2.0 AFL-2.1 AFL-3.0 AGPL-3.0-only AGPL-3.0-or-later Apache-1.1 Apache-2.0 Artistic-1.0 Artistic-1.0-Perl
  Artistic-2.0 BlueOak-1.0.0 blessing Boehm-GC BSD-1-Clause BSD-2-Clause BSD-3-Clause BSD-4-Clause BSD-4-Clause-UC
  BSD-3-Clause-LBNL BSL-1.0 bzip2-1.0.6 CC-BY-3.0 CC-BY-4.0 CC-BY-SA-3.0 CC-BY-SA-4.0 CC0-1.0 curl FSFAP FSFUL FSFULLR
  FTL GFDL-1.2-only GFDL-1.2-or-later GFDL-1.3-only GFDL-1.3-or-later GPL-1.0-only GPL-1.0-or-later GPL-2.0-only
  GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later HPND HPND-sell-variant ICU IJG ISC LGPL-2.0-only LGPL-2.0-or-later
  LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later libpng-2.0 Libpng Linux-OpenIB MIT MIT-0
  MIT-Modern-Variant MPL-1.1 MPL-2.0 MS-PL NCSA NTP OFL-1.1 OLDAP-2.8 OpenSSL Python-2.0 RSA-MD SMLNJ TCL Unicode-3.0
  Unicode-DFS-2016 Unlicense W3C WTFPL X11 Xnet Zlib`
    .split(/\s+/)
    .filter(Boolean),
);

const BY_LOWER_CASE = new Map([...KNOWN].map((id) => [id.toLowerCase(), id]));

const EXCEPTIONS: ReadonlySet<string> = new Set([
  "Autoconf-exception-2.0",
  "Autoconf-exception-3.0",
  "Bison-exception-2.2",
  "Classpath-exception-2.0",
  "Font-exception-2.0",
  "GCC-exception-2.0",
  "GCC-exception-3.1",
  "Libtool-exception",
  "LLVM-exception",
  "Linux-syscall-note",
  "openvpn-openssl-exception",
]);

type Expression =
  | { readonly license: string; readonly exception?: string }
  | { readonly operator: "AND" | "OR"; readonly operands: readonly Expression[] };

/** @throws {SyntaxError} that says what is no license there */
export function parsedExpression(text: string): Expression {
  const words = text.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const operation = (operator: "AND" | "OR", operand: () => Expression): Expression => {
    const operands = [operand()];
    while (words[at] === operator) {
      at++;
      operands.push(operand());
    }
    const [only] = operands;
    return operands.length === 1 && only !== undefined ? only : { operator, operands };
  };
  const alternatives = (): Expression => operation("OR", () => operation("AND", term));
  const term = (): Expression => {
    const word = words[at++];
    if (word === "(") {
      const inner = alternatives();
      if (words[at++] !== ")") throw new SyntaxError(`${text} lacks a closing parenthesis.`);
      return inner;
    }
    if (word === undefined || !isLicense(word))
      throw new SyntaxError(
        `${text} is no license expression: ${word ?? "its end"} is no license.`,
      );
    if (words[at] !== "WITH") return { license: word };
    const exception = words[at + 1] ?? "";
    at += 2;
    if (!EXCEPTIONS.has(exception))
      throw new SyntaxError(`${text} is no license expression: ${exception} is no exception.`);
    return { license: word, exception };
  };
  const whole = alternatives();
  if (at < words.length) throw new SyntaxError(`${text} goes on after its end.`);
  return whole;
}

/** Whether a word is a license that is known, or one whose text comes with it. */
function isLicense(word: string): boolean {
  return KNOWN.has(word) || /^LicenseRef-[A-Za-z0-9.-]+$/.test(word);
}

/** A license that is known here, as SPDX writes it; `name` in any case. */
export function spdxId(name: string): string | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase());
}

export function licensesIn(expression: Expression): string[] {
  return "license" in expression ? [expression.license] : expression.operands.flatMap(licensesIn);
}

/** Whether a condition is to be kept: of alternatives, only if each has it. */
export function isAsked(expression: Expression, asks: (license: string) => boolean): boolean {
  if ("license" in expression) return asks(expression.license);
  const inner = (each: Expression) => isAsked(each, asks);
  return expression.operator === "OR"
    ? expression.operands.every(inner)
    : expression.operands.some(inner);
}

/**
 * The licenses that are taken of an expression: of alternatives the first of `preferred` that is among them, else the
 * first.
 */
export function chosenOf(expression: Expression, preferred: readonly string[]): string[] {
  if ("license" in expression) return [expression.license];
  if (expression.operator === "AND")
    return expression.operands.flatMap((each) => chosenOf(each, preferred));
  const ways = expression.operands.map((each) => chosenOf(each, preferred));
  const [first = []] = ways;
  return preferred.map((id) => ways.find((way) => way.includes(id))).find((way) => way) ?? first;
}
