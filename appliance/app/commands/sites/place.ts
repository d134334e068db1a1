import { randomBytes } from "node:crypto";
import { dayOf, formatDay } from "../../../base/calendar.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import type { Config } from "../../../config/config.ts";
import { qrCode } from "../../../deck/face/qr.ts";
import { type Desk, openToChange, openToLook } from "../../../store/desk.ts";
import { homesChange, homesOf, type KnownHome } from "../../../traffic/places/homes.ts";
import { newInvitation, placeAddress } from "../../../traffic/places/invitation.ts";
import {
  CommandFailed,
  command,
  notUnderstood,
  outJson,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { checkData } from "../others-data.ts";

export const place = command({
  help: `tallydeck place: has what is counted here fetched and shown by another Tallydeck, at home. A running service follows at once.

  tallydeck place                 lists the invitations, and when each was used last
  tallydeck place invite [NAME]   makes one: a line to paste at home, under Machine → Places, or to give to \`tallydeck places add\`
  tallydeck place revoke NAME     makes one worthless

An invitation is shown this once; its token is stored hashed, and opens what was counted here and home's word on sites,
nothing else. NAME says whose it is: home, unless given.

  --address URL    where home finds this place: https://NAME (https://PUBLIC_NAME)
  --json           lists them as JSON, without any token
${DATA_OPTIONS_HELP}`,
  options: { ...DATA_OPTIONS, ...switches("json"), ...valued("address") },
  async run({ values, positionals }, terminal) {
    const [action = "list", name, ...rest] = positionals;
    const isKnown =
      action === "invite" ||
      (action === "list" && name === undefined) ||
      (action === "revoke" && name !== undefined);
    if (!isKnown || rest.length > 0)
      throw notUnderstood("place", positionals, ["list", "invite", "revoke"]);
    if (values.json && action !== "list") throw new UsageError("--json is for the list.");
    const config = configFrom(values, terminal);
    await checkData(["place", ...positionals], config, terminal);
    const desk = action === "list" ? await openToLook(config) : await openToChange(config);
    try {
      const homes = desk === undefined ? [] : await homesOf(desk);
      if (desk === undefined || action === "list") list(homes, terminal, values.json === true);
      else if (action === "invite")
        await invite(
          desk,
          homes,
          { name: name ?? "home", address: addressOf(values.address, config) },
          terminal,
        );
      else await revoke(desk, homes, name, terminal);
    } finally {
      await desk?.close();
    }
  },
});

function list(homes: readonly KnownHome[], terminal: Terminal, asJson: boolean): void {
  if (asJson) {
    outJson(
      terminal,
      homes.map(({ body: { name, madeAt, askedAt } }) => ({ name, madeAt, askedAt })),
    );
    return;
  }
  if (homes.length === 0)
    terminal.out("Nobody is invited. Invite your home: `tallydeck place invite`");
  for (const home of homes)
    terminal.out(`${homeText(home)} · invited on ${formatDay(dayOf(home.body.madeAt))}`);
}

/** The name of a home, and when it asked last. */
export function homeText({ body: { name, askedAt } }: KnownHome): string {
  return askedAt === null ? `${name} has not asked yet` : `${name} asked last on ${when(askedAt)}`;
}

function when(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " at ")} UTC`;
}

/** @throws {UsageError | CommandFailed} */
function addressOf(given: string | undefined, { publicAddress }: Config): string {
  const named = publicAddress === undefined ? undefined : `https://${publicAddress.name}`;
  const text = given ?? named;
  if (text === undefined)
    throw new UsageError(
      "Say where home finds this place: --address https://NAME, or name it in PUBLIC_NAME.",
    );
  const address = placeAddress(text);
  if (address === undefined)
    throw new UsageError("--address has to be like https://stats.example.com, without a path.");
  return address;
}

/** @throws {CommandFailed} where the name is taken */
async function invite(
  desk: Desk,
  homes: readonly KnownHome[],
  { name, address }: { readonly name: string; readonly address: string },
  terminal: Terminal,
): Promise<void> {
  if ([...name].length > 40 || name.trim() === "")
    throw new UsageError("NAME has to be of 1 to 40 characters.");
  if (homes.some(({ body }) => body.name === name))
    throw new CommandFailed(
      `There is an invitation for ${name} already. Give another name, or take that one back: \`tallydeck place revoke ${name}\``,
    );
  const { text, hash } = newInvitation(address, randomBytes);
  const body = {
    name,
    hash: Buffer.from(hash).toString("hex"),
    madeAt: terminal.now(),
    askedAt: null,
  };
  const id = randomBytes(8).toString("hex");
  await desk.write("changePlaces", [homesChange({ put: [{ id, body }] })]);
  terminal.out(text);
  if (terminal.output.isTTY) for (const line of drawn(text)) terminal.err(line);
  terminal.err("It is shown this once. Paste it at home: Web UI → Machine → Places.");
}

/** A QR code for a terminal, two rows of it a line. */
function drawn(text: string): string[] {
  const { size, modules } = qrCode(text);
  const isDark = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < size && y < size && modules[y * size + x] === true;
  const lines: string[] = [];
  for (let y = -2; y < size + 2; y += 2) {
    let line = "";
    for (let x = -2; x < size + 2; x++)
      line += ["█", "▄", "▀", " "][(isDark(x, y) ? 1 : 0) + (isDark(x, y + 1) ? 2 : 0)];
    lines.push(line);
  }
  return lines;
}

/** @throws {CommandFailed} where there is none of this name */
async function revoke(
  desk: Desk,
  homes: readonly KnownHome[],
  name: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const found = homes.find(({ body }) => body.name === name);
  if (found === undefined) {
    const names = homes.map(({ body }) => body.name);
    throw new CommandFailed(
      `There is no invitation for ${name ?? "nobody"}.${didYouMean(name ?? "", names)} \`tallydeck place\` lists them.`,
    );
  }
  await desk.write("changePlaces", [homesChange({ remove: [found.id] })]);
  terminal.out(
    `Took back the invitation of ${found.body.name}: nothing is fetched with it any more.`,
  );
}
