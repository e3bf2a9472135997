/** The agents that can be told of this program, and where each keeps what it is told. */
import { type Message, t } from '../../domain/message.ts';
import type { ConfigFormat } from './config-format.ts';
import { jsonConfig } from './json-config.ts';
import { tomlConfig } from './toml-config.ts';

/** What the place of a file depends on. */
export interface Surroundings {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Client {
  readonly title: string;
  readonly format: ConfigFormat;
  /** The user's own configuration, for all projects. */
  path(around: Surroundings): string;
  /** What makes the agent read it. */
  readonly after: Message;
}

/** Comments are kept where the agent takes them; a file that is strict JSON may have none. */
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

/** Where desktop programs keep the settings of a user. */
function appFolder(around: Surroundings): string {
  if (around.platform === 'darwin') return `${around.home}/Library/Application Support`;
  if (around.platform === 'win32') {
    return said(around, 'APPDATA') ?? join(around, around.home, 'AppData', 'Roaming');
  }
  return said(around, 'XDG_CONFIG_HOME') ?? `${around.home}/.config`;
}

/** A folder named by a variable; one that is relative would be another for each program. */
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
