/** A host that limits its callers, one of whom holds connections that say nothing. Sessions: test/service/greedy-callers. */
import { platform } from 'node:os';
import { expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { holdIdle, sendFrom } from '../support/from-address.ts';
import { serveSandbox } from '../support/served-sandbox.ts';

// Only Linux answers on all of 127.0.0.0/8 without being told to.
it.skipIf(platform() !== 'linux')(
  'a host answers at once while one address holds 2,100 connections that say nothing',
  async () => {
    const { url } = await serveSandbox(makeHome(), ['--strict-limits']);
    const held = await holdIdle('127.0.7.1', url, 2_100);
    // Every one of them has come to the server: it holds 2,048.
    await expect
      .poll(() => held.filter(({ destroyed }) => destroyed).length)
      .toBeGreaterThanOrEqual(52);
    const brands = `${url}/v1/brands?country_code=us`;
    expect((await sendFrom('127.0.7.2', brands)).status).toBe(200);
    expect((await sendFrom('127.0.7.1', brands)).status).toBe(200);
    for (const socket of held) socket.destroy();
  },
);
