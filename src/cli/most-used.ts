/**
 * The options that a command's help shows, in this order, if all of them would not fit a screen. `--help
 * --all` shows the others. A command that is not listed here shows all.
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
