/**
 * The options that the help of a command shows where it has more than fit a screen, in that order.
 * The others are told by `--help --all`, and work all the same. A command that is not here shows all.
 */
export const MOST_USED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'order',
    [
      '--country',
      '--value',
      '--to',
      '--email',
      '--max-amount',
      '--yes',
      '--dry-run',
      '--idempotency-key',
      '--cart',
      '--coin',
    ],
  ],
  ['wizard', ['--country', '--brand', '--to', '--email', '--max-amount', '--resume', '--yes']],
  ['sandbox', ['--port', '--host', '--data', '--catalog', '--fault', '--clock']],
]);
