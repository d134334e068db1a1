/**
 * The beacon a site embeds:
 *
 *     <script defer src="https://collector.example/s.js" data-site="blog"></script>
 *
 * It sends `GET e?v=<payload>&s=<site>`, resolved against its own address so that a path prefix in
 * front of the collector works. `v` is base64(encodeURIComponent(JSON)); every value is a string.
 *
 * Pages report events of their own by `tallydeck(name, target?)`, which a stub may queue until this
 * is loaded, and by `data-tallydeck-event` on elements that are clicked:
 *
 *     <script>window.tallydeck ||= function () { (tallydeck.q ||= []).push(arguments) }</script>
 *
 * It keeps one entry in localStorage, with blanks between: the time of the last view (epoch
 * milliseconds), the number of views in that session, hashes of the paths viewed on that day with
 * commas between, and where the session began; or the word `off`. No part of it is an id.
 *
 * Every visitor loads this file, so its code is written for size: by what brotli makes of it, a text is joined by `+`. The
 * build enforces a budget in bytes.
 */
export {};

declare global {
  interface Navigator {
    /** https://w3c.github.io/gpc/ */
    globalPrivacyControl?: boolean;
  }
  interface Window {
    tallydeck?: Report;
  }
}

interface Report {
  (name: unknown, target?: unknown, properties?: object): void;
  /** calls of the stub */
  q?: Parameters<Report>[];
  /** this script has begun */
  on?: true;
}

type Fields = Record<string, unknown>;

const KEY = "tallydeck";

const DOWNLOAD =
  /\.(7z|apk|csv|deb|dmg|docx?|epub|exe|t?gz|iso|mov|mp[34]|msi|pdf|pkg|pptx?|rar|txt|xlsx?|xz|zip)$/i;

// A module has no currentScript; the tag that names this file is the next best.
const own = (document.currentScript ||
  document.querySelector('[src*="/s.js"]')) as HTMLScriptElement | null;
/** Settings are of any script that names a site where this one was imported. */
const tag = own || document.querySelector<HTMLScriptElement>("script[data-site]") || document.body;
/** The address of this file, which each browser writes before line and column. */
const home = own ? own.src : (/http.*?(?=:\d+:\d)/.exec(Error().stack as string) || "")[0];

let path: string;

let viewedAt: number;
/** The beginning of the last view that reported its first input; some true value for a bot's. */

let touched: number;
/** The last view as it was sent; the moment at which it came into sight, NaN once it was told; and the lowest line seen. */

let viewed: Fields;

let seenAt: number;

let lowest: number;
/** The address last sent to. */

let sent: string;
/** The source of the session: a campaign's source or a host, "" for neither; undefined until it is kept. */

let source: string | undefined;

/**
 * Browsers, extensions and the page may take anything away; the page never sees an error of ours.
 */
const quietly = <T>(work: () => T) => {
  try {
    return work();
  } catch {}
  return;
};

/** Listens before the page, so that it cannot stop the event, and passively, so that scrolling is not delayed. */
const listen = <E extends Event>(handle: (event: E) => void, ...types: string[]) => {
  for (const type of types) {
    addEventListener(type, (event) => quietly(() => handle(event as E)), {
      capture: true,
      passive: true,
    });
  }
};

const onPolicyViolation = (event: SecurityPolicyViolationEvent) => {
  if (event.blockedURI === sent && event.disposition === "enforce") {
    new Image().src = sent;
    // An img-src that forbids it, too, causes another violation.
    sent = "";
  }
};

/**
 * Sends the payload, unless the visitor has opted out, or is a developer or a robot.
 *
 * A keepalive fetch outlives the page, so that a click on a link away from it is counted; an image could be cancelled.
 * `no-cors` needs no preflight, `omit` sends no cookie. The page's connect-src applies to it; where that forbids it,
 * `onPolicyViolation` sends an image (img-src).
 */
const send = (fields: Fields) => {
  if (
    stored() !== "off" &&
    !navigator.globalPrivacyControl &&
    navigator.doNotTrack !== "1" &&
    !navigator.webdriver &&
    (tag.dataset.dev === "1"
      ? location.host
      : !/^$|^localhost$|^127\.|^\[::1]$|\.local$/.test(location.hostname))
  ) {
    const payload: Fields = {
      h: location.origin,
      p: path,
      z: Math.random() + "",
      ...fields,
      ...(!fields.ev && quietly(visit)),
      o: source,
    };
    const s = tag.dataset.site;
    const v = btoa(encodeURIComponent(JSON.stringify(payload)));
    const query = new URLSearchParams({ v, ...(s && { s }) });
    sent = new URL("e?" + query, home).href;
    fetch(sent, { mode: "no-cors", credentials: "omit", keepalive: true }).catch(stored);
  }
};

/**
 * The number of a moment's day, in the zone of the collector's days: when it serves this file, it replaces the number here
 * by the milliseconds that the clock there is ahead of UTC now. Days before another offset are an hour off, at most.
 */
const dayOf = (time: number) => ((time + 7654321) / 864e5) | 0;

/** A form that is sent; the page may have its own ways from there. */
const onSubmit = ({ target }: Event) => {
  send({
    ev: "form",
    t: (target as Element).getAttribute("name") || (target as Element).getAttribute("id"),
  });
};

/** With `data-hash` it is that of a fragment: `#/about` and `#!/about` are `/about`. Others, as `#end`, lead into a page. */
const currentPath = () =>
  (
    ((tag.dataset.hash as string) >= "" && location.hash.split(/^#!?(?=\/)|\?/)[1]) ||
    location.pathname
  ).replace(/\/+$/, "") || "/";

/**
 * Reports a view. Only the first one of a page load comes from outside. A later one (single-page navigation, back from
 * the browser's page cache) comes from the site itself and has no campaign; otherwise one referrer would be counted
 * with each view.
 */
const view = () => {
  const query = new URLSearchParams(path ? "" : location.search);
  const utm = (name: string) => query.get("utm_" + name) || undefined;
  const r = path ? location.host : document.referrer.split("/")[2];
  path = currentPath();
  seenAt = viewedAt = Date.now();
  lowest = 0;
  viewed = {
    r,
    us: utm("source"),
    um: utm("medium"),
    uc: utm("campaign"),
    l: navigator.language,
    ls: navigator.languages + "",
    tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
    vw: bucket(innerWidth, 640, 1024),
  };
  send(viewed);
  // Each page that is not found says so itself; single-page sites change their head.
  if (document.querySelector("[name=tallydeck-404]")) send({ ev: "404", t: path });
};

const bucket = (value: number, low: number, high: number, ...higher: number[]): string =>
  value < low
    ? "<" + low
    : value <= high
      ? low + "-" + high
      : higher[0]
        ? bucket(value, high, ...(higher as [number]))
        : ">" + high;

/** Throws in itself where storage is switched off: reading the property is enough. */
const stored = () => quietly(() => localStorage[KEY]);

/**
 * Reports clicks. A download on another host is one event, the download. Events of the page are reported in addition.
 * The middle button clicks on links only.
 */
const onClick = (event: MouseEvent) => {
  // The path reaches into open shadow roots. A link is an `a` or an `area`; others that have an address are pictures.
  const path = event.composedPath() as (HTMLAnchorElement & HTMLLabelElement)[];
  const link = path.find((node) => /^a/.test(node.localName) && node.href);
  // biome-ignore lint/complexity/useOptionalChain: it is longer in the syntax of 2018.
  const named = path.find((node) => node.dataset && node.dataset.tallydeckEvent);
  if (event.button > +!!link) return;
  // A click on a label also clicks on its control. Where that is inside of the label, only its click counts.
  if (named && !(named.contains(named.control) && !path.includes(named.control as never))) {
    const pr: Record<string, unknown> = {};
    for (const { name, value } of named.attributes) {
      const property = name.split("data-tallydeck-")[1];
      if (property) pr[property] = value;
    }
    report(pr.event, pr.target, pr);
  }
  if (!link) return;
  // A link inside of SVG has its address in an object.
  const href = link.href as unknown as SVGAnimatedString;
  const { protocol, host, pathname } = new URL(href.baseVal || link.href, document.baseURI);
  if (!/^http/.test(protocol)) return;
  if (link.hasAttribute("download") || DOWNLOAD.test(pathname)) {
    send({ ev: "download", t: link.download || pathname.split("/").pop() });
  } else if (host !== location.host) send({ ev: "outbound", t: host });
};

const onInput = (event: Event) => {
  if (event.isTrusted) {
    if (touched !== viewedAt) {
      touched = viewedAt;
      send({ ev: "hi", t: bucket(Date.now() - viewedAt, 150, 2000) });
    }
  } else if (!touched) {
    // Only events before the first real input of a page show a bot, and only once.
    touched = 1;
    send({ ev: "bot" });
  }
};

/** Tells once of a view how long it was in sight, and how far down it was read, when its page is left or hidden. */
const onLeave = () => {
  const seconds = (Date.now() - seenAt) / 1e3;
  if (seconds >= 1 && tag.dataset.noReading == null) {
    look();
    seenAt = NaN;
    send({
      ...viewed,
      ev: "end",
      t: bucket(seconds, 10, 30, 60, 180, 600),
      // A line may be a fraction of a pixel off the page's end.
      k: ["<25", "25", "50", "75"][((4 * lowest) / document.body.scrollHeight) | 0] || "100",
    });
  }
};

const look = () => {
  lowest = Math.max(lowest, scrollY + innerHeight + 1);
};

const onNavigation = () => {
  toggle();
  if (currentPath() !== path) {
    onLeave();
    view();
  }
};

/**
 * Starts once the page is on screen: a prerendered page, or one in the background, is no view yet. The mark makes a tag
 * that is on the page twice count once.
 */
const start = () => {
  const stub = window[KEY] || report;
  if (document.hidden) return onLeave();
  if (stub.on) {
    // It is no number once it was told.
    seenAt = Date.now() + 0 * seenAt;
    return;
  }
  window[KEY] = report;
  report.on = true;
  toggle();
  const changed = () => quietly(onNavigation);
  // The browser tells of all ways to another entry, also of those that a page saved before this began.
  if (window.navigation) window.navigation.addEventListener("currententrychange", changed);
  else {
    for (const name of ["pushState", "replaceState"] as const) {
      const original = History.prototype[name];
      History.prototype[name] = function (...state) {
        original.apply(this, state);
        changed();
      };
    }
    // This event also comes when a visitor types another fragment.
    listen(changed, "popstate");
  }
  listen(look, "scroll");
  listen(onSubmit, "submit");
  listen(onLeave, "pagehide");
  // Chromium also sends it, without a movement, for a pointer that rests on a new page.
  listen((event: PointerEvent) => event.movementX && onInput(event), "pointermove");
  listen(onInput, "keydown", "wheel", "pointerdown", "click");
  // Back out of the browser's page cache, a page is seen again without being loaded: a view.
  listen((event: PageTransitionEvent) => event.persisted && view(), "pageshow");
  listen(onClick, "click", "auxclick");
  listen(onPolicyViolation, "securitypolicyviolation");
  view();
  for (const call of stub.q || []) report(...call);
};

/** An event of the page's own. Without a name it would count as a view. */
const report: Report = (name, target, pr) =>
  quietly(() => {
    // A list makes an empty text of `undefined`.
    if (name) send({ ev: name + "", t: [target] + "", pr: pr || target });
  });

/** The owner of a browser switches counting off, or on again, by opening #tallydeck-ignore. */
const toggle = () => {
  if (location.hash === "#tallydeck-ignore") {
    // Without the fragment a reload is no second switch.
    history.replaceState(history.state, "", location.href.split("#")[0]);
    quietly(() => {
      localStorage[KEY] = stored() === "off" ? "on" : "off";
    });
    // The state as it is afterwards: where nothing can be stored, counting stays on.
    alert("Tallydeck: " + (stored() || "on"));
  }
};

const flag = (is: boolean) => (is ? "1" : undefined);

/** The view's place in its day and its session; throws where that cannot be remembered. */
const visit = (): Fields => {
  const [last, views, list = "", ...rest] = `${localStorage[KEY]}`.split(" ") as [
    string,
    string,
    ...string[],
  ];
  // 30 minutes. NaN, where there is no entry or one that cannot be read, begins a session too.
  const fresh = !(viewedAt - +last < 18e5);
  const days = dayOf(viewedAt) - dayOf(+last);
  const paths = days ? [] : list.split(",");
  const hash = [...path].reduce((sum, c) => Math.imul(sum, 2003) + c.charCodeAt(0), 0) + "";
  const known = paths.includes(hash);
  // A campaign's name is the link's; a beacon that is too long would not arrive.
  const from = fresh ? ((viewed.us || viewed.r || "") as string).slice(0, 128) : rest.join(" ");
  localStorage[KEY] = [
    viewedAt,
    fresh ? 1 : +views + 1,
    (known ? paths : [hash, ...paths]).slice(0, 64),
    from,
  ].join(" ");
  source = from;
  return {
    u: flag(!!days),
    // A clock that was set back says the least.
    q: !days ? undefined : !+last ? "new" : days < 2 ? "1" : days < 8 ? "2-7" : bucket(days, 8, 30),
    n: flag(!known),
    s: flag(fresh),
    // One view so far: the session that is over had no second, or this is it.
    [fresh ? "b" : "g"]: flag(views === "1"),
  };
};

listen(start, "visibilitychange");

if (!own) console.info("Tallydeck: no tag");

quietly(start);
