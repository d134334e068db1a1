import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { storable } from "../../../base/text/storable.ts";
import { ImportRefused } from "../refused.ts";
import type { Sheet } from "./input.ts";

/** A line of any of our formats is far shorter. */
const MAX_LINE = 1_048_576;
/** The sign of MySQL and ClickHouse for a cell without a value. */
const NULL = "\\N";
const DIGITS = /^\d{1,13}$/;

/** A row of a table, by the names of its header. */
export interface CsvRow {
  /** "" for a column that the table lacks. */
  text(column: string): string;
  /** A whole number; 0 for a column that is empty or missing, undefined for anything else. */
  number(column: string): number | undefined;
}

/** The names of a table's columns, by its first line. */
export function columnsOf({ head }: Pick<Sheet, "head">): string[] {
  const [first = ""] = head.split(/\r?\n/, 1);
  return first.split(",").map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
}

/**
 * The rows of a table in CSV, by the names in its header, whatever their order.
 * @param comment lines that begin with it are left out
 * @throws {ImportRefused} where it is none
 */
export async function* csvRows(
  sheet: Sheet,
  { comment = null }: { comment?: string | null } = {},
): AsyncGenerator<CsvRow> {
  const parser = parse({
    comment,
    bom: true,
    // Some have a header of another program before their rows, with an end of its own.
    record_delimiter: ["\r\n", "\n"],
    // A row that lacks cells, or has more, is read as far as it goes.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
  });
  const bytes = Readable.from(sheet.read(), { objectMode: false });
  bytes.once("error", (error) => parser.destroy(error));
  bytes.pipe(parser);
  let columns: ReadonlyMap<string, number> | undefined;
  let cells: readonly string[] = [];
  const row: CsvRow = {
    text(column) {
      const text = cells[columns?.get(column) ?? -1] ?? "";
      return text === NULL ? "" : text;
    },
    number(column) {
      const text = row.text(column);
      if (text === "") return 0;
      return DIGITS.test(text) ? Number(text) : undefined;
    },
  };
  try {
    for await (const line of parser as AsyncIterable<string[]>) {
      if (columns === undefined) {
        columns = new Map(line.map((name, at) => [name.trim(), at]));
        continue;
      }
      cells = line;
      yield row;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportRefused(
      `${sheet.name} is no table that can be read: ${storable(error.message)}. Download it again, and do not save it with another program.`,
      { cause: error },
    );
  } finally {
    bytes.destroy();
  }
}
