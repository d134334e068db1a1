import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { TaskRunner } from "../../../appliance/base/tasks/task-runner.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

const MINUTE_MS = 60_000;
const LONGEST_MS = 10 * MINUTE_MS;

/** Which task was begun last, and how those of before ended. */
interface Kept {
  readonly begun: string | null;
  readonly ended: readonly string[];
}

const FIRST: Kept = { begun: null, ended: [] };

/** Does what is planned, one after the other, each at its time. */
class Works {
  readonly clock = new FakeClock("2026-03-04T12:00:00Z");
  /** Remaining tasks, with their earliest times. */
  plan: { name: string; at?: number }[] = [];
  /** The work of each task; none unless given. */
  does: Record<string, (signal: AbortSignal) => Promise<string>> = {};
  /** Every task that was run. */
  readonly ran: string[] = [];
  readonly errors: unknown[] = [];
  /** The number of reports. */
  told = 0;
  /** The record on the disk. */
  disk = JSON.stringify(FIRST);
  isFull = false;
  isLeft = false;
  isDoneUnnoted = true;
  /** Throws instead of bringing the record up to date. */
  isBroken = false;
  writing: Promise<void> = Promise.resolve();
  runner = this.begin();

  begin(): TaskRunner<Kept, string, string> {
    const works = this;
    const record = {
      now: JSON.parse(this.disk) as Kept,
      async save(kept: Kept): Promise<boolean> {
        record.now = kept;
        await works.writing;
        if (!works.isFull) works.disk = JSON.stringify(kept);
        return !works.isFull;
      },
    };
    this.runner = new TaskRunner<Kept, string, string>({
      clock: this.clock,
      record,
      next: (kept) => {
        const next = works.plan.find(({ name }) => !kept.ended.some((end) => end.startsWith(name)));
        if (next === undefined) return { record: kept };
        const { name, at = 0 } = next;
        return at <= works.clock.now()
          ? { record: kept, task: name }
          : { record: kept, wakeAt: at };
      },
      before: (kept, task) => (task.startsWith("look") ? kept : { ...kept, begun: task }),
      after: ({ ended }, task, outcome) => {
        if (works.isBroken) throw new Error("the machine is broken");
        return { begun: null, ended: [...ended, `${task}: ${outcome}`] };
      },
      run: async (task, signal) => {
        works.ran.push(task);
        return (await works.does[task]?.(signal)) ?? "done";
      },
      failed: () => "failed",
      stopped: "stopped",
      onError: (error) => works.errors.push(error),
      isDoneUnnoted: () => works.isDoneUnnoted,
      isLeft: this.isLeft,
      longestSleepMs: LONGEST_MS,
      told: () => {
        works.told += 1;
      },
    });
    return this.runner;
  }

  get kept(): Kept {
    return JSON.parse(this.disk);
  }

  async wake(): Promise<void> {
    this.runner.wake();
    await turn();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await turn();
  }

  /** A task of that name runs until it is let go, or is stopped. */
  hold(name: string): { end: (outcome?: string) => Promise<void> } {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.does[name] = (signal) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      return promise;
    };
    return {
      end: async (outcome = "done") => {
        resolve(outcome);
        await turn();
      },
    };
  }
}

describe("A runner of tasks", () => {
  let works: Works;
  beforeEach(() => {
    works = new Works();
  });

  it("does one after the other, as the machine says", async () => {
    works.plan = [{ name: "look" }, { name: "fetch" }];
    const held = works.hold("look");
    await works.wake();
    await works.wake();
    assert.deepEqual(works.ran, ["look"]);
    assert.equal(works.runner.task, "look");
    await held.end("seen");
    assert.deepEqual(works.kept.ended, ["look: seen", "fetch: done"]);
    assert.equal(works.runner.task, undefined);
  });

  it("waits until the time that the machine says", async () => {
    works.plan = [{ name: "look", at: works.clock.now() + 5 * MINUTE_MS }];
    await works.wake();
    await works.pass(5 * MINUTE_MS - 1);
    assert.deepEqual(works.ran, []);
    await works.pass(1);
    assert.deepEqual(works.ran, ["look"]);
  });

  it("notices a clock that was set within its longest sleep", async () => {
    works.plan = [{ name: "look", at: works.clock.now() + 1_000 * MINUTE_MS }];
    await works.wake();
    works.clock.setWall("2027-03-04T12:00:00Z");
    await works.pass(LONGEST_MS);
    assert.deepEqual(works.ran, ["look"]);
  });

  it("sleeps on where nothing is due by the time, until it is woken", async () => {
    await works.wake();
    assert.equal(works.clock.timers, 0);
    works.plan = [{ name: "look" }];
    await works.wake();
    assert.deepEqual(works.ran, ["look"]);
  });

  it("sleeps once, however often it is woken", async () => {
    works.plan = [{ name: "look", at: works.clock.now() + MINUTE_MS }];
    for (let i = 0; i < 3; i += 1) await works.wake();
    assert.equal(works.clock.timers, 1);
  });

  it("says when it has decided", async () => {
    works.plan = [{ name: "look" }];
    await works.wake();
    assert.equal(works.told, 2);
  });

  it("writes down what leaves something behind before it is begun", async () => {
    works.plan = [{ name: "send" }];
    works.does.send = async () => works.kept.begun ?? "nothing";
    await works.wake();
    assert.deepEqual(works.kept.ended, ["send: send"]);
  });

  it("goes on by what it wrote where it was cut off in the middle", async () => {
    works.plan = [{ name: "send" }];
    works.hold("send");
    await works.wake();
    const before = works.kept;
    // Without a word to it.
    works.does = {};
    works.begin();
    assert.deepEqual(before, { begun: "send", ended: [] });
    await works.wake();
    assert.deepEqual(works.kept.ended, ["send: done"]);
  });

  it("does not begin what cannot be remembered, where that counts", async () => {
    works.plan = [{ name: "send" }];
    works.isFull = true;
    works.isDoneUnnoted = false;
    await works.wake();
    assert.deepEqual(works.ran, []);
    assert.deepEqual(works.errors, []);
  });

  it("does all the same what must be done, remembered or not", async () => {
    works.plan = [{ name: "send" }];
    works.isFull = true;
    await works.wake();
    await works.wake();
    assert.deepEqual(works.ran, ["send"]);
  });

  it("stops a task, and goes on with what is next then", async () => {
    works.plan = [{ name: "fetch" }, { name: "look" }];
    works.hold("fetch");
    await works.wake();
    works.runner.stop();
    await turn();
    assert.deepEqual(works.kept.ended, ["fetch: stopped", "look: done"]);
    assert.deepEqual(works.errors, []);
  });

  it("begins nothing that is stopped while its note is being written", async () => {
    works.plan = [{ name: "send" }];
    const { promise, resolve } = Promise.withResolvers<void>();
    works.writing = promise;
    await works.wake();
    works.runner.stop();
    resolve();
    await turn();
    assert.deepEqual([works.ran, works.kept.ended], [[], ["send: stopped"]]);
  });

  it("believes a task that was stopped and says that it is done", async () => {
    works.plan = [{ name: "fetch" }];
    const { promise, resolve } = Promise.withResolvers<string>();
    works.does.fetch = () => promise;
    await works.wake();
    works.runner.stop();
    await turn();
    assert.equal(works.runner.task, "fetch");
    resolve("whole");
    await turn();
    assert.deepEqual(works.kept.ended, ["fetch: whole"]);
  });

  it("waits for no task that may be left once it is stopped", async () => {
    works.isLeft = true;
    works.begin();
    works.plan = [{ name: "ask" }, { name: "look" }];
    works.does.ask = () => new Promise(() => {});
    await works.wake();
    works.runner.stop();
    await turn();
    assert.deepEqual(works.kept.ended, ["ask: stopped", "look: done"]);
  });

  it("closes in the middle of a task, and writes nothing more of it", async () => {
    works.plan = [{ name: "send" }, { name: "look" }];
    works.hold("send");
    await works.wake();
    await works.runner.close();
    assert.deepEqual(works.kept, { begun: "send", ended: [] });
    await works.wake();
    await works.pass(LONGEST_MS);
    await works.runner.ask("look");
    assert.deepEqual(works.ran, ["send"]);
  });

  it("closes once a task that does not let itself be stopped is done, and remembers it", async () => {
    works.plan = [{ name: "fetch" }];
    const { promise, resolve } = Promise.withResolvers<string>();
    works.does.fetch = () => promise;
    await works.wake();
    let isClosed = false;
    const closing = works.runner.close().then(() => {
      isClosed = true;
    });
    await turn();
    assert.equal(isClosed, false);
    resolve("whole");
    await closing;
    assert.deepEqual(works.kept.ended, ["fetch: whole"]);
  });

  it("closes while it sleeps, and wakes no more", async () => {
    works.plan = [{ name: "look", at: works.clock.now() + MINUTE_MS }];
    await works.wake();
    await works.runner.close();
    assert.equal(works.clock.timers, 0);
  });

  it("takes a task that throws for failed, and rests for a minute", async () => {
    works.plan = [{ name: "fetch" }, { name: "look" }];
    works.does.fetch = () => Promise.reject(new Error("no network"));
    await works.wake();
    assert.deepEqual([works.kept.ended, works.errors.length], [["fetch: failed"], 1]);
    await works.pass(MINUTE_MS - 1);
    await works.wake();
    assert.deepEqual(works.ran, ["fetch"]);
    await works.pass(1);
    assert.deepEqual(works.ran, ["fetch", "look"]);
  });

  it("rests, too, where a record cannot be brought up to date", async () => {
    works.plan = [{ name: "look" }];
    works.isBroken = true;
    await works.wake();
    assert.deepEqual([works.ran, works.errors.length], [["look"], 1]);
    works.isBroken = false;
    await works.pass(MINUTE_MS);
    assert.deepEqual(works.kept.ended, ["look: done"]);
  });

  it("does what somebody asks for, once what runs has ended", async () => {
    works.plan = [{ name: "fetch" }];
    const held = works.hold("fetch");
    await works.wake();
    let isDone = false;
    void works.runner.ask("look").then(() => {
      isDone = true;
    });
    await turn();
    assert.deepEqual(works.ran, ["fetch"]);
    await held.end();
    assert.deepEqual([works.ran, isDone], [["fetch", "look"], true]);
  });

  it("does it while it rests", async () => {
    works.plan = [{ name: "fetch" }];
    works.does.fetch = () => Promise.reject(new Error("no network"));
    await works.wake();
    await works.runner.ask("look");
    assert.deepEqual(works.kept.ended, ["fetch: failed", "look: done"]);
  });
});
