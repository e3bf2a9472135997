/** `scrip listen`: receives webhooks until it is stopped, and prints each one. */

import {
  createWebhookInbox,
  type ReceivedWebhook,
  readSecrets,
} from '../../api/webhooks/webhook-inbox.ts';
import { isLoopbackHost } from '../../domain/address/loopback.ts';
import { isIpAddress, isOwnAddress } from '../../domain/address/public-address.ts';
import { webhookProblem } from '../../domain/address/webhook-address.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import type { With } from '../context.ts';
import { isGrowing, recordLine, rowText } from '../output/fields.ts';
import { toJson } from '../output/json.ts';
import { type Column, listView, PRINTED_ALREADY, type View } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import type { ReceivedWebhookRecord } from '../schemas/serve.ts';
import { aborted } from './operated.ts';

export interface ListenOptions {
  readonly port: number;
  readonly forward: { readonly url: string; readonly isAnywhere: boolean } | undefined;
  /** Path, or `-` for standard input. */
  readonly secretFile: string | undefined;
  readonly dataDir: string | undefined;
  readonly isPrintedAsJson: boolean;
  /** Number of genuine webhooks to wait for; undefined waits for Ctrl-C. */
  readonly count: number | undefined;
  readonly timeoutMs: number | undefined;
}

/**
 * Runs until it is stopped, or `count` or `timeoutMs` is reached.
 * @throws {ScripError} INPUT_INVALID for an invalid URL, secret or port; WEBHOOK_AWAITED when the time is
 * over before `count` webhooks came
 */
export async function listen(
  context: With<'settings' | 'io' | 'parts' | 'serving'>,
  options: ListenOptions,
): Promise<View> {
  const send = await forwarding(context, options.forward);
  const signed = await signers(context, options);
  const tally = createTally(context, options);
  const handler = createWebhookInbox({
    secretsFor: signed.secretsFor,
    now: () => context.parts.clock.now(),
    forward: send,
    received: tally.received,
  });
  const server = await context.serving.webhooks.receive({ port: options.port, handler });
  sayHow(context, { url: server.url, secrets: signed.source, forward: options.forward?.url });
  await ended(context, options, tally.counted);
  await server.close();
  return viewOf(context, options, tally);
}

/**
 * Returns a function that forwards webhooks.
 * @throws {ScripError} INPUT_INVALID for a URL that is not allowed
 */
async function forwarding({ serving }: With<'serving'>, forward: ListenOptions['forward']) {
  if (forward === undefined) return undefined;
  const { url, isAnywhere } = forward;
  const problem =
    webhookProblem(url, { isPrivateAllowed: true }) ??
    (isAnywhere || mayBeOwn(url) ? undefined : t`not of this machine or its network`);
  if (problem !== undefined) {
    throw new ScripError('INPUT_INVALID', t`--forward-to ${url} is ${problem}`, {
      hint: t`Name an address such as http://127.0.0.1:3000/webhooks, or add --forward-anywhere.`,
    });
  }
  const send = await serving.webhooks.sender({ isAnywhere });
  return (posting: Pick<Parameters<typeof send>[0], 'headers' | 'body'>) =>
    send({ url, ...posting });
}

/** Checks an IP address in the URL now; a host name is checked when something is sent. */
function mayBeOwn(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return !isIpAddress(host) || isOwnAddress(host);
}

/**
 * Takes secrets from a file, the environment, or this machine's sandbox.
 * @throws {ScripError} INPUT_INVALID
 */
async function signers(
  { settings, io, serving: { webhooks } }: With<'settings' | 'io' | 'serving'>,
  { secretFile, dataDir }: ListenOptions,
) {
  const named =
    secretFile === undefined
      ? { text: dataDir === undefined ? webhooks.environmentSecret : undefined, source: VARIABLE }
      : { text: await io.readText(secretFile), source: secretFile };
  if (named.text !== undefined) {
    const secrets = readSecrets(named.text, named.source);
    return { source: named.source, secretsFor: async (_orderId?: string) => secrets };
  }
  if (dataDir === undefined && !isLoopbackHost(new URL(settings.checkoutUrl).hostname)) {
    throw new ScripError('INPUT_INVALID', t`Checking webhooks needs a secret`, {
      hint: commandText`Name a file with --secret-file, or set ${VARIABLE}.`,
    });
  }
  const dir = dataDir ?? settings.sandboxDir;
  const keys = await webhooks.sandboxSecrets(dir);
  const partner = await keys.ofApplication(settings.partnerId);
  return {
    source: t`the sandbox in ${dir}`,
    // Webhooks of the checkout host are signed only with the order's own secret.
    secretsFor: async (orderId?: string) =>
      orderId === undefined ? [partner] : [await keys.ofOrder(orderId), partner],
  };
}

const VARIABLE = 'SCRIP_WEBHOOK_SECRET';

/**
 * Prints to stderr, since stdout is for webhooks. With --ndjson, a first line on stdout holds the URL for
 * programs.
 */
function sayHow(
  { settings, io: { stdout, stderr, localize } }: With<'settings' | 'io'>,
  how: { readonly url: string; readonly secrets: Said; readonly forward: string | undefined },
): void {
  const { output, isJson } = settings;
  if (output.format === 'ndjson') stdout.write(toJson({ event: 'listening', url: how.url }));
  if (isJson) return;
  const lines = [
    t`Listening on ${how.url}`,
    t`Signatures are checked with: ${how.secrets}`,
    ...(how.forward === undefined ? [] : [t`Verified webhooks are forwarded to ${how.forward}`]),
    commandText`To send an order’s webhooks here: scrip order … --callback-url ${how.url}`,
    t`To allow private addresses, start: scrip sandbox --webhook-allow-private`,
    t`Stop it with Ctrl-C.`,
  ];
  stderr.write(lines.map((line) => sentenceText(localize(line), stderr)).join(''));
}

function createTally(
  { settings, io: { stdout } }: With<'settings' | 'io'>,
  { count, isPrintedAsJson }: ListenOptions,
) {
  const { format } = settings.output;
  const isKept = !isGrowing(settings.output);
  const records: ReceivedWebhookRecord[] = [];
  const sum = { all: 0, genuine: 0 };
  let done: () => void = () => undefined;
  const counted = new Promise<void>((resolve) => {
    done = resolve;
  });
  return {
    /** Resolves when `count` genuine webhooks have come; never without a count. */
    counted,
    /** All webhooks, genuine or not; kept only if the output is printed at the end. */
    records,
    sum,
    received(webhook: ReceivedWebhook): void {
      const record = recordOf(webhook);
      sum.all += 1;
      if (isKept) records.push(record);
      else if (format === 'ndjson') stdout.write(recordLine(record, settings.output));
      else if (isPrintedAsJson) stdout.write(toJson(record));
      else stdout.write(rowText(cellsOf(record), stdout));
      if (webhook.verdict !== 'verified' || webhook.isRepeated) return;
      sum.genuine += 1;
      if (sum.genuine === count) done();
    },
  };
}

function recordOf(webhook: ReceivedWebhook): ReceivedWebhookRecord {
  const { atMs, verdict, isRepeated, webhookId, body, forwarded } = webhook;
  return {
    event: 'webhook',
    at: new Date(atMs).toISOString(),
    verdict,
    repeated: isRepeated,
    webhook_id: webhookId,
    body: body ?? null,
    forwarded: forwarded && 'status' in forwarded ? forwarded.status : null,
    forward_error: forwarded && 'failure' in forwarded ? forwarded.failure : null,
  };
}

function cellsOf(record: ReceivedWebhookRecord): readonly string[] {
  const { at, verdict, repeated, webhook_id, body, forwarded, forward_error } = record;
  return [
    at.slice(11, 19),
    verdict === 'verified' ? verdict : `REFUSED, ${verdict}`,
    webhook_id ?? 'no id',
    ...(body === null ? [] : [body.type, body.data.order_id, stateOf(body.data)]),
    ...(repeated ? ['(again)'] : []),
    ...(forwarded === null ? [] : [`→ ${forwarded}`]),
    ...(forward_error === null ? [] : [`→ ${forward_error}`]),
  ];
}

type Facts = NonNullable<ReceivedWebhookRecord['body']>['data'];

function stateOf({ status, order_state, payment_state }: Facts): string {
  if (order_state === undefined) return status ?? '';
  return payment_state === undefined ? order_state : `${order_state} (payment: ${payment_state})`;
}

/** Resolves when the user stops it, the count is reached, or the time is over. */
async function ended(
  { parts: { clock, signal } }: With<'parts'>,
  { timeoutMs, count }: ListenOptions,
  counted: Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const ends = [aborted(signal)];
  if (count !== undefined) ends.push(counted);
  if (timeoutMs !== undefined)
    ends.push(clock.sleep(timeoutMs, over.signal).catch(() => undefined));
  await Promise.race(ends);
  over.abort();
}

const COLUMNS: readonly Column<ReceivedWebhookRecord>[] = [
  { header: t`WEBHOOK`, cell: ({ webhook_id }) => webhook_id ?? '', isWhole: true },
  { header: t`VERDICT`, cell: ({ verdict }) => verdict },
];

/** Ctrl-C is the normal end; missing webhooks with --count are a failure. */
function viewOf(
  { settings, parts: { signal } }: With<'settings' | 'parts'>,
  { count }: ListenOptions,
  tally: ReturnType<typeof createTally>,
): View {
  const { all, genuine } = tally.sum;
  const note = t`${genuine} genuine of ${all} received.`;
  const isShort = count !== undefined && genuine < count && !signal.aborted;
  const missing = new ScripError(
    'WEBHOOK_AWAITED',
    t`Webhooks that came in time: ${genuine} of ${count ?? 0}`,
    { details: { expected: count ?? 0, received: genuine } },
  );
  const more = isShort ? { note, error: missing } : { note };
  if (isGrowing(settings.output)) return { ...PRINTED_ALREADY, ...more };
  return listView({ records: tally.records, columns: COLUMNS, empty: note, ...more });
}
