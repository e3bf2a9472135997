/** The tool server of the service: each call acts for the partner that its request names. */

import { withPartnerSecret } from '../api/http/call-options.ts';
import { createToolBackend } from '../api/tool-backend.ts';
import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { uuid } from '../domain/uuid.ts';
import { createToolEndpoint, type ToolEndpoint } from './http.ts';
import { wireTools } from './tools.ts';

export interface ServiceToolOptions {
  /** The server's URL for clients, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns a `Fetch` that calls the service as the client at this address. */
  fetchFor(address: string): Fetch;
  /** The User-Agent that clients must send; default: any. */
  readonly userAgent: string | undefined;
  readonly rate: RateLimit;
  /** Sessions open at once; default 1,000. */
  readonly maxSessions?: number | undefined;
  readonly clock: Clock;
  readonly version: string;
  random(length: number): Uint8Array;
}

/** Ours: the owner of orders made by a client without a partner id, as in the wizard. */
const AGENT_APPLICATION = 'agent';
const DEFAULT_COUNTRY = 'US';
/** The service returns its own data as the interface shows it: nothing wrapped, nothing hidden. */
const VERBATIM = { isGuarded: false, areCodesShown: true };

export function createServiceTools(options: ServiceToolOptions): ToolEndpoint {
  const { baseUrl, userAgent, clock, version, rate, random } = options;
  const applicationOf = ({ headers }: Request): string =>
    headers.get('X-Cr-Application')?.trim() || AGENT_APPLICATION;
  // A session belongs to the secret too: knowing its id and the partner's does not suffice.
  const ownerOf = (request: Request): string =>
    `${applicationOf(request)} ${secretOf(request) ?? ''}`;
  return createToolEndpoint({
    tools: wireTools(VERBATIM),
    disclosure: VERBATIM,
    baseUrl,
    userAgent,
    version,
    clock,
    rate,
    maxSessions: options.maxSessions,
    newSessionId: () => uuid(random(16)),
    ownerOf,
    backendFor: (request, address) =>
      createToolBackend({
        fetch: withPartnerSecret(options.fetchFor(address), {
          apiUrl: baseUrl,
          read: () => secretOf(request),
        }),
        apiUrl: baseUrl,
        mcpUrl: baseUrl,
        agentUserAgent: userAgent,
        applicationId: applicationOf(request),
        version,
        countryCode: countryOf(request),
        clock,
      }),
  });
}

/** The service checks it; here it is only passed on. */
function secretOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('Authorization')?.trim() ?? '')?.[1];
}

function countryOf({ headers }: Request): string {
  const code = headers.get('X-Country-ISO-Code')?.trim() ?? '';
  return /^[A-Za-z]{2}$/.test(code) ? code : DEFAULT_COUNTRY;
}
