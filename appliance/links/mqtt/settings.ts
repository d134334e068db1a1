import { FLAG, type Having, oneAmong, TEXT } from "../../base/input/schema.ts";

/** Fields of the settings of the connection to a broker, which are kept while it is off. */
export const MQTT_FIELDS = {
  enabled: FLAG,
  /** `mqtt://host:port` or `mqtts://host:port`; empty until a broker is named. */
  url: TEXT,
  user: TEXT,
  password: TEXT,
  /** Our topics begin with it. */
  prefix: TEXT,
  /** The topic at which Home Assistant looks for devices. */
  discovery: TEXT,
  version: { ...oneAmong("5", "3.1.1"), description: 'must be "5" or "3.1.1"' },
  /** Certificates (PEM) of authorities for the broker; empty for those that the system trusts. */
  ca: TEXT,
};
export type MqttSettings = Having<typeof MQTT_FIELDS>;
export type MqttVersion = MqttSettings["version"];

export const FIRST_SETTINGS: MqttSettings = {
  enabled: false,
  url: "",
  user: "",
  password: "",
  prefix: "tallydeck",
  discovery: "homeassistant",
  version: "5",
  ca: "",
};

/** The state of the connection to the broker. Times are epoch milliseconds. */
export type BrokerState =
  | {
      readonly connected: true;
      readonly since: number;
      /** The version in use: the newest one that the broker knows. */
      readonly version: MqttVersion;
      /** Sentences about rights that the broker does not grant, with advice. */
      readonly problems: readonly string[];
    }
  /** The last problem, in a sentence; null while the first try runs. */
  | { readonly connected: false; readonly problem: string | null };
