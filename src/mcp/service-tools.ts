/** The service's own tool server: each call speaks for the partner that its request names. */

import { createToolBackend } from '../api/tool-backend.ts';
import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { uuid } from '../domain/uuid.ts';
import { createToolEndpoint, type ToolEndpoint } from './http.ts';
import { wireTools } from './tools.ts';

export interface ServiceToolOptions {
  /** Where clients reach it, without a trailing slash. */
  readonly baseUrl: string;
  /** The service, as the caller at an address reaches it. */
  fetchFor(address: string): Fetch;
  /** What the service wants its clients to call themselves; any name when left out. */
  readonly userAgent: string | undefined;
  readonly rate: RateLimit;
  /** Open at once; a thousand without it. */
  readonly maxSessions?: number | undefined;
  readonly clock: Clock;
  readonly version: string;
  random(length: number): Uint8Array;
}

/** Ours: whose orders they are when the client is no partner, as in the wizard. */
const AGENT_APPLICATION = 'agent';
const DEFAULT_COUNTRY = 'US';
/** Bodies stand as the interface shows them: the service speaks of its own data. */
const VERBATIM = { isGuarded: false, areCodesShown: true };

export function createServiceTools(options: ServiceToolOptions): ToolEndpoint {
  const { baseUrl, userAgent, clock, version, rate, random } = options;
  const ownerOf = ({ headers }: Request): string =>
    headers.get('X-Cr-Application')?.trim() || AGENT_APPLICATION;
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
        fetch: options.fetchFor(address),
        apiUrl: baseUrl,
        mcpUrl: baseUrl,
        agentUserAgent: userAgent,
        applicationId: ownerOf(request),
        version,
        countryCode: countryOf(request),
        clock,
      }),
  });
}

function countryOf({ headers }: Request): string {
  const code = headers.get('X-Country-ISO-Code')?.trim() ?? '';
  return /^[A-Za-z]{2}$/.test(code) ? code : DEFAULT_COUNTRY;
}
