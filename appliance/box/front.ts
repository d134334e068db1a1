import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Cancel } from "../base/signal.ts";
import { RootRequests } from "../base/system/root-requests.ts";
import { closeWith } from "../base/tasks/closing.ts";
import { clockZone } from "../base/time-zone.ts";
import type { Config } from "../config/config.ts";
import { Decks, type DecksOptions } from "../deck/decks.ts";
import { timeIn } from "../deck/face/widgets/time.ts";
import type { DeckBus } from "../deck/usb/hid.ts";
import { type BoardOptions, BoxNotices, type Network, thisNetwork } from "./box-notices.ts";
import type { Presence } from "./presence.ts";
import type { Reset } from "./reset.ts";
import { showOn } from "./screen.ts";
import type { SetupCode } from "./setup-code.ts";
import { WifiSwitch } from "./wifi.ts";

/** The parts that people at the box see. */
export interface FrontParts {
  config: Config;
  clock: Clock;
  log: Log;
  /** Prints a line to the console of the service. */
  console?: (line: string) => void;
  /** Replaces the text on the screen of the box. */
  screen?: (text: string) => void;
  /** The bus of the decks; this machine's USB unless given. */
  bus?: DeckBus;
  network?: Network;
}

export interface Front {
  board: BoxNotices;
  decks: Decks;
  /** Undefined where root sets up no Wi-Fi. */
  wifi: WifiSwitch | undefined;
  /** The zone in which clocks of the box show the time. */
  timeZone: () => string;
}

/** The content for decks and screen. */
type FrontContent = Pick<
  DecksOptions,
  "store" | "addedDecks" | "channels" | "numbers" | "icons" | "images"
> &
  Omit<
    BoardOptions,
    "clock" | "log" | "network" | "wifi" | "timeOf" | "console" | "code" | "reset" | "presence"
  > & {
    code: SetupCode;
    reset?: Reset | undefined;
    /** Undefined where the system is not ours. */
    presence?: Presence | undefined;
  };

/** Starts decks, screen and their content, and has each closed with `ends`. */
export async function startFront(
  {
    config,
    clock,
    log,
    ends,
    console = () => {},
    screen,
    bus,
    network = thisNetwork(config.nameFile),
  }: FrontParts & { ends: AsyncDisposableStack },
  content: FrontContent,
): Promise<Front> {
  const { code, reset, presence } = content;
  const wifi = startWifi({ config, clock, log, ends });
  // Loading time zones takes a tenth of a start, and mostly there is no deck yet.
  let zone: string | undefined;
  const timeZone = () => (zone ??= clockZone(log));
  const timeOf = (at: number) => timeIn(at, timeZone());
  const board = new BoxNotices({ ...content, clock, log, wifi, timeOf, console, network });
  closeWith(ends, board);
  if (screen) ends.defer(showOn(board, screen));
  const decks = new Decks({
    ...content,
    clock,
    log: { info: (line) => log.info(line), warn: (line) => log.warn(line) },
    board,
    timeZone,
    virtualDecks: config.virtualDecks,
    ...(bus && { bus }),
    ...(reset && { takesTouch: () => reset.callOff() }),
  });
  ends.defer(decks.fingers.held.on(() => code.show()));
  if (presence !== undefined) ends.defer(linkPresence(presence, decks, log));
  if (wifi !== undefined) for (const end of linkWifi(wifi, board, decks, log)) ends.defer(end);
  closeWith(ends, decks);
  await decks.start();
  return { board, decks, wifi, timeZone };
}

function startWifi({
  config: { root: folders },
  clock,
  log,
  ends,
}: Pick<FrontParts, "config" | "clock" | "log"> & { ends: AsyncDisposableStack }):
  | WifiSwitch
  | undefined {
  if (folders === undefined) return undefined;
  const root = new RootRequests(folders.wifi);
  const wifi = closeWith(ends, new WifiSwitch({ root, clock, warn: (line) => log.warn(line) }));
  wifi.start();
  return wifi;
}

/** The key of a real deck that lets an ssh key in. */
function linkPresence(presence: Presence, decks: Decks, log: Log): Cancel {
  return decks.noticePressed.on(({ type, isVirtual }) => {
    if (type !== "ssh-key" || isVirtual) return;
    const failed = (error: unknown) => log.warn(`The ssh key is not added: ${error}`);
    presence.press().catch(failed);
  });
}

/** Keys of decks that begin a set-up, and the facts that it needs. */
function linkWifi(wifi: WifiSwitch, board: BoxNotices, decks: Decks, log: Log): Cancel[] {
  const hasDeck = () =>
    decks.list().some(({ connected, virtual, slots }) => connected && !virtual && slots.length > 0);
  const noteNetwork = () => wifi.noteNetwork(board.address() !== undefined);
  noteNetwork();
  return [
    board.changed.on(noteNetwork),
    decks.changed.on(() => wifi.showDeck(hasDeck())),
    decks.fingers.held.on(() => {
      if (board.address() === undefined) wifi.offer();
    }),
    decks.noticePressed.on(({ type }) => {
      if (type !== "wifi-begin") return;
      const failed = (error: unknown) => log.warn(`The Wi-Fi set-up does not begin: ${error}`);
      wifi.begin().catch(failed);
    }),
  ];
}
