import type { Gesture } from "../../deck/hands/gestures.ts";
import {
  availabilityTopic,
  channelCommand,
  channelTopic,
  deckCommand,
  deckImage,
  deckTopic,
  deviceId,
  idPart,
  notifyCommand,
  placesTopic,
  siteTopic,
  slotEvent,
} from "./topics.ts";

export interface BoxFacts {
  readonly box: string;
  /** The name that people call it by. */
  readonly name: string;
  readonly version: string;
  /** URL of the Web UI; undefined where there is none on the network. */
  readonly url: string | undefined;
  /** Channels that take a text. */
  readonly channels: readonly string[];
  /** Channels that become late without pushes. */
  readonly watched: readonly string[];
  readonly sites: readonly SiteFacts[];
  readonly decks: readonly DeckFacts[];
  /** Whether other Tallydecks are fetched from. */
  readonly hasPlaces: boolean;
}

interface SiteFacts {
  readonly id: string;
  /** Kinds of alarms that are switched on, like `silence`. */
  readonly alarms: readonly string[];
}

interface DeckFacts {
  readonly id: string;
  readonly name: string;
  readonly pages: readonly { readonly name: string }[];
  /** Places that have an action, or are marked as buttons. */
  readonly buttons: readonly { readonly slot: string; readonly name: string }[];
}

type Component = { readonly platform: string } & Readonly<Record<string, unknown>>;
type Named = readonly [key: string, component: Component];

/** The document for Home Assistant: one device with all its entities. */
interface DeviceDocument {
  readonly components: Readonly<Record<string, Component>>;
  readonly [key: string]: unknown;
}

/** Home Assistant takes no longer state. */
export const LONGEST_STATE = 255;
/** Bytes of all components, so that the document stays below 64 kB. The last ones are left out beyond it. */
const MAX_BYTES = 62_000;
/** Home Assistant's own names where it has some: turns have none. */
const EVENT_TYPES = { press: "press_end", hold: "long_press_end", turn: "turn" } as const;

/** The document of a box, whose topics begin with `base`. */
export function deviceDocument(base: string, facts: BoxFacts): DeviceDocument {
  const { box, name, version, url } = facts;
  const named: readonly Named[] = [
    ["notify", { platform: "notify", name: "Message", command_topic: notifyCommand(base) }],
    ...facts.decks.flatMap((deck) => deckKnobs(base, deck)),
    ...facts.channels.map((channel) => channelText(base, channel)),
    ...facts.watched.map((channel) => channelAlarm(base, channel)),
    ...facts.sites.flatMap((site) => siteAlarms(base, site)),
    ...(facts.hasPlaces ? [placesAlarm(base)] : []),
    ...facts.decks.flatMap((deck) => deckButtons(base, deck)),
    ...facts.sites.flatMap((site) => siteSensors(base, site)),
  ];
  const components = named.map(
    ([key, { platform, ...component }]) =>
      [key, { platform, unique_id: `${deviceId(box)}_${key}`, ...component }] as const,
  );
  return {
    device: {
      identifiers: [deviceId(box)],
      name,
      manufacturer: "Tallydeck",
      model: "Tallydeck",
      sw_version: version,
      ...(url !== undefined && { configuration_url: url }),
    },
    origin: { name: "Tallydeck", sw_version: version },
    availability_topic: availabilityTopic(base),
    qos: 1,
    components: Object.fromEntries(fitting(components)),
  };
}

function fitting<T>(components: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = components.findIndex((component) => {
    bytes += Buffer.byteLength(JSON.stringify(component));
    return bytes > MAX_BYTES;
  });
  return end < 0 ? components : components.slice(0, end);
}

/**
 * Adds the components of `before` that are missing in `now` with their platform only, which removes them from Home
 * Assistant.
 */
export function withRemoved(
  now: DeviceDocument,
  before: Readonly<Record<string, string>>,
): DeviceDocument | undefined {
  const gone = Object.entries(before).filter(([key]) => now.components[key] === undefined);
  if (gone.length === 0) return undefined;
  const removed = gone.map(([key, platform]) => [key, { platform }]);
  return { ...now, components: { ...now.components, ...Object.fromEntries(removed) } };
}

/** The platform of each component, to be compared with later. */
export function platformsOf({ components }: DeviceDocument): Record<string, string> {
  return Object.fromEntries(
    Object.entries(components).map(([key, { platform }]) => [key, platform]),
  );
}

function channelText(base: string, channel: string): Named {
  return [
    `channel_${idPart(channel)}`,
    {
      platform: "text",
      name: `Channel ${channel}`,
      icon: "mdi:form-textbox",
      state_topic: channelTopic(base, channel),
      value_template: "{{ value_json.text | default('') }}",
      command_topic: channelCommand(base, channel),
      command_template: "{{ {'text': value, 'ttl': 0} | tojson }}",
      min: 0,
      max: LONGEST_STATE,
    },
  ];
}

function channelAlarm(base: string, channel: string): Named {
  const says = "value_json.state == 'down'";
  const key = `channel_${idPart(channel)}_problem`;
  return [key, problem(`Channel ${channel} problem`, channelTopic(base, channel), says)];
}

function siteAlarms(base: string, { id, alarms }: SiteFacts): Named[] {
  return alarms.map((alarm) => [
    `site_${idPart(id)}_${alarm}`,
    problem(`${id} ${alarm}`, siteTopic(base, id), `value_json.alarms.${alarm}`),
  ]);
}

function placesAlarm(base: string): Named {
  return ["places", problem("Places", placesTopic(base), "value_json.troubled")];
}

/** @param says an expression of Home Assistant's templates, true while there is a problem */
function problem(name: string, topic: string, says: string): Component {
  return {
    platform: "binary_sensor",
    name,
    device_class: "problem",
    state_topic: topic,
    value_template: `{{ 'ON' if ${says} else 'OFF' }}`,
  };
}

function siteSensors(base: string, { id: site }: SiteFacts): Named[] {
  const sensor = (key: string, name: string, stateClass: string, icon: string): Named => [
    `site_${idPart(site)}_${key}`,
    {
      platform: "sensor",
      name: `${site} ${name}`,
      icon,
      state_topic: siteTopic(base, site),
      value_template: `{{ value_json.${key} | default(0) }}`,
      state_class: stateClass,
    },
  ];
  return [
    sensor("views", "views today", "total_increasing", "mdi:eye"),
    sensor("visitors", "visitors today", "total_increasing", "mdi:account"),
    sensor("live", "views now", "measurement", "mdi:pulse"),
  ];
}

export function eventOf({ kind, delta }: Pick<Gesture, "kind" | "delta">, page: string): object {
  return { event_type: EVENT_TYPES[kind], page, ...(delta !== undefined && { delta }) };
}

function deckButtons(base: string, { id, name, buttons }: DeckFacts): Named[] {
  return buttons.map((button) => [
    `deck_${idPart(id)}_${button.slot}`,
    {
      platform: "event",
      device_class: "button",
      name: `${name} ${button.name}`,
      state_topic: slotEvent(base, id, button.slot),
      event_types: Object.values(EVENT_TYPES),
    },
  ]);
}

function deckKnobs(base: string, { id, name, pages }: DeckFacts): Named[] {
  const page: Named = [
    `deck_${idPart(id)}_page`,
    {
      platform: "select",
      name: `${name} page`,
      icon: "mdi:view-carousel",
      state_topic: deckTopic(base, id),
      value_template: "{{ value_json.page | default('') }}",
      command_topic: deckCommand(base, id, "page"),
      options: pages.map((each) => each.name),
    },
  ];
  return [
    ...(pages.length > 1 ? [page] : []),
    [
      `deck_${idPart(id)}_sleep`,
      {
        platform: "switch",
        name: `${name} sleep`,
        icon: "mdi:sleep",
        entity_category: "config",
        state_topic: deckTopic(base, id),
        value_template: "{{ 'ON' if value_json.sleep else 'OFF' }}",
        command_topic: deckCommand(base, id, "sleep"),
      },
    ],
    [
      `deck_${idPart(id)}_brightness`,
      {
        platform: "number",
        name: `${name} brightness`,
        icon: "mdi:brightness-6",
        entity_category: "config",
        state_topic: deckTopic(base, id),
        value_template: "{{ value_json.brightness | default(0) }}",
        command_topic: deckCommand(base, id, "brightness"),
        min: 0,
        max: 100,
        unit_of_measurement: "%",
      },
    ],
    [
      `deck_${idPart(id)}_image`,
      {
        platform: "image",
        name,
        image_topic: deckImage(base, id),
        content_type: "image/png",
      },
    ],
  ];
}
