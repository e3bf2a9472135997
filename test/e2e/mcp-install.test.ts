/** The installed entry by the real process: what an agent starts is what was written. */
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type ClientName } from '../../src/cli/agents/clients.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { INITIALIZE, message } from '../support/tool-world.ts';

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
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (text: string) => {
    child.stdin.write(`${text}\n`);
    return JSON.parse((await lines.next()).value ?? '{}');
  };
  const hello = await ask(INITIALIZE);
  child.stdin.write(`${message('notifications/initialized', undefined, null)}\n`);
  const { result } = await ask(message('tools/list', undefined, 2));
  child.stdin.end();
  const status = await new Promise((resolve) => child.once('close', resolve));
  const tools: string[] = result.tools.map(({ name }: { name: string }) => name);
  return { hello, tools, status };
}

describe('an installed tool server', () => {
  // One of each format: test/cli/mcp-install has the entry of every agent.
  it.each(['cursor', 'codex'] as const)(
    'for %s, started as it is written, answers, and pays only where that was installed',
    async (client) => {
      const home = makeHome();
      for (const more of [['--allow-pay'], []]) {
        await home.json(['mcp', 'install', client, '--yes', ...more]);
        const { hello, tools, status } = await converse(entryOf(client, home), home);
        expect(hello.result.serverInfo.name).toMatch(/scrip/i);
        expect([tools.includes('createOrder'), status]).toEqual([true, 0]);
        expect(tools.includes('payOrder')).toBe(more.length > 0);
      }
    },
  );

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
