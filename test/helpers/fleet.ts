import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const FLEET = join(ROOT, "docs/fleet");
/** The folder of the checkout in the image and for the unit. */
const INSTALLED = "/opt/tallydeck";

/** A process as a file describes it. */
interface Described {
  /** Arguments of Node, the program included. */
  readonly program: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface ComposeService {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
}

export function readFleet(name: string): string {
  return readFileSync(join(FLEET, name), "utf8");
}

/** `compose.yaml` with its variables filled in. */
export class ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly roles: string;
  readonly #entrypoint: readonly string[];

  constructor(variables: Readonly<Record<string, string>>) {
    const text = readFleet("compose.yaml").replace(/\$\{(\w+):\?\}/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`compose.yaml wants ${name}`);
      return value;
    });
    const { services, configs } = parse(text, { merge: true });
    this.services = services;
    this.roles = configs.roles.content;
    const [, entrypoint = ""] = /^ENTRYPOINT (.*)$/m.exec(readFleet("Dockerfile")) ?? [];
    this.#entrypoint = JSON.parse(entrypoint);
  }

  /** @param replaced what is elsewhere here than in the containers, by its text in the environment */
  processOf(name: string, replaced: Readonly<Record<string, string>> = {}): Described {
    const { command, environment } = this.#service(name);
    const [, ...program] = this.#entrypoint.map(here);
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, replacedIn(value, replaced)]),
    );
    return { program, args: command, env };
  }

  /** Arguments of Node for a service's health check, on its port here. */
  healthCheck(name: string, port: number): readonly string[] {
    const [how, node, ...args] = this.#service(name).healthcheck.test;
    if (how !== "CMD" || node !== "node") throw new Error(`${name} is looked at by ${how} ${node}`);
    return args.map((arg) => replacedIn(arg, { ":8480/": `:${port}/` }));
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
  return word.replace(INSTALLED, ROOT);
}

function replacedIn(text: string, replaced: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replaced)) result = result.replaceAll(from, to);
  return result;
}
