/**
 * The facilitator on an EVM chain: it settles each nonce of a payer once, and pays the gas, or has one elsewhere do
 * both. The words of that one decide nothing: a payment is made when our own nodes show its logs, and dead when they
 * prove that.
 */

import { type PaymentPayload, type PaymentRequirement, X402_VERSION } from '../../contract/x402.ts';
import { type FacilitatorParts, facilitatorOn } from '../facilitator.ts';
import { type FacilitatorClient, handOver, readFacilitatorTerms } from '../facilitator-http.ts';
import type { Facilitator } from '../merchant-rail.ts';
import type { Signed } from './authorization.ts';
import {
  checkPayment,
  refuseByTime,
  SIGNATURE_REASON,
  sentenceOf,
  type Verdict,
} from './checks.ts';
import { asFlag } from './fate.ts';
import { checkFloor, gasOf, MOST_GAS } from './fee-account.ts';
import { claimOf, followClaim, type SettlementParts, signedOf } from './settlement.ts';
import { MOST_SECONDS } from './terms.ts';
import { balanceCall, stateCall } from './usdc.ts';

export interface FacilitatorOptions extends SettlementParts, FacilitatorParts {
  /** Pays the gas in place of the fee account. */
  readonly client?: FacilitatorClient | undefined;
}

type ValidVerdict = Extract<Verdict, { readonly isValid: true }>;

export function createEvmFacilitator(options: FacilitatorOptions): Facilitator {
  const { network, feeAccount, transactions, clock, client, report } = options;
  const { name, version } = network;
  const elsewhere =
    client &&
    readFacilitatorTerms(client, { network: network.network, clock, isNamed: false }).current;
  return facilitatorOn<ValidVerdict>(options, {
    network: network.network,
    feePayer: feeAccount.address,
    extra: { name, version },
    prefix: 'invalid_exact_evm_',
    expired: 'invalid_exact_evm_authorization_expired',
    inWords: sentenceOf,
    check: (payload, requirement) =>
      checkPayment(payload, requirement, { network, feeAccount: feeAccount.address }),
    checkFloor: async () => void (await (elsewhere ? elsewhere() : checkFloor(options))),
    refuse: (valid, requirement) => refuseByChain(options, valid, requirement),
    async claim({ signed, messageHash, isOfKey }, refusal) {
      const claim = claimOf(signed, { messageHash, atMs: clock.now() });
      if (refusal === undefined) return claim;
      // Without the payer's signature a refusal must not stand in the way of what the payer signs.
      return isOfKey ? { ...claim, state: 'failed', reason: refusal } : undefined;
    },
    // Another authorization with the nonce of this one: at most one of them can land.
    isOf: (claim, { signed }) =>
      JSON.stringify(signedOf(claim).authorization) === JSON.stringify(signed.authorization),
    follow: (claim, until) =>
      followClaim(
        options,
        claim,
        until,
        client && ((signed) => handOver(client, report, ...paymentOf(network, signed))),
      ),
    sentAs: async ({ messageHash }) =>
      (await transactions.byMessage(messageHash))?.transaction ?? messageHash,
  });
}

/** What the one elsewhere is given, by what was signed alone. */
function paymentOf(
  { network, asset, name, version }: FacilitatorOptions['network'],
  { authorization, signature }: Signed,
): [PaymentPayload, PaymentRequirement] {
  const terms = { scheme: 'exact', network, asset, extra: { name, version } } as const;
  const { to: payTo, value: amount } = authorization;
  return [
    { x402Version: X402_VERSION, payload: { authorization, signature } },
    { ...terms, payTo, amount, maxTimeoutSeconds: MOST_SECONDS },
  ];
}

async function refuseByChain(
  parts: SettlementParts,
  { signed, isOfKey }: ValidVerdict,
  requirement: PaymentRequirement,
): Promise<string | undefined> {
  const { rpc, network } = parts;
  const { authorization } = signed;
  const { from, value } = authorization;
  const [head, code, [used = '', held = '']] = await Promise.all([
    rpc.head('latest'),
    isOfKey ? '' : rpc.code(from),
    rpc.calls(network.asset, [stateCall(authorization), balanceCall(from)]),
  ]);
  // An account without code signs with its key alone.
  if (code === '0x') return SIGNATURE_REASON;
  const late = refuseByTime(authorization, requirement, head.time);
  if (late !== undefined) return late;
  if (asFlag(used)) return 'invalid_exact_evm_nonce_already_used';
  if (BigInt(held) < BigInt(value)) return 'invalid_exact_evm_insufficient_balance';
  const gas = await gasOf(parts, signed);
  if (gas === undefined) return 'invalid_exact_evm_transaction_simulation_failed';
  return gas > MOST_GAS ? 'invalid_exact_evm_gas_too_high' : undefined;
}
