import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { elements, elementText } from "../../../../appliance/base/input/xml.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { FakeRouter } from "../../../helpers/fake-router.ts";

const HTTPS = { internal: 8443, external: 443 };

describe("the description of a UPnP router", () => {
  let home: FakeRouter;
  /** Somewhere else on the network, where nobody should ask. */
  let elsewhere: Server;
  let trap: string;
  let trapped: number;
  const { signal } = new AbortController();

  beforeEach(async () => {
    home = await FakeRouter.start(new FakeClock());
    home.speaks = new Set(["igd"]);
    home.closeControl();
    trapped = 0;
    elsewhere = createServer((_, response) => {
      trapped++;
      response.end(home.igd.described());
    }).listen(0, "127.0.0.3");
    await once(elsewhere, "listening");
    trap = `http://127.0.0.3:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await home.stop();
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  const open = () => home.router.open(HTTPS, undefined, signal);
  const answers = (answer: (response: ServerResponse) => unknown) => {
    home.igd.instead = (_, response) => {
      answer(response);
      return true;
    };
  };
  const isNotUsed = async () => {
    assert.deepEqual(await open(), { kind: "no-router" });
    assert.deepEqual(home.held, []);
    assert.equal(trapped, 0);
  };

  it("is fetched from the gateway alone, whoever else answers and whatever is answered first", async () => {
    home.byStranger = () => [home.igd.found(`${home.igd.origin}/other.xml`)];
    home.before = () => [
      Buffer.from("HTTP/1.1 404 Not Found\r\nLocation: http://127.0.0.2/\r\n\r\n"),
      home.igd.found("http://127.0.0.2@127.0.0.3/"),
      home.igd.found(`${trap}/description.xml`),
      home.igd.found(home.igd.origin.replace("http:", "https:")),
      home.igd.found("file:///etc/passwd"),
      home.igd.found(`${home.igd.origin}/${"long".repeat(200)}`),
      Buffer.concat([home.igd.found(`${home.igd.origin}/other.xml`), Buffer.alloc(2_048)]),
      Buffer.from("HTTP/1.1 200 OK\r\n\r\n"),
    ];
    assert.equal((await open()).kind, "open");
    assert.equal(home.heard[1], "igd /description.xml");
    assert.equal(trapped, 0);
  });

  it("may name addresses of its own by a base", async () => {
    home.igd.base = `<URLBase>${home.igd.origin}/x/</URLBase>`;
    assert.equal((await open()).kind, "open");
  });

  it("names nobody else, neither for its actions nor as a base", async () => {
    home.igd.base = `<URLBase>${trap}</URLBase>`;
    await isNotUsed();
    home.igd.base = "";
    home.igd.controlUrl = `${trap}/control`;
    await isNotUsed();
  });

  it("is not used where it sends elsewhere", async () => {
    answers((response) =>
      response.writeHead(302, { location: `${trap}/description.xml` }).end(home.igd.described()),
    );
    await isNotUsed();
  });

  it("is not used where it declares entities", async () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>';
    answers((response) => response.end(home.igd.described().replace("<root", `${bomb}<root`)));
    await isNotUsed();
  });

  it("is not read on beyond 64 KiB, nor for longer than five seconds", async () => {
    answers((response) => {
      response.write(home.igd.described());
      response.end(Buffer.alloc(1_048_576));
    });
    await isNotUsed();
    for (const begin of ["", "<?xml"]) {
      answers((response) => {
        if (begin !== "") response.write(begin);
        home.igd.keepWaiting();
      });
      await isNotUsed();
    }
  });

  it("is not used where it is none", async () => {
    for (const text of ["", "<service>", "<service><serviceType></service>", "{}", "\0\xff"]) {
      answers((response) => response.end(text));
      await isNotUsed();
    }
  });
});

describe("the XML of a router", () => {
  it("is read by the names of elements", () => {
    const xml = '<a><bc>1</bc><b/><b x="y"> 2&amp;lt; </b><b>3</b><b>4</a>';
    assert.deepEqual(elements(xml, "b"), [" 2&amp;lt; ", "3"]);
    assert.equal(elementText(xml, "b"), "2&lt;");
    assert.equal(elementText(xml, "c"), undefined);
  });

  it("has bounds: of many elements the first are read", () => {
    assert.equal(elements("<b></b>".repeat(9_000), "b").length, 64);
    assert.deepEqual(elements("<b>".repeat(20_000), "b"), []);
  });
});
