import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../appliance/base/release/manifest.ts";
import { Minisign } from "../../test/helpers/minisign.ts";
import { madeRelease } from "../../test/helpers/release.ts";
import type { Box } from "./box.ts";
import { BOARDS } from "./releases.ts";
import { type Updates, upload, viewOf } from "./update-run.ts";

/** A file that no box may take, and what it says of it. */
interface Bad {
  readonly name: string;
  readonly said?: Partial<Manifest>;
  readonly isStrangers?: boolean;
  readonly spoil?: (bundle: Buffer) => Buffer;
  readonly sentence: RegExp;
}

const MIB = 1 << 20;
const HASH = "0".repeat(64);

const BAD: readonly Bad[] = [
  {
    name: "nobody signed",
    spoil: changed("Counts faster", "Counts lower!"),
    sentence: /signature/i,
  },
  { name: "somebody else signed", isStrangers: true, sentence: /signed with the key/ },
  { name: "is of another product", said: { product: "tallyduck" }, sentence: /of tallyduck/ },
  {
    name: "is for other boards",
    said: { boards: ["acme,board"] },
    sentence: /not made for this board/,
  },
  {
    name: "is no newer",
    said: { release: 1, version: "0.0.9" },
    sentence: /running already|not newer/,
  },
  { name: "follows one in between", said: { from: 7 }, sentence: /in between/ },
  { name: "is not what it says", spoil: changed("rootroot", "rootr00t"), sentence: /damaged/ },
  { name: "is cut", spoil: (bundle) => bundle.subarray(0, bundle.length / 2), sentence: /cut/ },
  {
    name: "is larger than a slot",
    said: {
      files: {
        "root.img": { size: 600 * MIB, sha256: HASH },
        "boot.tar.zst": { size: 1, sha256: HASH },
      },
    },
    sentence: /root\.img|made wrongly/,
  },
  {
    name: "is no release at all",
    spoil: () => Buffer.from("hello"),
    sentence: /no release|cut|damaged/,
  },
];

/** Each is refused in one sentence, and nothing is changed. */
export async function checkBadBundles(updates: Updates, box: Box): Promise<void> {
  const { checks, work, workshop, next } = updates;
  const file = join(work, "bad.tallydeck");
  for (const { name, said, isStrangers, spoil, sentence } of BAD)
    await checks.check(`refuses a file that ${name}`, async () => {
      const signer = isStrangers ? new Minisign() : workshop.signer;
      const number = { release: next.release, version: next.version, boards: BOARDS, from: 1 };
      const { bundle } = madeRelease(signer, { ...number, ...said });
      writeFileSync(file, spoil?.(bundle) ?? bundle);
      return await isRefused(box, file, sentence);
    });

  await checks.check("refuses a release for which the data partition has no room", async () => {
    const { shell } = box.machine;
    const fill =
      "fallocate -l $(($(df --output=avail -B1 /data | tail -n 1) - 20000000)) /data/fill";
    assert.equal((await shell.run(fill)).status, 0);
    try {
      return await isRefused(box, next.file, /space|room|free/);
    } finally {
      await shell.run("rm /data/fill");
    }
  });
  await checks.check("still takes a good one", () => upload(box, next));
}

async function isRefused(box: Box, file: string, sentence: RegExp): Promise<string> {
  const before = await viewOf(box);
  const answer = await box.upload("/api/update/file", file);
  const text = answer.body.toString();
  assert.ok(answer.status >= 400, text);
  assert.match(answer.json.error, sentence);
  const after = await viewOf(box);
  assert.deepEqual([after.running, after.ready], [before.running, before.ready]);
  return `${answer.status} ${text}`;
}

/** Other bytes in the place of some, and as many. */
function changed(from: string, to: string): (bundle: Buffer) => Buffer {
  return (bundle) => {
    const at = bundle.indexOf(from);
    assert.ok(at > 0 && from.length === to.length);
    const copy = Buffer.from(bundle);
    copy.write(to, at);
    return copy;
  };
}
