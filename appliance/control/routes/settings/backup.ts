import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { dayOf, formatDay } from "../../../base/calendar.ts";
import type { Clock } from "../../../base/clock.ts";
import { allowUpload } from "../../../base/http/connection.ts";
import { readBackupName } from "../../../links/backups/names.ts";
import { takingBody } from "../../input.ts";
import type { Handler, RoutesOf } from "../../route.ts";

export interface DataParts {
  clock: Clock;
  exchange: {
    /** @returns a file that is deleted once it is closed */
    backUp(): Promise<{ readonly handle: FileHandle; readonly size: number }>;
    /** @param length in bytes, as far as it is known @throws {Refusal} where the data stays as it was */
    restore(file: Readable, length: number | undefined, isWhole?: boolean): Promise<void>;
  };
  /** Has all parts with data in memory read it again; those with what is the machine's own too, after a whole restore. */
  reloadAfterRestore: (isWhole: boolean) => Promise<void>;
  /** Has a box take the name of the machine that it is again; missing where the system is not ours. */
  takeName?: (machine: string) => Promise<void>;
}

/**
 * `POST /api/restore`, the body being the file: replaces the data by it. With `?whole=1` the machine becomes the one that
 * made it, with what was that one's own, as far as the file has it. `file` is the name of the file, which has the machine's.
 */
export const restoreBackup: Handler<Omit<DataParts, "clock">> = async (ctx, parts) => {
  const { exchange, reloadAfterRestore, takeName } = parts;
  allowUpload(ctx.req);
  const isWhole = ctx.query.whole === "1";
  const of = isWhole ? readBackupName(`${ctx.query.file ?? ""}`) : undefined;
  await takingBody(ctx, () => exchange.restore(ctx.req, ctx.request.length, isWhole));
  if (of !== undefined) await takeName?.(of.machine);
  await reloadAfterRestore(isWhole);
};

export const DATA_ROUTES: RoutesOf<DataParts> = {
  /** The data as one file, without push tokens. */
  "GET /api/backup": async (ctx, { clock, exchange }) => {
    const { handle, size } = await exchange.backUp();
    ctx.attachment(`tallydeck-${formatDay(dayOf(clock.now()))}.db`);
    ctx.set("Cache-Control", "no-store");
    ctx.type = "application/vnd.sqlite3";
    ctx.length = size;
    return handle.createReadStream();
  },

  "POST /api/restore": restoreBackup,
};
