/** Test money: direct changes of accounts, and airdrops signed as transactions. */

import { createHash } from 'node:crypto';
import { USDC_MINT } from '../../contract/x402.ts';
import { ScripError } from '../../domain/errors.ts';
import { verbatim } from '../../domain/message.ts';
import { atomic } from '../../domain/money.ts';
import type { Signer } from '../../rails/rail.ts';
import {
  addressBytes,
  associatedTokenAddress,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../rails/solana/address.ts';
import { signerFromSeed } from '../../rails/solana/ed25519.ts';
import type { ChainAccountRow, ChainRecords } from '../../store/tables/chain.ts';
import { minimumBalance } from './genesis.ts';
import {
  decodeMint,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  TOKEN_ACCOUNT_BYTES,
  withAmount,
} from './token.ts';

/** Adds lamports to an account; creates the account if missing. */
export async function addLamports(
  chain: ChainRecords,
  address: string,
  lamports: bigint,
): Promise<void> {
  const account = (await chain.account(address)) ?? emptyAccount(address);
  const total = atomic(BigInt(account.lamports) + lamports);
  await chain.putAccount({ ...account, lamports: total.toString() });
}

function emptyAccount(address: string): ChainAccountRow {
  // Throws for an invalid address before anything is stored.
  addressBytes(address);
  const data = new Uint8Array();
  return { address, lamports: '0', owner: SYSTEM_PROGRAM, data, executable: false };
}

/** An owner's USDC account, with its rent and no money. */
function emptyUsdc(owner: string): ChainAccountRow {
  return {
    address: associatedTokenAddress(owner, USDC_MINT),
    lamports: minimumBalance(TOKEN_ACCOUNT_BYTES).toString(),
    owner: TOKEN_PROGRAM,
    data: encodeTokenAccount({ mint: USDC_MINT, owner, amount: 0n }),
    executable: false,
  };
}

/** Returns the owner's USDC account; creates it, with its rent, if missing. */
async function provisionUsdc(chain: ChainRecords, owner: string): Promise<ChainAccountRow> {
  const made = emptyUsdc(owner);
  const known = await chain.account(made.address);
  if (known && decodeTokenAccount(known)) return known;
  await chain.putAccount(made);
  return made;
}

/** Opens addresses for payments as a shop does on a real chain: with a USDC account, and the least SOL. */
export async function openForPayments(
  chain: ChainRecords,
  owners: readonly string[],
): Promise<void> {
  const lamports = minimumBalance(0).toString();
  const made = owners.flatMap((owner) => [emptyUsdc(owner), { ...emptyAccount(owner), lamports }]);
  if (await chain.addAccounts(...made)) return;
  for (const owner of owners) await provisionUsdc(chain, owner);
}

/** Mints into the owner's USDC account and raises the supply by the same amount. */
export async function mintUsdc(chain: ChainRecords, owner: string, amount: bigint): Promise<void> {
  const account = await provisionUsdc(chain, owner);
  const balance = decodeTokenAccount(account)?.amount ?? 0n;
  await chain.putAccount({ ...account, data: withAmount(account.data, atomic(balance + amount)) });
  await raiseSupply(chain, amount);
}

async function raiseSupply(chain: ChainRecords, amount: bigint): Promise<void> {
  const account = await chain.account(USDC_MINT);
  const mint = account && decodeMint(account);
  if (!account || !mint)
    throw new ScripError('INTERNAL', verbatim(`the chain has no mint at ${USDC_MINT}`));
  const supply = atomic(mint.supply + amount);
  await chain.putAccount({ ...account, data: encodeMint({ ...mint, supply }) });
}

/** The account that pays airdrops; its key derives from the chain's seed. */
export function faucetSigner(seed: string): Signer {
  return signerFromSeed(createHash('sha256').update(`faucet ${seed}`).digest());
}

/** Signs a transfer of lamports; the memo tells two equal transfers apart. */
export async function signAirdrop(
  faucet: Signer,
  transfer: {
    readonly to: string;
    readonly lamports: bigint;
    readonly blockhash: Uint8Array;
    readonly memo: string;
  },
): Promise<Uint8Array> {
  const amount = Buffer.alloc(12);
  amount.writeUInt32LE(SYSTEM_TRANSFER);
  amount.writeBigUInt64LE(atomic(transfer.lamports), 4);
  const memo = Buffer.from(transfer.memo);
  const keys = [faucet.address, transfer.to, SYSTEM_PROGRAM, MEMO_PROGRAM].map(addressBytes);
  const message = Buffer.concat([
    // One signature; the two programs are read-only.
    Uint8Array.of(1, 0, 2, keys.length),
    ...keys,
    transfer.blockhash,
    Uint8Array.of(2, 2, 2, 0, 1, amount.length),
    amount,
    Uint8Array.of(3, 0, memo.length),
    memo,
  ]);
  return Buffer.concat([Uint8Array.of(1), await faucet.sign(message), message]);
}

/** Index of `Transfer` in the System program's instructions. */
const SYSTEM_TRANSFER = 2;
