import { useState } from "preact/hooks";
import { messageOf } from "../../../appliance/base/message-of.ts";
import type { ExportPage } from "../../../appliance/traffic/collector/wire.ts";
import { type Query, readJson } from "../../shared/api.ts";
import { download } from "../../shared/download.ts";

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
