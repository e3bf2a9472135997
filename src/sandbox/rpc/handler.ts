/** JSON-RPC 2.0 over the chain: single calls or batches, as Solana's nodes serve it. */
import type { Chain } from '../chain/chain.ts';
import { accountMethods } from './accounts.ts';
import { blockMethods } from './blocks.ts';
import { faucetMethods } from './faucet.ts';
import { type Method, type Params, record } from './params.ts';
import { faultOf, RPC_CODES, type RpcFault } from './refusal.ts';
import { transactionMethods } from './transactions.ts';

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({ ...accountMethods, ...blockMethods, ...transactionMethods, ...faucetMethods }),
);

/** Maximum number of calls in a batch. */
const MAX_BATCH = 100;

/** Answers a parsed body: a single call with its answer, a batch with a list. Never throws. */
export function createRpcHandler(chain: Chain): (body: unknown) => Promise<unknown> {
  return async (body) => {
    const answer = (call: unknown): Promise<unknown> =>
      answerCall(call, (name) => {
        const method = METHODS.get(name);
        return method && ((params) => method(chain, params));
      });
    if (!Array.isArray(body)) return answer(body);
    if (body.length === 0 || body.length > MAX_BATCH) {
      return failed(null, { code: RPC_CODES.request, message: 'Invalid request: batch size' });
    }
    return Promise.all(body.map(answer));
  };
}

/** The answer to a body that is not JSON. */
export const PARSE_FAILED = failed(null, { code: RPC_CODES.parse, message: 'Parse error' });

/** Answers one call with the method it names. Never throws. */
export async function answerCall(
  body: unknown,
  methodOf: (name: string) => ((params: Params) => Promise<unknown>) | undefined,
): Promise<unknown> {
  const call = record(body);
  const id = idOf(call?.id);
  if (call?.jsonrpc !== '2.0' || typeof call.method !== 'string') {
    return failed(id, { code: RPC_CODES.request, message: 'Invalid request' });
  }
  const method = methodOf(call.method);
  if (!method) return failed(id, { code: RPC_CODES.method, message: 'Method not found' });
  const params: unknown = call.params ?? [];
  if (!Array.isArray(params)) {
    return failed(id, { code: RPC_CODES.params, message: 'Invalid params: expected a list' });
  }
  try {
    return { jsonrpc: '2.0', result: await method(params), id };
  } catch (error) {
    return failed(id, faultOf(error));
  }
}

function idOf(id: unknown): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function failed(id: string | number | null, error: RpcFault): unknown {
  return { jsonrpc: '2.0', error, id };
}
