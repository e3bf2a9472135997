import { describe, expect, it } from 'vitest';
import { networkOf, siteOf } from '../../src/domain/address/public-address.ts';

describe('what stands for a caller', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('the network around a caller', () => {
  it.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2::/64', '2001:db8:1:0::/56'],
    ['2001:db8:1:ab02::/64', '2001:db8:1:ab00::/56'],
    ['', ''],
    ['elsewhere', 'elsewhere'],
  ])('of %s is %s', (key, site) => {
    expect(siteOf(key)).toBe(site);
  });
});
