/** `scrip sandbox`: serves the whole service on one port of this machine. */

import type { Command } from 'commander';
import { baseAddress } from '../../domain/address/base-address.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, t } from '../../domain/message/message.ts';
import { parseSol } from '../../domain/money/money.ts';
import { parseDuration } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { With } from '../context.ts';
import type { Line, View } from '../output/view.ts';
import type { ServedChainRecord, ServedSandboxRecord } from '../schemas/serve.ts';
import { declareAudit, declareWebhooks } from '../serving/desk-commands.ts';
import { HOW_TO_STOP, parsePort, parseRange, SANDBOX, untilStopped } from '../serving/operated.ts';
import { declareSandboxOrders, declareSandboxTrigger } from '../serving/sandbox-orders.ts';

const OPTIONS = {
  '--port <number>': ['port; 0 takes a free one', '4020'],
  '--host <address>': ['address to bind', '127.0.0.1'],
  '--data <dir>': 'data folder (default: the built-in sandbox’s)',
  '--database <url>':
    'keep the shop in PostgreSQL; SCRIP_DATABASE_URL hides a password (docs/operate/postgres.md)',
  '--catalog <file>': 'sell the products of this file (docs/operate/catalog.md)',
  '--chain-only': 'serve only the chain, for shops that use it with --chain-rpc',
  '--chain-rpc <url>': 'use the chain at this RPC address (docs/operate/sandbox.md)',
  '--facilitator <url>': 'settle payments by an x402 facilitator elsewhere',
  '--facilitator-token <file>': 'token for that facilitator, in a file',
  '--fee-payer-floor <sol>': 'accept no payments while the fee payer has less (default: 0.01)',
  '--webhook-allow-private': 'allow webhooks to this machine and its network',
  '--strict-limits': 'limit callers like a public service (docs/operate/limits.md)',
  '--payment-window <time>': ['payment window of a partner API order', '15m'],
  '--seed <number>': 'random seed for faults, to repeat a run',
  '--clock <time>': 'shift the service’s clock (+2h, -10m) or fix it (an instant)',
  '--agent-user-agent <text>': 'accept only agents with this User-Agent (default: any)',
} as const;

type SandboxOptions = FlagsOf<typeof OPTIONS> & {
  readonly trustedProxy: readonly string[];
  readonly fault: readonly string[];
};

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .option(
      '--trusted-proxy <range>',
      'trust X-Forwarded-For from this proxy or network; may be repeated (docs/operate/limits.md)',
      collect,
      [],
    )
    .option(
      '--fault <spec>',
      'inject a fault; may be repeated (docs/operate/faults.md)',
      collect,
      [],
    )
    .action((options: SandboxOptions) => bind((context) => run(context, options)));
  declareSandboxOrders(command, bind);
  declareAudit(command, bind);
  declareWebhooks(command, bind, SANDBOX);
  declareSandboxTrigger(command, bind);
  addExamples(command, [
    'sandbox',
    'sandbox --port 4020 --data ./shop --catalog goods.json',
    'sandbox --fault drop-reply@0.3,x3,payment --fault latency=100ms..2s --seed 7',
    'brands --country us --checkout-url http://127.0.0.1:4020',
  ]);
}

async function run(
  context: With<'settings' | 'parts' | 'serving'>,
  options: SandboxOptions,
): Promise<View> {
  if (options.chainOnly) return serveChainAlone(context, options);
  const { settings, serving } = context;
  const served = await serving.serveSandbox({
    port: parsePort(options.port),
    host: options.host,
    dataDir: options.data,
    database: options.database,
    catalogFile: options.catalog,
    chainRpcUrl: options.chainRpc && baseAddress(options.chainRpc, '--chain-rpc'),
    areWebhooksPrivate: options.webhookAllowPrivate,
    areLimitsStrict: options.strictLimits,
    trustedProxies: options.trustedProxy.map((text) => parseRange(text, '--trusted-proxy')),
    paymentWindowMs: parseDuration(options.paymentWindow),
    faults: options.fault,
    faultSeed: options.seed === undefined ? undefined : parseSeed(options.seed),
    wallClock: options.clock,
    agentUserAgent: options.agentUserAgent,
    ...settlingOf(options),
  });
  const { url, faultSeed, feePayer } = served;
  const rpcUrl = options.chainRpc ?? `${url}/rpc`;
  const secret = await served.webhookSecret(settings.partnerId);
  return {
    kind: 'record',
    record: {
      checkout_url: url,
      api_url: url,
      mcp_url: url,
      rpc_url: rpcUrl,
      ws_url: websocketUrl(rpcUrl),
      webhook_secret: secret,
      database: served.database,
      ...(feePayer === null ? {} : { fee_payer: feePayer }),
      ...(faultSeed === null ? {} : { fault_seed: faultSeed }),
    } satisfies ServedSandboxRecord,
    title: t`The sandbox is running`,
    lines: [
      [t`Checkout host`, url],
      [t`Partner API`, url],
      [t`Tools for agents`, `${url}/mcp`],
      [t`Solana JSON-RPC`, rpcUrl],
      [t`Its websockets`, websocketUrl(rpcUrl)],
      [t`Webhook secret`, t`${secret} (partner ${settings.partnerId})`],
      ...(feePayer === null ? [] : [[t`Fee payer`, feePayer] as const]),
      [t`Database`, served.database],
      ...(faultSeed === null ? [] : [faultLine(options.fault, faultSeed)]),
      [t`Try`, commandText`scrip brands --country us --checkout-url ${url}`],
    ],
    note: options.webhookAllowPrivate ? t`${PRIVATE_WEBHOOKS} ${HOW_TO_STOP}` : HOW_TO_STOP,
    after: untilStopped(context, () => served.close()),
  };
}

/** @throws {ScripError} USAGE for a flag about the store */
async function serveChainAlone(
  context: With<'parts' | 'serving'>,
  options: SandboxOptions,
): Promise<View> {
  const flag = SHOP_FLAGS.find(([name]) => options[name] !== undefined)?.[1];
  if (flag !== undefined)
    throw new ScripError('USAGE', t`${flag} cannot be used with --chain-only`);
  const { port, host, data } = options;
  const served = await context.serving.serveChain({
    port: parsePort(port),
    host,
    dataDir: data,
  });
  const rpcUrl = `${served.url}/rpc`;
  return {
    kind: 'record',
    record: { rpc_url: rpcUrl, ws_url: websocketUrl(rpcUrl) } satisfies ServedChainRecord,
    title: t`The chain is running`,
    lines: [
      [t`Solana JSON-RPC`, rpcUrl],
      [t`Its websockets`, websocketUrl(rpcUrl)],
      [t`Try`, commandText`scrip sandbox --port 0 --chain-rpc ${rpcUrl}`],
    ],
    note: HOW_TO_STOP,
    after: untilStopped(context, () => served.close()),
  };
}

const SHOP_FLAGS = [
  ['chainRpc', '--chain-rpc'],
  ['database', '--database'],
  ['catalog', '--catalog'],
  ['facilitator', '--facilitator'],
  ['clock', '--clock'],
] as const satisfies readonly (readonly [keyof SandboxOptions, string])[];

/** Same port as the RPC. web3.js expects it one port higher, unless told (docs/operate/sandbox.md). */
function websocketUrl(rpcUrl: string): string {
  return rpcUrl.replace('http', 'ws');
}

/** @throws {ScripError} USAGE for flags that exclude each other */
function settlingOf({ facilitator, facilitatorToken, feePayerFloor }: SandboxOptions) {
  if (facilitator === undefined && facilitatorToken !== undefined) {
    throw new ScripError('USAGE', t`--facilitator-token needs --facilitator`);
  }
  if (facilitator !== undefined && feePayerFloor !== undefined) {
    throw new ScripError('USAGE', t`--fee-payer-floor cannot be used with --facilitator`);
  }
  return {
    facilitatorUrl: facilitator && baseAddress(facilitator, '--facilitator'),
    facilitatorTokenFile: facilitatorToken,
    feePayerFloor: feePayerFloor === undefined ? undefined : parseSol(feePayerFloor),
  };
}

const PRIVATE_WEBHOOKS = t`Warning: webhooks may reach any address of this machine and its network.`;

function faultLine(faults: readonly string[], seed: number): Line {
  return [t`Faults`, t`${joined(faults, t` and `)} (repeat with --seed ${seed})`];
}

function collect(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}

function parseSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (seed < 2 ** 32) return seed;
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a seed from 0 to 4294967295`);
}
