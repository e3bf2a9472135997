/** Trouble on the sandbox's stand-in for Base, while a buyer pays there. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ChainTrouble } from './cases.ts';

const PACE_MS = 70;
/**
 * For about eight seconds of the chain's time, which is ten times as fast. What comes again after the minute that
 * it is valid is refused by the token, and lost.
 */
const MOST_TIMES = 12;
/** Blocks that are replaced; those before are as good as final to a shop that waits for one. */
const DEPTH = 3;

/** @param shopUrl asked for at every call: the shop comes back on the same port */
export async function troubledChain(shopUrl: () => string, trouble: ChainTrouble | undefined) {
  const ask = async (method: string, ...params: readonly unknown[]): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${shopUrl()}/rpc/base`, { method: 'POST', headers, body });
    const { error } = (await reply.json()) as { readonly error?: object };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  };
  let isCalm = trouble !== 'reorganized';
  const reorganize = async (): Promise<void> => {
    for (let times = 0; !isCalm && times < MOST_TIMES; times += 1) {
      await ask('sandboxReorganize', `0x${DEPTH}`, false).catch(unlessDead);
      await pause(PACE_MS);
    }
  };
  if (trouble === 'not final') await ask('sandboxHoldFinality', true);
  const reorganizing = reorganize();
  return {
    async calm(): Promise<void> {
      isCalm = true;
      await reorganizing;
      if (trouble === 'not final') await ask('sandboxHoldFinality', false);
    },
  };
}

/** The shop may be dead at the moment, or die while it answers. */
function unlessDead(error: unknown): void {
  if (error instanceof TypeError || error instanceof SyntaxError) return;
  throw error;
}
