import assert from "node:assert/strict";
import { networkNameText, wifiCodeText } from "../../../appliance/box/ipc/wifi-text.ts";
import { makeOwnNetwork } from "../../../appliance/box/wifi/own-network.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

describe("the box's own network", () => {
  it(`has a name and a key that are typed easily, need no escape, and are no number, with seed ${TEST_SEED}`, () => {
    const { below } = seeded(TEST_SEED);
    for (let made = 0; made < 500; made += 1) {
      const { name, key, channel } = makeOwnNetwork(below, []);
      assert.match(name, /^Tallydeck-[2-9A-HJKMNP-Z]{4}$/);
      assert.match(key, /^[a-hjkmnp-z]{10}$/);
      assert.match(key, /[g-z]/);
      assert.ok([1, 6, 11].includes(channel));
      assert.equal(wifiCodeText(name, key), `WIFI:T:WPA;S:${name};P:${key};;`);
      assert.equal(wifiCodeText(name, key).length, 42);
    }
  });

  it("is on the channel with the least of others", () => {
    const { below } = seeded(TEST_SEED);
    const heard = [1, 6].map((channel) => ({ frequency: 2_407 + 5 * channel, signal: -60 }));
    for (let made = 0; made < 20; made += 1) assert.equal(makeOwnNetwork(below, heard).channel, 11);
  });
});

describe("the code of a network", () => {
  for (const [name, key, text] of [
    ["Home", "pass;word", "WIFI:T:WPA;S:Home;P:pass\\;word;;"],
    ['a"b\\c,d:e', "ghijklmn", 'WIFI:T:WPA;S:a\\"b\\\\c\\,d\\:e;P:ghijklmn;;'],
    ["ABCD", "12345678", 'WIFI:T:WPA;S:"ABCD";P:"12345678";;'],
    ["ABC", "🏠", "WIFI:T:WPA;S:ABC;P:🏠;;"],
  ] as const)
    it(`escapes ${name} and ${key}`, () => {
      assert.equal(wifiCodeText(name, key), text);
    });
});

describe("the name of a network, for people", () => {
  for (const [bytes, text] of [
    [Buffer.from("Häuschen 🏠"), "Häuschen 🏠"],
    [Buffer.from("a\u0000b\u202ec\u2028d"), "a?b?c?d"],
    [Buffer.from([0x48, 0xff, 0x6f, 0x00]), "H\\xffo\\x00"],
    [Buffer.alloc(0), ""],
  ] as const)
    it(`is ${JSON.stringify(text)}`, () => {
      assert.equal(networkNameText(bytes), text);
    });
});
