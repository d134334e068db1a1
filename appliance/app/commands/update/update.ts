import { setTimeout } from "node:timers/promises";
import { entryOf } from "../../../base/input/json.ts";
import { createLog } from "../../../base/log.ts";
import { orElse } from "../../../base/refusal.ts";
import { bundleBytes, type Manifest } from "../../../base/release/manifest.ts";
import { KEYS_FOLDER, readKeys } from "../../../base/release/minisign.ts";
import type { UpdaterState } from "../../../base/release/updater-state.ts";
import { sizeOf } from "../../../base/system/files.ts";
import { RootRequests } from "../../../base/system/root-requests.ts";
import { SystemClock } from "../../../base/system/system-clock.ts";
import { version } from "../../../base/system/version.ts";
import { type Box, thisBox } from "../../../box/updater/box.ts";
import { takeFile } from "../../../box/updater/take.ts";
import type { Config } from "../../../config/config.ts";
import { type ThisBoard, thisBoard } from "../../../links/updates/boards.ts";
import { Bundles } from "../../../links/updates/bundles.ts";
import { UpdateRecordFile } from "../../../links/updates/record.ts";
import { refuse } from "../../../links/updates/refusals.ts";
import { type OpenUrl, openOutside, ReleaseHost } from "../../../links/updates/release-host.ts";
import { candidatesOf, isOther, misfitsHere } from "../../../links/updates/releases.ts";
import { RootUpdater } from "../../../links/updates/root.ts";
import { asksHost } from "../../../links/updates/settings.ts";
import { isUntried, updateViewOf } from "../../../links/updates/view-of.ts";
import {
  type Command,
  CommandFailed,
  command,
  notUnderstood,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom } from "../data.ts";
import { sizeText } from "../size-text.ts";
import { progressText, releaseName, updateRows } from "./update-text.ts";

interface Outside {
  readonly box: () => Box;
  readonly board: () => ThisBoard;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly open: OpenUrl;
}

interface UpdateCommand extends Outside {
  readonly terminal: Terminal;
  readonly config: Config;
  readonly root: RootUpdater;
  readonly isYes: boolean;
}

export function updateWith(outside: Outside): Command {
  return command({
    help: `tallydeck update [status]: which release the box runs, which is ready, and how the last update ended.
tallydeck update check: asks where releases are (UPDATE_URL) whether there is a newer one.
tallydeck update apply FILE: installs the release of a .tallydeck file. The running system stays as it
is: the new one is written beside it, started once, and kept only if the box is well with it.
tallydeck update back: starts the release in the other slot.

  --yes            restart without asking
  --config FILE    a KEY=VALUE file with settings (CONFIG)

Sign in as root by ssh: this is about the whole box.`,
    options: { ...switches("yes"), ...valued("config") },
    async run({ values, positionals }, terminal) {
      const [action = "status", file, ...rest] = positionals;
      const takesFile = action === "apply";
      const act = entryOf(ACTIONS, action);
      if (act === undefined || rest.length > 0 || (file !== undefined && !takesFile))
        throw notUnderstood("update", positionals, Object.keys(ACTIONS));
      if (takesFile && file === undefined)
        throw new UsageError("Name one file: `tallydeck update apply FILE`.");
      const config = configFrom({ config: values.config }, terminal);
      if (config.root === undefined)
        throw new CommandFailed(
          "Tallydeck is a program on this machine, not the whole of it. Update it the way you installed it.",
        );
      const root = new RootUpdater(new RootRequests(config.root.update));
      const job = { ...outside, terminal, config, root, isYes: values.yes === true };
      await act(job, file ?? "");
    },
  });
}

export const update = updateWith({
  box: thisBox,
  board: thisBoard,
  sleep: setTimeout,
  open: openOutside,
});

const ACTIONS: Readonly<
  Record<string, (job: UpdateCommand, file: string) => Promise<void> | void>
> = { status, check, apply, back };

function stateOf({ root }: UpdateCommand): UpdaterState {
  const state = root.state();
  if (state === undefined) throw refuse("strange");
  return state;
}

function status(job: UpdateCommand): void {
  const state = stateOf(job);
  const { terminal, config, board } = job;
  const record = remembered(job);
  const { found, uploaded, wish } = record;
  const bundles = bundlesOf(config);
  const view = updateViewOf(state, {
    record,
    settings: config.updates,
    board: board(),
    candidates: candidatesOf({
      whole: bundles.whole(),
      found:
        asksHost(config.updates) && found
          ? orElse(() => bundles.read(found), undefined)
          : undefined,
      uploaded,
    }),
    download: null,
    requested: null,
    restartsAt: wish?.restartsAt ?? null,
  });
  for (const [name, value] of updateRows(view, timeOf)) terminal.out(`${name.padEnd(11)} ${value}`);
}

/** The service's memory of updates; little of it where only the service may read that. */
function remembered({ config }: UpdateCommand) {
  return new UpdateRecordFile(
    config.updatesDir,
    createLog(() => {}),
  ).now;
}

function bundlesOf({ updatesDir, updates }: Config): Bundles {
  return new Bundles(updatesDir, readKeys(KEYS_FOLDER, updates.key));
}

function timeOf(epochMs: number): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(
    epochMs,
  );
}

async function check(job: UpdateCommand): Promise<void> {
  const state = stateOf(job);
  const { terminal, config, open, board } = job;
  const { url, mode } = config.updates;
  if (!asksHost(config.updates)) throw refuse(mode === "off" ? "off" : "nobody");
  const userAgent = `Tallydeck/${version()}`;
  const host = new ReleaseHost({ url, open, clock: new SystemClock(), userAgent });
  const papers = await host.newest(new AbortController().signal).catch((error: Error) => {
    throw new CommandFailed(error.message);
  });
  const manifest = bundlesOf(config).read(papers);
  if (manifest.release <= state.running.release) {
    terminal.out(`There is nothing newer than ${releaseName(state.running)} at ${host.name}.`);
    return;
  }
  terminal.out(`${releaseName(manifest)}, ${sizeText(bundleBytes(manifest))}, is at ${host.name}.`);
  if (manifest.notes !== "") terminal.out(manifest.notes);
  terminal.out(adviceOn(manifest, state, board()));
}

function adviceOn(manifest: Manifest, state: UpdaterState, board: ThisBoard): string {
  if (isOther(manifest, state))
    return "It is in the other slot already: `tallydeck update back` starts it.";
  const [reason] = misfitsHere(manifest, state, board);
  return reason ?? "Install it in the Web UI, under “Machine”, or from its .tallydeck file here.";
}

async function apply(job: UpdateCommand, file: string): Promise<void> {
  const state = stateOf(job);
  const { terminal, root, isYes, board } = job;
  if (state.mode !== "normal") throw refuse("trial");
  if (state.work !== undefined)
    throw new CommandFailed(
      "A release is being written already. `tallydeck update` tells how far it is.",
    );
  const manifest = await taken(job, file);
  const { release } = manifest;
  terminal.out(`${releaseName(manifest)} is signed, whole, and made for this board.`);
  if (state.prepared?.release !== release) {
    await root.request("prepare", release);
    await follow(job, ({ prepared }) => prepared?.release === release);
  }
  terminal.out("It is written beside the running system, and read back.");
  if (isUntried(state, board()))
    terminal.out("Updates on this board were never tried: keep a card reader near.");
  if (!isYes && !(await agrees(terminal))) {
    terminal.out("It waits. Start it in the Web UI, or with the same command once more.");
    return;
  }
  await root.request("arm", release);
  await restarting(job);
}

async function taken({ box }: UpdateCommand, file: string): Promise<Manifest> {
  if (sizeOf(file) === undefined) throw new CommandFailed(`There is no file ${file}.`);
  try {
    return await takeFile(box(), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM")
      throw new CommandFailed("Only root may install a release. Sign in as root by ssh.");
    throw new CommandFailed(`${file} cannot be installed. ${message}`);
  }
}

async function back(job: UpdateCommand): Promise<void> {
  const { other, work } = stateOf(job);
  const { terminal, root, isYes } = job;
  if (other === undefined) throw refuse("first");
  if (work !== undefined)
    throw new CommandFailed("A release is being written now. Wait until that is done.");
  terminal.out(`${releaseName(other)} is in the other slot.`);
  if (!isYes && !(await agrees(terminal))) {
    terminal.out("Nothing was changed.");
    return;
  }
  await root.request("rollback");
  await restarting(job);
}

async function agrees({ out, input }: Terminal): Promise<boolean> {
  out(
    "Restart into it now? It takes two minutes. Type y and Enter to do so, anything else to wait.",
  );
  return /^y/i.test(await input(1));
}

async function restarting(job: UpdateCommand): Promise<void> {
  await follow(job, ({ work }) => work?.step === "restart");
  job.terminal.out(
    "The box restarts, and is back in about two minutes. It then tries the release for",
  );
  job.terminal.out("some minutes; `tallydeck update` tells how that ended.");
}

interface Followed {
  readonly root: Pick<RootUpdater, "state" | "pending">;
  readonly terminal: Pick<Terminal, "out" | "rewrite">;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const LOOK_MS = 500;
/** Looks without any progress before giving up, with and without a reason. */
const ANSWERED_LOOKS = 10;
const SILENT_LOOKS = 240;

/**
 * Prints the progress of the updater until it is done.
 * @throws {CommandFailed} with the sentence of its failure
 */
async function follow(
  { root, terminal, sleep }: Followed,
  isDone: (state: UpdaterState) => boolean,
): Promise<void> {
  const { out, rewrite } = terminal;
  let shown = "";
  for (let silent = 0; silent < SILENT_LOOKS; silent += 1) {
    await sleep(LOOK_MS);
    const state = root.state();
    if (state !== undefined && isDone(state)) {
      rewrite?.("");
      return;
    }
    const { work, problem } = state ?? {};
    const isWaiting = root.pending().length > 0;
    if (work !== undefined || isWaiting) silent = -1;
    else if (problem !== undefined && silent >= ANSWERED_LOOKS) throw new CommandFailed(problem);
    const text = work && progressText(work);
    if (text === undefined || text === shown) continue;
    // A reader of a log wants the steps, not each per cent.
    if (rewrite) rewrite(`It is ${text}`);
    else if (text.split(":")[0] !== shown.split(":")[0]) out(`It is ${text.split(":")[0]}.`);
    shown = text;
  }
  throw new CommandFailed("The updater does not answer. Restart the box and try again.");
}
