/** Writes Solana transactions byte by byte, with nothing of the code under test but base58. */

import type { Signer } from '../../src/rails/rail.ts';
import { decodeBase58 } from '../../src/rails/solana/address.ts';

export interface AccountUse {
  readonly address: string;
  readonly isSigner?: boolean;
  readonly isWritable?: boolean;
}

export interface HandInstruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

export interface HandMessage {
  readonly version: 0 | 'legacy';
  readonly feePayer: string;
  readonly blockhash: string;
  readonly instructions: readonly HandInstruction[];
  /** Raw lookups: table, writable indexes, readonly indexes. */
  readonly lookups?: readonly (readonly [string, readonly number[], readonly number[]])[];
}

/** A length in Solana's compact form. */
export function compact(length: number): number[] {
  if (length < 0x80) return [length];
  return [(length & 0x7f) | 0x80, ...compact(length >> 7)];
}

/** Accounts in the order that the runtime wants: by signer, then writable, then first use. */
export function orderAccounts(message: HandMessage): readonly Required<AccountUse>[] {
  const used = new Map<string, Required<AccountUse>>();
  const use = ({ address, isSigner = false, isWritable = false }: AccountUse): void => {
    const before = used.get(address);
    used.set(address, {
      address,
      isSigner: isSigner || before?.isSigner === true,
      isWritable: isWritable || before?.isWritable === true,
    });
  };
  use({ address: message.feePayer, isSigner: true, isWritable: true });
  for (const { program, accounts } of message.instructions) {
    for (const account of accounts) use(account);
    use({ address: program });
  }
  const rank = (account: Required<AccountUse>): number =>
    (account.isSigner ? 0 : 2) + (account.isWritable ? 0 : 1);
  return [...used.values()].toSorted((a, b) => rank(a) - rank(b));
}

export function assembleMessage(message: HandMessage): Uint8Array {
  const accounts = orderAccounts(message);
  const indexOf = (address: string): number =>
    accounts.findIndex((account) => account.address === address);
  const count = (wanted: (account: Required<AccountUse>) => boolean): number =>
    accounts.filter(wanted).length;
  return Uint8Array.from([
    ...(message.version === 0 ? [0x80] : []),
    count(({ isSigner }) => isSigner),
    count(({ isSigner, isWritable }) => isSigner && !isWritable),
    count(({ isSigner, isWritable }) => !isSigner && !isWritable),
    ...compact(accounts.length),
    ...accounts.flatMap(({ address }) => [...decodeBase58(address)]),
    ...decodeBase58(message.blockhash),
    ...compact(message.instructions.length),
    ...message.instructions.flatMap(({ program, accounts: uses, data }) => [
      indexOf(program),
      ...compact(uses.length),
      ...uses.map(({ address }) => indexOf(address)),
      ...compact(data.length),
      ...data,
    ]),
    ...(message.version === 0 ? assembleLookups(message.lookups ?? []) : []),
  ]);
}

function assembleLookups(lookups: NonNullable<HandMessage['lookups']>): number[] {
  return [
    ...compact(lookups.length),
    ...lookups.flatMap(([table, writable, readonly]) => [
      ...decodeBase58(table),
      ...compact(writable.length),
      ...writable,
      ...compact(readonly.length),
      ...readonly,
    ]),
  ];
}

/** Wire bytes with the signatures of those signers that the message requires; zeros for the rest. */
export async function assembleWire(
  message: HandMessage,
  signers: readonly Signer[],
): Promise<Uint8Array> {
  const bytes = assembleMessage(message);
  const required = orderAccounts(message).filter(({ isSigner }) => isSigner);
  const signatures = await Promise.all(
    required.map(async ({ address }) => {
      const signer = signers.find((candidate) => candidate.address === address);
      return signer ? [...(await signer.sign(bytes))] : Array<number>(64).fill(0);
    }),
  );
  return Uint8Array.from([...compact(signatures.length), ...signatures.flat(), ...bytes]);
}

/** The four bytes, or eight, of a little-endian number. */
export function littleEndian(value: bigint, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}
