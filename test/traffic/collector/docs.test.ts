import assert from "node:assert/strict";
import { sharedWorld } from "../../helpers/world.ts";

const attributesOf = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`\\b${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value);

const LEADS = [
  ["/docs", "docs/index"],
  ["/docs/", "index"],
] as const;

describe("the documentation that a box serves", () => {
  const world = sharedWorld();
  const read = (path: string) => world().ask(path);

  it("lists its pages, and leads there from its folder", async () => {
    for (const [path, to] of LEADS) assert.equal((await read(path)).headers.location, to);
    const { text } = await read("/docs/index");
    assert.ok(attributesOf(text, "href").includes("deck"));
  });

  it("has no link, part or picture that leads to nothing", async () => {
    const seen = new Map<string, string>();
    const wanted = ["index"];
    const parts: string[] = [];
    const broken: string[] = [];
    for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
      if (seen.has(name)) continue;
      const { status, text } = await read(new URL(name, "http://box/docs/").pathname);
      if (status !== 200) broken.push(name);
      seen.set(name, text);
      if (!text.startsWith("<!doctype html>")) continue;
      for (const to of [...attributesOf(text, "href"), ...attributesOf(text, "src")]) {
        if (/^https?:/.test(to)) continue;
        const [page = "", part] = to.split("#", 2);
        wanted.push(page || name);
        if (part !== undefined) parts.push(`${page || name}#${part}`);
      }
    }
    assert.ok(seen.size > 40, `${seen.size}`);
    for (const to of parts) {
      const [page = "", part = ""] = to.split("#", 2);
      if (!attributesOf(seen.get(page) ?? "", "id").includes(part)) broken.push(to);
    }
    assert.deepEqual(broken, []);
  });

  it("says of each page what it is about, and keeps room for its pictures", async () => {
    const { text: index } = await read("/docs/index");
    const pages = ["index", ...attributesOf(index, "href").filter((to) => /^[a-z-]+$/.test(to))];
    assert.ok(pages.length > 20, pages.join());
    let pictures = 0;
    for (const name of pages) {
      const { text } = await read(`/docs/${name}`);
      const [, about = ""] = /<meta name="description" content="([^"]*)">/.exec(text) ?? [];
      assert.ok(about.length >= 20 && about.length <= 170, `${name}: ${about}`);
      for (const [picture] of text.matchAll(/<img (?![^>]*favicon)[^>]*>/g)) {
        assert.match(picture, / width="[1-9]\d+" height="[1-9]\d+"/, name);
        pictures += 1;
      }
    }
    assert.ok(pictures > 5, `${pictures}`);
  });

  it("has tables whose cells say their heads, for phones that show them below each other", async () => {
    const { text } = await read("/docs/configuration");
    const row =
      /<tr role="row"><th scope="row" role="rowheader"><code>DAY_ZONE<\/code>.*/.exec(text)?.[0] ??
      "";
    assert.deepEqual(attributesOf(row, "data-head"), ["flag", "default"]);
    assert.equal(attributesOf(row, "role").length, 5);
  });

  it("tells its tables apart for those who hear them, and their rows and columns by heads that say something", async () => {
    const { text } = await read("/docs/compare");
    const names = attributesOf(text, "aria-label");
    assert.deepEqual(names, [...new Set(names)]);
    assert.ok(names.length > 1);
    assert.doesNotMatch(text, /<th[^>]*><\/th>/);
    assert.match(
      text,
      /<tr role="row"><th scope="row" role="rowheader">license<\/th><td role="cell"/,
    );
  });

  it("shows what stands in it as text, never as markup", async () => {
    const { text, headers } = await read("/docs/counting");
    assert.ok(text.includes("&lt;script defer"));
    assert.ok(!/<script/i.test(text));
    assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
  });

  it("is at the Web UI's port, too, without signing in", async () => {
    for (const [path, to] of LEADS)
      assert.equal((await world().askControl(path)).headers.location, to);
    const { status, text } = await world().askControl("/docs/backup");
    assert.equal(status, 200);
    assert.equal(text, (await read("/docs/backup")).text);
  });

  it("has no page that is not there, and leads out of its folder nowhere", async () => {
    for (const name of ["nothing", "..%2fdashboard", "..%2f..%2fpackage", "deck.html.br"])
      assert.equal((await read(`/docs/${name}`)).status, 404, name);
  });
});
