import { type Face, face } from "../../../appliance/deck/face/face.ts";
import type {
  FaceContext,
  Numbers,
  PublicStanding,
  PushedValue,
} from "../../../appliance/deck/face/face-context.ts";
import { noticeFace, type UpdateStanding } from "../../../appliance/deck/face/notices.ts";
import type { Widget } from "../../../appliance/deck/face/widget.ts";
import type { ChannelState } from "../../../appliance/deck/push/channel-state.ts";

/** The sizes of every slot there is: keys first, then zones. */
export const SIZES: readonly (readonly [width: number, height: number])[] = [
  [64, 64],
  [72, 72],
  [80, 80],
  [85, 85],
  [95, 95],
  [96, 96],
  [112, 112],
  [120, 120],
  [176, 112],
  [200, 100],
  [248, 58],
  [800, 100],
];

/** A Wednesday, 14:05 in Berlin. */
const NOW = Date.UTC(2026, 4, 20, 12, 5);

const WEEK = [310, 402, 388, 511, 602, 340, 720];
const MONTH = Array.from({ length: 30 }, (_, day) => 400 + day * 9 + ((day * 37) % 11) * 22);
const DAY = [3, 1, 0, 0, 1, 4, 12, 30, 44, 51, 60, 48, 42, 55, 20];

const at = (width: number, height: number, more: Partial<FaceContext> = {}): FaceContext => ({
  now: NOW,
  clockSure: true,
  timeZone: "Europe/Berlin",
  width,
  height,
  ...more,
});

type Draw = (width: number, height: number) => Face;

const show =
  (widget: Widget, more: Partial<FaceContext> = {}): Draw =>
  (width, height) =>
    face(widget, at(width, height, more));

const pushed = (text: string, more: { color?: string; background?: string } = {}) => ({
  value: { text, color: null, background: null, state: "live" as const, ...more },
});

/** A text about one of several sites. */
const about = (site: string, text: string, icon?: string): Partial<FaceContext> => ({
  value: { text, color: null, background: null, state: "live", site, ...(icon && { icon }) },
});

const expired = (text: string) => ({
  value: { text, color: "#4ade80", background: null, state: "expired" as const },
});

const push: Widget = { type: "push", channel: "build" };
const counts = (
  value: number,
  previous: number | null,
  series: number[],
): Partial<FaceContext> => ({
  numbers: {
    value,
    compared: previous === null ? null : { now: value, before: previous },
    series,
  } satisfies Numbers,
});
type Stat = Extract<Widget, { type: "stat" }>;
const stat = (
  site: string,
  metric: Stat["metric"],
  period: Stat["period"],
  numbers: Partial<FaceContext>,
  more: Partial<Stat> = {},
) => show({ type: "stat", site, metric, period, ...more }, numbers);
/** Some of Lucide's. */
const ICONS: Readonly<Record<string, string>> = {
  house:
    "M15 21v-8a1 1 0 0 0-1-1h-4a1 1 0 0 0-1 1v8M3 10a2 2 0 0 1 .709-1.528l7-6a2 2 0 0 1 2.582 0l7 6A2 2 0 0 1 21 10v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
  bell: "M10.268 21a2 2 0 0 0 3.464 0m-10.47-5.674A1 1 0 0 0 4 17h16a1 1 0 0 0 .74-1.673C19.41 13.956 18 12.499 18 8A6 6 0 0 0 6 8c0 4.499-1.411 5.956-2.738 7.326",
  lock: "M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-7a2 2 0 0 1 2 -2zM7 11V7a5 5 0 0 1 10 0v4",
  "lock-open":
    "M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-7a2 2 0 0 1 2 -2zM7 11V7a5 5 0 0 1 9.9-1",
};
const icons = { icons: { path: (name: string) => ICONS[name] } };
const iconic = (text: string): Partial<FaceContext> => ({
  ...icons,
  value: { text, color: null, background: null, state: "live", icon: "house" },
});
/** A picture, red above and transparent below. */
const halves = (width: number, height: number): Partial<FaceContext> => {
  const at = (scale: number) => {
    const [across, down] = [width * scale, height * scale];
    const data = new Uint8ClampedArray(across * down * 4);
    for (let byte = 0; byte < data.length / 2; byte += 4) data.set([220, 38, 38, 255], byte);
    return { width: across, height: down, data };
  };
  return {
    image: { pixels: at(1), fine: async (scale) => at(scale), toJSON: () => "halves" },
  };
};
const temperature = { type: "gauge", channel: "office", min: -10, max: 40 } as const;
const countdown: Widget = { type: "countdown", channel: "build" };
const ends = (ms: number): Partial<FaceContext> => ({
  value: { text: "x", color: null, background: null, state: "live", expiresAt: NOW + ms },
});
/** The face of a watched or held channel, twelve minutes after its last push. */
const told = (state: ChannelState, text = "backup nas", more: Partial<PushedValue> = {}) =>
  show(push, {
    value: {
      text,
      color: null,
      background: null,
      state,
      updatedAt: NOW - 750_000,
      ...more,
    },
  });
const SEEN = { ack: { by: "owner", at: NOW - 60_000 } } as const;
const update =
  (weight: UpdateStanding["weight"], top: string, main: string, bottom = ""): Draw =>
  () =>
    noticeFace({ type: "update", weight, top, main, bottom, sentence: "" });

const wifi =
  (top: string, main: string, bottom: string, warns = false): Draw =>
  () =>
    noticeFace({ type: "wifi", top, main, bottom, warns });

const padlock = (standing?: Partial<PublicStanding>): Draw =>
  show(
    { type: "padlock" },
    {
      ...icons,
      ...(standing && {
        publicAddress: {
          name: "stats.example.com",
          state: "live",
          words: "live",
          sentence: "Visitors reach the machine at stats.example.com.",
          reachedAt: null,
          ...standing,
        },
      }),
    },
  );
const address = { address: "http://tallydeck.local:3000/" };

/** Every widget in every state, by name. */
export const GALLERY: Readonly<Record<string, Draw>> = {
  "push-waiting": show(push),
  "push-word": show(push, pushed("OK")),
  "push-number": show(push, pushed("21.5°C\nOffice")),
  "push-lines": show(push, pushed("main\n#4821\npassed\n3m 12s")),
  "push-site": show(push, about("blog", "1,234 visitors\nyesterday +12%")),
  "push-site-long": show(push, about("documentation-of-the-shop", "98 visitors\n7 days −3%")),
  "push-site-icon": show(push, { ...icons, ...about("blog", "1 visitor", "house") }),
  "push-sentence": show(push, pushed("Stand-up in 5 minutes, room 2")),
  "push-long-word": show(push, pushed("Donaudampfschifffahrt")),
  "push-too-long": show(push, pushed("The quick brown fox jumps over the lazy dog. ".repeat(5))),
  "push-accents": show(push, pushed("Ärger\nÉté ÿ Ñ\ngqpj ¡¿")),
  "push-signs": show(push, pushed("✓ ✗ ↑ ↓\n→ 21.5° ←")),
  "push-letters": show(push, pushed("Łódź Ễ\nЖук Ψς")),
  "push-colors": show(push, pushed("Failed", { color: "#ffffff", background: "#b91c1c" })),
  "push-color-only": show(push, pushed("deploy\ndone", { color: "#4ade80" })),
  "push-dark-color-only": show(push, pushed("deploy\ndone", { color: "#1e3a8a" })),
  "push-background-only": show(push, pushed("disk 91%", { background: "#facc15" })),
  "push-expired-dim": show(push, expired("passed")),
  "push-expired-blank": show({ ...push, expire: "blank" }, expired("passed")),
  "push-expired-text": show({ ...push, expire: "text", fallback: "no news" }, expired("passed")),
  "push-icon": show(push, iconic("21.5°C")),
  "push-icon-lines": show(push, iconic("Office\n21.5°C\n45 %")),
  "push-rule": show(
    { ...push, rules: [{ above: 20, color: "#ffffff", background: "#b91c1c" }] },
    { ...pushed("21.5°C\nOffice"), rule: 0 },
  ),
  "push-expired-colors": show(push, {
    value: { text: "Failed", color: null, background: "#b91c1c", state: "expired" },
  }),
  "push-new": told("new", "", { period: 600 }),
  "push-paused": told("paused"),
  "push-up-nameless": told("up", "", { period: 600 }),
  "push-late": told("late"),
  "push-down": told("down", "disk full\n/var 100 %", { period: 600 }),
  "push-down-seen": told("down", "disk full", { period: 600, ...SEEN }),
  "push-firing": told("firing", "Door bell"),
  "push-firing-colors": told("firing", "Washing\nmachine", { background: "#1d4ed8" }),
  "push-acknowledged": told("acknowledged", "Door bell", SEEN),
  "push-resolved": told("resolved", "Disk"),
  "push-running": told("up", "backup", { status: "start" }),
  "push-warn": told("live", "disk 91 %", { status: "warn" }),
  "push-fail": told("live", "build 7", { status: "fail" }),
  "icon-label": show({ type: "icon", icon: "house", label: "Home" }, icons),
  "icon-alone": show({ type: "icon", icon: "bell", background: "#facc15" }, icons),
  "icon-unknown": show({ type: "icon", icon: "no-such-icon" }, icons),
  image: (width, height) =>
    show({ type: "image", image: "" }, halves(width, height))(width, height),
  "image-background": (width, height) =>
    show({ type: "image", image: "", background: "#f1f5f9" }, halves(width, height))(width, height),
  "image-missing": show({ type: "image", image: "" }, { image: "missing" }),
  "image-opening": show({ type: "image", image: "" }),
  gauge: show(temperature, pushed("21.5 °C")),
  "gauge-rule": show(
    { ...temperature, unit: "%", rules: [{ above: 20, color: "#f87171" }] },
    { ...pushed("88"), rule: 0 },
  ),
  "gauge-waiting": show(temperature),
  "gauge-expired": show(temperature, expired("12")),
  "gauge-light": show({ ...temperature, background: "#f1f5f9", unit: "°C" }, pushed("1 234.5")),
  bar: show({ ...temperature, type: "bar", unit: "°C" }, pushed("21.5 °C")),
  "bar-rule": show(
    { ...temperature, type: "bar", rules: [{ above: 20, background: "#7f1d1d" }] },
    { ...pushed("72"), rule: 0 },
  ),
  "bar-light": show({ ...temperature, type: "bar", background: "#f1f5f9" }, pushed("-3")),
  "countdown-minutes": show(countdown, ends(299_000)),
  "countdown-hours": show(countdown, ends(7_500_000)),
  "countdown-days": show({ ...countdown, label: "Backup" }, ends(273_600_000)),
  "countdown-over": show(countdown, ends(-5)),
  "countdown-none": show(countdown, pushed("OK")),
  "countdown-waiting": show(countdown),
  worldclock: show({ type: "worldclock", timeZone: "America/New_York" }),
  "worldclock-label": show({
    type: "worldclock",
    timeZone: "Asia/Tokyo",
    label: "Mum",
    background: "#e2e8f0",
  }),
  "worldclock-unsure": show({ type: "worldclock", timeZone: "UTC" }, { clockSure: false }),
  "stat-other-day": stat("blog", "uv", "day", {
    numbers: {
      value: 1_234,
      compared: { now: 1_234, before: 1_100 },
      series: DAY,
      zone: "Asia/Tokyo",
    },
  }),
  "stat-label": stat("a-rather-long-site-id", "pv", "7d", counts(3_273, 2_922, WEEK), {
    label: "Shop",
  }),
  "stat-long-name": stat("fieldnotes-of-a-walker", "uv", "day", counts(3_273, 2_922, WEEK)),
  "toggle-on": show(
    { type: "toggle", channel: "lamp", on: { icon: "lightbulb", background: "#166534" } },
    { value: { text: "on", color: null, background: null, state: "live" } },
  ),
  "toggle-off": show({ type: "toggle", channel: "lamp", off: { text: "Lamp" } }),
  "text-medium": show({ type: "text", text: "Office", size: "medium" }),
  "text-small": show({ type: "text", text: "Light\noffice", size: "small" }),
  "stat-up": stat("blog", "pv", "7d", counts(3_273, 2_922, WEEK)),
  "stat-down": stat("shop", "uv", "30d", counts(12_345, 14_910, MONTH)),
  "stat-today": stat("docs", "sessions", "day", counts(371, null, DAY)),
  "stat-silence": stat("blog", "pv", "day", {
    numbers: { value: 214, compared: { now: 214, before: 402 }, series: DAY, alarm: "silence" },
  }),
  "stat-rush": stat(
    "blog",
    "pv",
    "now",
    { numbers: { value: 214, compared: null, series: DAY, alarm: "rush" } },
    { color: "#4ade80" },
  ),
  "stat-wide-number": stat("a-rather-long-site-id", "uv", "30d", counts(888_888, 1_000, MONTH)),
  "stat-bots": stat("blog", "bot", "7d", counts(96, 60, WEEK)),
  "stat-nothing": stat("new", "pv", "7d", counts(0, 0, [0, 0, 0, 0, 0, 0, 0])),
  "stat-now": stat("blog", "pv", "now", {
    numbers: { value: 12, compared: null, series: [0, 0, 1, 3, 2, 0, 1, 2, 2, 1] },
  }),
  "stat-unknown": show({ type: "stat", site: "gone", metric: "app", period: "day" }),
  "stat-light": stat("blog", "pv", "7d", counts(3_273, 2_922, WEEK), { background: "#f1f5f9" }),
  "stat-color": stat("blog", "pv", "7d", counts(3_273, 3_922, WEEK), {
    color: "#fbbf24",
    background: "#1c1917",
  }),
  clock: show({ type: "clock" }),
  "clock-unsure": show({ type: "clock" }, { clockSure: false }),
  date: show({ type: "date" }),
  "date-color": show({ type: "date", background: "#7c2d12" }),
  "date-unsure": show({ type: "date" }, { clockSure: false }),
  text: show({ type: "text", text: "Coffee\nfirst", color: "#fde68a" }),
  "address-code": show({ type: "address" }, address),
  "address-text": show({ type: "address" }, { ...address, now: NOW + 6_000 }),
  "address-number": show(
    { type: "address" },
    { address: "http://192.168.178.120:3000/", now: NOW + 6_000 },
  ),
  "address-offline": show({ type: "address" }),
  "padlock-off": padlock(),
  "padlock-live": padlock({}),
  "padlock-reached": padlock({ reachedAt: NOW - 130_000 }),
  "padlock-working": padlock({
    state: "working",
    words: "opens port",
    sentence: "The machine asks your router to open port 443.",
  }),
  "padlock-warning": padlock({
    state: "warning",
    words: "not reached",
    sentence: "Nobody has come in from outside for two days.",
  }),
  "padlock-wrong": padlock({
    state: "wrong",
    words: "port closed",
    sentence: "The router refuses to open port 443.",
  }),
  empty: show({ type: "empty" }),
  "empty-color": show({ type: "empty", background: "#1e293b" }),
  "notice-starting": () => noticeFace({ type: "starting" }),
  "notice-setup-code": () => noticeFace({ type: "setup-code", code: "407192" }),
  "notice-backup": () => noticeFace({ type: "backup", words: "8 days old" }),
  "notice-public-address": () => noticeFace({ type: "public-address", words: "port closed" }),
  "notice-place": () =>
    noticeFace({ type: "place", name: "Frankfurt", main: "silent", since: "for 10 min" }),
  "notice-update-ready": update("hint", "Update", "0.3.0", "ready"),
  "notice-updating": update("away", "Updating", "back in 2 min"),
  "notice-went-back": update("warning", "Went back", "no address on eth0"),
  "notice-failing": () => noticeFace({ type: "storage", state: "failing" }),
  "notice-wifi-code": (width, height) =>
    noticeFace(
      {
        type: "wifi-code",
        text: "WIFI:T:WPA;S:Tallydeck-7F3K;P:abqdefghjk;;",
        words: "Join Tallydeck-\u200b7F3K",
      },
      width >= 1.5 * height,
    ),
  "notice-wifi-address": (width, height) =>
    noticeFace(
      { type: "wifi-code", text: "http://192.0.2.1/", words: "then open 192.0.2.1" },
      width >= 1.5 * height,
    ),
  "notice-wifi-name": wifi("Wi-Fi", "Tallydeck-\u200b7F3K", ""),
  "notice-wifi-key": wifi("Key", "abqde\u200bfghjk", ""),
  "notice-wifi-how": wifi("Scan", "1st, then 2nd", "code"),
  "notice-wifi-trouble": wifi("Password", "not accepted", "14:05 Haus am See", true),
  "notice-wifi-gone": wifi("Wi-Fi 14:05", "not found", "Haus am See", true),
  "notice-wifi-begin": () => noticeFace({ type: "wifi-begin" }),
  "notice-ssh-key": () => noticeFace({ type: "ssh-key", key: "x7Kq9d" }),
  "notice-reset-counting": () => noticeFace({ type: "reset", state: "counting", seconds: 10 }),
  "notice-reset-going": () => noticeFace({ type: "reset", state: "going" }),
  "notice-reset-done": () => noticeFace({ type: "reset", state: "done", sentence: "" }),
  "notice-reset-jumper": () => noticeFace({ type: "reset", state: "jumper", sentence: "" }),
  "notice-storage": () => noticeFace({ type: "storage", state: "full" }),
  "notice-clock": () => noticeFace({ type: "clock-not-set" }),
};
