import { type ChildProcess, fork } from "node:child_process";
import { Readable } from "node:stream";
import type { RunProgram } from "../../appliance/base/system/bounded-process.ts";
import { commandLine } from "../../appliance/base/system/program.ts";
import { COMPILED } from "./open-program.ts";

/** A command for the process. */
export interface Asked {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A piece of its output, or its end with the exit code. */
export type Said =
  | { readonly out: Uint8Array }
  | { readonly err: string }
  | { readonly code: number };

const idle = new Set<ChildProcess>();

/**
 * Runs commands in processes that stay, since to start one takes longer than most imports. Other than the program's own
 * it has no bounds but the time of a test. A killed one is gone.
 */
export const reusedPrograms: RunProgram = (_program, own, { values, env }) => {
  const [kept] = idle;
  const child = kept ?? started();
  idle.delete(child);
  child.ref();
  child.channel?.ref();
  const [out, err] = [piped(), piped()];
  const { promise: ended, resolve } = Promise.withResolvers<{ code: number | null }>();
  let isOver = false;
  const end = (code: number | null) => {
    isOver = true;
    child.off("message", hear).off("exit", gone);
    for (const stream of [out, err]) if (!stream.destroyed) stream.push(null);
    resolve({ code });
  };
  const gone = () => end(null);
  const hear = (said: Said) => {
    if ("out" in said) out.push(said.out);
    else if ("err" in said) err.push(said.err);
    else {
      idle.add(child);
      child.unref();
      child.channel?.unref();
      end(said.code);
    }
  };
  child.on("message", hear).once("exit", gone);
  child.send({ words: commandLine(own, values), env } satisfies Asked);
  return {
    out,
    err,
    ended: ended.then(({ code }) => ({ code, isTooLarge: false })),
    kill() {
      if (!isOver) child.kill("SIGKILL");
      out.destroy();
      err.destroy();
    },
  };
};

function started(): ChildProcess {
  const child = fork(new URL("program-process.ts", import.meta.url), {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED },
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.once("exit", () => idle.delete(child));
  return child;
}

/** It takes all that is pushed. */
function piped(): Readable {
  return new Readable({ read() {} });
}
