import assert from "node:assert/strict";
import {
  afterSetUpTask,
  DOWN_MS,
  LAST_PAGE_MS,
  MOST_TRIES,
  NO_SET_UP,
  nextSetUpTask,
  OPEN_MS,
  PATIENCE_MS,
  RETRY_MS,
  type SetUpFacts,
  type SetUpOutcome,
  type SetUpRecord,
} from "../../../appliance/box/wifi/machine.ts";
import type { JoinRequest } from "../../../appliance/box/wifi/radio.ts";

const HOME = Buffer.from("Home").toString("hex");
const WISH: JoinRequest = {
  ssid: HOME,
  password: "right password",
  country: "CH",
  isHidden: false,
};
const OWN = { name: "Tallydeck-AB23", key: "abcdefghjk", channel: 6 };
const SEEN = [{ ssid: HOME, isOpen: false, signal: -50 }];
const LATE = PATIENCE_MS + 1;

/** A box that was never set up, without a cable, with a deck. */
const facts = (change: Partial<SetUpFacts> = {}): SetUpFacts => ({
  now: LATE,
  hasRadio: true,
  isNew: true,
  canShow: true,
  hasCable: false,
  isOnline: false,
  known: null,
  phones: 0,
  offlineSince: 0,
  unjoinedSince: 0,
  downSince: null,
  makeOwn: () => OWN,
  ...change,
});

/** The set-up with its own network open since LATE. */
const OPEN: SetUpRecord = {
  ...NO_SET_UP,
  run: { until: LATE + OPEN_MS, tries: 0, isInsisted: false },
  retriedAt: LATE,
  networks: SEEN,
  own: OWN,
  isOpen: true,
};

const kindOf = (record: SetUpRecord, now: SetUpFacts) => nextSetUpTask(record, now).task?.kind;
const wakeOf = (record: SetUpRecord, now: SetUpFacts) => nextSetUpTask(record, now).wakeAt;

/** Decides, and applies the outcome of the task. */
function step(record: SetUpRecord, now: SetUpFacts, outcome: SetUpOutcome): SetUpRecord {
  const decision = nextSetUpTask(record, now);
  assert.ok(decision.task);
  return afterSetUpTask(decision.record, decision.task, outcome, now.now);
}

describe("a set-up of the Wi-Fi begins", () => {
  it("by itself where the box is new, has no cable, and shows a key", () => {
    assert.equal(kindOf(NO_SET_UP, facts()), "scan");
  });

  for (const [what, change] of Object.entries<Partial<SetUpFacts>>({
    "that has a cable": { hasCable: true, offlineSince: null },
    "that is on a Wi-Fi": { isOnline: true, offlineSince: null, unjoinedSince: null },
    "that had a network once": { isNew: false },
    "without deck and screen": { canShow: false },
    "without a radio": { hasRadio: false },
    "that has only just started": { now: PATIENCE_MS - 1 },
  }))
    it(`not on a box ${what}`, () => {
      assert.equal(kindOf(NO_SET_UP, facts(change)), undefined);
    });

  it("on a press, once the known network had its time", () => {
    const asked = { ...NO_SET_UP, isAsked: true };
    const later = { isNew: false, known: HOME, offlineSince: 100_000, unjoinedSince: 100_000 };
    assert.equal(kindOf(asked, facts({ ...later, now: 100_001 })), undefined);
    assert.equal(kindOf(asked, facts({ ...later, now: 100_000 + PATIENCE_MS })), "scan");
  });

  it("on no press that a network has answered", () => {
    const asked = { ...NO_SET_UP, isAsked: true };
    const { record } = nextSetUpTask(
      asked,
      facts({ isOnline: true, offlineSince: null, unjoinedSince: null }),
    );
    assert.equal(record.isAsked, false);
  });

  const online = { isOnline: true, offlineSince: null, unjoinedSince: null };

  it("where the card or a jumper asks, although the known network has answered", () => {
    const insisted = { ...NO_SET_UP, insistedAt: 0 };
    const there = { ...online, isNew: false, known: HOME };
    assert.equal(kindOf(insisted, facts({ ...there, now: PATIENCE_MS - 1 })), undefined);
    const begun = step(insisted, facts(there), { kind: "scanned", networks: SEEN, heard: [] });
    const opened = step(begun, facts(there), { kind: "opened" });
    // It is the owner's time: the known network ends it no more than it stops it.
    const later = facts({ isNew: false, known: HOME, now: LATE + RETRY_MS });
    assert.equal(wakeOf(opened, later), LATE + OPEN_MS);
    const form = { wish: WISH, at: LATE };
    const failed = step({ ...opened, isOpen: false, form }, later, {
      kind: "ended",
      end: { joined: false, reason: "not-accepted" },
    });
    assert.equal(kindOf(failed, facts({ ...there, now: LATE + RETRY_MS })), "open");
    const over = nextSetUpTask(failed, facts({ ...there, now: LATE + RETRY_MS + OPEN_MS }));
    assert.deepEqual([over.task, over.record.run, over.record.insistedAt], [undefined, null, null]);
  });

  it("by nothing that insists beside a cable, or that nobody could see for a quarter of an hour", () => {
    const insisted = { ...NO_SET_UP, insistedAt: 0 };
    for (const change of [
      { ...online, hasCable: true, isOnline: false },
      { ...online, canShow: false, now: OPEN_MS },
    ]) {
      const { task, record } = nextSetUpTask(
        insisted,
        facts({ isNew: false, known: HOME, ...change }),
      );
      assert.deepEqual([task, record.insistedAt], [undefined, null]);
    }
    const dark = { isNew: false, known: HOME, canShow: false };
    assert.equal(nextSetUpTask(insisted, facts({ ...dark, ...online })).record.insistedAt, 0);
    // Without a network it waits for a deck as long as a press would.
    const late = nextSetUpTask(insisted, facts({ ...dark, now: OPEN_MS })).record;
    assert.equal(kindOf(late, facts({ ...dark, canShow: true, now: OPEN_MS })), "scan");
  });

  it("never again by itself after its time, but on a press, with another name", () => {
    const over = nextSetUpTask(OPEN, facts({ now: LATE + OPEN_MS }));
    assert.deepEqual([over.task?.kind, over.record.run, over.record.isOver], ["close", null, true]);
    const closed = afterSetUpTask(over.record, { kind: "close" }, { kind: "closed" }, 0);
    const later = facts({ now: LATE + 2 * OPEN_MS });
    assert.equal(kindOf(closed, later), undefined);
    const again = nextSetUpTask({ ...closed, isAsked: true }, later);
    assert.deepEqual(
      [again.task?.kind, again.record.own, again.record.isOver],
      ["scan", null, false],
    );
  });

  it("never because a known network is gone: that is tried, for the reason", () => {
    const away = facts({ isNew: false, known: HOME });
    const after = step(NO_SET_UP, away, {
      kind: "ended",
      end: { joined: false, reason: "not-accepted" },
    });
    assert.deepEqual(after.trouble, {
      reason: "not-accepted",
      ssid: HOME,
      at: LATE,
      isOfChange: false,
    });
    assert.equal(wakeOf(after, away), LATE + RETRY_MS);
    assert.equal(kindOf(after, { ...away, now: LATE + RETRY_MS }), "rejoin");
  });
});

describe("a known network that is not joined", () => {
  const known = { isNew: false, known: HOME };
  const refused = { kind: "ended", end: { joined: false, reason: "not-accepted" } } as const;

  it("is tried once beside a cable, for the reason", () => {
    const cabled = facts({ ...known, hasCable: true, offlineSince: null });
    const after = step(NO_SET_UP, cabled, refused);
    assert.equal(after.trouble?.reason, "not-accepted");
    assert.deepEqual(nextSetUpTask(after, { ...cabled, now: LATE + RETRY_MS }).task, undefined);
  });

  it("is told with the time since when, while the reason is the same", () => {
    const first = step(NO_SET_UP, facts(known), refused);
    const now = LATE + RETRY_MS;
    const same = step(first, facts({ ...known, now }), refused);
    assert.equal(same.trouble, first.trouble);
    const other = step(same, facts({ ...known, now: now + RETRY_MS }), {
      kind: "ended",
      end: { joined: false, reason: "not-found" },
    });
    assert.equal(other.trouble?.at, now + RETRY_MS);
  });

  it("is no trouble any more once it is back", () => {
    const after = step(NO_SET_UP, facts(known), refused);
    const back = facts({ ...known, isOnline: true, offlineSince: null, unjoinedSince: null });
    const { trouble, joined } = nextSetUpTask(after, back).record;
    assert.deepEqual([trouble, joined], [null, { ssid: HOME, hasInternet: null }]);
  });

  it("is joined where iwd has joined it by itself, and that is what is known of it", () => {
    const there = facts({ ...known, isOnline: true, offlineSince: null, unjoinedSince: null });
    const { joined } = nextSetUpTask(NO_SET_UP, there).record;
    assert.deepEqual(joined, { ssid: HOME, hasInternet: null });
    const before = { ssid: "00", hasInternet: true };
    const kept = nextSetUpTask({ ...NO_SET_UP, joined: before }, there).record;
    assert.equal(kept.joined, before, "one that could not be kept");
  });
});

describe("a set-up of the Wi-Fi goes on", () => {
  it("from the scan to its own network, and waits for a form", () => {
    const heard = [{ frequency: 2_412, signal: -41 }];
    const scanned = step(NO_SET_UP, facts(), { kind: "scanned", networks: SEEN, heard });
    let isFor: unknown;
    const makeOwn: SetUpFacts["makeOwn"] = (found) => {
      isFor = found;
      return OWN;
    };
    const opened = step(scanned, facts({ makeOwn }), { kind: "opened" });
    assert.deepEqual(isFor, heard);
    assert.deepEqual([opened.own, opened.isOpen], [OWN, true]);
    assert.equal(wakeOf(opened, facts()), LATE + OPEN_MS);
  });

  it("with an empty list where the scan failed", () => {
    assert.deepEqual(step(NO_SET_UP, facts(), { kind: "failed" }).networks, []);
  });

  it("no further where the own network does not open: what is left closes, a press begins again", () => {
    const failed = step({ ...OPEN, isOpen: false }, facts(), { kind: "failed" });
    assert.deepEqual([failed.run, failed.isOver, kindOf(failed, facts())], [null, true, "close"]);
  });

  it("through its own network again, by the same name and key, where that is down for a while", () => {
    const down = facts({ downSince: LATE });
    assert.equal(wakeOf(OPEN, down), LATE + DOWN_MS);
    const late = { ...down, now: LATE + DOWN_MS };
    const closed = step(OPEN, late, { kind: "closed" });
    assert.deepEqual(nextSetUpTask(closed, { ...late, downSince: null }).task, {
      kind: "open",
      own: OWN,
    });
  });

  it("from a form, after its last page, over a closed network, to a join that is kept", () => {
    const sent = { ...OPEN, form: { wish: WISH, at: LATE } };
    assert.equal(wakeOf(sent, facts()), LATE + LAST_PAGE_MS);
    const then = facts({ now: LATE + LAST_PAGE_MS });
    const closed = step(sent, then, { kind: "closed" });
    assert.deepEqual(nextSetUpTask(closed, then).task, {
      kind: "join",
      wish: WISH,
      isChange: false,
    });
    const done = step(closed, then, { kind: "ended", end: { joined: true, hasInternet: false } });
    assert.deepEqual(
      [done.run, done.form, done.joined],
      [null, null, { ssid: HOME, hasInternet: false }],
    );
    assert.equal(kindOf(done, facts({ isOnline: true, isNew: false, known: HOME })), undefined);
  });

  for (const reason of ["not-accepted", "not-found", "no-address", "failed"] as const)
    it(`back to its own network, as it was, after a join that ended with ${reason}`, () => {
      const sent = { ...OPEN, isOpen: false, form: { wish: WISH, at: LATE } };
      const back = step(sent, facts(), { kind: "ended", end: { joined: false, reason } });
      assert.equal(back.trouble?.reason, reason);
      assert.deepEqual(nextSetUpTask(back, facts()).task, { kind: "open", own: OWN });
      assert.deepEqual([back.networks, back.run?.tries], [SEEN, 1]);
    });

  it("with its whole time from a failed join on", () => {
    const sent = { ...OPEN, isOpen: false, form: { wish: WISH, at: LATE } };
    const now = LATE + OPEN_MS - 1;
    const back = step(sent, facts({ now }), {
      kind: "ended",
      end: { joined: false, reason: "failed" },
    });
    assert.equal(back.run?.until, now + OPEN_MS);
  });

  it("to its end after five forms", () => {
    const tried = { ...OPEN, run: { until: LATE + OPEN_MS, tries: MOST_TRIES, isInsisted: false } };
    const { task, record } = nextSetUpTask(tried, facts());
    assert.deepEqual([task?.kind, record.isOver], ["close", true]);
  });

  it("through a new look, over a closed network", () => {
    const looking = { ...OPEN, networks: null };
    const closed = step(looking, facts(), { kind: "closed" });
    assert.equal(kindOf(closed, facts()), "scan");
    const scanned = step(closed, facts(), { kind: "scanned", networks: [], heard: [] });
    assert.deepEqual(nextSetUpTask(scanned, facts()).task, { kind: "open", own: OWN });
  });

  it("to its end with a cable, or with a network that came back", () => {
    const cable = nextSetUpTask(OPEN, facts({ hasCable: true }));
    assert.deepEqual([cable.task?.kind, cable.record.run], ["close", null]);
    const back = nextSetUpTask({ ...OPEN, isOpen: false }, facts({ isOnline: true }));
    assert.deepEqual([back.task, back.record.run], [undefined, null]);
    const ours = nextSetUpTask(OPEN, facts({ isOnline: true }));
    assert.ok(ours.record.run);
  });

  it("no further with a form of which a cable came in between", () => {
    const sent = { ...OPEN, form: { wish: WISH, at: LATE } };
    assert.equal(nextSetUpTask(sent, facts({ hasCable: true })).record.form, null);
  });
});

describe("a known network, in a set-up", () => {
  const known = { known: HOME, isNew: false };
  const due = facts({ ...known, now: LATE + RETRY_MS });

  it("is tried every two minutes, over a closed network, which then comes back", () => {
    assert.equal(wakeOf(OPEN, facts(known)), LATE + RETRY_MS);
    const closed = step(OPEN, due, { kind: "closed" });
    const back = step(closed, due, { kind: "ended", end: { joined: false, reason: "not-found" } });
    assert.deepEqual(nextSetUpTask(back, due).task, { kind: "open", own: OWN });
    assert.equal(back.trouble, null);
    const opened = step(back, due, { kind: "opened" });
    assert.equal(wakeOf(opened, due), LATE + 2 * RETRY_MS);
  });

  it("is not tried while a phone is on the own network", () => {
    assert.equal(kindOf(OPEN, { ...due, phones: 1 }), undefined);
  });

  it("ends it", () => {
    const closed = step(OPEN, due, { kind: "closed" });
    const joined = { joined: true, hasInternet: true } as const;
    assert.equal(step(closed, due, { kind: "ended", end: joined }).run, null);
  });
});

describe("the owner's change in the Web UI", () => {
  const change = { ...NO_SET_UP, change: WISH };
  const online = facts({
    isOnline: true,
    offlineSince: null,
    unjoinedSince: null,
    isNew: false,
    known: HOME,
  });

  it("is tried at once", () => {
    assert.deepEqual(nextSetUpTask(change, online).task, {
      kind: "join",
      wish: WISH,
      isChange: true,
    });
  });

  it("opens nothing where it fails", () => {
    const back = step(change, online, {
      kind: "ended",
      end: { joined: false, reason: "no-address" },
    });
    assert.deepEqual([back.change, back.run, back.trouble?.reason], [null, null, "no-address"]);
    assert.equal(kindOf(back, online), "rejoin");
  });

  for (const [where, at] of [
    ["", facts({ isNew: false, known: HOME })],
    [" beside a cable", facts({ isNew: false, known: HOME, hasCable: true, offlineSince: null })],
  ] as const)
    it(`leads back at once where it fails, until it is back${where}, and says why`, () => {
      const failed = step(change, at, {
        kind: "ended",
        end: { joined: false, reason: "not-accepted" },
      });
      assert.deepEqual(nextSetUpTask(failed, at).task, { kind: "rejoin", ssid: HOME });
      const away = step(failed, at, {
        kind: "ended",
        end: { joined: false, reason: "not-found" },
      });
      assert.equal(wakeOf(away, at), LATE + RETRY_MS);
      const due = { ...at, now: LATE + RETRY_MS };
      assert.equal(kindOf(away, due), "rejoin");
      const joined = { kind: "ended", end: { joined: true, hasInternet: true } } as const;
      for (const [before, then] of [
        [failed, at],
        [away, due],
      ] as const) {
        const back = step(before, then, joined);
        const isOnline = { isOnline: true, offlineSince: null, unjoinedSince: null };
        const { task, record } = nextSetUpTask(back, { ...then, ...isOnline });
        assert.deepEqual([task, record.joined?.ssid], [undefined, HOME]);
      }
      assert.equal(step(failed, at, joined).trouble?.reason, "not-accepted");
    });

  it("leads nowhere back where no network is known", () => {
    const at = facts({ isNew: false, hasCable: true, offlineSince: null });
    const end = { joined: false, reason: "not-found" } as const;
    assert.equal(kindOf(step(change, at, { kind: "ended", end }), at), undefined);
  });

  it("ends a set-up", () => {
    const { record, task } = nextSetUpTask({ ...OPEN, change: WISH }, facts());
    assert.deepEqual([record.run, task?.kind], [null, "close"]);
  });
});

describe("a program that was killed with its own network open", () => {
  it("closes it first", () => {
    const found = { ...NO_SET_UP, isOpen: true };
    assert.equal(
      kindOf(found, facts({ isOnline: true, offlineSince: null, unjoinedSince: null })),
      "close",
    );
    const failed = step(found, facts({ now: 0 }), { kind: "failed" });
    assert.equal(kindOf(failed, facts({ now: 0 })), "close", "until it is closed");
  });
});
