import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { needTools } from "../../scripts/tools.ts";
import { type ActionSource, type DrivenBrowser, endedWithUs } from "./driven-browser.ts";

interface Answer {
  id?: number;
  type: "success" | "error" | "event";
  // biome-ignore lint/suspicious/noExplicitAny: each command has an answer of its own.
  result?: any;
  error?: string;
  message?: string;
  method?: string;
  params?: { level: string; text: string };
}

/** Firefox as Debian has it; see https://www.w3.org/TR/webdriver-bidi/ for how it is driven. */
export async function openFirefox(): Promise<DrivenBrowser> {
  needTools("firefox-esr");
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-firefox-"));
  const firefox = spawn(
    "firefox-esr",
    ["--headless", "--no-remote", "--profile", folder, "--remote-debugging-port=0", "about:blank"],
    {
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
      env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: "1" },
    },
  );
  const end = endedWithUs(firefox.pid, folder);
  const socket = new WebSocket(`${await addressOf(firefox.stderr)}/session`);
  await once(socket, "open");

  const troubles: string[] = [];
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const answer: Answer = JSON.parse(data);
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
    else if (answer.params?.level === "error" || answer.params?.level === "warn")
      troubles.push(answer.params.text);
  });
  let asked = 0;
  const ask = async (method: string, params: object) => {
    const id = ++asked;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await promise;
    waiting.delete(id);
    if (answer.type === "error") throw new Error(`Firefox: ${answer.error}: ${answer.message}`);
    return answer.result;
  };
  await ask("session.new", { capabilities: {} });
  await ask("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await ask("browsingContext.getTree", {});
  const { context } = contexts[0];
  return {
    name: "Firefox",
    troubles: async () => troubles.splice(0),
    go: (url) => ask("browsingContext.navigate", { context, url, wait: "complete" }),
    evaluate: async (expression) => {
      // A value would come in a notation of the protocol's own.
      const { type, result, exceptionDetails } = await ask("script.evaluate", {
        expression: `JSON.stringify(${expression})`,
        target: { context },
        awaitPromise: true,
      });
      if (type === "exception") throw new Error(`Firefox: ${exceptionDetails.text}`);
      return result.value === undefined ? undefined : JSON.parse(result.value);
    },
    perform: (actions: ActionSource[]) => ask("input.performActions", { context, actions }),
    resize: (width, height) =>
      ask("browsingContext.setViewport", { context, viewport: { width, height } }),
    end: async () => {
      socket.close();
      end();
    },
  };
}

/** Reads the address at which Firefox can be driven. */
async function addressOf(said: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: said })) {
    const [, address] = /WebDriver BiDi listening on (\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error("Firefox ended before it could be driven.");
}
