import { CONTROL_PORT, urlOf } from "../../base/ports.ts";
import { Refusal } from "../../base/refusal.ts";
import type { ErrorAnswer, PushAnswer } from "../../control/wire.ts";
import { channelName } from "../../deck/push/channels.ts";
import { cleanText } from "../../deck/push/text.ts";
import {
  CommandFailed,
  command,
  type OptionsGiven,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "./command.ts";

export const DEFAULT_URL = urlOf("127.0.0.1", CONTROL_PORT);

const OPTIONS = {
  ...valued("ttl", "color", "background", "icon", "status"),
  ...valued("period", "grace", "id", "url", "token"),
  ...switches("hold", "wake", "clear", "quiet"),
};

type Values = OptionsGiven<typeof OPTIONS>;

const PATIENCE_MS = 10_000;
/** The box refuses more than this; see the push API. */
const MAX_INPUT_BYTES = 4_097;
const STANDARD_INPUT = "-";

/** The answer of the box, or of another program at that address. */
type PushReply = Partial<PushAnswer & ErrorAnswer>;

export const push = command({
  help: `tallydeck push: shows a text on every key that is set to a channel.

  tallydeck push CHANNEL TEXT [--ttl N] [--color #rrggbb] [--background #rrggbb]
                         [--icon NAME] [--status S] [--period N [--grace N]]
                         [--hold] [--id ID] [--wake] [--quiet]
  tallydeck push CHANNEL                  the text comes from a pipe: date | tallydeck push clock
  tallydeck push CHANNEL -                the same, also where a terminal is typed at
  tallydeck push CHANNEL --clear          back to waiting

  --ttl N              seconds until it expires, 1 to 86400, or 0 to stay (600)
  --color #rrggbb      colour of the text, for this push only
  --background #rrggbb colour behind it, for this push only
  --icon NAME          an icon beside it, of lucide.dev/icons, for this push only
  --status S           ok, warn, fail, or start for a run that ends with another push
  --period N           seconds within which the next push comes, 10 to a year; later, keys show that
                       it is late. It stays for the channel; 0 ends it
  --grace N            seconds that it may be late until it is down (a fifth of the period, at least 60)
  --hold               stays until somebody has seen it
  --id ID              what this is about: the same again is no news to who has seen it
  --wake               its alarms wake the decks that show it. It stays for the channel
  --url URL            the Web UI's address (TALLYDECK_URL, ${DEFAULT_URL})
  --token TOKEN        a push token from the Web UI (TALLYDECK_PUSH_TOKEN)
  --quiet              tells only what failed, for cron: not what the font lacks, or that no key shows it

In TEXT, \\n starts a new line; four are drawn. Text from a pipe is shown as it is, without the line
end it ends with; one with nothing but spaces is refused, "" for TEXT is not. A TEXT that begins with two hyphens, or is -h, follows \`--\`.
Nothing is printed when all went well. A channel that no key of a connected deck shows is told, and
takes the text all the same.`,
  options: OPTIONS,
  async run({ values, positionals: [channel, given, ...rest] }, terminal) {
    const text = given ?? (terminal.isPiped() ? STANDARD_INPUT : undefined);
    const isWhole = values.clear ? given === undefined : text !== undefined;
    if (channel === undefined || !isWhole || rest.length > 0)
      throw new UsageError(
        "Say where and what: `tallydeck push CHANNEL TEXT`, or `tallydeck push CHANNEL --clear`.",
      );
    const path = `api/push/${encodeURIComponent(channelOf(channel))}`;
    const url = webUiUrl(path, values.url, terminal);
    const token = values.token ?? terminal.env.TALLYDECK_PUSH_TOKEN;
    if (!token)
      throw new UsageError(
        "A push token is missing: make one in the Web UI, and give it as --token or TALLYDECK_PUSH_TOKEN.",
      );
    const body = values.clear ? undefined : bodyOf(await textOf(text ?? "", terminal), values);
    const answer = await send(url, token, body);
    if (!values.quiet) for (const line of warnings(answer, url)) terminal.err(line);
  },
});

/** The name in the form of the box, so that no name leads to another path. */
function channelOf(given: string): string {
  try {
    return channelName(given);
  } catch (error) {
    throw error instanceof Refusal ? new UsageError(error.message) : error;
  }
}

async function textOf(given: string, { input }: Terminal): Promise<string> {
  if (given !== STANDARD_INPUT) return given.replaceAll("\\n", "\n");
  const piped = (await input(MAX_INPUT_BYTES)).replace(/(?:\r?\n)+$/, "");
  // An empty text is refused, since it mostly comes from a program that has failed.
  if (cleanText(piped).text.trim() === "")
    throw new UsageError(
      'Nothing that a key can show came from the pipe. `tallydeck push CHANNEL ""` shows an empty text, and `tallydeck push CHANNEL --clear` goes back to waiting.',
    );
  return piped;
}

/**
 * The address of a path of the Web UI.
 * @param given its own address, as an option has it
 * @throws {UsageError}
 */
export function webUiUrl(path: string, given: string | undefined, { env }: Terminal): URL {
  const base = given ?? (env.TALLYDECK_URL || DEFAULT_URL);
  const folder = base.endsWith("/") ? base : `${base}/`;
  if (!/^https?:\/\//.test(base) || !URL.canParse(path, folder))
    throw new UsageError(
      `${base} is no address. Give one like ${urlOf("tallydeck.local", CONTROL_PORT)} as --url.`,
    );
  return new URL(path, folder);
}

function bodyOf(text: string, values: Values): string {
  const { ttl, period, grace, color, background, icon, status, hold, id, wake } = values;
  return JSON.stringify({
    text,
    ...numberIn({ ttl }, "whole seconds from 1 to 86400, or 0 to stay"),
    ...numberIn({ period }, "whole seconds from 10 to 31536000, or 0 to end it"),
    ...numberIn({ grace }, "whole seconds from 1 to 31536000"),
    // An undefined field is left out of the JSON.
    color,
    background,
    icon,
    status,
    hold,
    id,
    wake,
  });
}

/** @throws {UsageError} when it is none */
function numberIn(option: Record<string, string | undefined>, rule: string): object {
  const [[name, text] = []] = Object.entries(option);
  if (text === undefined) return {};
  if (!/^\d{1,8}$/.test(text)) throw new UsageError(`--${name} must be ${rule}.`);
  return { [`${name}`]: Number(text) };
}

async function send(url: URL, token: string, body: string | undefined): Promise<PushReply> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: body === undefined ? "DELETE" : "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && { body }),
    });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new CommandFailed(
      `${url.origin} does not answer (${cause?.code ?? cause?.message ?? message}). Check that Tallydeck runs, or give its address as --url.`,
    );
  }
  const answer = await answerOf(response);
  if (response.ok) return answer;
  if (response.status === 400 && answer.error) throw new UsageError(answer.error);
  if (response.status === 401)
    throw new CommandFailed(
      `${url.origin} does not know this push token. Make one in its Web UI, under Push, and give it as --token or TALLYDECK_PUSH_TOKEN.`,
    );
  throw new CommandFailed(
    answer.error ?? `${url.origin} answered ${response.status}. Check that it is a Tallydeck.`,
  );
}

async function answerOf(response: Response): Promise<PushReply> {
  try {
    return (await response.json()) as PushReply;
  } catch {
    return {};
  }
}

/**
 * Sentences about problems of an accepted push. @param url that of the channel
 */
function warnings(
  { replaced = 0, truncated = false, bound, channel }: PushReply,
  url: URL,
): string[] {
  const [are, them] = replaced === 1 ? ["character is", "it"] : ["characters are", "them"];
  return [
    ...(replaced > 0 ? [`${replaced} ${are} shown as ?, for the deck's font lacks ${them}.`] : []),
    ...(truncated ? ["The text was cut after 256 characters."] : []),
    ...(bound === 0
      ? [`No key of a connected deck shows ${channel}. Set one to it: ${new URL("../..", url)}`]
      : []),
  ];
}
