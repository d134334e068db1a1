import { useEffect, useState } from "preact/hooks";
import type { PublicAddressAnswer } from "../../appliance/traffic/collector/wire.ts";
import { readJson } from "./api.ts";

const UNKNOWN: PublicAddressAnswer = { url: null, place: null };
/** The pause after the last letter that was typed. */
const TYPED_MS = 300;

/** The addresses of the collector for visitors: its own, and that of the place that counts the site. */
export function usePublicAddress(site: string, token: string): PublicAddressAnswer {
  const [answer, setAnswer] = useState(UNKNOWN);
  useEffect(() => {
    const stop = new AbortController();
    const read = () =>
      // The page uses the address at which it was opened when there is no answer.
      readJson<PublicAddressAnswer>("public-address", { site }, token, stop).then(
        (read) => setAnswer(read.unchanged ? UNKNOWN : read.body),
        () => {},
      );
    const timer = setTimeout(read, answer === UNKNOWN ? 0 : TYPED_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [site, token]);
  return answer;
}
