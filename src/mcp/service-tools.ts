/** The tool server of the service: each call acts for the partner that its request names. */

import { withPartnerSecret } from '../api/http/call-options.ts';
import { createToolBackend } from '../api/tool-backend.ts';
import type { Fetch } from '../contract/fetch.ts';
import { uuid } from '../domain/uuid.ts';
import { createToolEndpoint, type ToolEndpoint, type ToolEndpointOptions } from './http.ts';
import { wireTools } from './tools.ts';

type Given = 'baseUrl' | 'userAgent' | 'rate' | 'maxSessions' | 'clock' | 'version';

export interface ServiceToolOptions extends Pick<ToolEndpointOptions, Given> {
  /** Returns a `Fetch` that calls the service as the client at this address. */
  fetchFor(address: string): Fetch;
  random(length: number): Uint8Array;
}

/** Ours: the owner of orders made by a client without a partner id, as in the wizard. */
const AGENT_APPLICATION = 'agent';
const DEFAULT_COUNTRY = 'US';
const STATE_KEY_BYTES = 32;
/** The service returns its own data as the interface shows it: nothing wrapped, nothing hidden. */
const VERBATIM = { isGuarded: false, areCodesShown: true };

export function createServiceTools(options: ServiceToolOptions): ToolEndpoint {
  const { baseUrl: apiUrl, userAgent: agentUserAgent, clock, version, random } = options;
  const applicationOf = ({ headers }: Request): string =>
    headers.get('X-Cr-Application')?.trim() || AGENT_APPLICATION;
  // A session belongs to the secret too: knowing its id and the partner's does not suffice.
  const ownerOf = (request: Request): string =>
    `${applicationOf(request)} ${secretOf(request) ?? ''}`;
  return createToolEndpoint({
    ...options,
    tools: wireTools(VERBATIM),
    disclosure: VERBATIM,
    newSessionId: () => uuid(random(16)),
    stateKey: random(STATE_KEY_BYTES),
    ownerOf,
    backendFor: (request, address) =>
      createToolBackend({
        fetch: withPartnerSecret(options.fetchFor(address), {
          apiUrl,
          read: () => secretOf(request),
        }),
        ...{ apiUrl, mcpUrl: apiUrl, agentUserAgent, version, clock },
        applicationId: applicationOf(request),
        countryCode: countryOf(request),
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
