import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeReports } from "./reports.ts";

/** Bus, vendor and product of a device of Elgato on USB, as the kernel tells of it. */
const ELGATO = /^HID_ID=0003:00000FD9:0000([0-9A-F]{4})$/m;

/**
 * Shows a code on every deck that takes pictures as plain reports, by the kernel's own files: a driver would need
 * packages. Brightness stays as it was.
 */
export class CodeOnDecks {
  readonly #root: string;
  /** The code that each of the kernel's files was given, while it is there. */
  readonly #shown = new Map<string, string>();
  #isBusy = false;

  /** @param root `/`, or a folder */
  constructor(root: string) {
    this.#root = root;
  }

  /** To be called now and then, for decks that are plugged in later. */
  async show(code: string): Promise<void> {
    // A deck that hangs is waited for, and not asked again.
    if (this.#isBusy) return;
    this.#isBusy = true;
    const names = await readdir(join(this.#root, "sys/class/hidraw")).catch((): string[] => []);
    for (const name of this.#shown.keys()) if (!names.includes(name)) this.#shown.delete(name);
    for (const name of names)
      if (this.#shown.get(name) !== code) {
        this.#shown.set(name, code);
        // One that was just plugged in may not be open to us yet.
        await this.#showOn(name, code).catch(() => this.#shown.delete(name));
      }
    this.#isBusy = false;
  }

  async #showOn(name: string, code: string): Promise<void> {
    const about = join(this.#root, "sys/class/hidraw", name, "device/uevent");
    const [, product] = ELGATO.exec(await readFile(about, "utf8")) ?? [];
    const reports = product && codeReports(Number.parseInt(product, 16), code);
    if (!reports) return;
    await using device = await open(join(this.#root, "dev", name), "r+");
    for (const report of reports) await device.write(report);
  }
}
