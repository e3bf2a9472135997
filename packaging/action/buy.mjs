/** Buys a cart for a job of GitHub: hides its codes from the log, then writes the job's summary and outputs. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const { env } = process;
/** A line in one of these states may be finished by the same command later. */
const UNFINISHED = ['processing', 'unpaid', 'open', 'unknown'];
const ATTEMPTS = 3;
const PAUSE_MS = Number(env.PAUSE_MS ?? 60_000);

process.umask(0o077);
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? '', 'scrip-'));
const result = join(folder, 'result.json');
const walletFile = join(folder, 'wallet.json');
const stopped = new AbortController();

process.exitCode = await main();

async function main() {
  try {
    const variables = settings();
    for (let attempt = 1; ; attempt += 1) {
      const { status, failure } = await buy(variables);
      const lines = readLines();
      // Before anything else is printed: a failure may name a line, and later steps may print its goods.
      hideCodes(lines);
      const isFinal = attempt === ATTEMPTS || stopped.signal.aborted;
      if (isFinal || !isUnfinished(status, lines)) return report({ status, failure, lines });
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  } finally {
    rmSync(walletFile, { force: true });
  }
}

/** The program's variables. Its wallet and policy are files of this step: nothing stays on the runner. */
function settings() {
  const { CART, MAX_TOTAL, WALLET, PASSPHRASE, POLICY, IDEMPOTENCY_KEY, SKIP_INVALID, ...others } =
    env;
  const own = {};
  if (WALLET) {
    writeFileSync(walletFile, WALLET);
    own.SCRIP_KEYPAIR = walletFile;
  }
  if (PASSPHRASE) own.SCRIP_PASSPHRASE = PASSPHRASE;
  if (POLICY) {
    own.XDG_CONFIG_HOME = join(folder, 'config');
    mkdirSync(join(own.XDG_CONFIG_HOME, 'scrip'), { recursive: true });
    copyFileSync(POLICY, join(own.XDG_CONFIG_HOME, 'scrip', 'policy.json'));
  }
  return { ...others, ...own };
}

/** The run's id is the same for each of its attempts, so running a job again pays nothing again. */
function purchaseKey() {
  return env.IDEMPOTENCY_KEY || `github-${env.GITHUB_REPOSITORY_ID}-${env.GITHUB_RUN_ID}`;
}

function buy(variables) {
  const words = ['order', '--cart', env.CART, '--yes', '--max-total', env.MAX_TOTAL, '--json'];
  words.push('--idempotency-key', purchaseKey());
  if (env.SKIP_INVALID === 'true') words.push('--skip-invalid');
  const output = openSync(result, 'w');
  const child = spawn('scrip', words, { env: variables, stdio: ['ignore', output, 'pipe'] });
  closeSync(output);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // A canceled job: the program finishes what it has paid, as far as the runner lets it.
    process.once(signal, () => {
      stopped.abort();
      child.kill(signal);
    });
  }
  let failure = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    failure += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status: status ?? 1, failure }));
  });
}

function readLines() {
  const text = readFileSync(result, 'utf8');
  return text === '' ? [] : JSON.parse(text);
}

function isUnfinished(status, lines) {
  if (status === 12) return lines.some((line) => UNFINISHED.includes(line.status));
  return [4, 8, 9].includes(status);
}

/** A field of several codes has spaces between them; a step may print one of them, or all of them as JSON. */
function hideCodes(lines) {
  const fields = lines.flatMap((line) => [line.code, line.serial, line.security_code]);
  const words = fields.flatMap((field) => (field ? [field, ...field.split(/\s+/)] : []));
  const spelt = words.flatMap((word) => [word, JSON.stringify(word).slice(1, -1)]);
  for (const word of new Set(spelt)) if (!['', '-'].includes(word)) say('add-mask', word);
}

function report({ status, failure, lines }) {
  if (status !== 0) say('error', told(failure));
  const bought = lines.filter((line) => line.status === 'completed').length;
  const total = usdc(lines.flatMap((line) => line.amount ?? []));
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, summary(lines, total));
  const outputs = { result, lines: lines.length, bought, total };
  const written = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, written.join(''));
  return status;
}

/** The error of the program, which never holds a code. */
function told(failure) {
  try {
    const { code, message, hint } = JSON.parse(failure).error;
    return `${code}: ${message}\n${hint}`;
  } catch {
    return failure;
  }
}

/** Without codes and recipients: everybody who sees the repository can read it. */
function summary(lines, total) {
  const rows = lines.map(({ line, brand, value, status, amount, already_bought: isBefore }) => {
    const how = isBefore ? `${status} (by an earlier run)` : status;
    return `| ${[line, brand, value, how, amount].map(inMarkdown).join(' | ')} |\n`;
  });
  const head = '| Line | Brand | Value | Status | Paid (USDC) |\n|---|---|---|---|---|\n';
  return `### Gift cards\n\n${head}${rows.join('')}| | | | Total | ${total} |\n\n`;
}

/** As text: a merchant chose some of it. */
function inMarkdown(value) {
  const escaped = (character) => `&#${character.codePointAt(0)};`;
  return String(value ?? '').replace(/[^\p{L}\p{N} .]/gu, escaped);
}

function usdc(amounts) {
  const atomic = amounts.map((amount) => {
    const [whole, part = ''] = amount.split('.');
    return BigInt(whole + part.padEnd(6, '0'));
  });
  const digits = String(atomic.reduce((sum, one) => sum + one, 0n)).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`;
}

/** A command of the runner. */
function say(command, text) {
  const codes = { '%': '%25', '\r': '%0D', '\n': '%0A' };
  process.stdout.write(`::${command}::${text.replace(/[%\r\n]/g, (one) => codes[one])}\n`);
}
