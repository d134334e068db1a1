/** Name and domains of hosts that people know by another name. */
const LINES = `Google google.com|Bing bing.com|DuckDuckGo duckduckgo.com|Ecosia ecosia.org|Qwant qwant.com|Kagi kagi.com|Brave Search search.brave.com
Startpage startpage.com|Baidu baidu.com|Hacker News news.ycombinator.com|Lobsters lobste.rs|Reddit reddit.com|X x.com t.co twitter.com
Facebook facebook.com fb.com|Instagram instagram.com|LinkedIn linkedin.com lnkd.in|YouTube youtube.com youtu.be|GitHub github.com|GitLab gitlab.com
ChatGPT chatgpt.com chat.openai.com|Claude claude.ai|Perplexity perplexity.ai|Gemini gemini.google.com|Copilot copilot.microsoft.com copilot.com
Mistral chat.mistral.ai|DeepSeek chat.deepseek.com|Grok grok.com
Bluesky bsky.app|Mastodon mastodon.social|Threads threads.net threads.com|TikTok tiktok.com|WhatsApp whatsapp.com|Telegram t.me org.telegram.messenger
Discord discord.com|Stack Overflow stackoverflow.com|Wikipedia wikipedia.org|Product Hunt producthunt.com|Gmail mail.google.com com.google.android.gm`;

/** Domain → the name that people know. The first domain of a name is the one that others call by it. */
export const KNOWN_HOSTS: ReadonlyMap<string, string> = new Map(
  LINES.split(/[|\n]/).flatMap((line) => {
    const words = line.split(" ");
    const first = words.findIndex((word) => word.includes("."));
    const name = words.slice(0, first).join(" ");
    return words.slice(first).map((domain): [string, string] => [domain, name]);
  }),
);
