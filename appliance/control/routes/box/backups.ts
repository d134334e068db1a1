import { Readable } from "node:stream";
import { jsonBody } from "../../../base/http/body.ts";
import { Refusal } from "../../../base/refusal.ts";
import type { Backups } from "../../../links/backups/backups.ts";
import { backupsOfOthers } from "../../../links/backups/found.ts";
import type { StickSlot } from "../../../links/backups/targets/stick.ts";
import { TargetProblem } from "../../../links/backups/targets/target.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { BackupsAnswer, BackupsChange, FoundBackupAnswer } from "../../wire.ts";
import type { DataParts } from "../settings/backup.ts";

export interface BackupsParts {
  readonly backups: Backups;
  readonly stick: Pick<StickSlot, "isThere" | "problem" | "target">;
  /** The id of this machine. */
  readonly id: string;
  /** Whether there is nothing yet that a restore would replace. */
  readonly isNew: () => boolean;
  /** The folder that the configuration names; empty for none. */
  readonly folder: string;
  readonly data: DataParts;
}

const text = { type: "string", description: "must be a string" };

const readBackupsChange = shape<BackupsChange>({
  properties: {
    stick: { type: "boolean", description: "must be true or false" },
    url: text,
    user: text,
    password: text,
    ca: text,
  },
});

/** `GET /api/backups`: settings, never the password, and what became of the backups. */
export const showBackups: Handler<BackupsParts, BackupsAnswer> = (ctx, parts) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body = viewOf(parts);
};

/**
 * `PUT /api/backups`; what is left out stays as it is, but for the password: it is told to the host it was given for and to
 * no other. An empty `url` takes the server away → as `GET`
 */
export const changeBackups: Handler<BackupsParts, BackupsAnswer> = async (ctx, parts) => {
  const { stick, ...change } = readBackupsChange(await jsonBody(ctx));
  const { settings } = parts.backups;
  const { webdav } = settings;
  const goesElsewhere = originIn(change.url ?? webdav.url) !== originIn(webdav.url);
  await parts.backups.change({
    stick: stick ?? settings.stick,
    webdav: { ...webdav, ...(goesElsewhere && { password: "" }), ...change },
  });
  ctx.body = viewOf(parts);
};

/** `POST /api/backups` → 202: makes a backup now, everywhere; `GET` says what becomes of it. */
export const makeBackups: Handler<BackupsParts, BackupsAnswer> = (ctx, parts) => {
  parts.backups.backUpNow();
  ctx.status = 202;
  ctx.body = viewOf(parts);
};

/** `GET /api/found-backup`: the newest backups of other machines on a stick, where this one has no site yet. */
export const findBackup: Handler<BackupsParts, FoundBackupAnswer> = async (ctx, parts) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body = { found: await foundOn(parts) };
};

/** `POST /api/found-backup` `{file}` → 204: this machine becomes the one that made it. */
export const takeFoundBackup: Handler<BackupsParts> = async (ctx, parts) => {
  const { file } = readFound(await jsonBody(ctx));
  const found = (await foundOn(parts)).find((each) => each.file === file);
  const { target } = parts.stick;
  if (found === undefined || target === undefined)
    throw new Refusal(
      "not_found",
      "This backup is not on the stick any more, or this machine has a site already. Look again.",
    );
  const { exchange, reloadAfterRestore, takeName } = parts.data;
  const { signal } = new AbortController();
  await exchange.restore(Readable.from(target.read(file, signal)), found.bytes, true);
  ctx.status = 204;
  await takeName?.(found.machine);
  await reloadAfterRestore(true);
};

const readFound = shape<{ file: string }>({ properties: { file: text }, required: ["file"] });

async function foundOn({ stick: { target }, id, isNew, data: { clock } }: BackupsParts) {
  if (target === undefined || !isNew()) return [];
  try {
    return await backupsOfOthers(target, { id, clock, signal: new AbortController().signal });
  } catch (error) {
    // A stick that cannot be read has no backup to offer.
    if (error instanceof TargetProblem) return [];
    throw error;
  }
}

function viewOf({ backups, stick, folder }: BackupsParts): BackupsAnswer {
  const { webdav, stick: isOn } = backups.settings;
  const { password, ...shown } = webdav;
  return {
    ...shown,
    hasPassword: password !== "",
    stick: stick.isThere ? isOn : null,
    stickProblem: stick.problem ?? null,
    folder: folder || null,
    targets: backups.targets,
  };
}

function originIn(url: string): string {
  return URL.canParse(url.trim()) ? new URL(url.trim()).origin : "";
}
