import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRefusal, type RefusalCode } from "../../../appliance/base/refusal.ts";
import type { Manifest } from "../../../appliance/base/release/manifest.ts";
import { sizeOf } from "../../../appliance/base/system/files.ts";
import { RootRequests } from "../../../appliance/base/system/root-requests.ts";
import type { ThisBoard } from "../../../appliance/links/updates/boards.ts";
import { Bundles } from "../../../appliance/links/updates/bundles.ts";
import { type UpdateRecord, UpdateRecordFile } from "../../../appliance/links/updates/record.ts";
import { ReleaseHost } from "../../../appliance/links/updates/release-host.ts";
import { Releases } from "../../../appliance/links/updates/releases.ts";
import { RootUpdater } from "../../../appliance/links/updates/root.ts";
import type { UpdateMode } from "../../../appliance/links/updates/settings.ts";
import { Updates } from "../../../appliance/links/updates/updates.ts";
import type { UpdateView } from "../../../appliance/links/updates/view.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { FakeUpdater } from "../../helpers/fake-updater.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { madeRelease } from "../../helpers/release.ts";
import { RELEASES, ReleaseHostFake } from "../../helpers/release-host.ts";
import { until } from "../../helpers/until.ts";

/** The release of the host, unless given. */
export const TO = { release: 12, version: "0.3.0" };

const HERE: ThisBoard = {
  model: "Raspberry Pi 4 Model B Rev 1.4",
  compatible: ["raspberrypi,4-model-b"],
  isTried: false,
};

/** A box with an updater, and a host that has releases for it. */
class UpdateBox {
  readonly clock: FakeClock;
  readonly host = new ReleaseHostFake();
  readonly said: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "tallydeck-updates-"));
  readonly updater: FakeUpdater;
  mode: UpdateMode = "ask";
  board = HERE;
  /** Bytes that releases may take, with what is there of them. */
  room = 1e9;
  /** The next random number. */
  random = 0.5;
  #updates: Updates | undefined;
  readonly #signer: Minisign;

  constructor(signer: Minisign, clock = new FakeClock("2026-11-23T12:00:00Z")) {
    this.#signer = signer;
    this.clock = clock;
    this.updater = new FakeUpdater(join(this.folder, "root"), join(this.data, "bundle"));
  }

  get data(): string {
    return join(this.folder, "data");
  }

  get updates(): Updates {
    if (this.#updates === undefined) throw new Error("the service of this box does not run");
    return this.#updates;
  }

  get view(): UpdateView {
    const view = this.updates.view();
    if (view === undefined) throw new Error("there is no view");
    return view;
  }

  /** Puts a release on the host. @returns its `.tallydeck` */
  release(said: Partial<Manifest> = {}, root = Buffer.alloc(300_000, "root")): Buffer {
    const made = madeRelease(this.#signer, said, { root });
    this.host.files.set("manifest.json", made.manifest);
    this.host.files.set("manifest.json.minisig", made.signature);
    this.host.files.set("boot.tar.zst", made.boot);
    this.host.files.set("root.img", made.root);
    return made.bundle;
  }

  async start(): Promise<void> {
    await this.host.start();
    await this.begin();
  }

  /** Starts the service. */
  async begin(): Promise<void> {
    const { clock, mode, board, data } = this;
    const log = { warn: (_: unknown, line = "") => void this.said.push(line) };
    const record = new UpdateRecordFile(data, log);
    const releases = await Releases.open({
      clock,
      record,
      board,
      bundles: new Bundles(data, [this.#signer.key]),
      host:
        mode === "off"
          ? undefined
          : new ReleaseHost({ url: RELEASES, open: this.host.open, clock, userAgent: "test" }),
      freeBytes: async () => this.room - bytesIn(data),
    });
    this.#updates = new Updates({
      clock,
      log,
      settings: { mode, url: RELEASES, key: "" },
      board,
      record,
      releases,
      root: new RootUpdater(new RootRequests(join(this.folder, "root"))),
      random: () => this.random,
      timeZone: () => "Europe/Zurich",
    });
  }

  /** The service ends, and starts again: whatever it did is broken off. */
  async restart(): Promise<void> {
    await this.#updates?.close();
    await this.begin();
  }

  /** The machine starts again; its clock goes on counting from then. */
  async reboot(): Promise<void> {
    this.clock.boot = `${this.clock.boot}+`;
    await this.restart();
  }

  async end(): Promise<void> {
    await this.#updates?.close();
    await this.host.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A second passes; then until something is so. No more time passes, however long that takes. */
  async see(holds: (view: UpdateView) => boolean): Promise<UpdateView> {
    this.clock.advance(1_000);
    await until(() => holds(this.view));
    return this.view;
  }

  /** Seconds pass until something is so. */
  async wait(holds: () => boolean): Promise<void> {
    while (!holds()) {
      this.clock.advance(1_000);
      await new Promise(setImmediate);
    }
  }

  /** The record of the service on the disk. */
  record(): UpdateRecord | undefined {
    const path = join(this.data, "record.json");
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  }

  async check(): Promise<UpdateView> {
    await this.updates.act({ action: "check" });
    return this.view;
  }

  now(release = 12): Promise<void> {
    return this.updates.act({ action: "now", release });
  }

  tonight(release = 12): Promise<void> {
    return this.updates.act({ action: "tonight", release });
  }

  /** The service asks for something, and the updater takes it. */
  async taken(): Promise<string> {
    this.clock.advance(1_000);
    await until(() => this.updater.waiting.length > 0);
    this.updater.take();
    return this.updater.taken.at(-1) ?? "";
  }

  /** As far as the release being written and read back, and the time of the restart being known. */
  async prepared(): Promise<void> {
    await this.taken();
    this.updater.finish();
    await this.see(({ ready, restartsAt }) => ready?.state === "prepared" && restartsAt !== null);
  }
}

function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.reduce((sum, name) => sum + (sizeOf(join(folder, name)) ?? 0), 0);
}

/** A box for each test of the suite around it; `prepare` changes it before it starts. */
export function eachBox(prepare: (box: UpdateBox) => void = () => {}): () => UpdateBox {
  let signer: Minisign;
  let box: UpdateBox;
  before(() => {
    signer = new Minisign();
  });
  after(() => signer.remove());
  beforeEach(async () => {
    box = new UpdateBox(signer);
    box.release();
    prepare(box);
    await box.start();
  });
  afterEach(() => box.end());
  return () => box;
}

/** Says whether an error is a refusal with a code and such a sentence. */
export function refused(code: RefusalCode, saying: RegExp) {
  return (error: unknown) => isRefusal(error, code) && saying.test(error.message);
}
