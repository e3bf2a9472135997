import { describe, expect, it } from 'vitest';
import { CLIENTS, type ClientName } from '../../../src/cli/agents/clients.ts';

const LINUX = { platform: 'linux', home: '/home/ada', env: {} };
const MAC = { platform: 'darwin', home: '/Users/ada', env: {} };
const WINDOWS = {
  platform: 'win32',
  home: 'C:\\Users\\ada',
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
};
const ROAMING = 'C:\\Users\\ada\\AppData\\Roaming';

describe('the configuration of an agent', () => {
  it.each<[ClientName, place: 'home' | 'settings', string]>([
    ['claude-desktop', 'settings', 'Claude/claude_desktop_config.json'],
    ['claude-code', 'home', '.claude.json'],
    ['cursor', 'home', '.cursor/mcp.json'],
    ['vscode', 'settings', 'Code/User/mcp.json'],
    ['codex', 'home', '.codex/config.toml'],
  ])('%s is in the %s folder, on each system', (client, place, name) => {
    const folders = {
      home: ['/home/ada', '/Users/ada', 'C:\\Users\\ada'],
      settings: ['/home/ada/.config', '/Users/ada/Library/Application Support', ROAMING],
    };
    const [linux, mac, windows] = folders[place];
    const paths = [LINUX, MAC, WINDOWS].map((around) => CLIENTS[client].path(around));
    const backwards = name.replaceAll('/', '\\');
    expect(paths).toEqual([`${linux}/${name}`, `${mac}/${name}`, `${windows}\\${backwards}`]);
  });

  it.each<[ClientName, Record<string, string>, string]>([
    ['claude-desktop', { XDG_CONFIG_HOME: '/cfg/' }, '/cfg/Claude/claude_desktop_config.json'],
    ['vscode', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/Code/User/mcp.json'],
    ['claude-code', { CLAUDE_CONFIG_DIR: '/etc/claude' }, '/etc/claude/.claude.json'],
    ['codex', { CODEX_HOME: '/etc/codex' }, '/etc/codex/config.toml'],
    ['codex', { CODEX_HOME: 'relative' }, '/home/ada/.codex/config.toml'],
    ['cursor', { XDG_CONFIG_HOME: '/cfg' }, '/home/ada/.cursor/mcp.json'],
  ])('of %s with %j is moved as the agent moves it', (client, env, path) => {
    expect(CLIENTS[client].path({ ...LINUX, env })).toBe(path);
  });

  it('of a Windows without its variable is in the usual folder', () => {
    expect(CLIENTS.vscode.path({ ...WINDOWS, env: {} })).toBe(`${ROAMING}\\Code\\User\\mcp.json`);
  });
});
