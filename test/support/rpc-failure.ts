/** What a rail's RPC throws. */
import { ScripError } from '../../src/domain/message/errors.ts';
import { verbatim } from '../../src/domain/message/message.ts';

/** @param rpcCode if the node answered */
export function rpcFailure(why: string, rpcCode?: number): ScripError {
  const details = rpcCode === undefined ? {} : { rpcCode };
  return new ScripError('CHAIN_UNREACHABLE', verbatim(why), { details });
}
