import { describe, expect, it } from 'vitest';
import { COINS } from '../../src/domain/money/coins.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { findPaymentMethod } from '../../src/domain/payment/payment-means.ts';
import { addressUri, isPaymentUri, paymentUri } from '../../src/domain/payment/payment-uri.ts';

const SOLANA = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BITCOIN = '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W';
const ETHER = '0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359';
const HOLDER = '0x8e23ee67d1332ad560396262c48ffbb01f93d052';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const target = (label: string, amount: bigint, address: string) => {
  const method = findPaymentMethod(COINS, label);
  if (!method) throw new Error(`no payment method ${label}`);
  return paymentUri({ ...method, amount: atomic(amount), address });
};

describe('the URI of a payment', () => {
  it.each([
    ['USDC-SOL', 25_250_000n, SOLANA, `solana:${SOLANA}?amount=25.25&spl-token=${MINT}`],
    ['SOL', 1n, SOLANA, `solana:${SOLANA}?amount=0.000000001`],
    ['BTC', 2_030_000_000n, BITCOIN, `bitcoin:${BITCOIN}?amount=20.3`],
    ['ETH', 2_014_000_000n, ETHER, `ethereum:${ETHER}@1?value=2014000000000000000`],
    ['ETH-BASE', 1n, ETHER, `ethereum:${ETHER}@8453?value=1000000000`],
    [
      'USDC-MATIC',
      1n,
      HOLDER,
      `ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer?address=${HOLDER}&uint256=1`,
    ],
    [
      'USDT-BNB',
      1_500_000n,
      HOLDER,
      `ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=${HOLDER}&uint256=1500000000000000000`,
    ],
    ['USDT-TRX', 5_000_000n, TRON, `tron:${TRON}?amount=5&token=${TRON}`],
    ['BTC-LN', 1n, 'lnbc1exampleinvoice', 'lightning:lnbc1exampleinvoice'],
  ])('%s', (label, amount, address, uri) => {
    expect(target(label, amount, address)).toBe(uri);
    expect(isPaymentUri(uri)).toBe(true);
  });

  it.each([
    ['USDC-SOL', SOLANA, `solana:${SOLANA}`],
    ['USDC-BASE', HOLDER, `ethereum:${HOLDER}@8453`],
  ])('%s: an address alone names its network', (label, address, uri) => {
    const method = findPaymentMethod(COINS, label);
    expect(method && addressUri(method.network, address)).toBe(uri);
    expect(isPaymentUri(uri)).toBe(true);
  });

  it.each([
    `BITCOIN:${BITCOIN}?amount=20.3&label=Café`,
    'https://example.com',
    'constructor:x',
    'ethereum:vitalik.eth',
    `${BITCOIN}`,
    `bitcoin:${BITCOIN} now`,
  ])('%s is one only if it names scheme and address', (text) => {
    expect(isPaymentUri(text)).toBe(text.startsWith('BITCOIN:'));
  });
});
