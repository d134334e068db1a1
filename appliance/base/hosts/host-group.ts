/**
 * `search` for engines, `assistant` for AI assistants and answer engines, `social` for networks, messengers and link
 * aggregators, and `referral` for others.
 */
export type HostGroup = "search" | "assistant" | "social" | "referral";

/** Longer than any name in the DNS: not worth looking up. */
const LONGEST_HOST = 253;

/** The group of a host by its name, in lower case and without `www.`: looks up the host, then the domain around it, and so on, whole labels only. */
export function groupOfHost(host: string): HostGroup {
  if (host.length > LONGEST_HOST) return "referral";
  let start = 0;
  while (true) {
    const domain = host.slice(start);
    const group = GROUPS.get(domain);
    if (group !== undefined) return group;
    if (ENGINES.has(domain) || isCountryDomain(domain, ENGINES_BY_COUNTRY)) {
      return isResultsPage(host.slice(0, start)) ? "search" : "referral";
    }
    if (isCountryDomain(domain, NETWORKS_BY_COUNTRY)) return "social";
    const dot = host.indexOf(".", start);
    if (dot < 0) return "referral";
    start = dot + 1;
  }
}

/** `name.com`, `name.fr`, `name.co.uk` or `name.com.br` for one of the names. */
function isCountryDomain(domain: string, names: ReadonlySet<string>): boolean {
  const dot = domain.indexOf(".");
  return dot > 0 && names.has(domain.slice(0, dot)) && COUNTRY_SUFFIX.test(domain.slice(dot));
}

const COUNTRY_SUFFIX = /^\.(?:com|cat|(?:com?\.)?[a-z]{2})$/;

/**
 * Whether an engine's subdomain (`""`, `m.`, `uk.search.`) answers searches. Its other services
 * link to pages as any site does: `mail.`, `docs.`, `blogs.`, `news.`.
 */
function isResultsPage(subdomain: string): boolean {
  if (subdomain === "") return true;
  const labels = subdomain.slice(0, -1).split(".");
  return labels.includes("search") || labels.every((label) => RESULTS_LABELS.has(label));
}

const RESULTS_LABELS = new Set(
  (
    "www www2 www3 www4 m mobile wap lite html start safe noai encrypted ipv4 ipv6 r cse " +
    "images image img video videos scholar lens books cn eu us uk"
  ).split(" "),
);

/** Engines with a domain in many countries, by the label before the country. */
const ENGINES_BY_COUNTRY = new Set(["google", "yahoo", "yandex"]);

const NETWORKS_BY_COUNTRY = new Set(["pinterest"]);

/** Engines with a domain, or a few, of their own; their subdomains are looked at. */
const ENGINES = new Set(
  `
  aol.com ask.com baidu.com bing.com coccoc.com daum.net dogpile.com duckduckgo.com ecosia.org
  ekoru.org gibiru.com haosou.com info.com kagi.com karmasearch.org lilo.org lycos.com
  marginalia-search.com metager.de metager.org mojeek.com naver.com oceanhero.today petalsearch.com
  presearch.com presearch.io qwant.com searx.be seznam.cz sm.cn so.com sogou.com startpage.com
  stract.com swisscows.com swisscows.ch webcrawler.com wolframalpha.com ya.ru yep.com zapmeta.com
  `
    .trim()
    .split(/\s+/),
);

/** Host → the group of its whole domain, even where a domain above it has another one. */
const GROUPS: ReadonlyMap<string, HostGroup> = new Map([
  // The console in which owners look at their sites' standing, despite its name.
  ...inGroup("referral", "search.google.com"),
  ...inGroup(
    "search",
    // Engines below a domain of another kind, and services of an engine under other names.
    `
    search.brave.com go.mail.ru nova.rambler.ru suche.gmx.net suche.web.de suche.t-online.de
    search.goo.ne.jp search.auone.jp search.marginalia.nu lemoteur.orange.fr news.google.com
    syndicatedsearch.goog edgeservices.bing.com
    `,
    // The host that a link in an Android app gives: android-app://<package>.
    "com.google.android.googlequicksearchbox com.microsoft.bing",
  ),
  ...inGroup(
    "assistant",
    `
    chatgpt.com chat.openai.com perplexity.ai claude.ai gemini.google.com bard.google.com
    notebooklm.google.com copilot.microsoft.com copilot.cloud.microsoft m365.cloud.microsoft
    copilot.com you.com phind.com chat.mistral.ai grok.com chat.deepseek.com meta.ai poe.com pi.ai
    duck.ai lumo.proton.me kimi.com kimi.moonshot.cn doubao.com chat.qwen.ai qwen.ai tongyi.com
    yiyan.baidu.com chat.baidu.com yuanbao.tencent.com chatglm.cn chat.z.ai metaso.cn felo.ai
    genspark.ai iask.ai andisearch.com komo.ai consensus.app liner.com manus.im venice.ai
    assistant.kagi.com
    `,
    // Their apps on Android.
    `
    com.google.android.apps.bard com.openai.chatgpt ai.perplexity.app.android com.anthropic.claude
    com.microsoft.copilot
    `,
    // Names that some of them give themselves in `utm_source`.
    "chatgpt openai perplexity copilot",
  ),
  ...inGroup(
    "social",
    `
    facebook.com fb.com fb.me fb.watch messenger.com m.me instagram.com instagr.am ig.me
    threads.net threads.com x.com twitter.com t.co linkedin.com linkedin.cn lnkd.in reddit.com
    redd.it youtube.com youtu.be youtube-nocookie.com tiktok.com douyin.com pin.it snapchat.com
    tumblr.com tmblr.co bsky.app bsky.social whatsapp.com wa.me l.wl.co t.me telegram.me
    telegram.org telegram.dog discord.com discord.gg discordapp.com line.me signal.me twitch.tv
    quora.com nextdoor.com xing.com vk.com vk.ru vk.me vkontakte.ru vk.cc ok.ru odnoklassniki.ru
    weibo.com weibo.cn t.cn xiaohongshu.com xhslink.com zhihu.com bilibili.com b23.tv
    douban.com tieba.baidu.com cafe.naver.com band.us story.kakao.com truthsocial.com gab.com
    gettr.com minds.com mewe.com disqus.com imgur.com 9gag.com 4chan.org 4channel.org plurk.com
    b.hatena.ne.jp mixi.jp taringa.net
    `,
    // Link aggregators.
    `
    news.ycombinator.com lobste.rs slashdot.org digg.com tildes.net producthunt.com flipboard.com
    flip.it mix.com daily.dev dly.to hckrnews.com indiehackers.com lemmy.world lemmy.ml
    lemmy.zip lemm.ee sh.itjust.works programming.dev feddit.org feddit.uk feddit.it beehaw.org
    discuss.tchncs.de wykop.pl meneame.net
    `,
    // The larger instances of Mastodon and its relatives, and the clients people read them in.
    `
    mastodon.social mastodon.online mastodon.world mastodon.scot mastodon.nl mastodon.green
    mastodon.art mastodon.gamedev.place mastodonapp.uk mastodon.cloud mastodon.uno mastodon.nu
    mastodon.sdf.org mastodon.xyz mastodon.lol mstdn.social mstdn.jp mstdn.ca mstdn.party mas.to
    masto.ai masto.nu masto.es masto.pt fosstodon.org hachyderm.io infosec.exchange ioc.exchange
    techhub.social c.im universeodon.com chaos.social social.tchncs.de troet.cafe norden.social
    det.social bildung.social social.vivaldi.net social.coop social.linux.pizza piaille.fr
    mamot.fr framapiaf.org toot.community toot.cafe toot.io toot.wales indieweb.social aus.social
    theblower.au kolektiva.social sfba.social mathstodon.xyz fediscience.org floss.social
    ruby.social phpc.social functional.cafe types.pl octodon.social tech.lgbt eldritch.cafe
    journa.host newsie.social wandering.shop ohai.social front-end.social pawoo.net fedibird.com
    misskey.io pixelfed.social peertube.tv bookwyrm.social elk.zone phanpy.social
    `,
    // Their apps on Android.
    `
    com.facebook.katana com.facebook.lite com.facebook.orca com.instagram.android
    com.instagram.barcelona com.twitter.android com.linkedin.android com.reddit.frontpage
    com.google.android.youtube com.zhiliaoapp.musically com.ss.android.ugc.trill com.pinterest
    com.snapchat.android com.tumblr org.telegram.messenger com.whatsapp com.discord
    xyz.blueskyweb.app org.joinmastodon.android com.vkontakte.android jp.naver.line.android
    `,
  ),
]);

function inGroup(group: HostGroup, ...hosts: string[]): [string, HostGroup][] {
  return hosts.flatMap((some) =>
    some
      .trim()
      .split(/\s+/)
      .map((host): [string, HostGroup] => [host, group]),
  );
}
