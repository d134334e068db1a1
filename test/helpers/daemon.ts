import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { setTimeout } from "node:timers/promises";

/** Resolves once a program takes connections on a port of 127.0.0.1. @throws {Error} when it ends before */
export async function answering(child: ChildProcess, port: number, lookMs = 5): Promise<void> {
  while (!(await answers(port))) {
    if (isOver(child)) throw new Error(`${child.spawnfile} ended: is its package installed?`);
    await setTimeout(lookMs);
  }
}

/** Ends a program that may have ended by itself. */
export async function ended(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals = "SIGKILL",
): Promise<void> {
  if (child === undefined || isOver(child)) return;
  const over = once(child, "exit");
  child.kill(signal);
  await over;
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function answers(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
