/** The supported agents, and where each keeps its configuration. */
import { type Message, t } from '../../domain/message/message.ts';
import { type ConfigFormat, jsonConfig, tomlConfig } from './config-formats.ts';

/** What the path of a configuration file depends on. */
export interface Surroundings {
  /** Node's name: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Client {
  readonly title: string;
  readonly format: ConfigFormat;
  /** Path of the user's own configuration, for all projects. */
  path(around: Surroundings): string;
  /** How to make the agent reload the file. */
  readonly after: Message;
}

/**
 * Some agents accept comments in their JSON; strict JSON has none. `hasType` adds the field `type` to our
 * entry.
 */
const STRICT = { hasComments: false, hasType: false } as const;
const LENIENT = { hasComments: true, hasType: false } as const;

export const CLIENTS = {
  'claude-desktop': {
    title: 'Claude Desktop',
    format: jsonConfig({ container: 'mcpServers', ...STRICT }),
    path: (around) => join(around, appFolder(around), 'Claude', 'claude_desktop_config.json'),
    after: t`Quit Claude Desktop completely and start it again.`,
  },
  'claude-code': {
    title: 'Claude Code',
    format: jsonConfig({ container: 'mcpServers', ...STRICT, hasType: true }),
    path: (around) =>
      join(around, said(around, 'CLAUDE_CONFIG_DIR') ?? around.home, '.claude.json'),
    after: t`Start a new session of Claude Code; /mcp lists its servers.`,
  },
  cursor: {
    title: 'Cursor',
    format: jsonConfig({ container: 'mcpServers', ...LENIENT }),
    path: (around) => join(around, around.home, '.cursor', 'mcp.json'),
    after: t`Cursor sees the change by itself; its settings list the server under MCP.`,
  },
  vscode: {
    title: 'VS Code',
    format: jsonConfig({ container: 'servers', ...LENIENT, hasType: true }),
    path: (around) => join(around, appFolder(around), 'Code', 'User', 'mcp.json'),
    after: t`In VS Code run "MCP: List Servers" and start it.`,
  },
  codex: {
    title: 'Codex',
    format: tomlConfig('mcp_servers'),
    path: (around) =>
      join(
        around,
        said(around, 'CODEX_HOME') ?? join(around, around.home, '.codex'),
        'config.toml',
      ),
    after: t`Start Codex again; /mcp lists its servers.`,
  },
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly ClientName[];

/** The folder in which desktop programs keep a user's settings. */
function appFolder(around: Surroundings): string {
  if (around.platform === 'darwin') return `${around.home}/Library/Application Support`;
  if (around.platform === 'win32') {
    return said(around, 'APPDATA') ?? join(around, around.home, 'AppData', 'Roaming');
  }
  return said(around, 'XDG_CONFIG_HOME') ?? `${around.home}/.config`;
}

/** Reads an absolute folder from a variable. Ignores a relative one: it would depend on the current folder. */
function said({ env, platform }: Surroundings, variable: string): string | undefined {
  const folder = env[variable];
  if (folder === undefined) return undefined;
  const isAbsolute =
    platform === 'win32' ? /^(?:[A-Za-z]:)?[\\/]/.test(folder) : folder.startsWith('/');
  return isAbsolute ? folder.replace(/[\\/]+$/, '') : undefined;
}

function join({ platform }: Surroundings, ...parts: readonly string[]): string {
  return parts.join(platform === 'win32' ? '\\' : '/');
}
