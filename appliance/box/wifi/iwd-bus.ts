import { isObject } from "../../base/input/json.ts";
import type { AskSoon } from "../../base/system/program.ts";

const NAME = "net.connman.iwd";

/** Properties of an object by interface, without the name of iwd before them: `Network` → `Name` → a value. */
export type IwdObject = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Paths → objects. */
type IwdObjects = ReadonlyMap<string, IwdObject>;

/** A call takes no longer than this, but for one that joins. */
const CALL_MS = 10_000;
/** A change of mode, for which iwd may make the interface anew. */
const CHANGE_MS = 30_000;

/** iwd, which is asked by `busctl`: Node has no D-Bus of its own. */
export class IwdBus {
  readonly #ask: AskSoon;

  constructor(ask: AskSoon) {
    this.#ask = ask;
  }

  /** All objects of iwd. @throws {Error} while it does not run */
  async objects(): Promise<IwdObjects> {
    const method = ["org.freedesktop.DBus.ObjectManager", "GetManagedObjects"] as const;
    const [objects] = await this.call("/", method);
    return new Map(
      Object.entries(isObject(objects) ? objects : {}).map(([path, of]) => [path, objectOf(of)]),
    );
  }

  /** Calls a method of an interface, of iwd unless it has dots, and resolves with the values that it returns. */
  async call(
    path: string,
    [of, name]: readonly [of: string, name: string],
    args: readonly string[] = [],
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<readonly unknown[]> {
    const { timeoutMs = CALL_MS, signal } = options;
    const seconds = Math.ceil(timeoutMs / 1_000);
    const method = [of.includes(".") ? of : `${NAME}.${of}`, name];
    const output = await this.#ask(
      "busctl",
      ["--system", "--json=short", "--auto-start=no", `--timeout=${seconds}`],
      { values: ["call", NAME, path, ...method, ...args], timeoutMs: timeoutMs + 2_000, signal },
    );
    if (output.trim() === "") return [];
    const answer: unknown = JSON.parse(output);
    return isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  }

  async set(path: string, [of, name]: readonly [string, string], value: string): Promise<void> {
    const values = ["set-property", NAME, path, `${NAME}.${of}`, name, "s", value];
    await this.#ask("busctl", ["--system"], { values, timeoutMs: CHANGE_MS });
  }
}

/** An object with its interfaces: busctl writes each value as `{"type":"s","data":…}`. */
function objectOf(interfaces: unknown): IwdObject {
  const entries = isObject(interfaces) ? Object.entries(interfaces) : [];
  return Object.fromEntries(
    entries
      .filter(([name]) => name.startsWith(`${NAME}.`))
      .map(([name, properties]) => [name.slice(NAME.length + 1), valuesOf(properties)]),
  );
}

function valuesOf(properties: unknown): Record<string, unknown> {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isObject(value) ? value.data : undefined]),
  );
}
