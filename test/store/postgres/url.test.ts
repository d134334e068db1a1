import assert from "node:assert/strict";
import { parseDatabaseUrl, shownUrl } from "../../../appliance/store/postgres/connection/url.ts";

const read = (path: string) => {
  if (path !== "/ca.pem") throw new Error("no such file");
  return "PEM";
};
const parse = (url: string) => parseDatabaseUrl(url, read);

describe("the address of a database", () => {
  it("names a host, a user, a password and a database", () => {
    assert.deepEqual(parse("postgres://u%40x:p%3A%2F@db.example:6000/tallydeck"), {
      hosts: [{ host: "db.example", port: 6000 }],
      user: "u@x",
      password: "p:/",
      database: "tallydeck",
      ssl: { mode: "prefer", ca: undefined },
      writable: false,
      connectTimeoutMs: 5_000,
      options: undefined,
    });
  });

  it("may name several hosts, of which one has to take writes", () => {
    const { hosts, writable } = parse("postgresql://u@a:5433,b,[::1]:5434/d");
    assert.deepEqual(hosts, [
      { host: "a", port: 5433 },
      { host: "b", port: 5432 },
      { host: "::1", port: 5434 },
    ]);
    assert.ok(writable);
    assert.ok(!parse("postgres://u@a,b/d?target_session_attrs=any").writable);
    assert.ok(parse("postgres://u@a/d?target_session_attrs=read-write").writable);
  });

  it("may name the folder of a socket", () => {
    const hosts = [{ host: "/run/postgresql", port: 5432 }];
    assert.deepEqual(parse("postgres://u@/d?host=/run/postgresql").hosts, hosts);
    assert.deepEqual(parse("postgres://u@%2Frun%2Fpostgresql/d").hosts, hosts);
  });

  it("says how to encrypt, and whom to believe", () => {
    assert.equal(parse("postgres://u@h/d?sslmode=disable").ssl.mode, "disable");
    const full = parse("postgres://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem");
    assert.deepEqual(full.ssl, { mode: "verify-full", ca: "PEM" });
    assert.equal(parse("postgres://u@h/d?sslrootcert=/ca.pem").ssl.mode, "verify-ca");
    assert.equal(parse("postgres://u@h/d?connect_timeout=9").connectTimeoutMs, 9_000);
  });

  it("is refused with a sentence that never has the password", () => {
    const wrong: [url: string, says: RegExp][] = [
      ["mysql://u:hidden@h/d", /is no address of a database/],
      ["postgres://u:hidden@/d", /names no host/],
      ["postgres://:hidden@h/d", /names no user/],
      ["postgres://u:hidden@h", /names no database/],
      ["postgres://u:hidden%@h/d", /has a % that stands for no character/],
      ["postgres://u:hidden@h:70000/d", /has a port "70000"/],
      ["postgres://u:hidden@h/d?sslmode=on", /has sslmode=on: it is one of disable, prefer/],
      ["postgres://u:hidden@h/d?sslrootcert=/none", /names the certificate \/none/],
      ["postgres://u:hidden@h/d?connect_timeout=0", /has connect_timeout=0/],
      ["postgres://u:hidden@h/d?ssl_mode=require", /has a parameter "ssl_mode"/],
    ];
    for (const [url, says] of wrong)
      assert.throws(
        () => parse(url),
        ({ code, message }) =>
          code === "invalid_config" &&
          message.startsWith("DATABASE_URL ") &&
          says.test(message) &&
          !message.includes("hidden"),
        url,
      );
  });

  it("is shown without the password", () => {
    assert.equal(
      shownUrl(parse("postgres://u:hidden@a:5433,[::1]/d?sslmode=require")),
      "postgres://u@a:5433,[::1]:5432/d",
    );
  });
});
