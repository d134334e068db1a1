import { readDocument } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { invalidField } from "../../base/refusal.ts";
import { isSameSecret, sha256 } from "../../base/system/secrets.ts";
import { heldAt, type Numbers, PLACE_HOMES, type PlaceHome } from "../../store/store.ts";
import { newInvitation } from "./invitation.ts";

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

/** Where invitations are made: the numbers, or a desk. */
export interface Inviter extends Keeper {
  write(name: "changePlaces", changes: readonly ReturnType<typeof homesChange>[]): Promise<unknown>;
}

/**
 * Invites a home, of 1 to 40 characters of name. @returns the invitation, which is kept nowhere
 * @param random returns unpredictable bytes
 * @throws {Refusal} `invalid_field` where the name is another's, `place_limit`
 */
export async function inviteHome(
  inviter: Inviter,
  { name, address, now }: { readonly name: string; readonly address: string; readonly now: number },
  random: (bytes: number) => Buffer,
): Promise<string> {
  if ((await homesOf(inviter)).some(({ body }) => body.name === name))
    throw invalidField(
      "name",
      "is that of another invitation. Give another, or take that one back.",
    );
  const { text, hash } = newInvitation(address, random);
  const body = { name, hash: Buffer.from(hash).toString("hex"), madeAt: now, askedAt: null };
  const put = [{ id: random(8).toString("hex"), body }];
  await inviter.write("changePlaces", [homesChange({ put })]);
  return text;
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
