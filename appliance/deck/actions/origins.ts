import { type Documents, documentKind, objectOf } from "../../base/documents.ts";
import { originOf } from "../../base/input/origin.ts";
import { invalidField, Refusal } from "../../base/refusal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";

/** Documents of origins, each of which is its own id, without contents. */
export const ORIGINS = documentKind<object>("origin", objectOf({}), {
  bound: { count: 32, bytes: 1_024, together: 32 * 1_024 },
  inBackup: "own",
});

const MAX_ORIGINS = ORIGINS.bound.count;

/** The origins to which the owner lets keys send requests. */
export class Origins {
  readonly #documents: Documents<object>;
  readonly #mutex = new Mutex();
  #origins: ReadonlySet<string> = new Set();

  constructor(documents: Documents<object>) {
    this.#documents = documents;
  }

  async load(): Promise<void> {
    await this.#mutex.runExclusive(async () => {
      this.#origins = new Set((await this.#documents.list()).map(({ id }) => id));
    });
  }

  /** In the order they were allowed, each in the form of `originOf`. */
  list(): string[] {
    return [...this.#origins];
  }

  isAllowed(origin: string): boolean {
    return this.#origins.has(origin);
  }

  /**
   * Allows the origin of an address; one that is allowed stays so.
   * @returns it in its one form
   * @throws {Refusal} `invalid_field`, `origin_limit`
   */
  allow(address: string): Promise<string> {
    return this.#mutex.runExclusive(async () => {
      const origin = checked(address);
      if (this.#origins.has(origin)) return origin;
      if (this.#origins.size >= MAX_ORIGINS)
        throw new Refusal(
          "origin_limit",
          `${MAX_ORIGINS} addresses are allowed already. Remove one that is no longer used.`,
        );
      await this.#documents.change({ put: [{ id: origin, body: {} }] });
      this.#origins = new Set([...this.#origins, origin]);
      return origin;
    });
  }

  /** @throws {Refusal} `invalid_field`, `not_found` */
  remove(address: string): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const origin = checked(address);
      if (!this.#origins.has(origin)) throw new Refusal("not_found", `${origin} is not allowed.`);
      await this.#documents.change({ remove: [origin] });
      this.#origins = new Set([...this.#origins].filter((other) => other !== origin));
    });
  }
}

/** @throws {Refusal} `invalid_field` unless it is an origin and nothing more */
function checked(address: string): string {
  const origin = originOf(address);
  const { pathname, search, hash } = URL.parse(address) ?? {};
  if (origin === undefined || pathname !== "/" || search !== "" || hash !== "")
    throw invalidField(
      "origin",
      "must be an address like http://192.168.1.20:8123: http or https, a host, perhaps a port, and no path.",
    );
  return origin;
}
