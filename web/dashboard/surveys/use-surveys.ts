import { useEffect, useState } from "preact/hooks";
import type { ExportPage, SurveysAnswer } from "../../../appliance/collector/wire.ts";
import { type Query, readJson } from "../../shared/api.ts";
import { download } from "../../shared/download.ts";

interface SurveyFeed {
  survey: SurveysAnswer | null;
  busy: boolean;
  problem: string;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The summary for a query, read anew when the query changes; the last one stays until then. */
export function useSurvey(query: Query, token: string, round: number): SurveyFeed {
  const [feed, setFeed] = useState<SurveyFeed>({ survey: null, busy: true, problem: "" });
  useEffect(() => {
    const abort = new AbortController();
    setFeed((held) => ({ ...held, busy: true }));
    readJson<SurveysAnswer>("surveys", query, token, { signal: abort.signal }).then(
      (answer) => {
        if (!answer.unchanged) setFeed({ survey: answer.body, busy: false, problem: "" });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) {
          setFeed((held) => ({ ...held, busy: false, problem: messageOf(error) }));
        }
      },
    );
    return () => abort.abort();
  }, [JSON.stringify(query), token, round]);
  return feed;
}

interface ExportState {
  /** responses read so far, or null when no export runs */
  done: number | null;
  problem: string;
  start: () => void;
}

/** Walks all pages of the export and then hands the responses over as one file. */
export function useExport(query: Query, token: string, fileName: string): ExportState {
  const [done, setDone] = useState<number | null>(null);
  const [problem, setProblem] = useState("");
  const start = async () => {
    setDone(0);
    setProblem("");
    try {
      const responses = await allPages(query, token, setDone);
      const file = { ...query, responses };
      download(fileName, "application/json", [`${JSON.stringify(file, null, 2)}\n`]);
    } catch (error) {
      setProblem(`The export stopped: ${messageOf(error)}`);
    }
    setDone(null);
  };
  return { done, problem, start };
}

async function allPages(query: Query, token: string, onProgress: (done: number) => void) {
  const responses: ExportPage["responses"] = [];
  let cursor: string | null = null;
  do {
    const page: Query = { ...query, ...(cursor !== null && { cursor }) };
    const answer = await readJson<ExportPage>("surveys/export", page, token);
    if (answer.unchanged) break;
    responses.push(...answer.body.responses);
    cursor = answer.body.cursor;
    onProgress(responses.length);
  } while (cursor !== null);
  return responses;
}
