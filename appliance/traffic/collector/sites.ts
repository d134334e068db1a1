import { comparableHost, siteIdOf } from "../../base/names.ts";
import { Signal } from "../../base/signal.ts";
import { isSameHash, isSameSecret, sha256 } from "../../base/system/secrets.ts";
import {
  type Directory,
  MAX_SHARES,
  type SiteRecord,
  type SiteShare,
  sharesOf,
} from "../../store/store.ts";

/** The declarations of the configuration, which win over the database. */
interface SiteDeclarations {
  readonly badgeSites: ReadonlySet<string>;
  readonly adminToken: string | null;
  /** The token of a site, or null when the configuration has none for it. */
  siteToken(id: string): string | null;
}

/** Finds the site of a request, and checks tokens. */
export class Sites {
  /** There is another admin token, or none any more. */
  readonly adminChanged = new Signal();
  readonly #declared: SiteDeclarations;
  #byId = new Map<string, SiteRecord>();
  #byHost = new Map<string, SiteRecord>();
  #adminHash: Uint8Array | null = null;

  constructor(declared: SiteDeclarations, directory: Directory) {
    this.#declared = declared;
    this.update(directory);
  }

  /** Takes over a new state of the database. */
  update({ sites, adminHash }: Directory): void {
    const all = sites.map((site): SiteRecord => {
      const token = this.#declared.siteToken(site.id);
      return {
        ...site,
        badge: this.#declared.badgeSites.has(site.id) || (site.badge && !site.declared),
        tokenHash: token === null ? site.tokenHash : sha256(token),
      };
    });
    this.#byId = new Map(all.map((site) => [site.id, site]));
    this.#byHost = new Map(
      all.flatMap((site) => (site.host === null ? [] : [[comparableHost(site.host), site]])),
    );
    const { adminToken } = this.#declared;
    const before = this.#adminHash;
    this.#adminHash = adminToken === null ? adminHash : sha256(adminToken);
    if (!isSameHash(before, this.#adminHash)) this.adminChanged.emit();
  }

  get all(): readonly SiteRecord[] {
    return [...this.#byId.values()];
  }

  /**
   * The site of a hit, a survey or a badge: by the collector's host, else by name, else the only one; null for an
   * unknown name.
   */
  forCollection(host: string, name: string | undefined): SiteRecord | null {
    return this.#byHost.get(host) ?? this.#byName(name);
  }

  /** The site of a read: by name, else by the collector's host, else the only one. */
  forReading(host: string, name: string | undefined): SiteRecord | null {
    return this.#byId.get(siteIdOf(name ?? "")) ?? this.#byHost.get(host) ?? this.#byName(name);
  }

  /** Whether it is the site's own token. It takes the same time without a site. */
  isOwn(site: SiteRecord | null, token: string): boolean {
    return matches(sha256(token), site?.tokenHash ?? null);
  }

  /** The site's share link that has this token. It takes the same time without a site, and without a link. */
  shareOf(site: SiteRecord | null, token: string): SiteShare | undefined {
    const hash = sha256(token);
    const shares = site === null ? [] : sharesOf(site);
    let found: SiteShare | undefined;
    // An earlier release may have made one beyond the bound.
    for (let i = 0; i <= MAX_SHARES; i += 1)
      if (matches(hash, shares[i]?.hash ?? null)) found = shares[i];
    return found;
  }

  /** Whether a token is the admin's or may read some site; takes the same time for all tokens. */
  knows(token: string): boolean {
    const isAdmin = this.isAdmin(token);
    return this.knowsSite(token) || isAdmin;
  }

  /** Whether a token is one site's own; takes the same time for all tokens. */
  knowsSite(token: string): boolean {
    const hash = sha256(token);
    let known = false;
    for (const site of this.#byId.values())
      for (const one of [site.tokenHash, ...sharesOf(site).map((share) => share.hash)])
        known = matches(hash, one) || known;
    return known;
  }

  get hasAdmin(): boolean {
    return this.#adminHash !== null;
  }

  isAdmin(token: string): boolean {
    return matches(sha256(token), this.#adminHash);
  }

  #byName(name: string | undefined): SiteRecord | null {
    if (name !== undefined) return this.#byId.get(siteIdOf(name)) ?? null;
    const [only, ...more] = this.#byId.values();
    return more.length === 0 ? (only ?? null) : null;
  }
}

const NOBODYS_HASH = new Uint8Array(32);

/** Compares hashes, even without an expected one, so that the time shows nothing. */
function matches(hash: Uint8Array, expected: Uint8Array | null): boolean {
  const equal = isSameSecret(hash, expected ?? NOBODYS_HASH);
  return equal && expected !== null;
}
