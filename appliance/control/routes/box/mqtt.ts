import { jsonBody } from "../../../base/http/body.ts";
import type { HomeAutomation } from "../../../links/mqtt/home-automation.ts";
import { shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { MqttAnswer, MqttChange } from "../../wire.ts";
import { declared } from "../sites/sites.ts";

const text = { type: "string", description: "must be a string" };

const readChange = shape<MqttChange>({
  properties: {
    enabled: TRUTH,
    url: text,
    user: text,
    password: text,
    prefix: text,
    discovery: text,
    version: { enum: ["5", "3.1.1"], description: 'must be "5" or "3.1.1"' },
    ca: text,
  },
});

/** `GET /api/mqtt`: never the password. */
export const showMqtt: Handler<HomeAutomation, MqttAnswer> = (ctx, home) => {
  ctx.body = view(home);
};

/**
 * `PUT /api/mqtt` → as `GET`. Missing fields stay as they are, but for the password with another broker, which must not get
 * the old one.
 */
export const changeMqtt: Handler<HomeAutomation, MqttAnswer> = async (ctx, home) => {
  const change = readChange(await jsonBody(ctx));
  if (home.isDeclared) throw declared("MQTT_URL");
  const { settings } = home;
  const goesElsewhere = change.url !== undefined && change.url !== settings.url;
  await home.change({ ...settings, ...(goesElsewhere && { password: "" }), ...change });
  ctx.body = view(home);
};

function view({ settings, box, isDeclared, state }: HomeAutomation): MqttAnswer {
  const { password, ...shown } = settings;
  return {
    ...shown,
    hasPassword: password !== "",
    declared: isDeclared,
    box,
    state: state ?? null,
  };
}
