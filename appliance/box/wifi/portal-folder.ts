import { rmSync } from "node:fs";
import { join } from "node:path";
import { hasFields, isFlag, isText, objectIn } from "../../base/input/json.ts";
import { isThere, replaceFile, shortTextOf } from "../../base/system/files.ts";
import type { AskSoon } from "../../base/system/program.ts";
import { isNetworkPassword } from "../ipc/wifi-rules.ts";
import { COUNTRIES } from "../provision/settings.ts";
import { type PortalContent, SENT } from "./portal/portal.ts";
import type { JoinRequest } from "./radio.ts";

const UNIT = "tallydeck-portal.service";
const UNIT_MS = 30_000;
const MOST_BYTES = 4_096;

/**
 * The pages of the set-up network, which a user without rights shows: tallydeck-portal.service reads their content in a
 * file of root's, and leaves forms in a folder, where each is checked anew.
 */
export class PortalFolder {
  readonly #folder: string;
  readonly #ask: AskSoon;

  constructor(folder: string, ask: AskSoon) {
    this.#folder = folder;
    this.#ask = ask;
  }

  async open(content: PortalContent): Promise<void> {
    this.#empty();
    replaceFile(join(this.#folder, "content.json"), JSON.stringify(content), 0o644);
    await this.#systemctl("restart");
  }

  async close(): Promise<void> {
    await this.#systemctl("stop");
    this.#empty();
  }

  /** A form that was sent, and whether networks are to be looked for again. */
  taken(): { readonly wish: JoinRequest | undefined; readonly looksAgain: boolean } {
    const [form, again] = [this.#sent(SENT.form), this.#sent(SENT.again)];
    const wish = objectIn<JoinRequest>(shortTextOf(form, MOST_BYTES), isWish);
    const looksAgain = isThere(again);
    if (isThere(form) || looksAgain) this.#empty();
    return { wish, looksAgain };
  }

  #empty(): void {
    for (const name of Object.values(SENT))
      rmSync(this.#sent(name), { force: true, recursive: true });
  }

  #sent(name: string): string {
    return join(this.#folder, "sent", name);
  }

  async #systemctl(verb: "restart" | "stop"): Promise<void> {
    await this.#ask("systemctl", [verb, UNIT], { timeoutMs: UNIT_MS });
  }
}

const isWish = hasFields({
  ssid: (ssid): ssid is string => isText(ssid) && /^(?:[0-9a-f]{2}){1,32}$/.test(ssid),
  password: (password): password is string =>
    isText(password) && (password === "" || isNetworkPassword(password)),
  country: (country): country is string => isText(country) && COUNTRIES.has(country),
  isHidden: isFlag,
});
