import { describe, expect, it } from 'vitest';
import { CLIENTS, type ClientName } from '../../../src/cli/agents/clients.ts';

const LINUX = { platform: 'linux', home: '/home/ada', env: {} };
const MAC = { platform: 'darwin', home: '/Users/ada', env: {} };
const WINDOWS = {
  platform: 'win32',
  home: 'C:\\Users\\ada',
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
};
const SUPPORT = '/Users/ada/Library/Application Support';
const ROAMING = 'C:\\Users\\ada\\AppData\\Roaming';

describe('the configuration of an agent', () => {
  it.each<[ClientName, string, string, string]>([
    [
      'claude-desktop',
      '/home/ada/.config/Claude/claude_desktop_config.json',
      `${SUPPORT}/Claude/claude_desktop_config.json`,
      `${ROAMING}\\Claude\\claude_desktop_config.json`,
    ],
    [
      'claude-code',
      '/home/ada/.claude.json',
      '/Users/ada/.claude.json',
      'C:\\Users\\ada\\.claude.json',
    ],
    [
      'cursor',
      '/home/ada/.cursor/mcp.json',
      '/Users/ada/.cursor/mcp.json',
      'C:\\Users\\ada\\.cursor\\mcp.json',
    ],
    [
      'vscode',
      '/home/ada/.config/Code/User/mcp.json',
      `${SUPPORT}/Code/User/mcp.json`,
      `${ROAMING}\\Code\\User\\mcp.json`,
    ],
    [
      'codex',
      '/home/ada/.codex/config.toml',
      '/Users/ada/.codex/config.toml',
      'C:\\Users\\ada\\.codex\\config.toml',
    ],
  ])('%s is where that agent looks for it, on each system', (client, linux, mac, windows) => {
    const paths = [LINUX, MAC, WINDOWS].map((around) => CLIENTS[client].path(around));
    expect(paths).toEqual([linux, mac, windows]);
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
