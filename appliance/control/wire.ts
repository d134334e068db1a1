/** The JSON the control API answers. Times are epoch milliseconds. */

import type { DigestSettings, DigestStanding, DigestTarget } from "../base/text/digest.ts";
import type { ValueRule } from "../base/text/dimensions.ts";
import type { Goal } from "../base/text/goals.ts";
import type { UpdateOutcome } from "../base/text/update-outcome.ts";
import type { MachineSettings } from "../box/ipc/machine.ts";
import type { DiskAnswer, Vitals } from "../box/view.ts";
import type { DeckView, Undoable } from "../deck/deck-view.ts";
import type { Widget } from "../deck/face/widget.ts";
import type { ChannelState } from "../deck/push/channel-state.ts";
import type { ChannelValue } from "../deck/push/entry.ts";
import type { Acknowledgement } from "../deck/push/held.ts";
import type { Status } from "../deck/push/push-body.ts";
import type { PushToken } from "../deck/push/push-token.ts";
import type { DeckSettings } from "../deck/settings/deck-settings.ts";
import type { WebdavSettings } from "../links/backups/settings.ts";
import type { FoundBackup, TargetView } from "../links/backups/view.ts";
import type { LastMail, MailSettings } from "../links/mail/settings.ts";
import type { BrokerState, MqttSettings } from "../links/mqtt/settings.ts";
import type { PublicSettings } from "../links/public/settings.ts";
import type { PublicView } from "../links/public/view.ts";
import type { UpdateView } from "../links/updates/view.ts";
import type { Warning } from "../store/reports.ts";
import type { AlarmState } from "../traffic/alarms/state.ts";
import type { TagPlace } from "../traffic/collector/wire.ts";
import type { ImportTotals, ImportUpload } from "./moving/upload-view.ts";

export type { ErrorAnswer } from "../base/http/wire.ts";
export type { IconFile as IconsAnswer } from "../base/text/icons.ts";
export type { StaysOut } from "../base/text/left-out.ts";
export type { MachineChange, MachineSettings } from "../box/ipc/machine.ts";
export type { DiskAnswer, PowerAction, TunnelAnswer, Vitals } from "../box/view.ts";
export type { DeckView, InputView, PlaceView, SlotView } from "../deck/deck-view.ts";
export type {
  CountdownWidget,
  GaugeWidget,
  IconWidget,
  ImageWidget,
  PushWidget,
  StatWidget,
  ToggleSide,
  ToggleWidget,
  Widget,
  WorldclockWidget,
} from "../deck/face/widget.ts";
export type { PushToken } from "../deck/push/push-token.ts";
export type { Action, RequestAction, Step } from "../deck/settings/action.ts";
export type { StepView } from "../links/public/view.ts";
export type { UpdateChange, UpdateView } from "../links/updates/view.ts";
export type { SiteAlarms, SurveyLabels } from "../store/reports.ts";
export type { ImportOptions, ImportUpload, UploadPreview } from "./moving/upload-view.ts";

/** `GET /api/sites/:id/goal-values`: what a goal can be of, the one with the most counts first. */
export type GoalValuesAnswer = Record<Goal["kind"], readonly string[]>;

/** `GET /api/sites/:id/seen-hosts`: the one with the most views first. */
export interface SeenHostsAnswer {
  readonly hosts: readonly string[];
}

/** `GET /api/sites/:id/values`: values that count as others. */
export interface ValueRulesAnswer {
  readonly rules: readonly ValueRule[];
}

export interface SiteImport {
  number: number;
  /** The name of its file. */
  name: string;
  /** The name of the format, for people; null where it is not known. */
  format: string | null;
  /** Its first and its last day, and the number of days with counts. */
  from: string;
  to: string;
  days: number;
  totals: ImportTotals;
  /** The time of the last run. */
  at: number | null;
}

/** `GET /api/sites/:id/imports`. */
export interface ImportsAnswer {
  imports: SiteImport[];
  /** The file that the box takes in now, for whichever site. */
  upload: ImportUpload | null;
}

/** A problem that keeps a deck from working, with advice. */
export interface DeckProblemView {
  code: "not_seen" | "no_permission" | "in_use" | "power" | "no_usb";
  /** Name of the model; empty for a problem of no particular deck. */
  deck: string;
  /** USB port. */
  port: string;
  message: string;
}

/** `GET /api/decks`, and the event `decks`. */
export interface DecksAnswer extends Undoable {
  decks: DeckView[];
  problems: DeckProblemView[];
}

/** `POST /api/decks/undo`, `…/redo`, and routes that move or fill keys: a sentence about the change. */
export interface DoneAnswer {
  done: string;
}

/** The event `pressed`: of a slot or an input. */
export interface SlotAt {
  deck: string;
  slot: string;
}

/** The event `slots`: a slot shows another picture. */
export interface SlotPicture extends SlotAt {
  revision: number;
}

/** The events of `GET /api/events`, by their names. */
export interface BoxEvents {
  decks: DecksAnswer;
  channels: ChannelsAnswer;
  slots: SlotPicture;
  pressed: SlotAt;
  public: PublicAnswer;
  /** The update, on the box only. */
  update: UpdateView;
}

/** `PUT /api/mqtt` */
export type MqttChange = Partial<MqttSettings>;

/** `GET /api/mqtt`. */
export interface MqttAnswer extends Omit<MqttSettings, "password"> {
  hasPassword: boolean;
  /** Named in the configuration, which alone can change it. */
  declared: boolean;
  /** The box's id at the broker: topics begin with the prefix and it. */
  box: string;
  /** Null while it is off. */
  state: BrokerState | null;
}

/** `PUT /api/public` */
export type PublicChange = Partial<PublicSettings>;

/** `GET /api/public`, and the event `public`. */
export interface PublicAnswer extends Omit<PublicSettings, "ddnsToken"> {
  hasToken: boolean;
  /** Named in the configuration, which alone can change it. */
  declared: boolean;
  /** The port of this machine where it answers `https://`; null for none, as in a checkout. */
  port: number | null;
  /** The URL of the CA's terms; null while it is not known. */
  terms: string | null;
  view: PublicView;
}

/** `POST /api/public/phone`: a link for one use, on a phone outside of the local network. */
export interface PhoneLinkAnswer {
  url: string;
  /** Epoch milliseconds. */
  until: number;
  /** Its QR code, row by row: `1` is dark. */
  code: string[];
}

/** `GET /api/box`. */
export interface BoxAnswer extends Vitals {
  version: string;
  /** The time of the release, in epoch ms. */
  made: number;
  time: number;
  /** Whether `time` can be trusted. */
  clockSet: boolean;
  /** IANA name of the zone in which the box shows the time. */
  timeZone: string;
  /** The zone by which days begin, and a sentence about a change that is ahead; missing before the first site. */
  days?: { zone: string; ahead: string | null };
  /** URLs of the Web UI on the own network; null where there is none. */
  addresses: { number: string | null; name: string | null };
  /** The room on the disk of the data. */
  disk?: { freeBytes: number; totalBytes: number };
  /** That disk itself. */
  device?: DiskAnswer;
  /** The numbers and the sites are in a database elsewhere: no backup of the box has them. */
  numbersElsewhere: boolean;
  /** The time of the failure before which a log was kept; null where there is none. */
  logKeptAt: number | null;
  /** Whether `POST /api/power` is of use here. */
  power: boolean;
  /** The problems that the box has now. */
  warnings: readonly Warning[];
}

/** `GET /api/wifi`. */
export interface WifiAnswer {
  /** Whether `POST` is of use here: on a box with a radio. */
  possible: boolean;
  /** The network that is being tried; null while none is. */
  joining: string | null;
  /** A sentence about the last network that was not joined; null without. */
  trouble: string | null;
}

/** `GET /api/machine`. */
export interface MachineAnswer {
  /** Null where the system is not ours. */
  settings: MachineSettings | null;
  /** Whether a requested change is not made yet. */
  pending: boolean;
  /** The seconds in which somebody at the box has to confirm an ssh key; null while none waits. */
  confirmWithin: number | null;
}

/** `GET /api/reset`. */
export interface ResetAnswer {
  /** Whether `POST` is of use here: on the box. */
  possible: boolean;
  /** The name of the machine, which its owner types to begin. */
  name: string;
  /** Seconds until all data is erased, 0 once the box is about to restart; null while nothing is to be erased. */
  seconds: number | null;
}

/** `GET /api/push-tokens`. */
export interface PushTokensAnswer {
  tokens: PushToken[];
}

/** `POST /api/logs/:site`. */
export interface LogsAnswer {
  ok: true;
  /** The views that the lines count; the same however often they are sent. */
  views: number;
  /** Lines that do not count, by what they are. */
  left: Record<string, number>;
  /** A sentence for the owner of the log, where visitors are not told from each other. */
  note?: string;
}

/** A token with its plaintext, at creation and rotation only. */
export interface NewPushToken extends Omit<PushToken, "lastUsedAt"> {
  token: string;
}

/** `POST /api/origins`. */
export interface AllowedOrigin {
  /** `http://192.168.1.20:8123` */
  origin: string;
}

/** `GET /api/origins`: where keys may send requests. */
export interface OriginsAnswer {
  origins: string[];
}

/** `PUT /api/places/:id/alarm`: the address that is told of trouble with a place; null for none. */
export interface PlaceAlarm {
  webhook: string | null;
}

/** A place: another Tallydeck whose counts are fetched from here. */
export interface PlaceStanding {
  id: string;
  name: string;
  /** `https://…` */
  address: string;
  /** A sentence: why nothing more is believed of it; null for one that is. */
  lie: string | null;
  /** The reason why it could not be asked last, to end a sentence; null where it could. */
  problem: string | null;
  /** Whether nothing was fetched for ten minutes. */
  isSilent: boolean;
  /** Whether sites that are missing here are made. */
  makesSites: boolean;
  /** Epoch milliseconds; null before its first answer. */
  answeredAt: number | null;
  /** Hits that came, but for those that came as whole days. */
  hits: number;
  /** Its sites; `as`: the id of ours that one is, or null; `isNone`: whether it was chosen to be none of them. */
  sites: { id: string; host: string | null; as: string | null; isNone: boolean }[];
  /** Sites that are not there as they are here, by their id there. */
  disobeyed: { site: string; outcome: string }[];
}

/** `GET /api/places` */
export interface PlacesAnswer {
  places: (PlaceStanding & PlaceAlarm)[];
  /** Invitations of this machine. Times in epoch milliseconds; `askedAt`: about when it was used last, or null. */
  homes: { id: string; name: string; madeAt: number; askedAt: number | null }[];
}

/** `POST /api/homes`: an invitation of this machine, which is shown only here. */
export interface NewHome {
  /** `tallydeck-place:https://…#…` */
  invitation: string;
  /** Its QR code, row by row: `1` is dark. */
  code: string[];
}

/** A channel that holds a value, or is watched. */
export interface PushChannel extends ChannelValue {
  /** Keys and zones on connected decks that show the channel. */
  bound: number;
}

/** `GET /api/channels/:channel`. */
export interface ChannelAnswer {
  channel: string;
  text: string | null;
  state: ChannelState | "waiting";
  status: Status | null;
  id: string | null;
  ack: Acknowledgement | null;
  updatedAt: number | null;
  /** Null for a value that stays, too. */
  expiresAt: number | null;
}

/** `POST /hooks/…/:channel`. */
export interface HookAnswer {
  ok: true;
  channel: string;
  /** The number of alerts that fire. */
  firing: number;
}

/** `GET /api/push-channels`, and the event `channels`. */
export interface ChannelsAnswer {
  channels: PushChannel[];
}

/** `PUT /api/images`: the picture's name, for a widget. */
export interface ImageAnswer {
  image: string;
}

export interface PushAnswer {
  ok: true;
  channel: string;
  expiresAt: number | null;
  bound: number;
  /** Characters that are shown as `?`. */
  replaced: number;
  /** Whether something was cut. */
  truncated: boolean;
}

export interface Site {
  id: string;
  host: string | null;
  badge: boolean;
  /** Declared in the configuration, which alone can change it. */
  declared: boolean;
  hasToken: boolean;
  /** The number of links by which it is shared. */
  shares: number;
  /** Whether it is not declared any more: it keeps its counts, and can come back or be erased. */
  retired: boolean;
  /** The place that counts it, whose address its tag names; null where it is counted here alone. */
  place: TagPlace | null;
}

/** `GET /api/sites`, the retired ones last, with the collector's port for tags and badges. */
export interface SitesAnswer {
  sites: Site[];
  collector: { port: number };
  /** The first site may name the zone by which days begin: none has been named. */
  asksZone: boolean;
  /** Whether anything has been counted of any site. */
  hasCounts: boolean;
}

/** The counts of a site, at a glance. */
export interface SiteActivity {
  id: string;
  /** Views of the last seven days, today's so far at the end. */
  week: number[];
  /** Views of all time. */
  total: number;
  /** The hour of the newest view that is kept: `2026-03-04T12`; the day where its hours are not known. */
  last: string | null;
  /** Views of the last five minutes. */
  live: number;
  alarms: { silence: AlarmState; rush: AlarmState };
}

/** `GET /api/site-activity`; the retired are not in it. */
export interface SiteActivityAnswer {
  /** The zone by which days begin, an IANA name. */
  zone: string;
  sites: SiteActivity[];
}

/** The settings of a site, at a glance. */
export interface SiteSettings {
  id: string;
  /** Whether it alarms of silence, of a rush, or of both. */
  alarms: boolean;
  /** The days of its digest; null while none is sent. */
  digest: Pick<DigestSettings, "every" | "weekday"> | null;
  /** The number of its goals. */
  goals: number;
}

/** `GET /api/site-settings`; the retired are not in it. */
export interface SiteSettingsAnswer {
  sites: SiteSettings[];
}

/** A link by which a site is shared. */
export interface Share {
  id: string;
  name: string;
  /** The conditions of what it shows, as texts like `path:is:/about`; none for all of the traffic. */
  where: readonly string[];
  /** The day on which it was used last, `2026-03-04`; null before. */
  lastUsed: string | null;
}

/** `GET /api/sites/:id/shares`, oldest first. */
export interface SharesAnswer {
  shares: Share[];
}

/** A token for reading, which is shown only here. */
export interface NewReadToken {
  token: string;
}

/** The token of a new share link, which is shown only here. */
export interface NewShare extends NewReadToken {
  id: string;
}

/** `POST /api/dashboard-code`: a code for one use of the dashboard, within a minute. */
export interface DashboardCode {
  code: string;
}

/** `GET /api/privacy`: a text for the owner's privacy page, paragraphs with an empty line between. */
export interface PrivacyAnswer {
  text: string;
}

/** `GET /api/admin-token`: whether making one takes the place of another. */
export interface AdminTokenAnswer {
  exists: boolean;
}

/** `GET /api/settings/export`. An import may leave out any part. */
export interface SettingsAnswer {
  tallydeck: "settings";
  /** The values of headers are hidden. */
  decks: DeckSettings[];
  sites: { id: string; host: string | null; badge: boolean }[];
}

/** `POST /api/settings/import?preview=1`: how much an import would add and change. */
export interface ImportPreview {
  /** Keys and zones of decks that are known. */
  keys: number;
  /** Numbers of decks; `changed` ones have changes beside their keys. */
  decks: { added: number; changed: number };
  sites: { added: number; changed: number };
}

/** `GET /api/rescue`, while the data cannot be used: why, in a sentence. */
export interface RescueAnswer {
  problem: string;
  /** Whether there is data from before a restore. */
  mayGoBack: boolean;
  /** Whether starting without data is offered: not where a newer version can read it, or going back is possible. */
  mayStartAnew: boolean;
  /** Whether another release can be started: `/api/update` answers. */
  hasUpdates: boolean;
}

/** `POST /api/rescue/start-anew`: the new name of the old file, if there was one. */
export interface StartedAnew {
  kept: string | null;
}

/** The versions of the software, and the machine it runs on. */
export interface Machine {
  tallydeck: string;
  /** The day of the release, like `2026-03-04`. */
  made: string;
  /** A sentence on a release that is more than a year old. */
  old?: string;
  node: string;
  sqlite?: string;
  system: string;
  memoryBytes: number;
}

/** `GET /api/diagnostics`. */
export interface Diagnostics extends Machine {
  time: string;
  clockSet: boolean;
  upSeconds: number;
  /** The open connections of each listener. */
  connections: { collector: number; control: number };
  decks: (Pick<DeckView, "model" | "connected" | "virtual" | "evidence"> & {
    widgets: Widget["type"][];
  })[];
  deckProblems: Omit<DeckProblemView, "message">[];
  /** The state of its public address, in a word. */
  publicAddress: PublicView["state"];
  /** The running release, and the end of the last attempt at another; on the box only. */
  update?: Pick<UpdateView, "running" | "other" | "mode" | "updates"> & {
    last: UpdateOutcome["kind"] | null;
  };
  /** The problems that the box has now. */
  warnings: readonly Warning[];
  storage: {
    freeBytes?: number;
    totalBytes?: number;
    sites: number;
  };
  errors: { time: string; level: "info" | "warn" | "error"; message: string }[];
}

/** `GET` and `PUT /api/sites/:id/digest`. Times are epoch milliseconds. */
export interface DigestAnswer extends DigestSettings, DigestStanding {
  /** Whether another box sends it, which shows the site, too. */
  isElsewhere: boolean;
}

/** `POST /api/sites/:id/digest` */
export interface DigestSentAnswer {
  /** The targets; `problem` is null where one took it. */
  sent: { target: DigestTarget; problem: string | null }[];
}

/** `GET /api/backups`: the backups that the machine makes by itself; `url` is empty where there is no WebDAV server. */
export interface BackupsAnswer extends Omit<WebdavSettings, "password"> {
  hasPassword: boolean;
  /** Whether backups go to a USB stick that is plugged in; null where the machine takes none. */
  stick: boolean | null;
  /** The reason that the plugged stick cannot be used. */
  stickProblem: string | null;
  /** The folder that the configuration names. */
  folder: string | null;
  targets: readonly TargetView[];
}

/** `GET /api/found-backup` */
export interface FoundBackupAnswer {
  found: FoundBackup[];
}

/** `PUT /api/backups` */
export type BackupsChange = Partial<WebdavSettings> & { readonly stick?: boolean };

/** `GET /api/mail`: the mail server; `host` is empty where there is none. */
export interface MailAnswer extends Omit<MailSettings, "password"> {
  hasPassword: boolean;
  /** Null before there was one. */
  last: LastMail | null;
}

/** `PUT /api/mail` */
export type MailChange = Partial<MailSettings>;
