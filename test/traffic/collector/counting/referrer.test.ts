import assert from "node:assert/strict";
import {
  type ReferrerGroup,
  referrerGroup,
} from "../../../../appliance/traffic/collector/counting/referrer.ts";

/** Asserts the group of every host, and lists all that are in another. */
function assertGroup(group: ReferrerGroup, hosts: string, page = "example.com"): void {
  const wrong = hosts
    .trim()
    .split(/\s+/)
    .map((host) => `${host}: ${referrerGroup(host, page)}`)
    .filter((line) => !line.endsWith(`: ${group}`));
  assert.deepEqual(wrong, [], `these should be ${group}`);
}

describe("the group of a referrer", () => {
  it("is direct when there is no referrer", () => {
    assert.equal(referrerGroup("", "example.com"), "direct");
    assert.equal(referrerGroup("", ""), "direct");
  });

  it("is internal when it is the page's own host, however it is written", () => {
    assertGroup(
      "internal",
      "example.com EXAMPLE.com www.example.com example.com:8443 example.com.",
    );
    assertGroup("internal", "example.com", "https://www.Example.com:8443");
    assertGroup("internal", "[::1]:8480 [::1]", "http://[::1]:3000");
  });

  it("is internal on an engine's own pages", () => {
    assertGroup("internal", "www.google.com", "https://google.com");
  });

  it("is a referral from another host of the same domain", () => {
    assertGroup("referral", "blog.example.com example.org notexample.com");
    assertGroup("referral", "[::2]:8480 192.0.2.7:8080 localhost", "http://[::1]:3000");
  });

  const hosts: Readonly<Record<string, readonly [ReferrerGroup, string]>> = {
    "is search for engines": [
      "search",
      `google.com www.google.com images.google.com scholar.google.com news.google.com
      bing.com www.bing.com cn.bing.com duckduckgo.com html.duckduckgo.com lite.duckduckgo.com
      search.brave.com yahoo.com search.yahoo.com uk.search.yahoo.com r.search.yahoo.com
      yandex.ru ya.ru m.baidu.com www.baidu.com www.ecosia.org eu.startpage.com www.qwant.com
      kagi.com naver.com search.naver.com m.search.naver.com seznam.cz search.seznam.cz
      search.daum.net www.so.com m.sogou.com www.mojeek.com search.marginalia.nu go.mail.ru
      com.google.android.googlequicksearchbox syndicatedsearch.goog`,
    ],
    "is search for an engine's domain in any country": [
      "search",
      `google.de www.google.co.uk google.com.br google.co.jp google.cat google.com.hk google.fr
      scholar.google.de yandex.com yandex.com.tr yandex.kz search.yahoo.co.jp yahoo.co.jp`,
    ],
    "is assistant for AI assistants and engines that answer by themselves": [
      "assistant",
      `perplexity.ai www.perplexity.ai chatgpt.com chat.openai.com claude.ai gemini.google.com
      copilot.microsoft.com you.com phind.com chat.mistral.ai chat.deepseek.com grok.com
      m365.cloud.microsoft chat.baidu.com assistant.kagi.com com.openai.chatgpt`,
    ],
    "is a referral from what else the owner of an engine offers": [
      "referral",
      `mail.google.com docs.google.com drive.google.com sites.google.com search.google.com
      mail.yahoo.com finance.yahoo.com news.yahoo.com mail.yandex.ru m.blog.naver.com
      email.seznam.cz blogs.bing.com pan.baidu.com brave.com openai.com microsoft.com mail.ru`,
    ],
    "is social for networks and messengers, also by their short domains": [
      "social",
      `facebook.com m.facebook.com l.facebook.com lm.facebook.com fb.me m.me instagram.com
      l.instagram.com x.com twitter.com mobile.twitter.com t.co linkedin.com www.linkedin.com
      lnkd.in youtube.com m.youtube.com youtu.be bsky.app go.bsky.app threads.net
      www.threads.com l.threads.com mastodon.social fosstodon.org hachyderm.io mstdn.jp
      discord.com discord.gg discordapp.com t.me web.telegram.org tiktok.com www.tiktok.com
      pinterest.com pinterest.de pinterest.co.uk pinterest.com.au pin.it vk.com away.vk.com
      m.vk.com ok.ru tumblr.com wa.me snapchat.com www.twitch.tv tieba.baidu.com
      com.reddit.frontpage org.telegram.messenger`,
    ],
    "is social for link aggregators": [
      "social",
      `reddit.com old.reddit.com out.reddit.com www.reddit.com redd.it news.ycombinator.com
      lobste.rs lemmy.world www.producthunt.com slashdot.org`,
    ],
    "goes by whole labels": [
      "referral",
      `googleblog.com notgoogle.com google.evil.com google.com.evil.com google.co.uk.evil.com
      evil-google.com google.example google nobing.com bing.com.evil.net myt.co xt.co at.me
      netflix.com notreddit.com reddit.com.evil.net facebook.evil.com pinterest.evil.com
      ycombinator.com www.ycombinator.com blog.ycombinator.com perplexity.ai.evil.com yandex.cloud
      com co.uk`,
    ],
  };
  for (const [sentence, [group, names]] of Object.entries(hosts))
    it(sentence, () => assertGroup(group, names));

  it("is assistant without a referrer where the campaign's source is one", () => {
    const groups = (ref: string, ...sources: string[]) =>
      sources.map((source) => referrerGroup(ref, "example.com", source));
    const named = ["chatgpt.com", "ChatGPT", "www.perplexity.ai", "openai", "copilot.com"];
    assert.deepEqual(groups("", ...named), Array(5).fill("assistant"));
    const others = ["google", "google.com", "newsletter", "notchatgpt.com", "chatgpt.com.evil.com"];
    assert.deepEqual(groups("", ...others), Array(5).fill("direct"));
    assert.deepEqual(groups("t.co", "chatgpt.com"), ["social"]);
    assert.deepEqual(groups("example.com", "chatgpt.com"), ["internal"]);
  });

  it("takes no notice of case, port, www. and a trailing dot", () => {
    assertGroup(
      "search",
      "GOOGLE.com Www.Google.Com google.com:443 google.com. www.google.com.:443 https://google.com/",
    );
    assertGroup("social", "T.CO www.reddit.com. https://old.reddit.com/r/selfhosted?x=y");
  });

  it("is a referral when it is no host at all", () => {
    const labels = "a.".repeat(50_000);
    const strange = ["\ud800", "\0", "..", ".google.", "a b", "%", labels, `${labels}google.com`];
    assert.deepEqual(
      strange.map((host) => referrerGroup(host, "example.com")),
      strange.map(() => "referral"),
    );
  });
});
