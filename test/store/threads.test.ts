import assert from "node:assert/strict";
import { COMMITTER, READER_MEMORY_MB, readerOf } from "../../appliance/store/threads/kinds.ts";
import { ownThreads, threadsAhead } from "../../appliance/store/threads/threads.ts";

describe("threads that are started ahead", () => {
  it("are there before they are asked for, each once", async () => {
    const ahead = threadsAhead([COMMITTER, readerOf(READER_MEMORY_MB)]);
    const later = ownThreads.start(COMMITTER);
    const asked = [COMMITTER, readerOf(READER_MEMORY_MB), COMMITTER].map(ahead.start);
    const isAhead = asked.map(({ threadId }) => threadId < later.threadId);
    await Promise.all([later, ...asked].map(ownThreads.end));
    assert.deepEqual(isAhead, [true, true, false]);
  });

  it("are given to nobody who wants them otherwise", async () => {
    const ahead = threadsAhead([COMMITTER, readerOf(READER_MEMORY_MB)]);
    const later = ownThreads.start(COMMITTER);
    const smaller = ahead.start(readerOf(READER_MEMORY_MB / 2));
    const isAhead = smaller.threadId < later.threadId;
    await Promise.all([later, smaller].map(ownThreads.end));
    assert.equal(isAhead, false);
  });
});
