import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_NAMES, CLIENTS, type ClientName } from '../../src/cli/agents/clients.ts';
import type { Machine } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { readForeignFile, replaceForeignFile } from '../../src/records/foreign-file.ts';
import { type ContextParts, merged, smallHost, smallSettings } from '../support/small-context.ts';
import { tempFolder } from '../support/temp-folder.ts';

const RUNTIME = '/usr/bin/node';
const SCRIPT = '/opt/scrip/bin/scrip.js';
const ARGS = [SCRIPT, 'mcp', '--profile', 'sandbox'];
const COPY = '.scrip-backup-20260101T000000Z';

let home: string;
beforeEach(() => {
  home = tempFolder();
});

function machine(): Machine {
  return {
    platform: 'linux',
    home,
    env: {},
    program: { runtime: RUNTIME, script: SCRIPT },
    resolve: (path) => join('/here', path),
    read: readForeignFile,
    replace: replaceForeignFile,
  };
}

function fileOf(client: ClientName): string {
  return CLIENTS[client].path({ platform: 'linux', home, env: {} });
}

function given(client: ClientName, text: string): string {
  const path = fileOf(client);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function run(words: readonly string[], parts: ContextParts = {}) {
  const host = smallHost(merged({ system: { machine: async () => machine() } }, parts));
  const exit = await runProgram(['mcp', ...words], host);
  return { exit, stdout: host.stdout.text(), stderr: host.stderr.text() };
}

async function json(words: readonly string[]) {
  const { exit, stdout, stderr } = await run([...words, '--json']);
  return { exit, ...(exit === 0 ? JSON.parse(stdout) : JSON.parse(stderr).error), stderr };
}

/** What each agent may have already: other servers, settings, comments where it takes them. */
const EXISTING: Readonly<Record<ClientName, string>> = {
  'claude-desktop':
    '{\n  "globalShortcut": "",\n  "mcpServers": {\n    "files": {\n      "command": "npx",\n      "env": { "TOKEN": "hush-1" }\n    }\n  }\n}\n',
  'claude-code':
    '{"numStartups":3,"mcpServers":{"files":{"type":"stdio","command":"npx","env":{"TOKEN":"hush-1"}}},"projects":{}}',
  cursor:
    '{\n\t// all of mine\n\t"mcpServers": {\n\t\t"files": { "command": "npx", "env": { "TOKEN": "hush-1" } }, // hush-2\n\t},\n}\n',
  vscode:
    '{\r\n    "inputs": [], /* none */\r\n    "servers": {\r\n        "files": { "type": "stdio", "command": "npx" }\r\n    }\r\n}\r\n',
  codex:
    'model = "x" # mine\n\n[mcp_servers.files]\ncommand = "npx"\n\n[mcp_servers.files.env]\nTOKEN = "hush-1"\n',
};

describe.each(CLIENT_NAMES)('scrip mcp install %s', (client) => {
  const { format } = CLIENTS[client];
  const entry = { command: RUNTIME, args: ARGS };

  it('adds the server once, keeps a copy, and uninstall undoes it byte for byte', async () => {
    const path = given(client, EXISTING[client]);
    const { exit, stdout, stderr } = await run(['install', client, '--yes']);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('Status\tinstalled\n')]);
    // What makes the agent read it.
    expect(stderr).toContain(CLIENTS[client].after);
    expect(Object.fromEntries(format.read(readFileSync(path, 'utf8')) ?? [])).toMatchObject(entry);
    expect(readFileSync(`${path}${COPY}`, 'utf8')).toBe(EXISTING[client]);

    // The second time it asks nothing and does nothing.
    const names = readdirSync(dirname(path));
    const unchanged = { state: 'already installed', changed: false, backup: null, change: [] };
    expect(await json(['install', client])).toMatchObject({ exit: 0, ...unchanged });
    expect(readdirSync(dirname(path))).toEqual(names);

    await run(['install', client, '--yes', '--allow-pay']);
    const out = { exit: 0, state: 'taken out', changed: true };
    expect(await json(['uninstall', client, '--yes'])).toMatchObject(out);
    expect(readFileSync(path, 'utf8')).toBe(EXISTING[client]);
  });

  it('makes the file where there is none, readable by its owner alone', async () => {
    const made = { exit: 0, config: fileOf(client), changed: true, backup: null, ...entry };
    expect(await json(['install', client, '--yes'])).toMatchObject(made);
    const text = readFileSync(fileOf(client), 'utf8');
    expect(Object.fromEntries(format.read(text) ?? [])).toMatchObject(entry);
    expect(statSync(fileOf(client)).mode & 0o777).toBe(0o600);
  });

  it('with --dry-run shows the change alone, and writes nothing', async () => {
    const path = given(client, EXISTING[client]);
    const { exit, stdout, stderr } = await run(['install', client, '--dry-run']);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('would be installed')]);
    expect(stderr).toMatch(/^\+.*scrip/m);
    for (const text of [path, SCRIPT]) expect(stderr).toContain(text);
    // Nothing of what other servers are told is shown.
    const record = await run(['install', client, '--dry-run', '--json']);
    expect(stdout + stderr + record.stdout).not.toContain('hush');
    expect(readFileSync(path, 'utf8')).toBe(EXISTING[client]);
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('refuses a file that it does not understand, leaves it, and shows what to paste', async () => {
    const broken =
      client === 'codex'
        ? `${EXISTING.codex}\n[mcp_servers.scrip]\ncommand = "hush-3"\n`
        : EXISTING[client].slice(0, -4).concat('"oops');
    const path = given(client, broken);
    const { exit, stdout, stderr } = await run(['install', client, '--yes']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('error[AGENT_CONFIG_INVALID]');
    expect(stderr).toContain(SCRIPT);
    expect(stderr).not.toContain('hush');
    const { code, details } = await json(['install', client, '--yes']);
    expect(code).toBe('AGENT_CONFIG_INVALID');
    expect(format.read(details.snippet)?.get('args')).toEqual(entry.args);
    expect(readFileSync(path, 'utf8')).toBe(broken);
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });
});

describe('scrip mcp install', () => {
  it('off a terminal needs --yes, and writes nothing without it', async () => {
    const path = given('cursor', '{}');
    const { exit, code, hint, details } = await json(['install', 'cursor']);
    expect({ exit, code }).toEqual({ exit: 2, code: 'TERMINAL_REQUIRED' });
    expect(hint).toContain('--yes');
    expect(details.change.join('\n')).toContain(SCRIPT);
    expect(readFileSync(path, 'utf8')).toBe('{}');
  });

  it.each([
    [true, 0, 'installed'],
    [false, 7, ''],
  ])(
    'on a terminal shows the change, then asks; answered %s it ends with %i',
    async (answer, exit, state) => {
      const asked: string[] = [];
      const stderr = { shown: '' };
      const host = smallHost({
        system: { machine: async () => machine() },
        settings: { ...smallSettings(), mayPrompt: true },
        io: {
          prompter: {
            confirm: async (question) => {
              stderr.shown = host.stderr.text();
              asked.push(String(question));
              return answer;
            },
            text: () => Promise.reject(new Error('no line is asked for')),
          },
        },
      });
      const path = given('codex', EXISTING.codex);
      expect(await runProgram(['mcp', 'install', 'codex'], host)).toBe(exit);
      expect(asked).toEqual(['Write this?']);
      expect(stderr.shown).toContain(`+   command = "${RUNTIME}"`);
      expect(host.stdout.text()).toContain(state);
      expect(readFileSync(path, 'utf8') === EXISTING.codex).toBe(!answer);
    },
  );

  it('shows of a changed entry what differs, and hides what the user added to it', async () => {
    const old = CLIENTS.codex.format.put('', { command: '/usr/bin/node', args: ['old.js'] });
    given('codex', old.replace(/^args.*$/m, '$&\nenv = { A = "hush-3" }'));
    const { change } = await json(['install', 'codex', '--dry-run']);
    expect(change).toEqual([
      '  [mcp_servers.scrip]',
      `    command = "${RUNTIME}"`,
      '-   args = ["old.js"]',
      `+   args = ["${SCRIPT}","mcp","--profile","sandbox"]`,
      '-   env = …',
    ]);
  });

  it('writes what the server may do and where it goes into its arguments', async () => {
    const may = ['--allow-pay', '--reveal-codes', '--allow-other-country'];
    const host = ['--checkout-url', 'http://127.0.0.1:4020', '--keypair'];
    const { args } = await json(['install', 'vscode', '--yes', ...may, ...host, 'live.json']);
    expect(args).toEqual([...ARGS, ...host, '/here/live.json', ...may]);
  });

  it('leaves out what is about its own output', async () => {
    const words = ['install', 'vscode', '--dry-run', '--fields', 'args'];
    expect((await json(words)).args).toEqual(ARGS);
  });

  it.each([
    [['install', 'cursor', '--http'], '--http'],
    [['install', 'cursor', '--port', '1'], '--port'],
    [['uninstall', 'cursor', '--allow-pay'], '--allow-pay'],
    [['install', 'cursor', '--passphrase-fd', '3'], '--passphrase-fd'],
    [['install', 'cursor', '--passphrase-file', '-'], '--passphrase-file'],
  ])('refuses what it cannot heed: %j', async (words, flag) => {
    const { exit, code, message } = await json([...words, '--yes']);
    expect({ exit, code }).toEqual({ exit: 2, code: 'USAGE' });
    expect(message).toContain(flag);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each(['install', 'uninstall'])(
    '%s does not show the options of its server in its help',
    async (verb) => {
      const { stdout } = await run([verb, '--help']);
      expect(stdout).toContain('--config <file>');
      expect(stdout).toContain('scrip help options');
      expect(stdout).not.toContain('--manifest');
    },
  );

  it('takes the profile that is in force, wherever it was named', async () => {
    const settings = { ...smallSettings(), profile: 'live' };
    const host = smallHost({ system: { machine: async () => machine() }, settings });
    expect(await runProgram(['mcp', 'install', 'cursor', '--yes'], host)).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(fileOf('cursor'), 'utf8'));
    expect(mcpServers.scrip.args).toEqual([SCRIPT, 'mcp', '--profile', 'live']);
  });

  it('follows a link and says where it writes', async () => {
    const target = join(home, 'dotfiles.json');
    writeFileSync(target, '{}');
    mkdirSync(dirname(fileOf('cursor')));
    symlinkSync(target, fileOf('cursor'));
    const { stderr } = await run(['install', 'cursor', '--yes']);
    expect(stderr).toContain(`${fileOf('cursor')} -> ${target}`);
    expect(JSON.parse(readFileSync(target, 'utf8')).mcpServers.scrip.command).toBe(RUNTIME);
  });

  it('writes another file where one is named', async () => {
    const path = join(home, 'project.json');
    const named = { ...machine(), resolve: (typed: string) => join(home, typed) };
    const host = smallHost({ system: { machine: async () => named } });
    const words = ['mcp', 'install', 'claude-code', '--config', 'project.json', '--yes'];
    expect(await runProgram(words, host)).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8'));
    expect(mcpServers.scrip).toEqual({ type: 'stdio', command: RUNTIME, args: ARGS });
  });

  it('warns when this program may be gone tomorrow', async () => {
    const program = {
      runtime: RUNTIME,
      script: '/home/ada/.npm/_npx/1/node_modules/scrip-cli/bin/scrip.js',
    };
    const { stderr } = await run(['install', 'cursor', '--yes'], {
      system: { machine: async () => ({ ...machine(), program }) },
    });
    expect(stderr).toContain('npx cache');
  });

  it('knows no other agent', async () => {
    const { exit, message } = await json(['install', 'emacs', '--yes']);
    expect(exit).toBe(2);
    for (const client of CLIENT_NAMES) expect(message).toContain(client);
  });
});

describe('scrip mcp uninstall', () => {
  it('has nothing to do where there is nothing', async () => {
    const nothing = { exit: 0, state: 'not installed', changed: false };
    expect(await json(['uninstall', 'codex'])).toMatchObject(nothing);
    expect(readdirSync(home)).toEqual([]);
  });

  it('takes out what the user added to the entry too, and hides its values', async () => {
    const path = given(
      'cursor',
      '{"mcpServers":{"scrip":{"command":"x","env":{"A":"hush-4"}},"b":{}}}',
    );
    const { stderr, stdout } = await run(['uninstall', 'cursor', '--yes']);
    expect(stdout).toContain('taken out');
    expect(stderr).toContain('-   "env": …');
    expect(stderr).not.toContain('hush');
    expect(readFileSync(path, 'utf8')).toBe('{"mcpServers":{"b":{}}}');
  });
});
