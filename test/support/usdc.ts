/** USDC of Base, as those who pay with it see it. */
import { randomBytes } from 'node:crypto';
import { type Address, type Hex, parseAbi, parseSignature } from 'viem';
import type { evmAccount } from './live-evm.ts';

export const USDC: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

export const USDC_ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function mint(address to, uint256 value)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

export const DOMAIN = {
  name: 'USD Coin',
  version: '2',
  chainId: 8453,
  verifyingContract: USDC,
} as const;

const FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

export const TYPES = {
  TransferWithAuthorization: FIELDS,
  ReceiveWithAuthorization: FIELDS,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

type Signer = Pick<ReturnType<typeof evmAccount>, 'address' | 'signTypedData'>;

/** An authorization that holds for a minute. */
export function authorization(
  from: Address,
  nowMs: number,
  over: Partial<Authorization> = {},
): Authorization {
  const nowSeconds = BigInt(Math.floor(nowMs / 1000));
  return {
    ...{ from, to: '0x00000000000000000000000000000000000000AA', value: 1_000_000n },
    ...{ validAfter: 0n, validBefore: nowSeconds + 60n },
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...over,
  };
}

export function signAuthorization(
  signer: Signer,
  message: Authorization,
  primaryType:
    | 'TransferWithAuthorization'
    | 'ReceiveWithAuthorization' = 'TransferWithAuthorization',
): Promise<Hex> {
  return signer.signTypedData({ domain: DOMAIN, types: TYPES, primaryType, message });
}

/** The arguments of a call, in the order of the contract. */
export function inOrder(one: Authorization) {
  const { from, to, value, validAfter, validBefore, nonce } = one;
  return [from, to, value, validAfter, validBefore, nonce] as const;
}

export function inParts(signature: Hex): readonly [number, Hex, Hex] {
  const { r, s, yParity } = parseSignature(signature);
  return [27 + yParity, r, s];
}
