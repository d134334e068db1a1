import assert from "node:assert/strict";
import { COUNTRIES } from "../../../../appliance/box/provision/settings.ts";
import {
  Portal,
  type PortalContent,
  type PortalRequest,
} from "../../../../appliance/box/wifi/portal/portal.ts";
import type { JoinRequest, SeenNetwork } from "../../../../appliance/box/wifi/radio.ts";

const seen = (name: string, signal = -50, isOpen = false): SeenNetwork => ({
  ssid: Buffer.from(name).toString("hex"),
  isOpen,
  signal,
});
const HOSTILE = [
  '"><script>alert(1)</script>',
  "Mum's & dad's",
  "🏠".repeat(8),
  "a\u202egnp.exe\u0000",
  "same",
];

function world(change: Partial<PortalContent> = {}) {
  const joined: JoinRequest[] = [];
  let looks = 0;
  const portal = new Portal({
    content: {
      token: "t0ken",
      networks: [seen("Home"), seen("Café", -80, true)],
      countries: [...COUNTRIES],
      country: "",
      trouble: "",
      given: null,
      ...change,
    },
    join: (wish) => void joined.push(wish),
    lookAgain: () => (looks += 1),
  });
  const ask = (request: Partial<PortalRequest>) =>
    portal.answer({
      method: "GET",
      host: "192.0.2.1",
      path: "/",
      languages: "de-CH,de;q=0.9",
      from: "192.0.2.7",
      body: "",
      ...request,
    });
  const send = (fields: Record<string, string>, from = "192.0.2.7") =>
    ask({
      method: "POST",
      from,
      body: new URLSearchParams({ token: "t0ken", ...fields }).toString(),
    });
  return { ask, send, joined, looks: () => looks };
}

const HOME = { country: "CH", network: `psk-${Buffer.from("Home").toString("hex")}` };

describe("the portal", () => {
  it("leads every strange address to the form, whatever it is", () => {
    const { ask } = world();
    for (const host of ["captive.apple.com", "connectivitycheck.gstatic.com", "", "192.0.2.1:3000"])
      for (const path of ["/hotspot-detect.html", "/generate_204", "/api/sites", "/"]) {
        const { status, headers, body } = ask({ host, path });
        assert.deepEqual(
          [status, headers.Location, headers["Cache-Control"], body],
          [302, "http://192.0.2.1/", "no-store", ""],
        );
      }
    for (const path of ["/api/push/x", "/s.js", "/?a", "/again"])
      assert.equal(ask({ path }).status, path === "/?a" ? 200 : 302, path);
    assert.equal(ask({ host: "example.org", method: "POST" }).status, 302);
    assert.equal(ask({ method: "PUT" }).status, 302);
  });

  it("shows a form without script, cookie and links to elsewhere, below 30 kB", () => {
    const networks = Array.from({ length: 60 }, (_, at) => seen(`${"&".repeat(30)}${at}`));
    const { status, headers, body } = world({ networks }).ask({});
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(body) < 30_000, `${Buffer.byteLength(body)} bytes`);
    assert.doesNotMatch(body, /<script|https?:|<link|<img|onclick/);
    assert.equal(headers["Set-Cookie"], undefined);
    assert.match(headers["Content-Security-Policy"] ?? "", /default-src 'none'/);
  });

  it("proposes the country of the phone's languages, unless the box knows its own", () => {
    const chosen = (body: string) => /value="(\w\w)" selected/.exec(body)?.[1];
    const { ask } = world();
    for (const [languages, code] of [
      ["de-CH,de;q=0.9", "CH"],
      ["fr", "FR"],
      ["en,zh-Hant-TW;q=0.8", "TW"],
      ["en", undefined],
      ["*", undefined],
      ["constructor,toString", undefined],
      ["x".repeat(5_000), undefined],
    ] as const)
      assert.equal(chosen(ask({ languages }).body), code, languages.slice(0, 20));
    assert.equal(chosen(world({ country: "AT" }).ask({}).body), "AT");
  });

  it("shows names as text, however hostile, and two of one name apart", () => {
    const networks = [...HOSTILE.map((name) => seen(name)), seen("same", -70, true)];
    const { body } = world({ networks }).ask({});
    assert.match(body, /<bdi>&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/bdi>/);
    assert.match(body, /<bdi>Mum&#39;s &amp; dad&#39;s<\/bdi>/);
    assert.match(body, /<bdi>🏠🏠🏠🏠🏠🏠🏠🏠<\/bdi>/u);
    assert.match(body, /<bdi>a\?gnp\.exe\?<\/bdi>/);
    assert.match(body, /<bdi>same<\/bdi> <small>strong<.*<bdi>same<\/bdi> <small>good, open</s);
  });

  it("takes a network of the list, and says that this one ends", () => {
    const { send, joined } = world();
    const { status, body } = send({ ...HOME, password: "correct horse" });
    assert.equal(status, 200);
    assert.match(body, /This network ends now.*Look at the deck/s);
    assert.doesNotMatch(body, /correct horse/);
    assert.deepEqual(joined, [
      { ssid: "486f6d65", password: "correct horse", country: "CH", isHidden: false },
    ]);
  });

  it("takes an open network, and one that is typed and hidden", () => {
    const open = world();
    open.send({
      country: "CH",
      network: `open-${Buffer.from("Café").toString("hex")}`,
      password: "x",
    });
    assert.equal(open.joined[0]?.password, "");
    const typed = world();
    typed.send({
      country: "CH",
      network: "other",
      typed: "Häuschen",
      hidden: "1",
      password: "12345678",
    });
    const { ssid = "", isHidden } = typed.joined[0] ?? {};
    assert.deepEqual([Buffer.from(ssid, "hex").toString(), isHidden], ["Häuschen", true]);
  });

  it("says what is missing, keeps what was given, and never gives a password back", () => {
    const { send, joined } = world();
    for (const [fields, says] of [
      [{ ...HOME, country: "", password: "12345678" }, /Choose the country/],
      [{ ...HOME, country: "XX", password: "12345678" }, /Choose the country/],
      [{ country: "CH", network: "psk-00", password: "12345678" }, /Choose a network/],
      [{ country: "CH", network: "other", typed: "" }, /Type the name/],
      [{ country: "CH", network: "other", typed: "🏠".repeat(9) }, /at most 32 bytes/],
      [{ country: "CH", network: "other", typed: "a\u0000b" }, /invisible/],
      [{ ...HOME, password: "secret7" }, /must be 8 to 63 characters/],
      [{ ...HOME, password: "" }, /must be 8 to 63 characters/],
    ] as const) {
      const { status, body } = send(fields);
      assert.equal(status, 400);
      assert.match(body, says);
      assert.doesNotMatch(body, /secret7|12345678/);
    }
    assert.match(send({ ...HOME, password: "" }).body, /486f6d65" checked/);
    assert.deepEqual(joined, []);
  });

  it("takes no form of another set-up", () => {
    const { send, joined } = world();
    assert.equal(send({ ...HOME, token: "other", password: "correct horse" }).status, 400);
    assert.deepEqual(joined, []);
  });

  it("gives good answers to probes of the phone that is done, and to no other", () => {
    const { ask, send } = world();
    send({ ...HOME, password: "correct horse" });
    const probe = (host: string, path: string, from = "192.0.2.7") => ask({ host, path, from });
    assert.match(probe("captive.apple.com", "/hotspot-detect.html").body, /<BODY>Success<\/BODY>/);
    assert.equal(probe("www.google.com", "/gen_204").status, 204);
    assert.equal(
      probe("www.msftconnecttest.com", "/connecttest.txt").body,
      "Microsoft Connect Test",
    );
    assert.equal(probe("detectportal.firefox.com", "/success.txt").body, "success\n");
    assert.equal(probe("captive.apple.com", "/hotspot-detect.html", "192.0.2.8").status, 302);
    assert.match(ask({}).body, /This network ends now/);
  });

  it("takes one form, until the network is back", () => {
    const { send, joined } = world();
    send({ ...HOME, password: "correct horse" });
    assert.match(send({ ...HOME, password: "battery staple" }, "192.0.2.8").body, /Another phone/);
    assert.match(send({ ...HOME, password: "correct horse" }).body, /This network ends now/);
    assert.equal(joined.length, 1);
  });

  it("says what came of the last form, and keeps its fields but the password", () => {
    const { ask } = world({
      trouble: "The password was not accepted by <Home>.",
      given: { country: "CH", choice: HOME.network, typed: "", isHidden: false },
    });
    const { body } = ask({});
    assert.match(body, /not accepted by &lt;Home&gt;/);
    assert.match(body, /486f6d65" checked/);
    assert.doesNotMatch(body, /correct horse/);
  });

  it("looks again on a wish of its own form", () => {
    const { ask, looks } = world();
    assert.equal(ask({ method: "POST", path: "/again", body: "token=x" }).status, 302);
    assert.match(
      ask({ method: "POST", path: "/again", body: "token=t0ken" }).body,
      /twenty seconds/,
    );
    assert.equal(looks(), 1);
  });
});
