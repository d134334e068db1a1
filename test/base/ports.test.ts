import assert from "node:assert/strict";
import { listenerUrl, scriptTag, siteCollector } from "../../appliance/base/ports.ts";

describe("the address people are told", () => {
  const others = ["192.0.2.7", "192.0.2.8"];
  for (const [address, port, url] of [
    ["127.0.0.1", 3_000, "http://localhost:3000"],
    ["::1", 3_000, "http://localhost:3000"],
    ["127.0.0.2", 3_000, "http://127.0.0.2:3000"],
    ["0.0.0.0", 3_000, "http://192.0.2.7:3000"],
    ["::", 80, "http://192.0.2.7"],
    ["192.0.2.9", 3_000, "http://192.0.2.9:3000"],
    ["2001:db8::9", 3_000, "http://[2001:db8::9]:3000"],
  ] as const)
    it(`is ${url} for a socket on ${address} port ${port}`, () => {
      assert.equal(listenerUrl({ address, port }, others), url);
    });

  it("is none without a network", () => {
    assert.equal(listenerUrl({ address: "0.0.0.0", port: 80 }, []), undefined);
  });
});

describe("the tag of a site", () => {
  const at = (host: string | null) =>
    scriptTag(siteCollector("http://192.0.2.7:8480", host), "blog");

  it("loads the script from the collector", () => {
    assert.equal(
      at(null),
      '<script defer src="http://192.0.2.7:8480/s.js" data-site="blog"></script>',
    );
  });

  it("loads it from the collector's own host for the site, where there is one", () => {
    assert.match(at("stats.example"), / src="https:\/\/stats\.example\/s\.js" /);
  });
});
