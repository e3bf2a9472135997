/** Headers that every request of the partner API has: interface, "Authentication". */
import { type Refusal, refuse } from '../errors.ts';
import type { HeaderReader } from '../ready.ts';

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
export function headerProblem(headers: HeaderReader): Refusal | undefined {
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
