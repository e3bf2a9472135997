/**
 * A second kind of rail, in memory: payments are typed data that is valid up to an instant, are known by a
 * nonce of 32 bytes, and may fail on the chain without being over. It has no code in src, and needs none there.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../src/domain/clock.ts';
import type { SignedPayment } from '../../src/domain/journal/journal.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { OwnPayment, PayerRail, Signer } from '../../src/rails/rail.ts';
import { stubRail } from './rails.ts';

export const TIMED_NETWORK = 'eip155:8453';
export const TIMED_ASSET = `0x${'a5'.repeat(20)}`;
const VALID_MS = 300_000;
export const FINALITY_MS = 60_000;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const signatureOf = (address: string, message: Uint8Array): string =>
  hashOf(`key of ${address}, ${Buffer.from(message).toString('hex')}`);

export function timedSigner(name: string): Signer {
  const address = `0x${hashOf(name).slice(0, 40)}`;
  return {
    address,
    sign: async (message) => Buffer.from(signatureOf(address, message), 'hex'),
  };
}

interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validBeforeMs: number;
  readonly nonce: string;
}

/** What this rail records beside the fields of every rail. */
interface TimedPayment extends SignedPayment {
  readonly authorization: Authorization;
}

const recorded = (payment: SignedPayment): TimedPayment => payment as TimedPayment;
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

export interface TimedChain {
  readonly rail: PayerRail;
  fund(owner: string, amount: bigint): void;
  /** Mines what a merchant was sent; a refusal undoes it, and it may come again. */
  settle(payload: unknown): string | undefined;
}

export function timedChain(clock: Clock): TimedChain {
  const balances = new Map<string, bigint>();
  const used = new Map<string, { readonly payment: TimedPayment; readonly atMs: number }>();
  const finalMs = () => clock.now() - FINALITY_MS;
  const isGenuine = ({ authorization, messageHash, signature, payer }: TimedPayment): boolean => {
    const message = JSON.stringify(authorization);
    return (
      authorization.from === payer &&
      hashOf(message) === messageHash &&
      signature === signatureOf(payer, Buffer.from(message))
    );
  };
  const transferOf = (signed: TimedPayment) => ({
    asset: TIMED_ASSET,
    amountAtomic: atomic(BigInt(signed.authorization.value)),
    destination: signed.authorization.to,
    payTo: signed.authorization.to,
    signed,
  });
  const idOf = (payment: SignedPayment): string => `0x${payment.messageHash}`;
  const rail = stubRail({
    network: TIMED_NETWORK,
    usdc: { asset: TIMED_ASSET, decimals: 6 },
    coin: 'ETH',
    recipientAccount: (payTo) => payTo,
    balances: async (address) => ({
      address,
      coinAtomic: atomic(0n),
      usdcAtomic: atomic(balances.get(address) ?? 0n),
    }),
    checkRequirement: async ({ payTo, asset, network }, payer) => {
      if (payTo === payer || asset !== TIMED_ASSET || network !== TIMED_NETWORK) {
        throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The payment requirement is for others`);
      }
    },
    sign: async (order) => {
      if (order.way !== 'x402') throw new Error('it sends nothing by itself');
      const { signer, amountAtomic, requirement, tag } = order;
      await rail.checkRequirement(requirement, signer.address);
      if (requirement.amount !== String(amountAtomic)) {
        throw new ScripError('REQUIREMENT_UNACCEPTABLE', t`The payment requirement is of another`);
      }
      if ((balances.get(signer.address) ?? 0n) < amountAtomic) {
        throw new ScripError('FUNDS_TOO_LOW', t`The wallet holds too little`);
      }
      const authorization = {
        from: signer.address,
        to: requirement.payTo,
        value: String(amountAtomic),
        validBeforeMs: clock.now() + VALID_MS,
        nonce: hex(tag),
      };
      const message = JSON.stringify(authorization);
      const signature = await signer.sign(Buffer.from(message));
      const payment: TimedPayment = {
        messageHash: hashOf(message),
        signature: Buffer.from(signature).toString('hex'),
        payer: signer.address,
        authorization,
      };
      return payment;
    },
    payload: (payment) => ({
      authorization: recorded(payment).authorization,
      signature: payment.signature,
    }),
    isLive: async (payment) => clock.now() < recorded(payment).authorization.validBeforeMs,
    fate: async (payment) => {
      const { nonce, validBeforeMs } = recorded(payment).authorization;
      const found = used.get(nonce);
      if (found !== undefined && found.atMs <= finalMs()) {
        return { fate: 'landed', transaction: idOf(found.payment), slot: found.atMs };
      }
      const isOver = found === undefined && finalMs() >= validBeforeMs;
      return isOver ? { fate: 'dead', proof: t`its nonce was not used` } : { fate: 'pending' };
    },
    transactionOf: async (payment) =>
      used.has(recorded(payment).authorization.nonce) ? idOf(payment) : undefined,
    horizon: async (withinMs = 0) => {
      const endMs = clock.now() + withinMs + VALID_MS;
      return {
        covers: (payment) => recorded(payment).authorization.validBeforeMs <= endMs,
        isPast: async () => finalMs() >= endMs,
        recover: (payment) =>
          isGenuine(recorded(payment)) ? transferOf(recorded(payment)) : undefined,
      };
    },
    ownPayments: async (owner, { isTip }) => ({
      isWhole: true,
      payments: [...used.values()].flatMap(({ payment, atMs }): OwnPayment[] => {
        const isFinal = atMs <= finalMs();
        if (payment.payer !== owner || !(isFinal || isTip === true)) return [];
        const shown = { transactionId: idOf(payment), slot: atMs, timeMs: atMs, isFinal };
        const { nonce } = payment.authorization;
        return [
          {
            ...transferOf(payment),
            ...shown,
            isDirect: false,
            extra: { name: 'USD Coin', version: '2' },
            carries: (tag) => nonce === hex(tag),
          },
        ];
      }),
    }),
    outflows: async (owner) =>
      [...used.values()]
        .filter(({ payment }) => payment.payer === owner)
        .map(({ payment, atMs }) => ({
          transactionId: idOf(payment),
          signatures: [payment.signature],
          amountAtomic: transferOf(payment).amountAtomic,
          atMs,
        })),
    timeMs: async () => finalMs(),
  });
  return {
    rail,
    fund: (owner, amount) => void balances.set(owner, amount),
    settle: (payload) => {
      const { authorization, signature } = payload as TimedPayment;
      const { from: payer, nonce, value, validBeforeMs } = authorization;
      const messageHash = hashOf(JSON.stringify(authorization));
      const payment = { messageHash, signature, payer, authorization };
      const left = (balances.get(payer) ?? 0n) - BigInt(value);
      const isOpen = clock.now() < validBeforeMs && !used.has(nonce) && left >= 0n;
      if (!isOpen || !isGenuine(payment)) return undefined;
      balances.set(payer, left);
      used.set(nonce, { payment, atMs: clock.now() });
      return idOf(payment);
    },
  };
}
