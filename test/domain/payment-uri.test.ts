/** Examples are those of the standards: Solana Pay, BIP21, EIP-681. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { COINS } from '../../src/domain/money/coins.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { findPaymentMethod } from '../../src/domain/payment/payment-means.ts';
import {
  formatPaymentUri,
  type PaymentUri,
  paymentUri,
} from '../../src/domain/payment/payment-uri.ts';
import { parsePaymentUri } from '../../src/domain/payment/payment-uri-reader.ts';

const SOLANA = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const BITCOIN = '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W';
const ETHER = '0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359';
const UNICORN = '0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7';
const HOLDER = '0x8e23ee67d1332ad560396262c48ffbb01f93d052';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const STANDARD: readonly (readonly [text: string, uri: PaymentUri])[] = [
  [
    `solana:${SOLANA}?amount=1&label=Michael&message=Thanks%20for%20all%20the%20fish&memo=OrderId12345`,
    {
      standard: 'solana-pay',
      recipient: SOLANA,
      amount: '1',
      label: 'Michael',
      message: 'Thanks for all the fish',
      memo: 'OrderId12345',
    },
  ],
  [
    `solana:${SOLANA}?amount=0.01&spl-token=${MINT}`,
    { standard: 'solana-pay', recipient: SOLANA, amount: '0.01', splToken: MINT },
  ],
  [`solana:${SOLANA}`, { standard: 'solana-pay', recipient: SOLANA }],
  [
    `solana:${SOLANA}?reference=${MINT}&reference=${SOLANA}`,
    { standard: 'solana-pay', recipient: SOLANA, references: [MINT, SOLANA] },
  ],
  [`bitcoin:${BITCOIN}`, { standard: 'bip21', scheme: 'bitcoin', address: BITCOIN }],
  [
    `bitcoin:${BITCOIN}?label=Luke-Jr`,
    { standard: 'bip21', scheme: 'bitcoin', address: BITCOIN, label: 'Luke-Jr' },
  ],
  [
    `bitcoin:${BITCOIN}?amount=50&label=Luke-Jr&message=Donation%20for%20project%20xyz`,
    {
      standard: 'bip21',
      scheme: 'bitcoin',
      address: BITCOIN,
      amount: '50',
      label: 'Luke-Jr',
      message: 'Donation for project xyz',
    },
  ],
  [
    `ethereum:${UNICORN}/transfer?address=${HOLDER}&uint256=1`,
    { standard: 'eip-681', token: UNICORN, recipient: HOLDER, baseUnits: 1n },
  ],
  [
    `ethereum:${ETHER}@8453?value=2014000000000000000`,
    { standard: 'eip-681', recipient: ETHER, chainId: 8453, baseUnits: 2_014n * 10n ** 15n },
  ],
  [
    'lightning:lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzq',
    {
      standard: 'lightning',
      invoice: 'lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzq',
    },
  ],
  [
    `tron:${TRON}?amount=5.5&token=${TRON}`,
    { standard: 'tron', address: TRON, amount: '5.5', token: TRON },
  ],
];

describe('payment URIs', () => {
  it.each(STANDARD)('%s is written and read', (text, uri) => {
    expect(formatPaymentUri(uri)).toBe(text);
    expect(parsePaymentUri(text)).toEqual(uri);
  });

  it.each([
    [
      'an exponent',
      `ethereum:${ETHER}?value=2.014e18`,
      { standard: 'eip-681', recipient: ETHER, baseUnits: 2_014n * 10n ** 15n },
    ],
    [
      'the pay- prefix',
      `ethereum:pay-${ETHER}@1`,
      { standard: 'eip-681', recipient: ETHER, chainId: 1 },
    ],
    [
      'a scheme in capitals',
      `BITCOIN:${BITCOIN}?amount=20.3`,
      { standard: 'bip21', scheme: 'bitcoin', address: BITCOIN, amount: '20.3' },
    ],
    [
      'parameters that nobody knows',
      `bitcoin:${BITCOIN}?somethingyoudontunderstand=50&somethingelseyoudontget=999`,
      { standard: 'bip21', scheme: 'bitcoin', address: BITCOIN },
    ],
    [
      'a plus sign as itself',
      `bitcoin:${BITCOIN}?label=a+b`,
      { standard: 'bip21', scheme: 'bitcoin', address: BITCOIN, label: 'a+b' },
    ],
  ])('reads %s', (_what, text, uri) => {
    expect(parsePaymentUri(text)).toEqual(uri);
  });

  it.each([
    ['a scheme that is not known', 'https://example.com'],
    ['no scheme', BITCOIN],
    ['a name of an object’s own', 'constructor:x'],
    ['a required parameter that is not known', `bitcoin:${BITCOIN}?req-something=50`],
    ['a comma in an amount', `bitcoin:${BITCOIN}?amount=50,000.00`],
    ['an exponent where it is forbidden', `solana:${SOLANA}?amount=1e9`],
    ['a fraction without its zero', `solana:${SOLANA}?amount=.5`],
    ['two amounts', `solana:${SOLANA}?amount=1&amount=2`],
    ['a fraction of a wei', `ethereum:${ETHER}?value=2.5`],
    ['a call that is no transfer', `ethereum:${UNICORN}/approve?address=${HOLDER}&uint256=1`],
    ['a transfer to nobody', `ethereum:${UNICORN}/transfer?uint256=1`],
    ['more than 256 bits', `ethereum:${ETHER}?value=1e78`],
    ['a name in place of an address', 'ethereum:vitalik.eth'],
    ['broken percent-encoding', `bitcoin:${BITCOIN}?label=%E0%A4`],
  ])('refuses %s', (_what, text) => {
    expect(() => parsePaymentUri(text)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  it('any text is read or refused by an error of ours', () => {
    const near = fc
      .tuple(
        fc.constantFrom('solana:', 'bitcoin:', 'ethereum:', 'lightning:', 'tron:', ''),
        fc.constantFrom(SOLANA, BITCOIN, ETHER, `${UNICORN}@1/transfer`, ''),
        fc.webQueryParameters(),
      )
      .map(([scheme, address, query]) => `${scheme}${address}?${query}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), near), (text) => {
        try {
          parsePaymentUri(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
        }
      }),
    );
  });
});

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
    expect(formatPaymentUri(parsePaymentUri(uri))).toBe(uri);
  });

  it('is read back by every coin on every network', () => {
    const addresses: Readonly<Record<string, string>> = {
      solana: SOLANA,
      ethereum: HOLDER,
      tron: TRON,
      lightning: 'lnbc1exampleinvoice',
    };
    for (const coin of COINS) {
      for (const network of coin.networks) {
        const address = addresses[network.scheme] ?? BITCOIN;
        const uri = paymentUri({
          coin,
          network,
          address,
          amount: atomic(123_456n),
          label: 'Shop & Co',
        });
        expect(formatPaymentUri(parsePaymentUri(uri))).toBe(uri);
      }
    }
  });
});
