/** The tab key in real shells, on a real terminal. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Remembered,
  remember,
  rememberedText,
} from '../../../src/cli/completion/remembered.ts';
import { type Home, makeHome } from '../../support/cli.ts';
import { noTerminalBecause, openProgram, type TerminalRun } from '../../support/terminal.ts';

const BIN = fileURLToPath(new URL('../../../bin/scrip.js', import.meta.url));
const SCRIPTS = fileURLToPath(new URL('../../../completions/', import.meta.url));

interface ShellUnderTest {
  readonly name: string;
  readonly start: readonly string[];
  /** Typed first; ends by printing `ready` from two halves, so that the typing itself is not it. */
  readonly begin: string;
  /** Makes `s` another name of it that is completed alike. */
  readonly alias: string;
}

const SHELLS: readonly ShellUnderTest[] = [
  {
    name: 'bash',
    start: ['bash', '--norc', '--noprofile', '-i'],
    begin: `PS1='> '; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'; source ${SCRIPTS}scrip.bash; clear; echo rea''dy`,
    alias: 'alias s=scrip; complete -F _scrip s',
  },
  {
    name: 'zsh',
    start: ['zsh', '-f', '-i'],
    begin: `PS1='> '; unsetopt beep; autoload -U compinit; compinit -D -u; source ${SCRIPTS}_scrip; clear; echo rea''dy`,
    alias: 'alias s=scrip',
  },
  {
    name: 'fish',
    start: ['fish', '--no-config', '-i'],
    begin: `function fish_prompt; echo -n '> '; end; source ${SCRIPTS}scrip.fish; clear; echo rea''dy`,
    alias: 'alias s=scrip',
  },
];

function reasonToSkip({ name }: ShellUnderTest): string | undefined {
  if (noTerminalBecause !== undefined) return noTerminalBecause;
  return spawnSync(name, ['-c', 'true']).status === 0 ? undefined : `needs ${name}`;
}

/** A host that is never asked: what completions know of it is written before. */
const HOST = 'http://127.0.0.1:9';

/** Brands as an evil merchant might call them; whatever is run would leave a file. */
const HOSTILE: readonly string[] = [
  'Evil $(touch pwned)',
  'Fake `touch pwned`',
  "Grave'; touch pwned; '",
  'Hollow"; touch pwned; "',
  'Idle & touch pwned',
  'Junk | touch pwned',
  'Keen > pwned',
  'Lone\\ $(touch pwned)',
  'Moist !touch pwned!',
  'Neat * ? [a] {b,c} ~ #d',
  '$HOME is mine',
  '`touch pwned` first',
  'Zürich Käsespätzle Ö',
  '日本の お店',
  'Q:colon=equals@at',
];

let home: Home;
beforeEach(() => {
  home = makeHome();
  mkdirSync(`${home.dir}/bin`);
  // Whatever is run but a completion writes down its arguments, each with its end marked.
  writeFileSync(
    `${home.dir}/bin/scrip`,
    `#!/bin/sh
if [ "$1" = completion ]; then exec '${process.execPath}' '${BIN}' "$@"; fi
for word in "$@"; do printf '%s\\0' "$word"; done > "$HOME/argv.part"
mv "$HOME/argv.part" "$HOME/argv"
echo >> "$HOME/count"
echo "wro""te $(wc -l < "$HOME/count")."
`,
  );
  chmodSync(`${home.dir}/bin/scrip`, 0o700);
});

async function openShell(shell: ShellUnderTest, env: Record<string, string> = {}) {
  const terminal = openProgram(shell.start, home, {
    columns: 120,
    rows: 40,
    env: {
      PATH: `${home.dir}/bin:${process.env.PATH ?? ''}`,
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      HISTFILE: `${home.dir}/history`,
      fish_greeting: '',
      ...env,
    },
  });
  terminal.send(`${shell.begin}\r`);
  await terminal.shows(/^ready\s+> ?$/m);
  return terminal;
}

/** Ends the shell; what was typed and not entered is dropped. */
async function leave(terminal: TerminalRun): Promise<void> {
  terminal.send('\u0015exec true\r');
  await terminal.ended;
}

function ranWords(): readonly string[] {
  return readFileSync(`${home.dir}/argv`, 'utf8').split('\0').slice(0, -1);
}

describe.each(SHELLS)('the tab key in $name', (shell) => {
  const reason = reasonToSkip(shell);
  const test = reason === undefined ? it : it.skip;
  const note = reason === undefined ? '' : ` (skipped: ${reason})`;

  const BRAND = ['catalog', '--country', 'us', '--brand'];
  const REST = ' --country us';
  test.each([
    ['the brand of a country', 'Amazo\t', /--brand Amazon\.com/, 'Amazon.com'],
    ['a name with a space, so that it stays one word', 'American\\ E\t', /Eagle/, 'American Eagle'],
    ['a name within a quote that is open', '"American E\t', /Eagle/, 'American Eagle'],
    ['a name that ends with a quote', '"Sa\t', /yes.*"/, 'Say "yes"'],
  ])(`finishes %s${note}`, async (_what, typed, shown, brand) => {
    const isOfHost = brand.startsWith('Say');
    if (isOfHost) keep(remember(undefined, HOST, { brands: { us: ['Say "yes"', "Ma'"] } }));
    const terminal = await openShell(shell, isOfHost ? { SCRIP_CHECKOUT_URL: HOST } : {});
    terminal.send(`scrip ${BRAND.join(' ')} ${typed}`);
    const line = await terminal.shows(shown);
    // A shell that has closed the quote leaves nothing to close.
    const isClosed = isOfHost ? /""? *$/.test(line) : /Eagle"/.test(terminal.screen());
    terminal.send(typed.startsWith('"') && !isClosed ? '"\r' : '\r');
    await terminal.shows(/^wrote/m);
    expect(ranWords(), line).toEqual([...BRAND, brand]);
    await leave(terminal);
  });

  test.each([
    ['countries', 'scrip brands --country n', /\bnz\b/, /\bnl\b/],
    ['commands where nothing is typed yet', 'scrip wallet ', /\bfund\b/, /change-passphrase/],
    ['products that were looked at', 'scrip order ', /aaaa-2/, /aaaa-1/],
    ['options where no product was looked at', 'scrip order --max', /--max-total/, /--max-amount/],
  ])(`lists %s, and says nothing else${note}`, async (what, typed, last, other) => {
    const isOfHost = what.startsWith('products');
    const products = ['aaaa-1', 'aaaa-2'].map((id) => ({
      ...{ id, brand: 'Acme', country: 'us', label: '5 USD' },
    }));
    if (isOfHost) keep(remember(undefined, HOST, { products }));
    const terminal = await openShell(shell, isOfHost ? { SCRIP_CHECKOUT_URL: HOST } : {});
    terminal.send(`${typed}\t\t`);
    const screen = await terminal.shows(last);
    expect(screen).toMatch(other);
    expect(screen).not.toMatch(/error|unexpected|not found|no such/i);
    await leave(terminal);
  });

  test.each([
    ['a choice of an option', 'scrip brands --sort na', ['brands', '--sort', 'name']],
    ['a choice behind an equals sign', 'scrip brands --sort=na', ['brands', '--sort=name']],
    ['what a key may be', 'scrip policy set mcp.pay conf', ['policy', 'set', 'mcp.pay', 'confirm']],
    ['a file', 'scrip order --cart ~/my', ['order', '--cart', '~/my cart.csv']],
    [
      'a file behind an equals sign',
      'scrip order --cart=HOME/my',
      ['order', '--cart=HOME/my cart.csv'],
    ],
    ['a folder', 'scrip sandbox --data ~/fo', ['sandbox', '--data', '~/folder']],
    ['another of a list', 'scrip brands --fields min,cate', ['brands', '--fields', 'min,category']],
    ['no option twice', 'scrip brands --csv --cs', ['brands', '--csv', '--cs']],
    ['no option after two dashes', 'scrip order -- --js', ['order', '--', '--js']],
  ])(`finishes %s${note}`, async (_what, typed, words) => {
    writeFileSync(`${home.dir}/my cart.csv`, '');
    mkdirSync(`${home.dir}/folder`);
    const terminal = await openShell(shell);
    // What follows the key shows that the shell is done with it.
    const line = typed.replace('HOME', home.dir);
    terminal.send(`${line}\t\r`);
    await terminal.shows(/^wrote/m);
    const wanted = words.map((word) => word.replace(/^~|HOME/, home.dir));
    // Some shells leave the slash of a folder.
    expect(ranWords().map((word) => word.replace(/\/$/, ''))).toEqual(wanted);
    await leave(terminal);
  });

  test.each([
    [
      'a word in the middle of the line, by what stands behind it as well',
      `scrip catalog --brand Stea${REST}${'\u001b[D'.repeat(REST.length)}\t`,
      /--brand Steam +--country us/,
      ['catalog', '--brand', 'Steam', '--country', 'us'],
    ],
    [
      'a word behind an alias',
      `${shell.alias}\rs wallet bala\t`,
      /s wallet balance/,
      ['wallet', 'balance'],
    ],
  ])(`finishes %s${note}`, async (_what, typed, shown, words) => {
    const terminal = await openShell(shell);
    terminal.send(typed);
    await terminal.shows(shown);
    terminal.send('\r');
    await terminal.shows(/^wrote/m);
    expect(ranWords()).toEqual(words);
    await leave(terminal);
  });

  test(`runs nothing of a name, and hands it over as it is${note}`, async () => {
    keep(remember(undefined, HOST, { brands: { us: HOSTILE } }));
    const terminal = await openShell(shell, { SCRIP_CHECKOUT_URL: HOST });
    for (const [at, name] of HOSTILE.entries()) {
      const begun = [...name].slice(0, 2).join('');
      const isQuoted = !/^[\p{Lu}\p{Lo}]/u.test(begun);
      terminal.send(`scrip catalog --country us --brand ${isQuoted ? "'" : ''}${begun}\t`);
      const last =
        name
          .replaceAll(/[^\p{L}]/gu, ' ')
          .trim()
          .split(' ')
          .at(-1) ?? '';
      const line = await terminal.shows(
        new RegExp(`${at === 0 ? 'ready' : `wrote ${at}\\.`}[^]*${last}`),
      );
      terminal.send(isQuoted && !line.trimEnd().endsWith("'") ? "'\r" : '\r');
      await terminal.shows(`wrote ${at + 1}.`);
      expect(ranWords(), line).toEqual(['catalog', '--country', 'us', '--brand', name]);
    }
    expect(spawnSync('ls', [home.dir], { encoding: 'utf8' }).stdout).not.toContain('pwned');
    await leave(terminal);
  });
});

function keep(remembered: Remembered): void {
  mkdirSync(`${home.dir}/.cache/scrip`, { recursive: true });
  writeFileSync(`${home.dir}/.cache/scrip/completion-sandbox.json`, rememberedText(remembered));
}
