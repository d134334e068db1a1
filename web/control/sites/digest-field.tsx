import { useState } from "preact/hooks";
import { WEEKDAYS } from "../../../appliance/base/calendar.ts";
import {
  type DigestSettings,
  type DigestTarget,
  targetsOf,
  type WebhookForm,
} from "../../../appliance/base/text/digest.ts";
import type { DigestAnswer, DigestSentAnswer } from "../../../appliance/control/wire.ts";
import { wallOf, zoneNote } from "../../shared/dates.ts";
import { ask } from "../api.ts";
import { Choice, Form, Input, Problem, Select, Switch, useNow, VERBATIM } from "../parts.tsx";
import { WebhookField } from "../push/allow-origin.tsx";
import { ChannelField } from "../push/channel-field.tsx";
import { ago } from "../times.ts";
import { ViewLink } from "../view/view-link.tsx";
import { Section } from "./section.tsx";
import { useSetting } from "./use-setting.ts";

const EVERY = [
  { id: "week", name: "Weekly" },
  { id: "day", name: "Daily" },
] as const;
const FORMS: readonly { id: WebhookForm; name: string }[] = [
  { id: "json", name: "JSON" },
  { id: "ntfy", name: "ntfy" },
  { id: "slack", name: "Slack" },
];
/** Weekdays from Monday on. */
const WEEK = [1, 2, 3, 4, 5, 6, 0].map((id) => ({ id, name: WEEKDAYS[id] ?? "" }));
const HOURS = Array.from({ length: 24 }, (_, id) => ({
  id,
  name: `${String(id).padStart(2, "0")}:00`,
}));

interface DigestFieldProps {
  /** of the site */
  path: string;
  /** of days; undefined until it is known */
  zone: string | undefined;
}

/** The digest of a site: when it is sent, where to, and what came of the last. */
export function DigestField({ path, zone }: DigestFieldProps) {
  const { busy, problem, run, kept: saved, read, write } = useSetting<DigestAnswer>(path);
  const [draft, setDraft] = useState<Partial<DigestSettings>>({});
  const [sent, setSent] = useState<DigestSentAnswer["sent"]>([]);
  if (saved === null)
    return (
      <Section title="Digest">
        <Problem text={problem} />
      </Section>
    );
  const now = { ...settingsOf(saved), ...draft };
  const save = (change: Partial<DigestSettings>) =>
    run(async () => {
      setSent([]);
      await write({ ...now, ...change });
      setDraft({});
    });
  const send = () =>
    run(async () => {
      setSent((await ask<DigestSentAnswer>("POST", path)).sent);
      await read();
    });
  const hasTarget = targetsOf(settingsOf(saved)).length > 0;
  const isChanged = Object.keys(draft).length > 0;
  return (
    <Section title="Digest" state={headingOf(saved)}>
      <Form
        class="stack digest"
        // Naming the first place to send it to switches it on.
        onSubmit={() => save(hasTarget ? {} : { enabled: true })}
      >
        <p class="hint">
          The figures of this site in one screen, against those before: visitors, views, sessions,
          the first pages and sources, those that rose and fell most, goals and alarms.
        </p>
        {hasTarget && (
          <Switch
            name="Send it"
            isOn={now.enabled}
            disabled={busy}
            onSwitch={(enabled) => void save({ enabled })}
          />
        )}
        <Times now={now} onEdit={(change) => setDraft({ ...draft, ...change })} />
        <Places now={now} onEdit={(change) => setDraft({ ...draft, ...change })} />
        <Problem text={problem} />
        {saved.isElsewhere && (
          <p class="notice">
            Another machine that shows this site sends it. Save it here, and this one does instead.
          </p>
        )}
        <Standing saved={saved} zone={zone} />
        {sent.map(({ target, problem: why }) => (
          <p key={target} role="status" class={why === null ? "" : "notice bad"}>
            {nameOf(target)}: {why ?? "sent now."}
          </p>
        ))}
        <div class="row">
          <button
            type="submit"
            class="primary"
            disabled={busy || (!isChanged && !saved.isElsewhere)}
          >
            Save
          </button>
          <button
            type="button"
            disabled={busy || isChanged || saved.isElsewhere || !hasTarget}
            onClick={() => void send()}
          >
            Send one now
          </button>
        </div>
      </Form>
    </Section>
  );
}

/** `Monday 08:00, by mail and webhook` */
function headingOf(saved: DigestAnswer): string {
  const { enabled, every, weekday, hour, mail, webhook, channel } = saved;
  if (!enabled) return "off";
  const by = [
    ...(mail.length > 0 ? ["mail"] : []),
    ...(webhook === null ? [] : ["webhook"]),
    ...(channel === null ? [] : ["push channel"]),
  ];
  const when = `${every === "day" ? "daily" : WEEKDAYS[weekday]} ${HOURS[hour]?.name}`;
  return by.length === 0 ? when : `${when}, by ${by.join(" and ")}`;
}

interface PartProps {
  now: DigestSettings;
  onEdit: (change: Partial<DigestSettings>) => void;
}

function Times({ now: { every, weekday, hour }, onEdit }: PartProps) {
  return (
    <>
      <Choice
        legend="How often"
        value={every}
        options={EVERY}
        onChoose={(chosen) => onEdit({ every: chosen })}
      />
      <div class="pair">
        {every === "week" && (
          <Select
            label="Day"
            value={weekday}
            options={WEEK}
            onChoose={(day) => onEdit({ weekday: day })}
          />
        )}
        <Select
          label="Hour"
          value={hour}
          options={HOURS}
          onChoose={(chosen) => onEdit({ hour: chosen })}
        />
      </div>
    </>
  );
}

function Places({ now: { mail, webhook, form, channel }, onEdit }: PartProps) {
  return (
    <>
      <Input
        label="Mail to"
        hint={
          <>
            Addresses, with commas between. A{" "}
            <ViewLink to={{ tab: "box", part: "connections" }}>mail server</ViewLink> has to be
            named first.
          </>
        }
        {...VERBATIM}
        defaultValue={mail.join(", ")}
        placeholder="nobody"
        onText={(text) => onEdit({ mail: text.split(/[\s,;]+/).filter(Boolean) })}
      />
      <WebhookField url={webhook} onText={(url) => onEdit({ webhook: url })} />
      <Select
        label="It takes"
        value={form}
        options={FORMS}
        onChoose={(chosen) => onEdit({ form: chosen })}
      />
      <ChannelField
        label="Push channel"
        hint="For a key, and for a home automation: the visitors, and how they moved."
        value={channel ?? ""}
        onInput={(text) => onEdit({ channel: text || null })}
      />
    </>
  );
}

/** The time of the next digest, and the result of the last. */
function Standing({
  saved: { next, last },
  zone,
}: { saved: DigestAnswer } & Pick<DigestFieldProps, "zone">) {
  const now = useNow();
  return (
    <>
      {next !== null && <p>The next goes out on {momentName(next, zone)}.</p>}
      {last?.deliveries.map(({ target, state, at, why, next: again }) => {
        const isBad = state === "failed" || state === "unsure" || why !== "";
        return (
          <p key={target} class={isBad ? "notice bad" : "hint"}>
            {nameOf(target)}: {state === "sent" && `sent ${ago(at, now)}.`}
            {state === "trying" && "being sent."}
            {state === "due" && why === "" && "to be sent."}
            {why}
            {again !== null && ` It is tried again on ${momentName(again, zone)}.`}
            {state === "failed" && " It is not tried again."}
          </p>
        );
      })}
    </>
  );
}

function settingsOf({
  isElsewhere: _,
  next: __,
  last: ___,
  ...settings
}: DigestAnswer): DigestSettings {
  return settings;
}

function nameOf(target: DigestTarget): string {
  if (target === "channel") return "Push channel";
  return target === "webhook" ? "Webhook" : target.slice("mail:".length);
}

/** `Monday 2 March, 08:00`, in the zone of days, which is named where this browser's clock shows another time */
function momentName(moment: number, zone = "UTC"): string {
  const name = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  }).format(wallOf(zone, moment));
  return name + zoneNote(zone, moment);
}
