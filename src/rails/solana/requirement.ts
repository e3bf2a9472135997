/** The merchant's side of the Solana rail: creates requirements and reads payments. */

import type { PaymentPayload } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { MerchantRail, PaymentFacts } from '../merchant-rail.ts';
import { associatedTokenAddress, TOKEN_PROGRAM } from './address.ts';
import { solanaSignIn } from './ed25519.ts';
import {
  type CompiledInstruction,
  type DecodedTransaction,
  decodePayment,
  isPlainTransfer,
  readTransferChecked,
} from './message.ts';

/** Accounts of a TransferChecked, by position. */
const TRANSFER_ACCOUNTS = { source: 0, mint: 1, destination: 2, authority: 3 } as const;

export interface MerchantOptions {
  readonly network: string;
  readonly mint: string;
  /** Address that pays the network fees: the facilitator's. @throws {ScripError} FACILITATOR_UNAVAILABLE */
  feePayer(): Promise<string>;
  readonly maxTimeoutSeconds: number;
  /**
   * Address that all sessions are paid to, or what creates one for each, whose token account exists when the
   * promise resolves.
   */
  readonly payTo: string | (() => Promise<string>);
}

export function createSolanaMerchant(options: MerchantOptions): MerchantRail {
  const { network, mint, maxTimeoutSeconds, payTo } = options;
  return {
    network,
    asset: mint,
    signIn: solanaSignIn,
    payTo: typeof payTo === 'string' ? payTo : undefined,
    requirement: async ({ amountAtomic, description }) => {
      const feePayer = await options.feePayer();
      const owner = typeof payTo === 'string' ? payTo : await payTo();
      const amount = amountAtomic.toString();
      const requirement = {
        scheme: 'exact' as const,
        network,
        // The interface reads `maxAmountRequired`, the public standard `amount`.
        amount,
        maxAmountRequired: amount,
        asset: mint,
        payTo: owner,
        maxTimeoutSeconds,
        // No memo: clients that send exactly three instructions could not comply.
        extra: { feePayer },
        description,
      };
      return { requirement, destination: associatedTokenAddress(owner, mint) };
    },
    inspect: readFacts,
  };
}

/** Reads a payment's signed bytes; the facilitator judges whether they are acceptable. */
export function readFacts(payload: PaymentPayload): PaymentFacts {
  const { transaction: wire = '' } = payload.payload;
  const transaction = decodePayment(wire);
  const ofToken = transaction.instructions.filter(
    ({ programIndex }) => transaction.accountKeys[programIndex] === TOKEN_PROGRAM,
  );
  const transfer = ofToken.find(({ data }) => readTransferChecked(data) !== undefined);
  if (!transfer && ofToken.some(({ data }) => isPlainTransfer(data))) {
    throw new ScripError(
      'PAYMENT_MALFORMED',
      t`The transaction contains a plain Transfer; a payment must be a TransferChecked`,
    );
  }
  return {
    messageHash: transaction.messageHash,
    payer: transferKey(transaction, transfer, 'authority'),
    source: transferKey(transaction, transfer, 'source'),
    payload: { transaction: wire },
  };
}

function transferKey(
  transaction: DecodedTransaction,
  transfer: CompiledInstruction | undefined,
  role: keyof typeof TRANSFER_ACCOUNTS,
): string {
  const index = transfer?.accounts[TRANSFER_ACCOUNTS[role]];
  const key = index === undefined ? undefined : transaction.accountKeys[index];
  if (key === undefined) {
    throw new ScripError('PAYMENT_MALFORMED', t`The transaction contains no token transfer`);
  }
  return key;
}
