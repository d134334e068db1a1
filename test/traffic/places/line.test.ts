import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { PlaceLine } from "../../../appliance/traffic/places/ask.ts";
import { encodedUnits } from "../../../appliance/traffic/places/unit-codec.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

const TYPE = { "content-type": "application/vnd.tallydeck.changes" };
const HELLO = { origin: "ab", past: [], zone: "UTC", to: "x" };
const UNIT = { hello: HELLO, log: [], days: [], surveys: [], until: "next" };
const FURTHER = { ...UNIT, until: "further" };

describe("the line to a place", () => {
  const { cert, key, ca } = newCertificate();
  let server: Server;
  let answer: RequestListener = () => {};
  const clock = new FakeClock();
  const { signal } = new AbortController();
  before(async () => {
    server = createServer({ cert, key }, (request, response) => answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = () => ({
    address: `https://localhost:${(server.address() as AddressInfo).port}`,
    token: "tdh_x",
  });
  const ask = async (line = new PlaceLine(clock, ca)) => {
    const untils: string[] = [];
    for await (const { until } of line.changes(place(), "a cursor&", signal)) untils.push(until);
    return untils;
  };

  it("carries the cursor and the token, and brings the units", async () => {
    let came: unknown;
    answer = async ({ url, headers }, response) => {
      came = [url, headers.authorization];
      response.writeHead(200, TYPE);
      for await (const part of encodedUnits([UNIT, FURTHER], "1")) response.write(part);
      response.end();
    };
    assert.deepEqual(await ask(), ["next", "further"]);
    assert.deepEqual(came, ["/place/changes?after=a%20cursor%26", "Bearer tdh_x"]);
  });

  it("brings nothing where there is nothing yet", async () => {
    answer = (_, response) => response.writeHead(204).end();
    assert.deepEqual(await ask(), []);
  });

  it("keeps its connection, and asks over a new one where the place has closed that", async () => {
    const line = new PlaceLine(clock, ca);
    const ports: (number | undefined)[] = [];
    answer = ({ socket }, response) => {
      ports.push(socket.remotePort);
      if (ports.length === 3) socket.destroy();
      else response.writeHead(204).end();
    };
    for (let n = 0; n < 3; n++) assert.deepEqual(await ask(line), []);
    const [first, second, third, fourth] = ports;
    assert.deepEqual([first, first], [second, third]);
    assert.notEqual(third, fourth);
  });

  it("does not trust a certificate that nobody signed", async () => {
    await assert.rejects(ask(new PlaceLine(clock)), /certificate is not trusted/);
  });

  it("does not follow where it is led elsewhere", async () => {
    answer = (_, response) => response.writeHead(302, { location: "https://example.com" }).end();
    await assert.rejects(ask(), /leads elsewhere/);
  });

  for (const [what, status, headers, body, sentence] of [
    ["a page", 200, { "content-type": "text/html" }, "<p>", /something else than a place/],
    ["no frames", 200, TYPE, "nothing of the kind", /frame/],
    ["half of it", 200, { ...TYPE, "content-length": "900" }, "x", /broke|frame/],
    ["a wrong token", 401, {}, "", /another invitation/],
    ["an older Tallydeck", 404, {}, "", /no place at this address/],
    ["an error", 500, {}, "", /answered 500/],
  ] as const)
    it(`says so where there is ${what}`, async () => {
      answer = (_, response) => {
        response.writeHead(status, headers).write(body || " ");
        if (what === "half of it") response.destroy();
        else response.end();
      };
      await assert.rejects(ask(), sentence);
    });

  it("brings a unit at once, and is given up where nothing comes after it", async () => {
    answer = async (_, response) => {
      response.writeHead(200, TYPE);
      for await (const part of encodedUnits([UNIT], "1")) response.write(part);
    };
    const untils: string[] = [];
    const answered = (async () => {
      for await (const { until } of new PlaceLine(clock, ca).changes(place(), "", signal)) {
        untils.push(until);
        setImmediate(() => clock.advance(60_000));
      }
    })();
    await assert.rejects(answered, /no answer in time/);
    assert.deepEqual(untils, ["next"]);
  });

  it("is given up where nothing comes", async () => {
    const asked = Promise.withResolvers<void>();
    answer = () => asked.resolve();
    const answered = ask();
    await asked.promise;
    clock.advance(60_000);
    await assert.rejects(answered, /no answer in time/);
  });
});
