/** Receives webhooks: verifies each, reports it, and forwards genuine ones. */

import { type WireWebhook, webhookBody } from '../../contract/webhook.ts';
import { parseJson, utf8Text } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { createRecent } from '../../domain/recent.ts';

/** Forwards a message, byte for byte. Resolves with the response status, or why there was none. */
export type ForwardWebhook = (posting: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<{ readonly status: number } | { readonly failure: string }>;

export interface ReceivedWebhook {
  readonly atMs: number;
  readonly verdict: Verdict;
  /** Whether a message with this id was accepted before: delivery is at least once. */
  readonly isRepeated: boolean;
  readonly webhookId: string | null;
  /** Undefined when the message is not genuine, or not in the webhook format. */
  readonly body: WireWebhook | undefined;
  /** Result of forwarding it; undefined if it was not forwarded. */
  readonly forwarded?: { readonly status: number } | { readonly failure: string };
}

interface InboxOptions {
  /** Returns the secrets that may have signed a message. @param orderId from the message, unverified */
  secretsFor(orderId: string | undefined): Promise<readonly string[]>;
  now(): number;
  readonly forward?: ForwardWebhook | undefined;
  /** Called with each message that has a body, genuine or not, before the response is sent. */
  received(webhook: ReceivedWebhook): void;
}

/** Webhooks are small: a larger body is not ours. */
const MAX_BODY_BYTES = 64 * 1024;
/** Number of ids remembered, newest last. */
const MOST_IDS = 10_000;
/** Headers of one connection, set anew for the next (RFC 9110, 7.6.1); and the host, which differs. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Answers a request: 2xx for a genuine message, or the response of the endpoint it was forwarded to; 401 for
 * one that is not genuine, 405 and 413 for anything that is not a webhook.
 */
export function createWebhookInbox(options: InboxOptions): (request: Request) => Promise<Response> {
  const ids = createRecent<true>(MOST_IDS);
  const isRepeated = (id: string): boolean => {
    const isKnown = ids.get(id) === true;
    if (!isKnown) ids.set(id, true);
    return isKnown;
  };
  return async (request) => {
    if (request.method !== 'POST') return answer(405, { allow: 'POST' });
    const bytes = await readBytes(request);
    if (bytes === undefined) return answer(413);
    // Exactly, because the signature covers the bytes.
    const text = utf8Text(bytes);
    const read = await judge(options, request.headers, text);
    const isGenuine = read.verdict === 'verified';
    const webhook = { ...read, isRepeated: isGenuine && isRepeated(read.webhookId ?? '') };
    if (!isGenuine || text === undefined || options.forward === undefined) {
      options.received(webhook);
      return answer(isGenuine ? 204 : read.verdict === 'unreadable' ? 400 : 401);
    }
    const forwarded = await options.forward({ headers: passedOn(request.headers), body: text });
    options.received({ ...webhook, forwarded });
    return answer('status' in forwarded ? statusOf(forwarded.status) : 502);
  };
}

/** @param text undefined for bytes that are not text */
async function judge(
  { secretsFor, now }: InboxOptions,
  headers: Headers,
  text: string | undefined,
): Promise<Omit<ReceivedWebhook, 'isRepeated' | 'forwarded'>> {
  const atMs = now();
  const id = headers.get('webhook-id');
  const webhookId = id === null || id === '' ? null : id.slice(0, 256);
  if (text === undefined) return { atMs, webhookId, verdict: 'unreadable', body: undefined };
  const body = webhookBody().safeParse(parseJson(text)).data;
  const secrets = await secretsFor(body?.data.order_id);
  const verdict = await verifyWebhook({ headers, body: text }, { secrets, nowMs: atMs });
  return { atMs, webhookId, verdict, body: verdict === 'verified' ? body : undefined };
}

/** Reads the body; undefined if it is too large for a webhook. */
async function readBytes(request: Request): Promise<Uint8Array | undefined> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of request.body) {
    count += chunk.byteLength;
    if (count > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(count);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function passedOn(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_PASSED_ON.has(name)));
}

/** A valid HTTP status; any other value counts as a failure of the endpoint. */
function statusOf(status: number): number {
  return status >= 200 && status <= 599 ? status : 502;
}

function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers });
}

/** Result of the check: `verified`, or why the message is not accepted as genuine. */
export const VERDICTS = [
  'verified',
  'unsigned',
  'wrong signature',
  'too old',
  'from the future',
  'unreadable',
] as const;
type Verdict = (typeof VERDICTS)[number];

interface SignedMessage {
  readonly headers: { get(name: string): string | null };
  /** Exactly as received: the signature covers every byte. */
  readonly body: string;
}

/** Standard Webhooks: older messages are refused, since an eavesdropper may replay them. */
const TOLERANCE_MS = 5 * 60_000;
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
