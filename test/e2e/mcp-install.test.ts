/** The installed entry by the real process: what an agent starts is what was written. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_NAMES, CLIENTS, type ClientName } from '../../src/cli/agents/clients.ts';
import { type Home, makeHome } from '../support/cli.ts';

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

function entryOf(client: ClientName, home: Home): Entry {
  const path = CLIENTS[client].path({ platform: process.platform, home: home.dir, env: {} });
  const fields = CLIENTS[client].format.read(readFileSync(path, 'utf8'));
  return { command: String(fields?.get('command')), args: fields?.get('args') as string[] };
}

/** Starts a server as an agent does, in a folder of its own, and asks two things of it. */
async function converse({ command, args }: Entry, home: Home) {
  const child = spawn(command, args, { cwd: '/', env: { HOME: home.dir }, stdio: 'pipe' });
  const say = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  const lines = linesOf(child);
  say({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  });
  const hello = JSON.parse((await lines.next()).value ?? '{}');
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const { result } = JSON.parse((await lines.next()).value ?? '{}');
  child.stdin.end();
  const status = await new Promise((resolve) => child.once('close', resolve));
  const tools: string[] = result.tools.map(({ name }: { name: string }) => name);
  return { hello, tools, status };
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of child.stdout ?? []) {
    rest += String(chunk);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
  }
  return undefined;
}

describe('an installed tool server', () => {
  it.each(CLIENT_NAMES)('for %s, started as it is written, answers', async (client) => {
    const home = makeHome();
    const installed = await home.json<{ changed: boolean }>(['mcp', 'install', client, '--yes']);
    expect(installed.changed).toBe(true);
    const { hello, tools, status } = await converse(entryOf(client, home), home);
    expect(hello).toMatchObject({
      id: 1,
      result: {
        protocolVersion: '2025-06-18',
        serverInfo: { name: expect.stringMatching(/scrip/i) },
      },
    });
    expect(tools).toContain('createOrder');
    expect(tools).not.toContain('payOrder');
    expect(status).toBe(0);
  });

  it('pays only where that was installed', async () => {
    const home = makeHome();
    await home.json(['mcp', 'install', 'codex', '--yes', '--allow-pay']);
    expect((await converse(entryOf('codex', home), home)).tools).toContain('payOrder');
    await home.json(['mcp', 'install', 'codex', '--yes']);
    expect((await converse(entryOf('codex', home), home)).tools).not.toContain('payOrder');
  });

  it('is started by the program itself where it was called through a link', async () => {
    const home = makeHome();
    await home.json(['mcp', 'install', 'cursor', '--yes']);
    const direct = entryOf('cursor', home);
    const link = join(home.dir, 'scrip');
    // The standalone executable has no script beside it.
    const program = direct.command;
    const script = direct.args.slice(0, direct.args.indexOf('mcp'));
    symlinkSync(script[0] ?? program, link);
    const other = makeHome();
    const [command, ...before] = script.length === 0 ? [link] : [program, link];
    const child = spawn(command ?? link, [...before, 'mcp', 'install', 'cursor', '--yes'], {
      env: { HOME: other.dir },
    });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(entryOf('cursor', other)).toEqual(direct);
  });
});
