/** Who may use the partner API: partners with their secret and, where the shop is open, ids without one. */

import { isInRanges } from '../../domain/address/public-address.ts';
import type { Clock } from '../../domain/clock.ts';
import { createRecent } from '../../domain/recent.ts';
import { isSameText } from '../../domain/secret-word.ts';
import type { Store } from '../../store/store.ts';
import type { PartnerRow } from '../../store/tables/partners.ts';
import { sha256Hex } from '../digest.ts';
import type { HeaderReader } from '../http/ready.ts';
import { type Refusal, refuse } from '../http/replies.ts';

export interface PartnerRequest {
  readonly headers: HeaderReader;
  /** Address of the caller; undefined inside a process. */
  readonly address: string | undefined;
}

interface GateDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether ids without a secret are served. */
  readonly arePartnersOpen: boolean;
}

interface Known {
  readonly partner: PartnerRow | undefined;
  readonly networks: readonly string[];
  readonly readAtMs: number;
}

/** A change by the operator holds on every server after this time. */
const KNOWN_FOR_MS = 1_000;

export type PartnerGate = ReturnType<typeof createPartnerGate>;

export function createPartnerGate({ store, clock, arePartnersOpen }: GateDeps) {
  const known = createRecent<Known>();
  const fresh = (applicationId: string): Known | undefined => {
    const found = known.get(applicationId);
    const ageMs = clock.now() - (found?.readAtMs ?? 0);
    return ageMs >= 0 && ageMs < KNOWN_FOR_MS ? found : undefined;
  };
  const read = async (applicationId: string): Promise<Known> => {
    // The time before the read: a change during it must not be missed for longer.
    const readAtMs = clock.now();
    const partner = await store.tables.partners.byId(applicationId);
    const networks = partner === undefined ? [] : networksOf(partner);
    const found = { partner, networks, readAtMs };
    known.set(applicationId, found);
    return found;
  };
  const identityProblem = ({ partner }: Known, headers: HeaderReader): Refusal | undefined => {
    if (partner === undefined) return arePartnersOpen ? undefined : unauthorized();
    return isAuthentic(partner, headers, clock.now()) ? undefined : unauthorized();
  };
  return {
    /** Returns why the request is refused; undefined if it is not. */
    async refusalOf({ headers, address }: PartnerRequest): Promise<Refusal | undefined> {
      const malformed = headerProblem(headers);
      if (malformed) return malformed;
      const applicationId = applicationOf(headers);
      const found = fresh(applicationId) ?? (await read(applicationId));
      return identityProblem(found, headers) ?? placeProblem(found, address);
    },
    /**
     * Whether the request would pass by what is known now, without the store. Never for a partner whose
     * networks are limited: the address is not known here.
     */
    isKnownToPass(headers: HeaderReader): boolean {
      if (headerProblem(headers)) return false;
      const found = fresh(applicationOf(headers));
      if (found === undefined || found.networks.length > 0) return false;
      return identityProblem(found, headers) === undefined;
    },
    /** The partner’s own limit, after its request has passed. */
    ordersPerMinute: (applicationId: string): number | undefined =>
      known.get(applicationId)?.partner?.ordersPerMinute ?? undefined,
  };
}

/** The partner that the request names. */
export function applicationOf(headers: HeaderReader): string {
  return headers.get(APPLICATION)?.trim() ?? '';
}

export function networksOf({ networks }: Pick<PartnerRow, 'networks'>): readonly string[] {
  const read: unknown = JSON.parse(networks);
  return Array.isArray(read) ? read.map(String) : [];
}

function isAuthentic(partner: PartnerRow, headers: HeaderReader, nowMs: number): boolean {
  const [, secret] = /^Bearer +(\S+)$/i.exec(headers.get('Authorization')?.trim() ?? '') ?? [];
  if (secret === undefined || partner.revokedAtMs !== null) return false;
  if (isSecretOf(partner.secretHash, secret)) return true;
  const { formerHash, formerUntilMs } = partner;
  return formerHash !== null && nowMs < (formerUntilMs ?? 0) && isSecretOf(formerHash, secret);
}

/** The same for a missing, wrong, expired or revoked secret. */
function unauthorized(): Refusal {
  const message = `Send the secret of this ${APPLICATION} as Authorization: Bearer <secret>.`;
  return refuse('partner_unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** An IPv6 caller is known by its network of 64 bits. */
function placeProblem({ networks }: Known, address = ''): Refusal | undefined {
  const [start = ''] = address.split('/');
  if (networks.length === 0 || isInRanges(start, networks)) return undefined;
  return refuse('partner_network_refused', 'This partner may not call from this address.');
}

// Headers that every request of the partner API has: interface, "Authentication".

/** Identifies the partner; a secret beside it authenticates those that have one (`partner-gate.ts`). */
export const APPLICATION = 'X-Cr-Application';
/** Visible ASCII; it becomes part of keys in the store. */
const APPLICATION_FORM = /^[\x21-\x7e]{1,128}$/;
const VERSION_FORM = /^[\x20-\x7e]{0,64}$/;
const COUNTRY_FORM = /^[A-Za-z]{2}$/;
const MAX_AGENT_LENGTH = 512;

/** Ours: query parameter of a stream for clients of EventSource, which cannot send headers. */
const APPLICATION_FIELD = 'application';

/**
 * Reads the headers, with `X-Cr-Application` from a stream's query if the header is missing. A partner
 * id is no secret, so it may be in a URL. What the query says is only read: most of what it can say
 * is no value of a header.
 */
export function streamHeaders(path: string, headers: HeaderReader): HeaderReader {
  const [, query = ''] = path.split('?');
  const named = new URLSearchParams(query).get(APPLICATION_FIELD);
  if (named === null || headers.get(APPLICATION) !== null) return headers;
  const isApplication = (name: string) => name.toLowerCase() === APPLICATION.toLowerCase();
  return { get: (name) => (isApplication(name) ? named : headers.get(name)) };
}

/**
 * Returns what is wrong with the headers; undefined if nothing. Ours: only the application is
 * required, since the interface has the others for one kind of integration or the other.
 */
function headerProblem(headers: HeaderReader): Refusal | undefined {
  const application = headers.get(APPLICATION)?.trim() ?? '';
  if (application === '') return refuse('application_required', `${APPLICATION} is missing.`);
  if (!APPLICATION_FORM.test(application))
    return malformed(APPLICATION, '1 to 128 visible characters');
  if (!VERSION_FORM.test(headers.get('X-Cr-Version') ?? '')) {
    return malformed('X-Cr-Version', 'at most 64 characters');
  }
  const country = headers.get('X-Country-ISO-Code');
  if (country !== null && !COUNTRY_FORM.test(country.trim())) {
    return malformed('X-Country-ISO-Code', 'two letters');
  }
  if ((headers.get('User-Agent') ?? '').length > MAX_AGENT_LENGTH) {
    return malformed('User-Agent', `at most ${MAX_AGENT_LENGTH} characters`);
  }
  // `X-Forwarded-For` is a partner's claim about its user, in any form: never a reason to refuse.
  return undefined;
}

function malformed(name: string, form: string): Refusal {
  return refuse('invalid_request', `${name}: ${form}`);
}

// Secrets of partners: made once, kept as hashes.

const PREFIX = 'scrip_partner_';
const SECRET_BYTES = 32;

/** 256 random bits, so a plain hash is as good as a slow one. */
export function newSecret(random: (length: number) => Uint8Array): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64url');
}

export const hashOf = sha256Hex;

/** Compares in constant time. */
function isSecretOf(hash: string, secret: string): boolean {
  return isSameText(hashOf(secret), hash);
}
