import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import {
  MAX_TEXT_BYTES,
  MAX_TEXT_BYTES_PER_DAY,
  MAX_VALUES,
  MAX_VALUES_PER_DAY,
} from "../../counting.ts";
import { unpack } from "../../counts/pack.ts";
import { Columns, numbers } from "../columns.ts";
import type { Sql, Statement } from "../connection.ts";
import {
  isBounded,
  type Place,
  placeKey,
  siteKey,
  textKey,
  unique,
  type WantedValue,
} from "./places.ts";
import { lockRooms } from "./rooms.ts";

interface Admitted {
  readonly ids: readonly (readonly [WantedValue, number])[];
  /** Days from today on that take no more of a dimension, with all that they hold. */
  readonly full: readonly (Place & { readonly values: readonly { text: string; id: number }[] })[];
}

/**
 * Takes values in that a day of a site does not hold yet, within the bounds of all who count: one
 * dimension of a site is one caller's at a time, until the end of the transaction.
 * @param today by the clock of the database
 */
export async function admit(
  sql: Sql,
  wanted: readonly WantedValue[],
  today: Day,
): Promise<Admitted> {
  const admission = new Admission(await look(sql, wanted, today), today);
  for (const value of wanted) admission.ask(value);
  const ids = await write(sql, admission, today);
  return {
    ids: [...admission.taken, ...admission.others()].flatMap((value) => {
      const id = ids.get(textKey(value));
      return id === undefined ? [] : [[value, id] as const];
    }),
    full: await valuesOf(sql, admission.full()),
  };
}

interface Room {
  n: number;
  bytes: number;
}

interface Look {
  /** By site and dimension: what all days hold together. */
  readonly all: ReadonlyMap<string, Room>;
  /** By site, dimension and day. */
  readonly ofDay: Map<string, Room>;
  /** By site, dimension and text: the number of a value, and the days that hold it. */
  readonly known: ReadonlyMap<string, { readonly id: number; readonly days: Set<Day> }>;
}

/** Who is taken in. */
class Admission {
  readonly taken: WantedValue[] = [];
  /** Values that no day has held before. */
  readonly made = new Map<string, WantedValue>();
  /** Values that the day did not hold. */
  readonly held: WantedValue[] = [];
  readonly known: Look["known"];
  readonly #look: Look;
  readonly #today: Day;
  readonly #refused = new Map<string, Place>();
  readonly #changed = new Map<string, Room>();

  constructor(look: Look, today: Day) {
    this.#look = look;
    this.#today = today;
    this.known = look.known;
  }

  ask(value: WantedValue): void {
    const key = textKey(value);
    const known = this.known.get(key);
    const isNew = known === undefined && !this.made.has(key);
    const all = this.#look.all.get(siteKey(value));
    if (isBounded(value) && !known?.days.has(value.day)) {
      const ofDay = this.#roomOf(value);
      if (ofDay.n >= MAX_VALUES_PER_DAY || (isNew && isOver(all))) {
        this.#refused.set(placeKey(value), value);
        return;
      }
      ofDay.n += 1;
      this.#changed.set(placeKey(value), ofDay);
      this.held.push(value);
    }
    if (isNew) this.made.set(key, value);
    if (isNew && all !== undefined) {
      all.n += 1;
      all.bytes += Buffer.byteLength(value.text);
      this.#changed.set(siteKey(value), all);
    }
    this.taken.push(value);
  }

  /** What those are counted as that are not taken in. */
  others(): WantedValue[] {
    return [...this.#refused.values()].map((place) => ({ ...place, text: OTHER }));
  }

  /** What is to be told of dimensions, and of their days, from now on. */
  get rooms(): ReadonlyMap<string, Room> {
    return this.#changed;
  }

  /** Days before are asked for anew each time. */
  full(): Place[] {
    return [...this.#refused.values()].filter(
      (place) => place.day >= this.#today && this.#roomOf(place).n >= MAX_VALUES_PER_DAY,
    );
  }

  #roomOf(place: Place): Room {
    const key = placeKey(place);
    let room = this.#look.ofDay.get(key);
    if (room === undefined) {
      room = { n: 0, bytes: 0 };
      this.#look.ofDay.set(key, room);
    }
    return room;
  }
}

function isOver(room: Room | undefined): boolean {
  return (
    room !== undefined &&
    (room.n >= MAX_VALUES + MAX_VALUES_PER_DAY ||
      room.bytes >= MAX_TEXT_BYTES + MAX_TEXT_BYTES_PER_DAY)
  );
}

/** Locks the dimensions, and looks at what they hold. */
async function look(sql: Sql, wanted: readonly WantedValue[], today: Day): Promise<Look> {
  const places = [...new Map(wanted.map((value) => [placeKey(value), value])).values()];
  const values = new Columns<[number, string, string]>();
  const others = places.filter(isBounded).map((place) => ({ ...place, text: OTHER }));
  for (const { site, dimension, text } of unique([...wanted, ...others], textKey))
    values.add(site, dimension, text);
  const days = new Columns<[number, string, number]>();
  for (const { site, dimension, day } of places) days.add(site, dimension, day);
  const [, rooms, ofDays, known] = (await sql.all([
    ...lockRooms(places),
    { text: ROOMS_OF_DAYS, values: days.values() },
    { text: KNOWN, values: [...values.values(), numbers(new Set(places.map(({ day }) => day)))] },
  ])) as [object[], RoomRow[], RoomRow[], KnownRow[]];
  const found: Look = {
    all: new Map(rooms.map((row) => [siteKey(row), row])),
    ofDay: new Map(ofDays.map((row) => [placeKey(row), row])),
    known: new Map(
      known.map((row) => [textKey(row), { id: row.id, days: new Set(row.days) }] as const),
    ),
  };
  const past = unique(
    places.filter(({ day }) => day < today - 1),
    ({ site, day }) => `${site}/${day}`,
  );
  await addPacked(sql, found, past);
  return found;
}

type RoomRow = Place & Room;
type KnownRow = WantedValue & { readonly id: number; readonly days: readonly Day[] };

const ROOMS_OF_DAYS = `
  SELECT site, dimension, day, n, bytes FROM room
  WHERE (site, dimension, day) IN (SELECT * FROM unnest($1::int[], $2::text[], $3::int[]))`;

const KNOWN = `
  SELECT v.id, v.site, v.dimension, v.text,
    ARRAY(SELECT d.day FROM day_value d WHERE d.site = v.site AND d.dimension = v.dimension
      AND d.value = v.id AND d.day = ANY($4::int[])) AS days
  FROM unnest($1::int[], $2::text[], $3::text[]) AS w (site, dimension, text)
  JOIN value v ON v.site = w.site AND v.dimension = w.dimension AND v.text = w.text`;

/** Of days that are packed, the blob tells what they hold. */
async function addPacked(
  sql: Sql,
  { ofDay, known }: Look,
  days: readonly Pick<Place, "site" | "day">[],
): Promise<void> {
  const byId = new Map([...known.values()].map((value) => [value.id, value]));
  for (const { site, day } of days) {
    const [packed] = await sql.rows<{ counts: Uint8Array }>(
      "SELECT counts FROM packed_day WHERE site = $1 AND day = $2",
      [site, day],
    );
    if (packed === undefined) continue;
    const ids: number[] = [];
    unpack(packed.counts, (id) => {
      ids.push(id);
      byId.get(id)?.days.add(day);
    });
    const rows = await sql.rows<{ dimension: string; n: number }>(
      `SELECT dimension, count(*) AS n FROM value
       WHERE id = ANY($1::bigint[]) AND text <> $2 GROUP BY dimension`,
      [numbers(ids), OTHER],
    );
    for (const { dimension, n } of rows) {
      const key = placeKey({ site, day, dimension });
      // What came late is told of already.
      if (!ofDay.has(key)) ofDay.set(key, { n, bytes: 0 });
    }
  }
}

/** @returns the numbers of all that is taken in, and of OTHER */
async function write(sql: Sql, admission: Admission, today: Day): Promise<Map<string, number>> {
  const { made, taken, held, known } = admission;
  const ids = new Map([...known].map(([key, { id }]) => [key, id]));
  const seen = taken.flatMap((value) => known.get(textKey(value))?.id ?? []);
  const news = new Columns<[number, string, string, number]>();
  for (const { site, day, dimension, text } of unique(
    [...made.values(), ...admission.others()],
    textKey,
  ))
    news.add(site, dimension, text, Math.max(day, today));
  const days = new Columns<[number, number, string, string]>();
  for (const { site, day, dimension, text } of held) days.add(site, day, dimension, text);
  const rooms = new Columns<[number, string, number, number, number]>();
  for (const [key, { n, bytes }] of admission.rooms) {
    const [site = "", dimension = "", day = "-1"] = key.split("\0");
    rooms.add(Number(site), dimension, Number(day), n, bytes);
  }
  const lastDay = Math.max(today, ...taken.map(({ day }) => day));
  const statements: Statement[] = [{ text: SEEN, values: [numbers(seen), lastDay] }];
  if (news.size > 0) statements.push({ text: MAKE_VALUES, values: news.values() });
  if (days.size > 0) statements.push({ text: HOLD, values: days.values() });
  if (rooms.size > 0) statements.push({ text: SET_ROOMS, values: rooms.values() });
  const [, values = []] = await sql.all(statements);
  if (news.size > 0) for (const row of values as readonly KnownRow[]) ids.set(textKey(row), row.id);
  return ids;
}

const SEEN = "UPDATE value SET last_day = $2 WHERE id = ANY($1::bigint[]) AND last_day < $2";

const MAKE_VALUES = `
  INSERT INTO value (site, dimension, text, last_day)
  SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::int[])
  ON CONFLICT (site, dimension, text) DO UPDATE SET last_day = GREATEST(value.last_day, excluded.last_day)
  RETURNING id, site, dimension, text`;

const HOLD = `
  INSERT INTO day_value (site, day, dimension, value)
  SELECT w.site, w.day, w.dimension, v.id
  FROM unnest($1::int[], $2::int[], $3::text[], $4::text[]) AS w (site, day, dimension, text)
  JOIN value v ON v.site = w.site AND v.dimension = w.dimension AND v.text = w.text
  ON CONFLICT (site, day, dimension, value) DO NOTHING`;

const SET_ROOMS = `
  INSERT INTO room (site, dimension, day, n, bytes)
  SELECT * FROM unnest($1::int[], $2::text[], $3::int[], $4::bigint[], $5::bigint[])
  ON CONFLICT (site, dimension, day) DO UPDATE SET n = excluded.n, bytes = excluded.bytes`;

async function valuesOf(sql: Sql, places: readonly Place[]): Promise<Admitted["full"]> {
  if (places.length === 0) return [];
  const all = await sql.all(
    places.map(({ site, day, dimension }) => ({
      text: `SELECT v.id, v.text FROM day_value d JOIN value v ON v.id = d.value
             WHERE d.site = $1 AND d.day = $2 AND d.dimension = $3`,
      values: [site, day, dimension],
    })),
  );
  return places.map((place, at) => ({
    ...place,
    values: (all[at] ?? []) as { text: string; id: number }[],
  }));
}
