/**
 * Opens an address for payments, and pays the rent: its USDC account, and the least SOL that an address can hold,
 * since wallets built with the library of Solana Pay refuse to pay an address without any.
 */

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
/** Rent of an address that holds SOL alone. */
export const SYSTEM_ACCOUNT_RENT = 890_880n;
/** What the fee payer pays to open an address for payments, besides the network fee. */
export const OPENING_RENT = TOKEN_ACCOUNT_RENT + SYSTEM_ACCOUNT_RENT;

/** Polls for the account; Solana decides within seconds. */
const LOOKS = 20;
const LOOK_MS = 500;

/** Opens the address if it has no USDC account. @throws {ScripError} CHAIN_UNREACHABLE */
export async function openForPayments(
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

/**
 * Builds a legacy message: `Create` of the Associated Token program, then `Transfer` of the System program. The first
 * fails where the account exists, so of several such transactions one pays.
 */
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
  const transfer = Buffer.alloc(12);
  transfer.writeUInt32LE(TRANSFER);
  transfer.writeBigUInt64LE(SYSTEM_ACCOUNT_RENT, 4);
  return Buffer.concat([
    // One signature; all accounts but payer, token account and owner are read-only.
    Uint8Array.of(1, 0, keys.length - 3, keys.length),
    ...keys,
    decodeBase58(blockhash),
    Uint8Array.of(2, accounts.length, accounts.length, ...accounts.keys(), 1, CREATE),
    Uint8Array.of(accounts.indexOf(SYSTEM_PROGRAM), 2, 0, accounts.indexOf(owner), transfer.length),
    transfer,
  ]);
}

const CREATE = 0;
const TRANSFER = 2;
