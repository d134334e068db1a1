import { isUtf8 } from "node:buffer";
import { check, FORGET, isNetwork, isSecret } from "./settings.ts";
import type { FindTimeZone } from "./time-zones.ts";

/** One entry of a file, with its outcome. */
export interface Finding {
  /** The label that the person wrote it under, like `WIFI_SSID` or `[wlan] ssid`. */
  readonly label: string;
  /** The line from 1, when the dialect has lines. */
  readonly line?: number | undefined;
  /** The setting that was taken from it. */
  readonly name?: string;
  /** Whether it makes the box forget the setting. */
  readonly forgets?: true;
  /** The reason that it is not applied. */
  readonly ignored?: string;
  /** The reason why the network of the file is not joined, where no password for it is known. */
  readonly unlessJoined?: string;
  /** A note for the owner about an applied entry. */
  readonly note?: string;
}

export interface FileResult {
  readonly file: string;
  readonly findings: readonly Finding[];
  /** Its text without secrets, when it holds some that are kept now. */
  readonly rewritten?: string | undefined;
  /** Whether the file was removed; its findings still hold. */
  readonly isGone?: true;
}

interface Change {
  readonly name: string;
  /** The kept value; null makes the box forget it. */
  readonly value: string | null;
}

/**
 * Reads one of the formats of settings on the boot partition. It never throws because of the text.
 * @returns the text without the secrets that the box has taken over
 */
export type Dialect = (text: string, found: Findings) => string;

/** The changes by one file of the boot partition. */
export interface Reading {
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
  /** Whether it names a network that cannot be joined. */
  readonly isNetworkRefused: boolean;
  /**
   * A line for the Wi-Fi password stands there, without one: the box took it, or none was given.
   */
  readonly isPasswordBlank: boolean;
}

/** Collects the valid and invalid entries of a dialect. */
export class Findings {
  readonly #changes: Change[] = [];
  readonly #findings: Finding[] = [];
  readonly #findTimeZone: FindTimeZone;
  #isNetworkRefused = false;
  #isPasswordRefused = false;
  #isPasswordBlank = false;
  /** Whether the key management needs a password, when the file names one. */
  #isPasswordExpected: boolean | undefined;

  constructor(findTimeZone: FindTimeZone) {
    this.#findTimeZone = findTimeZone;
  }

  /**
   * Takes a setting, or says why not.
   * @returns whether a secret was taken that the file should no longer hold
   */
  take(name: string, text: string, label: string, line?: number): boolean {
    // An empty value says nothing; an empty secret may be one that was taken before.
    if (text === "") {
      if (name === "wifi.password") this.#findBlankPassword(label, line);
      return false;
    }
    if (text === FORGET) {
      this.#add(name, null, label, line);
      return isSecret(name);
    }
    const checked = check(name, text, this.#findTimeZone);
    const isRefused = this.#isNetworkRefused && isNetwork("name" in checked ? checked.name : name);
    if ("problem" in checked || isRefused) {
      if (name === "wifi.password") this.#isPasswordRefused = true;
      this.ignore(label, "problem" in checked ? checked.problem : NOT_JOINED, line, text);
      return false;
    }
    this.#add(checked.name, checked.value, label, line);
    return isSecret(name);
  }

  /** Checks the key management of a network. Call it before taking the name of the network. */
  checkKeyManagement(kind: string, label: string, line?: number): void {
    if (kind === "") return;
    if (/^(?:none|owe)$/i.test(kind)) {
      this.#isPasswordExpected = false;
      return;
    }
    if (/^(?:(?:wpa-)?psk|sae)$/i.test(kind)) {
      this.#isPasswordExpected = true;
      const unlessJoined = "wants a password, and the box has none for this network: write it";
      this.#findings.push({ label, unlessJoined, line });
      return;
    }
    this.#isNetworkRefused = true;
    this.ignore(
      label,
      "must be none, owe, psk or sae: the box signs in with one password, or none",
      line,
    );
  }

  /**
   * Refuses an invalid Wi-Fi password, so that its network does not count as an open one.
   */
  refusePassword(label: string, why: string, line: number): void {
    this.#isPasswordRefused = true;
    this.#findings.push({ label, ignored: why + STAYS, line });
  }

  /** @param value the value of the entry, which is removed where it may be a secret */
  ignore(label: string, why: string, line?: number, value = ""): void {
    const isSecretText = why === NOTHING_RUNS && SECRET_TEXT.test(value);
    const stays = value !== "" && (SECRET_LABEL.test(label) || isSecretText);
    this.#findings.push({ label, ignored: stays ? why + STAYS : why, line });
  }

  reading(): Reading {
    const isPasswordLost = this.#isPasswordRefused && !this.#changes.some(isOf("wifi.password"));
    const isNetworkRefused =
      this.#isNetworkRefused || (isPasswordLost && this.#changes.some(isOf("wifi.ssid")));
    const about = { isNetworkRefused, isPasswordBlank: this.#isPasswordBlank };
    if (!isNetworkRefused)
      return {
        ...about,
        changes: [...this.#changes, ...this.#openness()],
        findings: this.#findings,
      };
    return {
      ...about,
      changes: this.#changes.filter(({ name }) => !isNetwork(name)),
      findings: this.#findings.map((finding) =>
        isNetwork(finding.name ?? "") ? { ...finding, ignored: NOT_JOINED } : finding,
      ),
    };
  }

  /**
   * Makes a network open only where that is certain, since any stranger can offer an open one with its name.
   */
  #openness(): Change[] {
    if (this.#changes.some(isOf("wifi.password"))) return [];
    if (this.#isPasswordRefused || this.#isPasswordExpected)
      return [{ name: "wifi.open", value: "0" }];
    const isMeant = this.#isPasswordExpected === false || !this.#isPasswordBlank;
    return isMeant && this.#changes.some(isOf("wifi.ssid"))
      ? [{ name: "wifi.open", value: "1" }]
      : [];
  }

  #findBlankPassword(label: string, line?: number): void {
    this.#isPasswordBlank = true;
    const unlessJoined = "is empty, and the box has none for this network: write it again";
    this.#findings.push({ label, unlessJoined, line });
  }

  #add(name: string, value: string | null, label: string, line?: number): void {
    const earlier = this.#changes.findIndex((change) => change.name === name);
    const before = earlier < 0 ? undefined : this.#changes[earlier];
    if (name === "ssh.keys" && before?.value && value)
      this.#changes[earlier] = { name, value: `${before.value}\n${value}` };
    else {
      if (earlier >= 0) this.#changes.splice(earlier, 1);
      this.#changes.push({ name, value });
    }
    this.#findings.push({ label, line, name, ...(value === null && { forgets: true }) });
  }
}

function isOf(name: string): (change: Change) => boolean {
  return (change) => change.name === name;
}

/** The ends of labels whose value must not stay on the card. */
const SECRET_LABEL =
  /(?:password|passwd|passphrase|psk|secret|private|(?<!ssh_)key|token(?:_\w*)?|chpasswd\.list(?:\.\d+)?|write_files\.\d+\.content)$/i;

/** Signs of a secret in a command; the last ones are the beginnings of Raspberry Pi Connect's tokens. */
const SECRET_TEXT = /passw|passphrase|psk|secret|token|auth\.key|rp[uo]ak_/i;

const STAYS = "; still in this file: remove it";

export const SEE_WHY = "see why at its password or its key management";
export const NOT_JOINED = `the network is not joined: ${SEE_WHY}`;

/** The reason that accounts are left alone: our image has no use for them. */
export const NO_ACCOUNTS =
  "this box has no accounts and no passwords; to reach it by ssh give a key, and sign in as root";
export const NOTHING_RUNS = "nothing from this file is ever run or installed";
export const UNKNOWN = "this box does not know it";

/** Text of a file as people's editors leave it: UTF-8, UTF-16 or Windows-1252, with or without BOM. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes).replace(/^\uFEFF/, "");
}

function encodingOf(bytes: Uint8Array): string {
  const [a, b] = bytes;
  // The first sign is one of ASCII: its other byte is zero.
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0)) return "utf-16be";
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
}
