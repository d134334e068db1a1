import { comparableHost } from "../../../appliance/base/names.ts";

/** Dimensions whose values are hosts that visitors came from, or names of campaigns. */
export const isOfHosts = (name: string): boolean => name === "ref" || name === "source";

/** The form in which values are compared: a host is the same with and without `www.`, in any case. */
export const comparable = (name: string, value: string): string =>
  isOfHosts(name) ? comparableHost(value) : value;

/** Name and domains of each host that people know by another name. */
const KNOWN = new Map(
  `Google google.com|Bing bing.com|DuckDuckGo duckduckgo.com|Ecosia ecosia.org|Qwant qwant.com|Kagi kagi.com|Brave Search search.brave.com
Startpage startpage.com|Baidu baidu.com|Hacker News news.ycombinator.com|Lobsters lobste.rs|Reddit reddit.com|X x.com t.co twitter.com
Facebook facebook.com fb.com|Instagram instagram.com|LinkedIn linkedin.com lnkd.in|YouTube youtube.com youtu.be|GitHub github.com|GitLab gitlab.com
ChatGPT chatgpt.com chat.openai.com|Claude claude.ai|Perplexity perplexity.ai|Gemini gemini.google.com|Copilot copilot.microsoft.com
Bluesky bsky.app|Mastodon mastodon.social|Threads threads.net threads.com|TikTok tiktok.com|WhatsApp whatsapp.com|Telegram t.me org.telegram.messenger
Discord discord.com|Stack Overflow stackoverflow.com|Wikipedia wikipedia.org|Product Hunt producthunt.com|Gmail mail.google.com com.google.android.gm`
    .split(/[|\n]/)
    .flatMap((line) => {
      const words = line.split(" ");
      const first = words.findIndex((word) => word.includes("."));
      const name = words.slice(0, first).join(" ");
      return words.slice(first).map((domain): [string, string] => [domain, name]);
    }),
);

/** The name people know for a host, by the closest domain around it: `l.facebook.com` is Facebook. */
export function hostName(host: string): string | null {
  for (let domain = host; domain !== ""; domain = domain.replace(/^[^.]*\.?/, "")) {
    const name = KNOWN.get(domain);
    if (name !== undefined) return name;
  }
  const [, name] =
    /(?:^|\.)(google|yahoo|yandex|pinterest)\.(?:co\.|com\.)?[a-z]{2,3}$/.exec(host) ?? [];
  return name === undefined ? null : name.charAt(0).toUpperCase() + name.slice(1);
}
