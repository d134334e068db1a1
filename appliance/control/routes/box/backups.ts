import type { Backups } from "../../../backups/backups.ts";
import type { StickSlot } from "../../../backups/targets/stick.ts";
import { jsonBody } from "../../../http/body.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { BackupsAnswer, BackupsChange } from "../../wire.ts";

export interface BackupsParts {
  readonly backups: Backups;
  readonly stick: Pick<StickSlot, "isThere" | "problem">;
  /** The folder that the configuration names; empty for none. */
  readonly folder: string;
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
