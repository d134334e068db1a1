import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const FLEET = join(ROOT, "docs/fleet");
/** The recipe of the container's image. */
const CONTAINERFILE = join(ROOT, "firmware-config/container/Containerfile");
/** The folders of the service for the unit, and in the image, where types are stripped. */
const INSTALLED = /^\/(?:opt|usr\/lib)\/tallydeck/;

/** A process as a file describes it. */
interface Described {
  /** Arguments of Node, the program included. */
  readonly program: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface ComposeService {
  readonly image: string;
  readonly pull_policy?: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export function readFleet(name: string): string {
  return readFileSync(join(FLEET, name), "utf8");
}

/** Which program the image runs, and which one looks whether it is healthy. */
export function imageCommands(): {
  readonly entrypoint: readonly string[];
  readonly health: readonly string[];
} {
  const text = readFileSync(CONTAINERFILE, "utf8");
  const words = (line: RegExp) => JSON.parse(line.exec(text)?.[1] ?? "[]") as string[];
  return { entrypoint: words(/^ENTRYPOINT (.*)$/m), health: words(/^HEALTHCHECK .* CMD (.*)$/m) };
}

/** `compose.yaml` with its variables filled in. */
export class ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly roles: string;

  constructor(variables: Readonly<Record<string, string>>) {
    const text = readFleet("compose.yaml").replace(/\$\{(\w+):\?\}/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`compose.yaml wants ${name}`);
      return value;
    });
    const { services, configs } = parse(text, { merge: true });
    this.services = services;
    this.roles = configs.roles.content;
  }

  /** @param replaced what is elsewhere here than in the containers, by its text in the environment */
  processOf(name: string, replaced: Readonly<Record<string, string>> = {}): Described {
    const { command, environment } = this.#service(name);
    const [, ...program] = imageCommands().entrypoint.map(here);
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, replacedIn(value, replaced)]),
    );
    return { program, args: command, env };
  }

  #service(name: string): ComposeService {
    const service = this.services[name];
    if (service === undefined) throw new Error(`compose.yaml has no ${name}`);
    return service;
  }
}

/** The unit of a collector, as systemd starts it for an instance. */
export function unitProcess(specifiers: Readonly<Record<string, string>>): Described {
  const unit = readFleet("tallydeck-collect@.service");
  const values = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) =>
      value.replace(/%\w/g, (specifier) => specifiers[specifier] ?? specifier),
    );
  const [command = ""] = values("ExecStart");
  const [, ...words] = command.split(" ").map(here);
  const at = words.findIndex((word) => word.endsWith("/main.ts")) + 1;
  const env = values("Environment").flatMap((line) =>
    line.split(" ").map((pair) => pair.split("=")),
  );
  return { program: words.slice(0, at), args: words.slice(at), env: Object.fromEntries(env) };
}

/** Whom the load balancer asks, and where it looks how they are. */
export function balancing(): { upstreams: readonly string[]; healthUri: string } {
  const text = readFleet("Caddyfile");
  const [, upstreams = ""] = /reverse_proxy (.*) \{/.exec(text) ?? [];
  const [, healthUri = ""] = /health_uri (\S+)/.exec(text) ?? [];
  return { upstreams: upstreams.split(" "), healthUri };
}

function here(word: string): string {
  return INSTALLED.test(word) ? word.replace(INSTALLED, ROOT).replace(/\.js$/, ".ts") : word;
}

function replacedIn(text: string, replaced: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replaced)) result = result.replaceAll(from, to);
  return result;
}
