/** `scrip listen`: receives webhooks on this machine. */

import type { Command } from 'commander';
import { parseDuration } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import { parseCount, parsePort } from '../serving/operated.ts';

const OPTIONS = {
  '--port <number>': ['port of this machine; 0 takes a free one', '4022'],
  '--forward-to <url>': 'forward verified webhooks, with headers and body unchanged',
  '--forward-anywhere': 'allow an address outside this machine and its network',
  '--secret-file <file>':
    'webhook signing secret, whsec_…; - is standard input (or SCRIP_WEBHOOK_SECRET)',
  '--data <dir>': 'sandbox data folder to take the secrets from, without --secret-file',
  '--count <number>': 'stop after this many different verified webhooks',
  '--timeout <time>': 'stop after this time, such as 90s; with --count that is a failure',
  '--print <form>': { what: 'output format', choices: ['text', 'json'], usual: 'text' },
} as const;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS).action((flags: FlagsOf<typeof OPTIONS>) => {
    const { forwardTo, forwardAnywhere = false, secretFile, data, print } = flags;
    const options = {
      port: parsePort(flags.port),
      forward:
        forwardTo === undefined ? undefined : { url: forwardTo, isAnywhere: forwardAnywhere },
      secretFile,
      dataDir: data,
      isPrintedAsJson: print === 'json',
      count:
        flags.count === undefined
          ? undefined
          : parseCount(flags.count, { flag: '--count', most: MOST_COUNTED }),
      timeoutMs: flags.timeout === undefined ? undefined : parseDuration(flags.timeout),
    };
    return bind(async (context) =>
      (await import('../serving/listening.ts')).listen(context, options),
    );
  });
  addExamples(command, [
    'listen',
    'listen --forward-to http://127.0.0.1:3000/webhooks',
    'listen --count 1 --timeout 5m --ndjson',
  ]);
}

const MOST_COUNTED = 100_000;
