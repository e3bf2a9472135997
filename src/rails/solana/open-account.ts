/**
 * Opens an address for payments and closes it, and pays and takes back the rent: its USDC account, and the least SOL that an address can hold,
 * since wallets built with the library of Solana Pay refuse to pay an address without any.
 */

import { USDC_MINT } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Signer } from '../rail.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  addressBytes,
  associatedTokenAddress,
  decodeBase58,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
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

/** Polls for a change; Solana decides within seconds. */
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
  if (await isSoon(true, account, { rpc, clock })) return;
  throw new ScripError('CHAIN_UNREACHABLE', t`The token account ${account} was not opened`);
}

/** Whether an account is there, or is there no more, within seconds. */
async function isSoon(
  isThere: boolean,
  account: string,
  { rpc, clock }: Pick<Opening, 'rpc' | 'clock'>,
): Promise<boolean> {
  for (let look = 1; look <= LOOKS; look += 1) {
    if (((await rpc.accountInfo(account)) !== null) === isThere) return true;
    await clock.sleep(LOOK_MS);
  }
  return false;
}

/**
 * Closes the empty USDC account of the owner, and sends all of its rent back to the fee payer. With money in it the
 * transaction fails, so none is lost.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function closeForPayments(
  { rpc, clock, feePayer }: Opening,
  owner: Signer,
): Promise<void> {
  const account = associatedTokenAddress(owner.address, USDC_MINT);
  const [info, lamports] = await Promise.all([
    rpc.accountInfo(account),
    rpc.balance(owner.address),
  ]);
  if (info === null && lamports === 0n) return;
  const { blockhash } = await rpc.latestBlockhash('confirmed');
  const message = closingMessage(
    { payer: feePayer.address, owner: owner.address, isOpen: info !== null, lamports },
    blockhash,
  );
  const signatures = [await feePayer.sign(message), await owner.sign(message)];
  await rpc.send(Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message]));
  if (await isSoon(false, account, { rpc, clock })) return;
  throw new ScripError('CHAIN_UNREACHABLE', t`The token account ${account} was not closed`);
}

/** Builds a legacy message: `CloseAccount` of the Token program, then `Transfer` of the System program. */
function closingMessage(
  closing: {
    readonly payer: string;
    readonly owner: string;
    readonly isOpen: boolean;
    readonly lamports: bigint;
  },
  blockhash: string,
): Uint8Array {
  const { payer, owner, isOpen, lamports } = closing;
  const account = associatedTokenAddress(owner, USDC_MINT);
  const keys = [payer, owner, account, SYSTEM_PROGRAM, TOKEN_PROGRAM];
  const close = [Uint8Array.of(keys.indexOf(TOKEN_PROGRAM), 3, 2, 0, 1, 1, CLOSE_ACCOUNT)];
  const move = [
    Uint8Array.of(keys.indexOf(SYSTEM_PROGRAM), 2, 1, 0, TRANSFER_BYTES),
    transferData(lamports),
  ];
  const instructions = [isOpen ? close : [], lamports > 0n ? move : []];
  return Buffer.concat([
    // Two signatures; the programs are read-only.
    Uint8Array.of(2, 0, 2, keys.length),
    ...keys.map(addressBytes),
    decodeBase58(blockhash),
    Uint8Array.of(instructions.filter((one) => one.length > 0).length),
    ...instructions.flat(),
  ]);
}

/** Data of the System program's `Transfer`. */
export function transferData(lamports: bigint): Uint8Array {
  const data = Buffer.alloc(TRANSFER_BYTES);
  data.writeUInt32LE(TRANSFER);
  data.writeBigUInt64LE(lamports, 4);
  return data;
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
  const transfer = transferData(SYSTEM_ACCOUNT_RENT);
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
const TRANSFER_BYTES = 12;
const CLOSE_ACCOUNT = 9;

/** @throws {ScripError} CHAIN_UNREACHABLE */
export async function canReceiveUsdc(rpc: SolanaRpc, owner: string): Promise<boolean> {
  const account = await rpc.tokenAccount(associatedTokenAddress(owner, USDC_MINT));
  return account !== null && account.owner === owner && !account.isFrozen;
}
