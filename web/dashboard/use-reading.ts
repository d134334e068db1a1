import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import { type Query, readJson } from "../shared/api.ts";

interface Reading<T> {
  answer: T | null;
  busy: boolean;
  problem: string;
}

/**
 * The answer to a query, which is read again when the query or the round changes. The last answer stays until then.
 * @param query null while it is unknown
 */
export function useReading<T>(
  path: string,
  query: Query | null,
  token: string,
  round: unknown,
): Reading<T> {
  const [reading, setReading] = useState<Reading<T>>({ answer: null, busy: true, problem: "" });
  useEffect(() => {
    if (query === null) return;
    const abort = new AbortController();
    setReading((held) => ({ ...held, busy: true }));
    readJson<T>(path, query, token, { signal: abort.signal }).then(
      (answer) => {
        if (!answer.unchanged) setReading({ answer: answer.body, busy: false, problem: "" });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) {
          setReading((held) => ({ ...held, busy: false, problem: messageOf(error) }));
        }
      },
    );
    return () => abort.abort();
  }, [JSON.stringify(query), token, round]);
  return reading;
}
