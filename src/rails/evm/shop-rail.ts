/** A shop's own money on an EVM chain: it leaves by authorizations, and the fee account pays the gas. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { ETH_DECIMALS } from '../../domain/money/money.ts';
import type { Claim } from '../../domain/payment/claim.ts';
import type { ShopRail, ShopTransfer } from '../merchant-rail.ts';
import { readsOfShop } from '../witness.ts';
import { hexOf, readAddress, ZERO_ADDRESS } from './address.ts';
import { type Authorization, digestOf, typedDataOf } from './authorization.ts';
import { asAmount, useOfNonce } from './fate.ts';
import { gasOf } from './fee-account.ts';
import { changesIn, changesOf, receivedAt } from './history.ts';
import { claimOf, followClaim, type SettlementParts, sourcesOf } from './settlement.ts';
import { EARLIER_SECONDS, MOST_SECONDS } from './terms.ts';
import { encodeTypedData } from './typed-data.ts';
import { balanceCall } from './usdc.ts';

interface ShopRailOptions extends Omit<SettlementParts, 'confirmTimeoutMs'> {
  random(length: number): Uint8Array;
}

const NONCE_BYTES = 32;

export function createEvmShopRail(options: ShopRailOptions): ShopRail {
  const { network, rpc, feeAccount, transactions } = options;
  const { asset } = network;
  const isOwner = (text: string) => ![undefined, ZERO_ADDRESS, asset].includes(readAddress(text));
  return {
    network: network.network,
    isAddress: (text) => readAddress(text) !== undefined,
    isKeyAddress: isOwner,
    isTransactionId: (text) => /^0x[0-9a-f]{64}$/.test(text),
    // USDC needs no account to be opened.
    canReceive: async (owner) => isOwner(owner),
    usdcOf: async (owners) => (await rpc.calls(asset, owners.map(balanceCall))).map(asAmount),
    async feeAccount() {
      const { address } = feeAccount;
      const balance = await rpc.balance(address);
      return { address, coin: 'ETH', decimals: ETH_DECIMALS, balance };
    },
    sign: (transfer) => sign(options, transfer),
    follow: (claim, forMs) =>
      followClaim({ ...options, confirmTimeoutMs: forMs }, claim, { landedAt: 'finalized' }),
    async feeOf({ transaction, messageHash }) {
      if (transaction !== messageHash) return undefined;
      // Others may have sent it too; ours cost us also where it failed.
      const own = await transactions.byMessage(messageHash);
      return own === undefined ? 0n : rpc.fee(own.transaction);
    },
    ...readsOfShop(sourcesOf(options), {
      landed: (node, { owner, reference }) =>
        useOfNonce(node, { from: owner, nonce: hexOf(reference) }),
      received: receivedAt,
      ...{ changesIn, changesOf },
      head: async ({ rpc: node }) => (await node.head('finalized')).number,
    }),
  };
}

/** The reference is the nonce: two transfers with one are one transfer, on the chain too. */
async function sign(options: ShopRailOptions, transfer: ShopTransfer): Promise<Claim> {
  const { rpc, network, clock, random } = options;
  const { owner, payTo, amountAtomic, reference = random(NONCE_BYTES) } = transfer;
  const { time } = await rpc.head('latest');
  const authorization: Authorization = {
    ...{ from: owner.address, to: readAddress(payTo) ?? payTo, value: amountAtomic.toString() },
    validAfter: Math.max(0, time - EARLIER_SECONDS).toString(),
    validBefore: (time + MOST_SECONDS).toString(),
    nonce: hexOf(reference),
  };
  const message = encodeTypedData(typedDataOf(network, authorization));
  const signed = { authorization, signature: hexOf(await owner.sign(message)) };
  if ((await gasOf(options, signed)) === undefined) {
    throw new ScripError(
      'FACILITATOR_UNAVAILABLE',
      t`${owner.address} cannot pay ${payTo}: the chain would refuse it`,
      { details: { subject: owner.address } },
    );
  }
  const messageHash = hexOf(digestOf(network, authorization)).slice(2);
  return claimOf(signed, { messageHash, atMs: clock.now() });
}
