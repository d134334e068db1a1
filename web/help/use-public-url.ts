import { useEffect, useState } from "preact/hooks";
import type { PublicAddressAnswer } from "../../appliance/collector/wire.ts";
import { readJson } from "../shared/api.ts";

/** Where visitors reach the collector; null where that is not known. */
export function usePublicUrl(): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    // Without an answer the page says what it knows: the address it was opened at.
    readJson<PublicAddressAnswer>("public-address", {}, "").then(
      (answer) => setUrl(answer.unchanged ? null : answer.body.url),
      () => {},
    );
  }, []);
  return url;
}
