import { isLoopbackHost } from '../../domain/address/loopback.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';

/** Parses the address of a host. @throws {ScripError} INPUT_INVALID for one that is neither https nor on this machine */
export function readAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url !== undefined && isSafe && `${url.username}${url.password}` === '' && !/\s/.test(text)) {
    return url;
  }
  throw new ScripError('INPUT_INVALID', t`"${text}" is not an https address without a user name`);
}
