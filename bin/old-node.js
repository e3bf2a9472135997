// Refuses a Node that cannot run the program. Node 4 can parse this file.
'use strict';

const message = `scrip needs Node 20.19 or newer, this is ${process.versions.node}`;
const words = process.argv.slice(2);
const isJson = words.indexOf('--json') !== -1 || words.indexOf('--ndjson') !== -1;
const error = {
  code: 'MACHINE_UNFIT',
  message,
  hint: 'Install a newer Node.',
  exit: 13,
  funds_at_risk: 'none',
  retryable: false,
  details: {},
};
process.stderr.write(isJson ? `${JSON.stringify({ error })}\n` : `error: ${message}\n`);
process.exitCode = error.exit;
