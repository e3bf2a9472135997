/** The tool manifest: printed, served, and in the words of its schema. */
import { describe, expect, it } from 'vitest';
import { ANALYTICS_EVENTS, toolManifest } from '../../src/contract/tool-manifest.ts';
import { describeTools } from '../../src/mcp/describe-tools.ts';
import { localTools } from '../../src/mcp/local-tools.ts';
import { makeHome } from '../support/cli.ts';

const home = makeHome();
const manifest = describeTools(localTools({ mayPay: false, areCodesShown: false }));

describe('the manifest', () => {
  it('keeps to its schema', () => {
    expect(toolManifest().parse(manifest)).toEqual(manifest);
  });

  it('has the prompt with its six arguments, all required', () => {
    const [prompt] = manifest.prompts;
    expect(prompt?.name).toBe('purchaseGiftCard');
    expect(prompt?.arguments.map(({ name, required }) => [name, required])).toEqual(
      ['brand', 'amount', 'country', 'coin', 'network', 'email'].map((name) => [name, true]),
    );
  });

  it('names the wizard and the kinds of events', () => {
    expect(manifest.wizard).toMatchObject({ method: 'POST', path: '/mcp/purchase_elicitation' });
    expect(manifest.analytics).toEqual({ session_tracking: true, events: [...ANALYTICS_EVENTS] });
    expect(ANALYTICS_EVENTS).toEqual([
      'product_viewed',
      'order_started',
      'payment_initiated',
      'order_completed',
    ]);
  });
});

describe('scrip mcp --manifest', () => {
  it('prints it, with and without --json', async () => {
    const plain = await home.run(['mcp', '--manifest']);
    expect(JSON.parse(plain.stdout)).toEqual(JSON.parse(JSON.stringify(manifest)));
    expect(await home.json(['mcp', '--manifest'])).toEqual(JSON.parse(plain.stdout));
  });

  it('lists payOrder where it may be used alone', async () => {
    const { tools } = await home.json<{ tools: { name: string }[] }>([
      'mcp',
      '--manifest',
      '--allow-pay',
    ]);
    expect(tools.at(-1)?.name).toBe('payOrder');
  });
});
