import type { RecipeId } from "../view/view.ts";

/** The values that a recipe is filled in with. */
interface Ingredients {
  /** address of the Web UI, without a slash at its end */
  base: string;
  channel: string;
  /** a push token, or a placeholder */
  token: string;
}

/** Stands where the reader's own token belongs. */
export const TOKEN_PLACE = "YOUR_PUSH_TOKEN";

const MAKERS: Record<RecipeId, (ingredients: Ingredients) => string> = {
  curl: ({ base, channel, token }) => `curl ${base}/api/push/${channel} \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '{"text": "Hello", "ttl": 600}'`,

  cron: ({ base, channel, token }) => `# every night at half past three; $? is how the job ended
30 3 * * * /usr/local/bin/job; curl -fsS -m 10 --retry 3 -o /dev/null "${base}/ping/${channel}/$??token=${token}&period=90000&grace=3600"`,

  "home-assistant": ({ base, channel, token }) => `# configuration.yaml
rest_command:
  tallydeck_${slug(channel)}:
    url: "${base}/api/push/${channel}"
    method: post
    content_type: "application/json"
    headers:
      Authorization: "Bearer ${token}"
    payload: '{"text": {{ text | to_json }}, "ttl": 600}'

# an action of an automation
- action: rest_command.tallydeck_${slug(channel)}
  data:
    text: "{{ states('sensor.outdoor_temperature') }} °C"`,

  "node-red": (ingredients) => JSON.stringify(flow(ingredients)),

  python: ({ base, channel, token }) => `import json
import urllib.request

request = urllib.request.Request(
    "${base}/api/push/${channel}",
    data=json.dumps({"text": "Hello", "ttl": 600}).encode(),
    headers={
        "Authorization": "Bearer ${token}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=10) as answer:
    print(json.load(answer))`,
};

/** A text to paste that sends to the channel, in the reader's own tool. */
export function recipe(id: RecipeId, ingredients: Ingredients): string {
  return MAKERS[id](ingredients);
}

/** Home Assistant's names have no dots and hyphens. */
function slug(channel: string): string {
  return channel.replaceAll(/[^a-z0-9]/g, "_");
}

/** A flow for Node-RED: a button that sends a text, and a function that turns any payload into a push. */
function flow({ base, channel, token }: Ingredients): object[] {
  // Ids differ by channel, since Node-RED refuses a flow with ids that exist.
  const id = (node: string) => `tallydeck-${channel}-${node}`;
  const push = [
    `msg.headers = { "Authorization": "Bearer ${token}", "Content-Type": "application/json" };`,
    "msg.payload = { text: String(msg.payload), ttl: 600 };",
    "return msg;",
  ].join("\n");
  return [
    {
      id: id("inject"),
      type: "inject",
      name: "Hello",
      props: [{ p: "payload" }],
      // The node counts as not set up when this is missing.
      repeat: "",
      payload: "Hello",
      payloadType: "str",
      x: 120,
      y: 80,
      wires: [[id("push")]],
    },
    {
      id: id("push"),
      type: "function",
      name: `to ${channel}`,
      func: push,
      outputs: 1,
      x: 280,
      y: 80,
      wires: [[id("request")]],
    },
    {
      id: id("request"),
      type: "http request",
      name: "Tallydeck",
      method: "POST",
      ret: "obj",
      url: `${base}/api/push/${channel}`,
      x: 440,
      y: 80,
      wires: [[]],
    },
  ];
}
