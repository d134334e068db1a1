import { rmSync } from "node:fs";
import { join } from "node:path";
import { isThere, replaceFile, textOf } from "../../base/system/files.ts";
import { groupIn, keepNetwork, keptSettings } from "../provision/box.ts";
import { type SystemFile, wifiFiles } from "../provision/effects.ts";
import type { Settings } from "../provision/settings.ts";
import type { JoinRequest, OwnNetwork } from "./radio.ts";

const MAIN = "etc/iwd/main.conf";
const OWN = "var/lib/iwd/ap";
/** The mark of a box that had a network: it opens none of its own by itself any more. */
const HAD_NETWORK = "data/system/had-network";
/** The same until the next start, by which it is gone. */
const HAD_NETWORK_NOW = "run/tallydeck-wifi/had-network";

/** The files of the Wi-Fi, iwd's and the box's own. */
export class SystemWifiFiles {
  readonly #root: string;

  /** @param root `/`, or a folder in tests */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Writes the profile and the country of a network.
   * @returns whether the country has changed, and how the files are put back as they were
   */
  write(wish: JoinRequest): { readonly isCountryNew: boolean; undo(): void } {
    const main = textOf(join(this.#root, MAIN)) ?? "";
    const files = wifiFiles(settingsOf(wish), main).map((file) => ({
      ...file,
      before: textOf(join(this.#root, file.path)),
    }));
    const isCountryNew = files.some(
      ({ path, content, before }) => path === `/${MAIN}` && content !== before,
    );
    for (const file of files) this.#write(file);
    return {
      isCountryNew,
      undo: () => {
        // A country stays: it is where the box is.
        for (const { before, ...file } of files)
          if (file.path === `/${MAIN}`) continue;
          else if (before === undefined) rmSync(join(this.#root, file.path), { force: true });
          else this.#write({ ...file, content: before });
      },
    };
  }

  /** Writes the profile of the own network; undefined removes it. */
  own(own: OwnNetwork | undefined): void {
    const folder = join(this.#root, OWN);
    rmSync(folder, { recursive: true, force: true });
    if (own === undefined) return;
    // 20 MHz, and the one cipher that every phone has.
    const profile = `[General]\nChannel=${own.channel}\nDisableHT=true\n\n[Security]\nPassphrase=${own.key}\nPairwiseCiphers=CCMP\nGroupCipher=CCMP\n`;
    replaceFile(join(folder, `${own.name}.ap`), profile, 0o600);
  }

  /** Keeps a network that was joined, for the next starts. @throws {Error} where the data partition cannot be written */
  keep({ ssid, password, country: given, isHidden }: JoinRequest): void {
    const country = given || this.country();
    keepNetwork(this.#root, {
      "wifi.ssid": ssid,
      ...(password !== "" && { "wifi.password": password }),
      ...(country !== "" && { "wifi.country": country }),
      ...(isHidden && { "wifi.hidden": "1" }),
    });
  }

  /** The name of the network that the box is to join, in hexadecimal; null without. */
  known(): string | null {
    return keptSettings(this.#root)["wifi.ssid"]?.value ?? null;
  }

  /** The country that the box is in; empty where it was never told. */
  country(): string {
    return keptSettings(this.#root)["wifi.country"]?.value ?? "";
  }

  /** Whether the box ever had a network. */
  get hadNetwork(): boolean {
    return [HAD_NETWORK, HAD_NETWORK_NOW].some((mark) => isThere(join(this.#root, mark)));
  }

  /**
   * @param isKept whether the box has it at the next start, too; without, it is noted until then
   * @throws {Error} where the data partition cannot be written
   */
  noteNetwork(isKept: boolean): void {
    for (const mark of isKept ? [HAD_NETWORK_NOW, HAD_NETWORK] : [HAD_NETWORK_NOW])
      if (!isThere(join(this.#root, mark))) replaceFile(join(this.#root, mark), "", 0o600);
  }

  #write({ path, content, mode, group }: SystemFile): void {
    replaceFile(join(this.#root, path), content, mode, group && groupIn(this.#root)(group));
  }
}

/** A wish as the settings of a file. */
function settingsOf({ ssid, password, country, isHidden }: JoinRequest): Settings {
  const from = "the Wi-Fi set-up";
  return {
    "wifi.ssid": { value: ssid, from },
    ...(password !== "" && { "wifi.password": { value: password, from } }),
    ...(country !== "" && { "wifi.country": { value: country, from } }),
    ...(isHidden && { "wifi.hidden": { value: "1", from } }),
  };
}
