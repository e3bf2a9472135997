/** A request as curl's options name it, for the commands that send one. */

import type { Command } from 'commander';
import type { PaidRequest } from '../../domain/journal/paid-request.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { With } from '../context.ts';
import { readAddress } from './address.ts';

export interface RequestFlags {
  readonly request?: string;
  readonly header: readonly string[];
  readonly data: readonly string[];
}

export function addRequestOptions(command: Command): Command {
  const each = (value: string, before: readonly string[]) => [...before, value];
  return command
    .optionsGroup('The request, as curl has it:')
    .option('-X, --request <method>', 'method (default: GET, or POST with --data)')
    .option('-H, --header <line>', 'header to send, such as "Accept: application/json"', each, [])
    .option('-d, --data <text>', 'body to send; @file reads it, @- from standard input', each, []);
}

/** What follows `#` is never sent. @throws {ScripError} INPUT_INVALID */
export function readUrl(text: string): string {
  const url = readAddress(text);
  url.hash = '';
  return url.href;
}

/** The request as it is sent and journaled. @throws {ScripError} INPUT_INVALID */
export async function typedRequest(
  { io }: With<'io'>,
  url: string,
  { request, header, data }: RequestFlags,
): Promise<PaidRequest> {
  const { checkedHeader } = await import('../../api/paid-request.ts');
  const sent = header.map((line) => checkedHeader(...namedValue(line)));
  const parts = await Promise.all(
    data.map((text) => (text.startsWith('@') ? io.readText(text.slice(1)) : text)),
  );
  const body = data.length === 0 ? undefined : parts.join('&');
  const method = request ?? (body === undefined ? 'GET' : 'POST');
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/.test(method)) {
    throw new ScripError('INPUT_INVALID', t`"${method}" is not a method`);
  }
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const headers = { accept: '*/*', ...form, ...Object.fromEntries(sent) };
  return { method, url, headers, ...(body === undefined ? {} : { body }) };
}

function namedValue(line: string): readonly [name: string, value: string | undefined] {
  const [, name = line, value] = /^([^:]+):(.*)$/s.exec(line) ?? [];
  return [name, value];
}
