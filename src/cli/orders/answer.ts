/** The answer of a request that was paid for, or was free: exact bytes for programs, escaped text for a terminal. */

import type { Fetched } from '../../api/paid-request.ts';
import { contentType, type KeptAnswer } from '../../domain/journal/paid-request.ts';
import { escapeText } from '../../domain/message/message.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import type { With } from '../context.ts';
import type { FetchedRecord } from '../schemas/purchase.ts';

/** @param options file in place of standard output; whether to print the headers. @throws {ScripError} OUTPUT_UNWRITABLE */
export async function writeAnswer(
  { io }: With<'io'>,
  answer: KeptAnswer,
  {
    file,
    include,
  }: { readonly file?: string | undefined; readonly include?: boolean | undefined } = {},
): Promise<void> {
  const head = Buffer.from(include === true ? headText(answer) : '');
  const bytes = Buffer.concat([head, answer.bytes]);
  if (file !== undefined) await io.writeBytes(file, bytes);
  else io.stdout.write(io.stdout.isTerminal ? screenText(bytes) : bytes);
}

/** As curl prints it with `-i`. */
function headText({ status, headers }: KeptAnswer): string {
  return [
    `HTTP/1.1 ${status}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
}

/** A host may send what moves the cursor or changes the terminal. */
function screenText(bytes: Uint8Array): string {
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line.split('\t').map(safe).join('\t')}\n`).join('');
}

const safe = (text: string): string => escapeText(text, Number.POSITIVE_INFINITY);

/** The document of `--json`; the body is in the file if one was named. */
export function fetchedRecord(
  { answer, bought }: Fetched,
  file: string | undefined,
): FetchedRecord {
  const { status, bytes } = answer;
  return {
    status,
    content_type: contentType(answer),
    ...(file === undefined ? bodyFields(bytes) : { output: file }),
    payment: bought?.payment
      ? {
          intent_id: bought.intent.intentId,
          amount: usdcText(bought.payment.amountAtomic),
          amount_atomic: String(bought.payment.amountAtomic),
          network: bought.payment.network,
          pay_to: bought.payment.payTo,
          transaction: bought.payment.transaction,
        }
      : null,
  };
}

function bodyFields(bytes: Uint8Array): Pick<FetchedRecord, 'body' | 'body_base64'> {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { body_base64: Buffer.from(bytes).toString('base64') };
  }
}
