import { randomFrom } from "../../appliance/traffic/demo/random.ts";

/** Draws 0 … size-1, each number i with a weight of 1/(i+1), as visits spread over pages. */
function zipf(size: number, random: () => number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let i = 1; i <= size; i++) {
    sum += 1 / i;
    sums.push(sum);
  }
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const PATHS = 2_000;

/** Makes up the payload of the next view. */
export type NextView = () => Record<string, string>;

/** Page views like those of a site: paths and referrers follow a Zipf distribution, other values are drawn evenly. */
export function views(seed: number): NextView {
  const random = randomFrom(seed);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const path = zipf(PATHS, random);
  const referrer = zipf(300, random);
  return () => ({
    p: `/articles/number-${path()}`,
    h: "https://example.com",
    r: random() < 0.5 ? "" : `site-${referrer()}.example`,
    l: pick(["en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "pt-BR", "ja-JP", "zh-CN"]),
    ls: "en-US,en",
    tz: pick(["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Europe/London", "UTC"]),
    vw: pick(["<640", "640-1024", ">1024"]),
    ...(random() < 0.4 && { u: "1" }),
    ...(random() < 0.5 && { s: "1" }),
    ...(random() < 0.1 && { b: "1" }),
    ...(random() < 0.7 && { n: "1" }),
    o: random() < 0.3 ? "" : `site-${referrer()}.example`,
  });
}

export const USER_AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
];

/** `/e?…` of one view. */
export function beaconPath(view: Record<string, string>, site: string): string {
  const v = encodeURIComponent(btoa(encodeURIComponent(JSON.stringify(view))));
  return `/e?s=${site}&v=${v}`;
}
