/** `scrip listen`: receives webhooks on this machine. */

import { type Command, Option } from 'commander';
import { parseDuration } from '../amount.ts';
import { addExamples, type Bind } from '../command.ts';
import { parseCount, parsePort } from '../serving/operated.ts';

interface ListenFlags {
  readonly port: string;
  readonly forwardTo?: string;
  readonly forwardAnywhere?: boolean;
  readonly secretFile?: string;
  readonly data?: string;
  readonly print: 'text' | 'json';
  readonly count?: string;
  readonly timeout?: string;
}

export function register(command: Command, bind: Bind): void {
  command
    .option('--port <number>', 'port of this machine; 0 takes a free one', '4022')
    .option('--forward-to <url>', 'forward verified webhooks, with headers and body unchanged')
    .option('--forward-anywhere', 'allow an address outside this machine and its network')
    .option(
      '--secret-file <file>',
      'webhook signing secret, whsec_…; - is standard input (or SCRIP_WEBHOOK_SECRET)',
    )
    .option('--data <dir>', 'sandbox data folder to take the secrets from, without --secret-file')
    .addOption(
      new Option('--print <form>', 'output format').choices(['text', 'json']).default('text'),
    )
    .option('--count <number>', 'stop after this many different verified webhooks')
    .option('--timeout <time>', 'stop after this time, such as 90s; with --count that is a failure')
    .action((flags: ListenFlags) => {
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
