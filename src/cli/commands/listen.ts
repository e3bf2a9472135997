/** `scrip listen`: an endpoint for webhooks on this machine. */

import { type Command, Option } from 'commander';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { parseDuration } from '../amount.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { parsePort } from '../serving/serving.ts';

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
    .option('--forward-to <url>', 'pass on what is genuine, headers and body as they came')
    .option('--forward-anywhere', 'that address need not be of this machine or its network')
    .option(
      '--secret-file <file>',
      'what messages are signed with, whsec_…; - reads it (or SCRIP_WEBHOOK_SECRET)',
    )
    .option('--data <dir>', 'data folder of the sandbox whose secrets are used without that')
    .addOption(
      new Option('--print <form>', 'how each is printed').choices(['text', 'json']).default('text'),
    )
    .option('--count <number>', 'end when so many genuine ones came, none of them twice')
    .option('--timeout <time>', 'end after this time, such as 90s; with --count it is a failure')
    .action((flags: ListenFlags) => {
      const { forwardTo, forwardAnywhere = false, secretFile, data, print } = flags;
      const options = {
        port: parsePort(flags.port),
        forward:
          forwardTo === undefined ? undefined : { url: forwardTo, isAnywhere: forwardAnywhere },
        secretFile,
        dataDir: data,
        isPrintedAsJson: print === 'json',
        count: flags.count === undefined ? undefined : parseCount(flags.count),
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

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= MOST_COUNTED) return count;
  throw new ScripError(
    'INPUT_INVALID',
    t`--count "${text}" is not a number from 1 to ${MOST_COUNTED}`,
  );
}
