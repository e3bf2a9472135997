/** A good payment on the Solana rail, in parts that a test may replace. */
import {
  type PaymentPayload,
  type PaymentRequirement,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import {
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  encodeBase58,
  MEMO_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import {
  type AccountUse,
  assembleWire,
  type HandInstruction,
  type HandMessage,
  littleEndian,
} from './hand-assembly.ts';

const signer = (seed: number) => signerFromSeed(new Uint8Array(32).fill(seed));

export const PAYER = signer(1);
export const FEE_PAYER = signer(2);
export const MERCHANT = signer(3);
export const STRANGER = signer(4);
export const SOURCE = associatedTokenAddress(PAYER.address, USDC_MINT);
export const DESTINATION = associatedTokenAddress(MERCHANT.address, USDC_MINT);
export const BLOCKHASH = encodeBase58(new Uint8Array(32).fill(9));
export const AMOUNT = 25_500_000n;

export const REQUIREMENT: PaymentRequirement = {
  scheme: 'exact',
  network: SOLANA_MAINNET,
  amount: AMOUNT.toString(),
  maxAmountRequired: AMOUNT.toString(),
  asset: USDC_MINT,
  payTo: MERCHANT.address,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER.address },
};

export const setLimit = (units: number): HandInstruction => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.from([2, ...littleEndian(BigInt(units), 4)]),
});

export const setPrice = (price: bigint): HandInstruction => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.from([3, ...littleEndian(price, 8)]),
});

export const memo = (text: string, accounts: readonly AccountUse[] = []): HandInstruction => ({
  program: MEMO_PROGRAM,
  accounts,
  data: new TextEncoder().encode(text),
});

interface TransferParts {
  readonly program: string;
  readonly source: string;
  readonly mint: string;
  readonly destination: string;
  readonly authority: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly tag: number;
  readonly extraAccounts: readonly AccountUse[];
  readonly extraData: readonly number[];
}

export function transfer(parts: Partial<TransferParts> = {}): HandInstruction {
  const { amount = AMOUNT, decimals = 6, tag = 12, extraData = [] } = parts;
  return {
    program: parts.program ?? TOKEN_PROGRAM,
    accounts: [
      { address: parts.source ?? SOURCE, isWritable: true },
      { address: parts.mint ?? USDC_MINT },
      { address: parts.destination ?? DESTINATION, isWritable: true },
      { address: parts.authority ?? PAYER.address, isSigner: true },
      ...(parts.extraAccounts ?? []),
    ],
    data: Uint8Array.from([tag, ...littleEndian(amount, 8), decimals, ...extraData]),
  };
}

/** The three instructions of a good payment. */
export const GOOD: readonly HandInstruction[] = [setLimit(200_000), setPrice(1_000n), transfer()];

export function messageOf(
  instructions: readonly HandInstruction[],
  more: Partial<HandMessage> = {},
): HandMessage {
  return { version: 0, feePayer: FEE_PAYER.address, blockhash: BLOCKHASH, instructions, ...more };
}

/** Wire bytes signed by the payer alone. */
export async function payerSigned(
  instructions: readonly HandInstruction[] = GOOD,
  more: Partial<HandMessage> = {},
): Promise<Uint8Array> {
  return assembleWire(messageOf(instructions, more), [PAYER, STRANGER]);
}

/** A payload of the flat dialect around wire bytes. */
export function payloadOf(wire: Uint8Array): PaymentPayload {
  return {
    x402Version: 2,
    scheme: 'exact',
    network: SOLANA_MAINNET,
    payload: { transaction: Buffer.from(wire).toString('base64') },
  };
}
