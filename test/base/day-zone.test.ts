import { deepEqual, equal, ok } from "node:assert/strict";
import { formatDay, HOUR_MS } from "../../appliance/base/calendar.ts";
import { DayZone, dayZoneNamed, UTC_DAYS } from "../../appliance/base/day-zone.ts";

const at = (text: string) => Date.parse(text);

/** The day and hour that a clock shows at a moment. */
function shown(zone: DayZone, moment: string): string {
  const hour = zone.hourAt(at(moment));
  return `${formatDay(zone.today(at(moment)))} ${((hour % 24) + 24) % 24}`;
}

function inZone(zone: string): DayZone {
  return new DayZone({ zone, before: null });
}

function changed(from: string, to: string, now: string): DayZone {
  return new DayZone(inZone(from).changedTo(to, at(now)));
}

/** Hours of each day, from a moment on. */
function lengths(zone: DayZone, from: string, hours: number): Record<string, number> {
  const days: Record<string, number> = {};
  for (let hour = 0; hour < hours; hour++) {
    const day = formatDay(zone.today(at(from) + hour * HOUR_MS));
    days[day] = (days[day] ?? 0) + 1;
  }
  return days;
}

describe("the zone of days", () => {
  it("is UTC unless it is another", () => {
    equal(shown(new DayZone(), "2026-03-05T23:59:59Z"), "2026-03-05 23");
    equal(new DayZone().nextMidnight(at("2026-03-05T23:00:00Z")), at("2026-03-06T00:00:00Z"));
  });

  it("begins days at its own midnight", () => {
    equal(shown(inZone("Europe/Zurich"), "2026-01-05T22:59:59Z"), "2026-01-05 23");
    equal(shown(inZone("Europe/Zurich"), "2026-01-05T23:00:00Z"), "2026-01-06 0");
    equal(shown(inZone("America/New_York"), "2026-01-05T04:59:59Z"), "2026-01-04 23");
  });

  it("leaves out an hour in spring, and counts one twice in autumn", () => {
    const zurich = inZone("Europe/Zurich");
    equal(shown(zurich, "2026-03-29T00:59:59Z"), "2026-03-29 1");
    equal(shown(zurich, "2026-03-29T01:00:00Z"), "2026-03-29 3");
    equal(shown(zurich, "2026-10-25T00:30:00Z"), "2026-10-25 2");
    equal(shown(zurich, "2026-10-25T01:30:00Z"), "2026-10-25 2");
    const spring = lengths(zurich, "2026-03-28T00:00:00Z", 72);
    equal(spring["2026-03-29"], 23);
    equal(lengths(zurich, "2026-10-24T00:00:00Z", 72)["2026-10-25"], 25);
  });

  it("knows zones of half an hour and three quarters", () => {
    equal(shown(inZone("Asia/Kolkata"), "2026-01-05T18:29:59Z"), "2026-01-05 23");
    equal(shown(inZone("Asia/Kolkata"), "2026-01-05T18:30:00Z"), "2026-01-06 0");
    equal(shown(inZone("Asia/Kathmandu"), "2026-01-05T18:15:00Z"), "2026-01-06 0");
    const kolkata = inZone("Asia/Kolkata");
    equal(kolkata.nextMidnight(at("2026-01-05T12:00:00Z")), at("2026-01-05T18:30:00Z"));
  });

  it("has no day where a country crossed the date line", () => {
    const apia = inZone("Pacific/Apia");
    equal(shown(apia, "2011-12-30T09:59:59Z"), "2011-12-29 23");
    equal(shown(apia, "2011-12-30T10:00:00Z"), "2011-12-31 0");
    equal(apia.nextMidnight(at("2011-12-30T01:00:00Z")), at("2011-12-30T10:00:00Z"));
  });

  it("goes on with the day that runs when it becomes a zone to the east", () => {
    const zone = changed("UTC", "Europe/Zurich", "2026-01-05T10:00:00Z");
    equal(zone.nameAt(at("2026-01-05T22:59:00Z")), "UTC");
    equal(shown(zone, "2026-01-05T22:59:59Z"), "2026-01-05 22");
    equal(shown(zone, "2026-01-05T23:00:00Z"), "2026-01-06 0");
    equal(zone.nameAt(at("2026-01-05T23:00:00Z")), "Europe/Zurich");
    equal(shown(zone, "2026-01-04T23:30:00Z"), "2026-01-04 23");
  });

  it("goes on with the day that runs when it becomes a zone to the west", () => {
    const zone = changed("UTC", "America/Los_Angeles", "2026-01-05T10:00:00Z");
    equal(shown(zone, "2026-01-06T00:30:00Z"), "2026-01-05 0");
    equal(shown(zone, "2026-01-06T07:59:59Z"), "2026-01-05 7");
    equal(shown(zone, "2026-01-06T08:00:00Z"), "2026-01-06 0");
    equal(zone.nextMidnight(at("2026-01-05T12:00:00Z")), at("2026-01-06T08:00:00Z"));
  });

  it("never goes back a day, whichever zone becomes which", () => {
    const names = ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kolkata", "Pacific/Honolulu"];
    for (const from of names)
      for (const to of names)
        for (let hour = 0; hour < 24; hour += 3) {
          const now = at("2026-01-05T00:20:00Z") + hour * HOUR_MS;
          const zone = new DayZone(inZone(from).changedTo(to, now));
          equal(zone.wall(now), inZone(from).wall(now));
          for (let step = 0, last = zone.today(now); step < 4 * 96; step++) {
            const today = zone.today(now + step * (HOUR_MS / 4));
            ok(today >= last, `${from} to ${to} at ${hour}`);
            last = today;
          }
          const later = now + 5 * 24 * HOUR_MS;
          equal(zone.wall(later), inZone(to).wall(later));
        }
  });

  it("may change its mind before the change is there", () => {
    const now = at("2026-01-05T10:00:00Z");
    const first = new DayZone(UTC_DAYS).changedTo("Asia/Tokyo", now);
    const back = new DayZone(new DayZone(first).changedTo("UTC", now + HOUR_MS));
    equal(shown(back, "2026-01-05T15:00:00Z"), "2026-01-05 15");
    equal(shown(back, "2026-01-06T00:00:00Z"), "2026-01-06 0");
    deepEqual(new DayZone(first).changedTo("Asia/Tokyo", now + HOUR_MS), first);
  });

  it("is called as it is written, and is no offset", () => {
    equal(dayZoneNamed("europe/zurich"), "Europe/Zurich");
    equal(dayZoneNamed("Asia/Kolkata"), "Asia/Kolkata");
    equal(dayZoneNamed("US/Pacific"), "US/Pacific");
    equal(dayZoneNamed("Etc/UTC"), "UTC");
    for (const text of ["Mars/Base", "+05:30", "", "Europe/Zurich "])
      equal(dayZoneNamed(text), undefined);
  });
});
