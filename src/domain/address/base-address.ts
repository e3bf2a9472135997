/** Checks the base address of a host: https, or plain http on this machine. */

import { ScripError } from '../message/errors.ts';
import { t } from '../message/message.ts';
import { isLoopbackHost } from './loopback.ts';

/**
 * Returns the address without a trailing slash.
 * @param name the flag, setting or option that held the address, for error messages
 * @throws {ScripError} INPUT_INVALID when it is not https (or http on loopback), or is more than a plain base
 * address
 */
export function baseAddress(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!url || !isSafe) {
    throw new ScripError('INPUT_INVALID', t`${name} "${text}" is not an https address`, {
      hint: t`Use https://…; plain http is for this machine alone, such as http://127.0.0.1:4020.`,
    });
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${name} must be a plain base address, without ?, # or a user name`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
