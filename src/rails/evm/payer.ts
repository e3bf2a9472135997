/** The payer's side of the rail of EVM chains: USDC by signed authorizations (x402 `exact`, EIP-3009). */

import { networkTitle } from '../../contract/usdc.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import type { Horizon, PayerRail, RecoveredPayment, RequiredPayment } from '../rail.ts';
import { assertParts, checkAgreed, formatUsdc, refuseTerms, tooLow } from '../terms.ts';
import {
  askAll,
  eachOf,
  healthOf,
  joinHistories,
  joinOutflows,
  nodesOf,
  oldestTime,
  receivedBy,
  witnessedFate,
} from '../witness.ts';
import { hexOf, readAddress, ZERO_ADDRESS } from './address.ts';
import { type Authorization, digestOf, separatorOf, typedDataOf } from './authorization.ts';
import { asAmount, type ChainSource, isUsed, landedIn, paymentFate } from './fate.ts';
import { readOutflows, readOwnPayments, receivedAt } from './history.ts';
import type { EvmNetwork } from './networks.ts';
import { type EvmPayment, isGenuine, paymentOf, recorded } from './payment.ts';
import type { EvmRpc } from './rpc.ts';
import { evmSignIn, signerOf } from './secp256k1.ts';
import { EARLIER_SECONDS, extraChecks, MOST_SECONDS, readTerms } from './terms.ts';
import { decodeTypedData, encodeTypedData, hashOfDomain } from './typed-data.ts';
import { balanceCall, DOMAIN_SEPARATOR_CALL, isValidSignatureCall, VALID_1271 } from './usdc.ts';

/** The nodes; with a second one, a dead payment also needs its proof. */
export interface EvmPayerOptions {
  readonly rpc: EvmRpc;
  readonly witness?: EvmRpc | undefined;
  readonly network: EvmNetwork;
}

/** Balances of the chain's own coin are told in units of 10^-9, of which 64 bits hold enough. */
const WEI_PER_UNIT = 1_000_000_000n;

export function createEvmPayer(options: EvmPayerOptions): PayerRail {
  const { rpc, network } = options;
  const nodes = eachOf(nodesOf(options), (node) => ({ rpc: node, network, read: new Map() }));
  const [own] = nodes;
  const { asset } = network;
  return {
    network: network.network,
    name: networkTitle(network.network),
    isReplayable: true,
    signIn: evmSignIn,
    usdc: { asset, decimals: USDC_DECIMALS },
    coin: 'ETH',
    isKeyAddress: (address) => ![undefined, ZERO_ADDRESS, asset].includes(readAddress(address)),
    recipientAccount: readAddress,
    // Authorizations alone: a wallet that sends its own transfers would have to hold the chain's coin.
    asset: () => undefined,
    balances: async (owner) => {
      const [wei, usdc] = await Promise.all([rpc.balance(owner), usdcOf(options, owner)]);
      return { address: owner, coinAtomic: atomic(wei / WEI_PER_UNIT), usdcAtomic: usdc };
    },
    requirementChecks: ({ extra }) => extraChecks(extra, network),
    checkRequirement: async (requirement, payer) => {
      readTerms(requirement, network, payer);
      await checkDomain(options);
    },
    openingCost: async () => null,
    sign: (order) => (order.way === 'x402' ? sign(options, order) : refuseTransfer()),
    payload: (payment) => {
      const { authorization, proof } = recorded(payment, network);
      return { authorization, signature: proof };
    },
    send: refuseTransfer,
    isLive: async (payment) => {
      const { validBefore } = recorded(payment, network).authorization;
      return BigInt((await rpc.head('latest')).time) < BigInt(validBefore);
    },
    fate: async (payment) => {
      const { authorization } = recorded(payment, network);
      return witnessedFate(nodes, (node) => paymentFate(node, authorization));
    },
    transactionOf: async (payment) => landedIn(own, recorded(payment, network).authorization),
    horizon: async (withinMs = 0) =>
      horizonAt((await rpc.head('latest')).time + MOST_SECONDS + withinMs / 1_000, options),
    ownPayments: async (owner, query) =>
      joinHistories(await askAll(nodes, (node) => readOwnPayments(node, owner, query))),
    outflows: async (owner, span) =>
      joinOutflows(await askAll(nodes, (node) => readOutflows(node, owner, span))),
    received: (transactionId, owner) =>
      receivedBy(nodes, (node) => receivedAt(node, transactionId, owner)),
    timeMs: () => oldestTime(nodes, ({ rpc: node }) => timeOf(node, 'finalized')),
    // The newest block's time: final ones are about twenty minutes old.
    health: () => healthOf(nodes, look, ({ rpc: node }) => timeOf(node, 'latest')),
  };
}

function horizonAt(seconds: number, { rpc, network }: EvmPayerOptions): Horizon {
  return {
    covers: (payment) => Number(recorded(payment, network).authorization.validBefore) <= seconds,
    isPast: async () => (await rpc.head('finalized')).time > seconds,
    recover: (payment): RecoveredPayment | undefined => {
      try {
        const signed = recorded(payment, network);
        if (!isGenuine(signed, network)) return undefined;
        const { to, value } = signed.authorization;
        const paid = { asset: network.asset, amountAtomic: atomic(BigInt(value)) };
        return { ...paid, destination: to, payTo: to, signed };
      } catch (error) {
        return expected(() => undefined)(error);
      }
    },
  };
}

async function sign(options: EvmPayerOptions, input: RequiredPayment): Promise<EvmPayment> {
  const { rpc, network } = options;
  const { signer, amountAtomic, tag } = input;
  const { address: payer } = signer;
  const terms = readTerms(input.requirement, network, payer);
  checkAgreed(terms.amountAtomic, amountAtomic);
  const [{ time }] = await Promise.all([
    rpc.head('latest'),
    checkDomain(options),
    checkTokens(options, payer, amountAtomic),
  ]);
  const authorization: Authorization = {
    ...{ from: payer, to: terms.payTo, value: amountAtomic.toString() },
    validAfter: Math.max(0, time - EARLIER_SECONDS).toString(),
    validBefore: (time + terms.seconds).toString(),
    nonce: hexOf(tag),
  };
  const message = encodeTypedData(typedDataOf(network, authorization));
  assertMatches(message, { network, input, payTo: terms.payTo, time });
  if (await isUsed(options, authorization)) {
    const sentence = t`The RPC shows an earlier payment with the same nonce; nothing was signed`;
    throw new ScripError('CHAIN_UNREACHABLE', sentence);
  }
  const signature = await signer.sign(message);
  const digest = digestOf(network, authorization);
  const proof = hexOf(signature);
  if (signerOf(digest, signature) !== payer || !(await isTaken(options, payer, digest, proof))) {
    throw new ScripError(
      'WALLET_INVALID',
      t`The signer of ${payer} returned a signature of another key`,
    );
  }
  return paymentOf(network, { authorization, proof });
}

/** An account with code, also a delegated one (EIP-7702), decides by itself what it has signed. */
async function isTaken(
  { rpc }: EvmPayerOptions,
  payer: string,
  digest: Uint8Array,
  proof: string,
): Promise<boolean> {
  if ((await rpc.code(payer)) === '0x') return true;
  return (await rpc.call(payer, isValidSignatureCall(digest, proof))) === VALID_1271;
}

/**
 * Reads the text that will be signed, and compares each part with what was agreed to.
 * @throws {ScripError} INTERNAL naming the part that differs
 */
function assertMatches(
  text: Uint8Array,
  asked: {
    readonly network: EvmNetwork;
    readonly input: RequiredPayment;
    readonly payTo: string;
    readonly time: number;
  },
): void {
  const { network, input, payTo, time } = asked;
  const { types, primaryType, domain, message } = decodeTypedData(text);
  const type = types[primaryType]?.map((one) => `${one.type} ${one.name}`).join();
  assertParts(
    ['type', primaryType === 'TransferWithAuthorization' && type === SIGNED_TYPE],
    ['domain', hexOf(hashOfDomain(types, domain)) === separatorOf(network)],
    ['chain', domain.chainId === network.chainId && domain.verifyingContract === network.asset],
    ['payer', message.from === input.signer.address],
    ['recipient', message.to === payTo],
    ['amount', message.value === input.amountAtomic.toString()],
    ['start', Number(message.validAfter) < time],
    ['end', Number(message.validBefore) <= time + MOST_SECONDS],
    ['nonce', message.nonce === `0x${Buffer.from(input.tag).toString('hex')}`],
  );
}

/** By hand from EIP-3009. */
const SIGNED_TYPE =
  'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce';

/** A signature for another domain pays nothing here, or elsewhere. @throws {ScripError} REQUIREMENT_UNACCEPTABLE */
async function checkDomain({ rpc, network }: EvmPayerOptions): Promise<void> {
  const found = await rpc.call(network.asset, DOMAIN_SEPARATOR_CALL);
  if (found === separatorOf(network)) return;
  refuseTerms(t`is for a token that is not USDC on the RPC’s chain`);
}

async function usdcOf({ rpc, network }: EvmPayerOptions, owner: string): Promise<Atomic> {
  return atomic(asAmount(await rpc.call(network.asset, balanceCall(owner))));
}

async function checkTokens(options: EvmPayerOptions, payer: string, amount: Atomic): Promise<void> {
  const available = await usdcOf(options, payer);
  const { network } = options.network;
  if (available < amount) tooLow(network, 'USDC', formatUsdc(available), formatUsdc(amount));
}

async function refuseTransfer(): Promise<never> {
  throw new ScripError(
    'REQUIREMENT_UNACCEPTABLE',
    t`The order cannot be paid: on this network the wallet pays by x402 alone`,
  );
}

async function timeOf(rpc: EvmRpc, tag: 'latest' | 'finalized'): Promise<number | null> {
  const time = await rpc.head(tag).then(
    (block) => block.time,
    expected(() => null),
  );
  return time === null ? null : time * 1_000;
}

async function look({ rpc, network }: ChainSource) {
  return {
    isNetwork: (await rpc.chainId()) === network.chainId,
    hasAsset: (await rpc.call(network.asset, DOMAIN_SEPARATOR_CALL)) === separatorOf(network),
    block: (await rpc.head('finalized')).number,
  };
}
