import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isObject } from "../../base/input/json.ts";
import { isClaimed, runtimeInfoFile } from "../../store/desk.ts";
import { placeMark } from "./place-mark.ts";

interface BoundSocket {
  readonly address: string;
  readonly port: number;
}

/** The note that a running service leaves in its data folder for commands that work beside it. */
export interface RuntimeInfo {
  readonly version: string;
  readonly collector: BoundSocket;
  /** The Web UI's; undefined at a place, which has none. */
  readonly control?: BoundSocket;
}

/** @returns a function that removes it when the service stops; that it was a place stays noted */
export function noteRuntimeInfo(
  dataDir: string,
  { version, collector, control }: RuntimeInfo,
): () => void {
  const bound = ({ address, port }: BoundSocket): BoundSocket => ({ address, port });
  const told = {
    version,
    collector: bound(collector),
    ...(control && { control: bound(control) }),
  };
  try {
    writeFileSync(runtimeInfoFile(dataDir), `${JSON.stringify(told)}\n`);
    if (control === undefined) writeFileSync(placeMark(dataDir), "");
    else rmSync(placeMark(dataDir), { force: true });
  } catch {
    // A disk that is full or read-only: commands go by their own settings.
  }
  return () => rmSync(runtimeInfoFile(dataDir), { force: true });
}

/** The address of the service that runs on this data; undefined where none does, or it is not ready. */
export function runtimeInfoOf(dataDir: string): RuntimeInfo | undefined {
  if (!isClaimed(dataDir)) return undefined;
  try {
    const told: unknown = JSON.parse(readFileSync(runtimeInfoFile(dataDir), "utf8"));
    return isRuntimeInfo(told) ? told : undefined;
  } catch {
    return undefined;
  }
}

function isRuntimeInfo(told: unknown): told is RuntimeInfo {
  const isBound = (bound: unknown) =>
    isObject(bound) && typeof bound.address === "string" && typeof bound.port === "number";
  return (
    isObject(told) &&
    typeof told.version === "string" &&
    isBound(told.collector) &&
    (told.control === undefined || isBound(told.control))
  );
}
