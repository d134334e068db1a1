import { useEffect, useState } from "preact/hooks";
import { isShareToken } from "../../../appliance/base/tokens.ts";
import type { WebUiAnswer } from "../../../appliance/traffic/collector/wire.ts";
import { readJson } from "../../shared/api.ts";

/** The answers, by token. */
const known = new Map<string, string | null>();

/** The address of the Web UI, for its owner; null for everybody else, and until it is known. */
export function useWebUi(site: string, token: string): string | null {
  const [, tell] = useState<string | null>(null);
  useEffect(() => {
    if (isShareToken(token) || known.has(token)) return;
    readJson<WebUiAnswer>("web-ui", { site }, token).then(
      (answer) => {
        if (answer.unchanged) return;
        known.set(token, answer.body.url);
        tell(answer.body.url);
      },
      // A menu is good without it, too.
      () => {},
    );
  }, [site, token]);
  return known.get(token) ?? null;
}
