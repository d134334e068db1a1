import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { ended } from "./daemon.ts";
import { COMPILED } from "./open-program.ts";
import { until } from "./until.ts";

const INSTALL = join(import.meta.dirname, "../../scripts/install-node-red");

const SETTINGS = {
  uiHost: "127.0.0.1",
  uiPort: 0,
  flowFile: "flows.json",
  credentialSecret: false,
  lang: "en-US",
  telemetry: { enabled: false, updateNotification: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpload: false } },
  editorTheme: { tours: false },
};

/** The status below a node, which may be empty. */
interface NodeStatus {
  readonly text?: string;
  readonly fill?: string;
}

/** The real Node-RED as a process of its own, on a free port of this machine alone. */
export class NodeRed {
  readonly origin: string;
  /** Id of a debug node → its last message. */
  readonly debugged = new Map<string, string>();
  readonly #process: ChildProcess;
  readonly #folder: string;
  /** The lines of its log. */
  readonly #said: string[];
  readonly #saidAtStart: number;
  readonly #statuses = new Map<string, NodeStatus>();
  #events: WebSocket | undefined;

  private constructor(process: ChildProcess, folder: string, said: string[], origin: string) {
    this.#process = process;
    this.#folder = folder;
    this.#said = said;
    this.#saidAtStart = said.length;
    this.origin = origin;
  }

  /** Installs it where it is missing. Its settings and flows go with it. */
  static async start(): Promise<NodeRed> {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-node-red-"));
    const { stdout } = await promisify(execFile)(INSTALL);
    writeFileSync(
      join(folder, "settings.js"),
      `module.exports = ${JSON.stringify({ ...SETTINGS, userDir: folder })};`,
    );
    const program = join(stdout.trim(), "node_modules/node-red/red.js");
    const child = spawn(process.execPath, [program, "--userDir", folder], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, TZ: "UTC", NODE_COMPILE_CACHE: COMPILED },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
    const matching = (pattern: RegExp) =>
      said.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
    const address = () => matching(/now running at (http:\/\/127\.0\.0\.1:\d+)/);
    const isUp = () => address() !== undefined && said.some((line) => /Started flows/.test(line));
    await until(() => isUp() || child.exitCode !== null);
    const origin = address();
    if (origin === undefined) throw new Error(`Node-RED did not start:\n${said.join("\n")}`);
    const nodeRed = new NodeRed(child, folder, said, origin);
    await nodeRed.#listen();
    return nodeRed;
  }

  async stop(): Promise<void> {
    this.#events?.close();
    await ended(this.#process, "SIGTERM");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The lines of its log that are no mere information; not those of its start. */
  complaints(): string[] {
    return this.#said
      .slice(this.#saidAtStart)
      .filter((line) => /\[(?:warn|error|fatal)\]/.test(line));
  }

  /** Statuses that tell of something amiss. */
  troubles(): string[] {
    return [...this.#statuses]
      .filter(([, { fill }]) => fill === "red" || fill === "yellow")
      .map(([id, { text }]) => `${id}: ${text}`);
  }

  /** One request to its admin API that has to be good. */
  async admin(path: string, body?: unknown): Promise<void> {
    const reply = await fetch(`${this.origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "node-red-api-version": "v2" },
      body: JSON.stringify(body ?? {}),
    });
    assert.ok(reply.ok, `${path}: ${reply.status} ${await reply.text()}`);
  }

  /** Hears what the editor of a person would show: statuses and debug messages. */
  async #listen(): Promise<void> {
    const events = new WebSocket(`${this.origin.replace("http", "ws")}/comms`);
    this.#events = events;
    events.addEventListener("message", ({ data }) => {
      for (const { topic, data: told } of [JSON.parse(String(data))].flat())
        if (topic === "debug") this.debugged.set(told.id, told.msg);
        else if (topic.startsWith("status/"))
          this.#statuses.set(topic.slice("status/".length), told);
    });
    await once(events, "open");
    for (const topic of ["debug", "status/#"]) events.send(JSON.stringify({ subscribe: topic }));
  }
}
