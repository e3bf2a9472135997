/** Opens an owner's USDC account and pays for it: an order's address needs one to be paid. */

import { USDC_MINT } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Signer } from '../rail.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  addressBytes,
  associatedTokenAddress,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { decodeBase58 } from './base58.ts';
import type { SolanaRpc } from './rpc.ts';

interface Opening {
  readonly rpc: SolanaRpc;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly feePayer: Signer;
}

/** Rent of a token account, in lamports. */
export const TOKEN_ACCOUNT_RENT = 2_039_280n;

/** Polls for the account; Solana decides within seconds. */
const LOOKS = 20;
const LOOK_MS = 500;

/** Opens the account if it does not exist. @throws {ScripError} CHAIN_UNREACHABLE */
export async function openTokenAccount(
  { rpc, clock, feePayer }: Opening,
  owner: string,
): Promise<void> {
  const account = associatedTokenAddress(owner, USDC_MINT);
  if ((await rpc.accountInfo(account)) !== null) return;
  const { blockhash } = await rpc.latestBlockhash('confirmed');
  const message = openingMessage(feePayer.address, owner, blockhash);
  await rpc.send(Buffer.concat([Uint8Array.of(1), await feePayer.sign(message), message]));
  for (let look = 1; (await rpc.accountInfo(account)) === null; look += 1) {
    if (look === LOOKS) {
      throw new ScripError('CHAIN_UNREACHABLE', t`The token account ${account} was not opened`);
    }
    await clock.sleep(LOOK_MS);
  }
}

/** Builds a legacy message with one `CreateIdempotent` of the Associated Token program. */
function openingMessage(payer: string, owner: string, blockhash: string): Uint8Array {
  const accounts = [
    payer,
    associatedTokenAddress(owner, USDC_MINT),
    owner,
    USDC_MINT,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
  ];
  const keys = [...accounts, ASSOCIATED_TOKEN_PROGRAM].map(addressBytes);
  return Buffer.concat([
    // One signature; all accounts but payer and token account are read-only.
    Uint8Array.of(1, 0, keys.length - 2, keys.length),
    ...keys,
    decodeBase58(blockhash),
    Uint8Array.of(1, accounts.length, accounts.length, ...accounts.keys(), 1, CREATE_IDEMPOTENT),
  ]);
}

const CREATE_IDEMPOTENT = 1;
