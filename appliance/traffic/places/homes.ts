import { readDocument } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { isSameSecret, sha256 } from "../../base/system/secrets.ts";
import { heldAt, type Numbers, PLACE_HOMES, type PlaceHome } from "../../store/store.ts";

/** The time of the last question is kept so often. */
const NOTE_EVERY_MS = 60_000;

/** An invitation by its id. */
export interface KnownHome {
  readonly id: string;
  readonly body: PlaceHome;
}

/** The homes that were invited here. Others may invite and revoke them at any time. */
export class Homes {
  readonly #numbers: Numbers;
  readonly #log: Pick<Log, "warn">;

  constructor(numbers: Numbers, log: Pick<Log, "warn">) {
    this.#numbers = numbers;
    this.#log = log;
  }

  /** Undefined where no home has this token. All are compared, so that the time shows nothing. */
  async withToken(token: string): Promise<KnownHome | undefined> {
    const hash = sha256(token);
    const all = await homesOf(this.#numbers);
    const found = all.filter(({ body }) => isSameSecret(Buffer.from(body.hash, "hex"), hash));
    return found[0];
  }

  /** Whether its invitation was not taken back. */
  async isKnown({ id }: KnownHome): Promise<boolean> {
    return (await homesOf(this.#numbers)).some((one) => one.id === id);
  }

  /**
   * Notes that it has asked.
   * @param after the cursor that it asked with, where it asked for changes: it has all before
   */
  async asked(home: KnownHome, after = ""): Promise<void> {
    const { id, body } = home;
    const now = this.#numbers.clock.now();
    if (Math.abs(now - (body.askedAt ?? 0)) < NOTE_EVERY_MS) return;
    // One that was revoked meanwhile does not come back.
    if (!(await this.isKnown(home))) return;
    const held = heldAt(after);
    const noted = { ...body, askedAt: now, ...(held && { held }) };
    const change = homesChange({ put: [{ id, body: noted }] });
    await this.#numbers.write("changePlaces", [change]).catch(() => {
      this.#log.warn("It could not be stored when a home has asked last");
    });
  }
}

/** Where homes are kept: the numbers, or a desk. */
interface Keeper {
  read(
    query: "shared",
    input: { readonly kind: string },
  ): Promise<readonly { readonly id: string; readonly body: string }[]>;
}

export async function homesOf(keeper: Keeper): Promise<KnownHome[]> {
  const rows = await keeper.read("shared", { kind: PLACE_HOMES.name });
  return rows.map(({ id, body }) => ({ id, body: readDocument(PLACE_HOMES, id, body) }));
}

/** A change of invitations. */
export function homesChange({
  put = [],
  remove = [],
}: {
  readonly put?: readonly KnownHome[];
  readonly remove?: readonly string[];
}) {
  const { name, bound, full } = PLACE_HOMES;
  const rows = put.map(({ id, body }) => ({ id, body: JSON.stringify(body) }));
  return { kind: { name, bound, ...(full && { full }), of: "fleet" }, put: rows, remove } as const;
}
