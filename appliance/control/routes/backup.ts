import type { Readable } from "node:stream";
import { dayOf, formatDay } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { Decks } from "../../deck/decks.ts";
import { allowUpload } from "../../http/connection.ts";
import { HttpError } from "../../http/errors.ts";
import { type Exchange, ExchangeRefused } from "../../store/sqlite/copies/exchange.ts";
import { DatabaseRefused } from "../../store/sqlite/database.ts";
import type { Handler } from "../route.ts";

interface Parts {
  clock: Clock;
  exchange: Exchange;
  decks: Decks;
  /** Tells the parts that hold something of the data in memory that it is another now. */
  reloadAfterRestore: () => Promise<void>;
}

const STATUS: Readonly<Record<ExchangeRefused["code"], number>> = {
  busy: 409,
  no_space: 507,
  too_large: 413,
};

/** `GET /api/backup`: the data as one file, without push tokens. */
export const downloadBackup: Handler<Parts, Readable> = async (ctx, { clock, exchange }) => {
  const { handle, size } = await exchangeAnswer(exchange.backUp());
  ctx.attachment(`tallydeck-${formatDay(dayOf(clock.now()))}.db`);
  ctx.set("Cache-Control", "no-store");
  ctx.type = "application/vnd.sqlite3";
  ctx.length = size;
  ctx.body = handle.createReadStream();
};

/** `POST /api/restore`, the body being the file: replaces the data by it. */
export const restoreBackup: Handler<Omit<Parts, "clock" | "decks">> = async (
  ctx,
  { exchange, reloadAfterRestore },
) => {
  allowUpload(ctx.req);
  try {
    await exchangeAnswer(exchange.restore(ctx.req, ctx.request.length));
  } catch (error) {
    // Many clients read no answer before all is sent.
    ctx.req.resume();
    throw error;
  }
  await reloadAfterRestore();
  ctx.status = 204;
};

async function exchangeAnswer<T>(task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof ExchangeRefused)
      throw new HttpError(STATUS[error.code], error.code, error.message);
    if (error instanceof DatabaseRefused)
      throw new HttpError(400, "invalid_backup", refusal(error.message));
    throw error;
  }
}

/** People know the file they sent, not our copy of it. */
function refusal(message: string): string {
  return message
    .replaceAll(/\S*\/exchange-\S+\.db(?:\.partial|\.copy)?/g, "This file")
    .replace(/Restore a backup with `.+`\.$/, "Choose another backup.")
    .replaceAll(/\s*\n\s*/g, " ");
}
