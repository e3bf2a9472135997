import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstAddress, lastHop } from '../../src/domain/address/forwarded-for.ts';
import { isInRanges, isIpAddress } from '../../src/domain/address/public-address.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const RUNS = { numRuns: fuzzRuns(500) };
const PROXIES = ['10.0.0.0/8', 'fd00::/8'];
const isOurs = (address: string) => isInRanges(address, PROXIES);

const v4 = fc.ipV4().filter((address) => isIpAddress(address) && !isOurs(address));
const v6 = fc.ipV6().filter((address) => isIpAddress(address) && !isOurs(address));
const ours = fc.oneof(
  fc.nat({ max: 255 }).map((last) => `10.1.2.${last}`),
  fc.nat({ max: 0xffff }).map((last) => `fd00::${last.toString(16)}`),
);
const port = fc.nat({ max: 65_535 });
/** An address as proxies write it, which is itself, in brackets, with a port, or quoted. */
const written = (address: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> =>
  fc.tuple(address, port, fc.nat({ max: 3 })).map(([plain, number, form]) => {
    const inBrackets = plain.includes(':') ? `[${plain}]` : plain;
    const forms = [plain, `${inBrackets}:${number}`, `"${inBrackets}:${number}"`, ` ${plain}\t`];
    return [plain, forms[form] ?? plain];
  });
const nearly = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('unknown', '_hidden', '', ' ', '""', '[', '[]', '[::1', '::1]', '1.2.3.4:x'),
  fc.constantFrom(
    '01.2.3.4',
    '1.2.3',
    '256.1.1.1',
    'fe80::1%eth0',
    '1.2.3.4 5',
    '::1::',
    '٣.1.1.1',
  ),
  written(fc.oneof(v4, v6, ours)).map(([, text]) => text),
);
const header = fc.oneof(
  fc.string(),
  fc.array(nearly).map((entries) => entries.join(',')),
);

describe('X-Forwarded-For, whatever it says,', () => {
  it('names an address that it holds, or none', () => {
    fc.assert(
      fc.property(header, (text) => {
        const address = firstAddress(text);
        if (address === undefined) return;
        expect([isIpAddress(address), text.includes(address)]).toEqual([true, true]);
      }),
      RUNS,
    );
  });

  it('names the first entry that is one, in each way that proxies write it', () => {
    const none = fc.array(fc.constantFrom('unknown', '_hidden', '', '1.2.3', '[::1', '01.2.3.4'));
    fc.assert(
      fc.property(none, written(fc.oneof(v4, v6)), header, (before, [plain, text], after) => {
        expect(firstAddress([...before, text, after].join(','))).toBe(plain);
      }),
      RUNS,
    );
  });

  it('changes nothing for a connection that is not one of ours', () => {
    fc.assert(
      fc.property(header, fc.oneof(v4, v6), (text, socket) => {
        expect(lastHop(text, socket, isOurs)).toEqual({ address: socket, claims: text });
      }),
      RUNS,
    );
  });

  it('leads past our proxies to the socket or an address that it holds, and no further', () => {
    fc.assert(
      fc.property(header, ours, (text, socket) => {
        const { address, claims } = lastHop(text, socket, isOurs);
        expect(text.startsWith(claims)).toBe(true);
        const passed = text.slice(claims.length);
        if (address !== socket) {
          expect([isIpAddress(address), passed.includes(address)]).toEqual([true, true]);
        }
        // One of ours is the caller only where nothing before it is an address.
        const before = claims.slice(claims.lastIndexOf(',') + 1);
        if (isOurs(address) && claims !== '') expect(firstAddress(before)).toBeUndefined();
      }),
      RUNS,
    );
  });

  it('cannot be written by a caller so that another one is counted', () => {
    const chain = fc.array(written(ours), { maxLength: 4 });
    fc.assert(
      fc.property(
        header,
        written(fc.oneof(v4, v6)),
        chain,
        ours,
        (claims, caller, hops, socket) => {
          const added = [caller, ...hops].map(([, text]) => text);
          const [address] = caller;
          expect(lastHop([claims, ...added].join(','), socket, isOurs)).toEqual({
            address,
            claims,
          });
          expect(lastHop(added.join(','), socket, isOurs)).toEqual({ address, claims: '' });
        },
      ),
      RUNS,
    );
  });
});
