import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { WebdavSettings } from "../../../../appliance/links/backups/settings.ts";
import { filesIn } from "../../../../appliance/links/backups/targets/listing.ts";
import { TargetProblem } from "../../../../appliance/links/backups/targets/target.ts";
import { WebdavTarget } from "../../../../appliance/links/backups/targets/webdav.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { until } from "../../../helpers/until.ts";
import { WebdavServer } from "../../../helpers/webdav-server.ts";

const { signal } = new AbortController();

function targetAt(settings: Partial<WebdavSettings>, clock = new FakeClock()): WebdavTarget {
  const given = { url: "", user: "", password: "", ca: "", ...settings };
  return new WebdavTarget({ settings: given, clock, userAgent: "Tallydeck/test" });
}

async function assertProblem(work: Promise<unknown>, said: RegExp): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof TargetProblem, String(error));
    assert.match(error.message, said);
    return true;
  });
}

async function read(target: WebdavTarget, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of target.read(name, signal)) parts.push(part);
  return Buffer.concat(parts);
}

describe("a folder of a real WebDAV server", () => {
  let server: WebdavServer;
  before(async () => {
    server = await WebdavServer.start();
  });
  after(() => server.end());
  const settings = (folder: string) => {
    const { user, password, ca } = server;
    return { url: server.url(folder), user, password, ca };
  };

  it("is made, and takes backups", async () => {
    const target = targetAt(settings("tally"));
    assert.deepEqual(await target.list(signal), []);
    const content = randomBytes(3_000_000);
    await target.write(
      "a.part",
      Readable.from([content.subarray(0, 1_000), content.subarray(1_000)]),
      content.length,
      signal,
    );
    assert.ok((await read(target, "a.part")).equals(content));
    await target.rename("a.part", "a b&c.db", signal);
    assert.deepEqual(await target.list(signal), [{ name: "a b&c.db", bytes: content.length }]);
    assert.ok(readFileSync(join(server.files, "tally", "a b&c.db")).equals(content));
    await target.remove("a b&c.db", signal);
    await target.remove("a b&c.db", signal);
    assert.deepEqual(readdirSync(join(server.files, "tally")), []);
  });

  it("keeps a file that is there, whether another is written or named so", async () => {
    const target = targetAt(settings("kept"));
    await target.list(signal);
    for (const name of ["a", "b"]) await target.write(name, Readable.from([name]), 1, signal);
    await assertProblem(target.write("a", Readable.from(["x"]), 1, signal), /there already/);
    await assertProblem(target.rename("b", "a", signal), /there already/);
    assert.equal(readFileSync(join(server.files, "kept", "a"), "utf8"), "a");
  });

  it("tells of a wrong password, a folder without one above, and a file in its place", async () => {
    await assertProblem(
      targetAt({ ...settings(""), password: "wrong" }).list(signal),
      /^localhost:\d+ does not take this user and password/,
    );
    await assertProblem(
      targetAt(settings("none/here")).list(signal),
      /folder above this one is not there/,
    );
    writeFileSync(join(server.files, "file"), "");
    await assertProblem(
      targetAt(settings("file")).list(signal),
      /refuses the backup \(status 400\)\. Check the address/,
    );
    await assertProblem(read(targetAt(settings("")), "nothing"), /There is no WebDAV folder/);
    assert.equal(existsSync(join(server.files, "none")), false);
  });

  it("is not asked where nobody vouches for its certificate", async () => {
    await assertProblem(
      targetAt({ ...settings(""), ca: "" }).list(signal),
      /could not be asked: the server's certificate is not trusted/,
    );
  });
});

describe("a server with faults", () => {
  let server: Server;
  let url: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const heard: IncomingMessage[] = [];
  beforeEach(async () => {
    heard.length = 0;
    answer = (_, response) => response.writeHead(207).end("<multistatus></multistatus>");
    server = createServer((request, response) => {
      heard.push(request);
      answer(request, response);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dav`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [status, said] of [
    [301, /leads to another one\. Give that instead/],
    [401, /does not take this user and password/],
    [403, /does not let this user write/],
    [405, /There is no WebDAV folder/],
    [413, /takes no file as large/],
    [423, /is locked/],
    [429, /\(status 429\)\. It is tried again/],
    [500, /\(status 500\)\. It is tried again/],
    [507, /is full, or your share of it\. Make room there/],
    [200, /refuses the backup \(status 200\)/],
  ] as const)
    it(`that answers ${status} is told in a sentence, without its own words`, async () => {
      answer = (_, response) => {
        response.writeHead(status, { location: "http://127.0.0.1:1/else" });
        response.end("<b>hostile words</b>".repeat(10_000));
      };
      const target = targetAt({ url });
      await assertProblem(target.list(signal), said);
      if (status !== 200)
        await assertProblem(target.write("a", Readable.from(["x"]), 1, signal), said);
      assert.ok(heard.length <= 2, "it follows no redirect");
    });

  it("that takes Digest authentication alone is told", async () => {
    answer = (_, response) => {
      response.writeHead(401, {
        "www-authenticate": 'Digest realm="basic", nonce="a", qop="auth"',
      });
      response.end();
    };
    const target = targetAt({ url, user: "me", password: "secret" });
    await assertProblem(target.list(signal), /wants Digest authentication.*Switch Basic/);
  });

  it("is told a token where there is no user", async () => {
    await targetAt({ url, password: "secret" }).list(signal);
    assert.equal(heard[0]?.headers.authorization, "Bearer secret");
    await targetAt({ url, user: "me", password: "pass:word" }).list(signal);
    assert.equal(heard[1]?.headers.authorization, `Basic ${btoa("me:pass:word")}`);
    await targetAt({ url }).list(signal);
    assert.equal(heard[2]?.headers.authorization, undefined);
  });

  it("that lists without end is not listened to", async () => {
    answer = (_, response) => {
      response.writeHead(207);
      const more = () => {
        while (!response.destroyed && response.write("<response></response>".repeat(10_000)));
      };
      response.on("drain", more);
      more();
    };
    await assertProblem(targetAt({ url }).list(signal), /the answer was too large/);
  });

  it("that stops in the middle is told after two minutes without progress", async () => {
    answer = (request) => void request.resume();
    const clock = new FakeClock();
    const listed = assertProblem(targetAt({ url }, clock).list(signal), /no answer in time/);
    await until(() => heard.length === 1);
    clock.advance(121_000);
    await listed;
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half");
    };
    const reading = assertProblem(read(targetAt({ url }, clock), "a"), /no answer in time/);
    await until(() => heard.length === 2);
    await new Promise((done) => setTimeout(done, 50));
    clock.advance(121_000);
    await reading;
  });

  it("that cuts off a file is told", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half", () => response.destroy());
    };
    await assertProblem(read(targetAt({ url }), "a"), /broke before the answer was whole/);
  });

  it("that is not there is told", async () => {
    server.close();
    await assertProblem(targetAt({ url }).list(signal), /the connection was refused/);
  });
});

describe("a list of files", () => {
  const response = (href: string, rest = "<d:getcontentlength>5</d:getcontentlength>") =>
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${rest}</d:prop></d:propstat></d:response>`;
  const list = (...responses: string[]) =>
    filesIn(
      Buffer.from(
        `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${responses.join("")}</d:multistatus>`,
      ),
    );

  it("has names as they are, without folders", () => {
    assert.deepEqual(
      list(
        response("/dav/", "<d:resourcetype><d:collection/></d:resourcetype>"),
        response("/dav/a%20b&amp;c.db"),
        response("https://host/dav/b.db"),
        response("/dav/folder/"),
        response("/dav/c.db", "<d:getcontentlength>-1</d:getcontentlength>"),
        response("/dav/%zz"),
      ),
      [
        { name: "a b&c.db", bytes: 5 },
        { name: "b.db", bytes: 5 },
      ],
    );
  });

  it("is none where it declares anything, is something else, or has no end", () => {
    const entity = "<!DOCTYPE x [<!ENTITY a 'b'>]><multistatus></multistatus>";
    assert.equal(filesIn(Buffer.from(entity)), undefined);
    assert.equal(filesIn(Buffer.from("<html></html>")), undefined);
    assert.equal(list(...Array.from({ length: 10_001 }, () => response("/a"))), undefined);
  });

  it("has files between comments, in empty elements and by other prefixes", () => {
    const xml = `<multistatus xmlns="DAV:"><!-- <response> --><response><href/><D:href>/dav/a</D:href>
      <x:owner xmlns:x="DAV:"><x:href>/me</x:href></x:owner><getcontentlength/>
      <prop ><getcontentlength x="y"> 7 </getcontentlength></prop><![CDATA[</response>]]></response></multistatus>`;
    assert.deepEqual(filesIn(Buffer.from(xml)), [{ name: "a", bytes: 7 }]);
  });

  it("is read in a moment and little memory, however it is made", () => {
    const parts = [
      "<d:response>",
      "<d:",
      "</",
      "<response><href>",
      "<a:b:c:",
      "<a:b",
      "<a>",
      "<!--",
    ];
    for (const part of parts) {
      const xml = Buffer.alloc(4_000_000, part);
      xml.write("<multistatus >");
      const { heapUsed } = process.memoryUsage();
      filesIn(xml);
      assert.ok(process.memoryUsage().heapUsed - heapUsed < 64_000_000, part);
    }
  });

  it("has room for ten thousand files", () => {
    const name = "tallydeck-2026-11-27-020004Z-kitchen-0a1b2c3d.db";
    const files = list(...Array.from({ length: 10_000 }, () => response(`/dav/files/me/${name}`)));
    assert.equal(files?.length, 10_000);
  });
});
