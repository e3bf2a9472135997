/** Verifies webhook signatures: Standard Webhooks, symmetric, version 1. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

/** Result of the check: `verified`, or why the message is not accepted as genuine. */
export const VERDICTS = [
  'verified',
  'unsigned',
  'wrong signature',
  'too old',
  'from the future',
  'unreadable',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface SignedMessage {
  readonly headers: { get(name: string): string | null };
  /** Exactly as received: the signature covers every byte. */
  readonly body: string;
}

/** Standard Webhooks: older messages are refused, since an eavesdropper may replay them. */
export const TOLERANCE_MS = 5 * 60_000;
const PREFIX = 'whsec_';
const LEAST_SECRET_BYTES = 24;
const MOST_SECRET_BYTES = 64;
/** A sender rotates between few secrets, and each candidate costs a computation. */
const MOST_SIGNATURES = 16;
const MAX_ID_CHARACTERS = 256;

/**
 * Accepts a message with a signature by one of the secrets, dated within five minutes of now.
 * @param secrets checked by `readSecrets`
 */
export async function verifyWebhook(
  { headers, body }: SignedMessage,
  { secrets, nowMs }: { readonly secrets: readonly string[]; readonly nowMs: number },
): Promise<Verdict> {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const signatures = signaturesIn(headers.get('webhook-signature') ?? '');
  if (id === '' || timestamp === '' || signatures.length === 0) return 'unsigned';
  if (id.length > MAX_ID_CHARACTERS || !/^\d{1,12}$/.test(timestamp)) return 'unsigned';
  if (!(await isSigned(`${id}.${timestamp}.${body}`, signatures, secrets)))
    return 'wrong signature';
  const ageMs = nowMs - Number(timestamp) * 1_000;
  if (ageMs > TOLERANCE_MS) return 'too old';
  return ageMs < -TOLERANCE_MS ? 'from the future' : 'verified';
}

/** Returns the signatures of version 1; ignores other versions. */
function signaturesIn(header: string): readonly Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? (fromBase64(part.slice(3)) ?? []) : []))
    .slice(0, MOST_SIGNATURES);
}

async function isSigned(
  content: string,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
): Promise<boolean> {
  const bytes = new TextEncoder().encode(content);
  for (const secret of secrets) {
    const key = fromBase64(secret.slice(PREFIX.length));
    if (key === undefined) continue;
    const usage = { name: 'HMAC', hash: 'SHA-256' } as const;
    const imported = await crypto.subtle.importKey('raw', key, usage, false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', imported, signature, bytes)) return true;
    }
  }
  return false;
}

/**
 * Reads secrets separated by line breaks or spaces.
 * @param source name for errors, which never hold the secret
 * @throws {ScripError} INPUT_INVALID
 */
export function readSecrets(text: string, source: string): readonly string[] {
  const secrets = text.split(/\s+/).filter((word) => word !== '');
  if (secrets.length > 0 && secrets.every(isSecret)) return secrets;
  const what = secrets.length === 0 ? t`holds no secret` : t`contains an invalid webhook secret`;
  throw new ScripError('INPUT_INVALID', t`${source} ${what}`, {
    hint: t`A secret is whsec_ followed by 24 to 64 bytes in base64; scrip sandbox prints one.`,
  });
}

function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const bytes = fromBase64(text.slice(PREFIX.length))?.length ?? 0;
  return bytes >= LEAST_SECRET_BYTES && bytes <= MOST_SECRET_BYTES;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
