/** `scrip mcp`: the tool server for agents, on stdin and stdout or on a loopback port. */

import type { Command } from 'commander';
import { TOOL_SERVER_PATHS } from '../../contract/tool-manifest.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { declareInstall } from '../agents/mcp-install.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { With } from '../context.ts';
import type { View } from '../output/view.ts';
import type { ServedToolsRecord } from '../schemas/program.ts';
import { HOW_TO_STOP, parsePort, untilStopped } from '../serving/operated.ts';
import type { ToolServing } from '../serving/ports.ts';

const OPTIONS = {
  '--allow-pay': 'offer payOrder: pays from the local wallet after you have said yes',
  '--reveal-codes': 'show the agent the codes of its purchases',
  '--allow-other-country': 'allow top-ups of phones from another country than the product’s',
  '--http': 'serve Streamable HTTP on this machine instead of standard input and output',
  '--port <number>': 'port for --http; 0 takes a free one (default: 4023)',
  '--agent-user-agent <text>':
    'accept only clients with this User-Agent, and send it (default: any)',
  '--manifest': 'print the tools, their schemas and the prompt, then exit',
} as const;

type McpFlags = FlagsOf<typeof OPTIONS>;

const DEFAULT_PORT = '4023';

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS).action((flags: McpFlags) => bind((context) => run(context, flags)));
  addExamples(command, ['mcp', 'mcp --allow-pay', 'mcp --http --port 0', 'mcp --manifest']);
  declareInstall(command, bind);
}

async function run(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'files' | 'serving'>,
  flags: McpFlags,
): Promise<View> {
  const {
    serving: { toolServer },
  } = context;
  const mayPay = flags.allowPay ?? false;
  const areCodesShown = flags.revealCodes ?? false;
  if (flags.port !== undefined && !flags.http) {
    throw new ScripError('USAGE', t`--port works only with --http`, { hint: t`Add --http.` });
  }
  if (flags.manifest) {
    const record = await toolServer.manifest({ mayPay, areCodesShown });
    return { kind: 'text', text: `${JSON.stringify(record, undefined, 2)}\n`, record };
  }
  if (areCodesShown) {
    const { checkCodesMayBeTold } = await import('../agents/local-tool-backend.ts');
    await checkCodesMayBeTold(context);
  }
  const { openToolBackend } = await import('../agents/local-tool-backend.ts');
  const { agentUserAgent } = flags;
  const allowsOtherCountry = flags.allowOtherCountry ?? false;
  const backend = await openToolBackend(context, { mayPay, agentUserAgent, allowsOtherCountry });
  const serving = { backend, mayPay, areCodesShown };
  if (flags.http) return httpView(context, { ...serving, agentUserAgent, port: flags.port });
  return {
    kind: 'record',
    record: undefined,
    lines: [],
    // Stdout belongs to the MCP protocol.
    isWritten: true,
    ...(context.io.isInputTerminal ? { note: WHAT_IT_IS } : {}),
    after: () => toolServer.serveStdio(serving),
  };
}

const WHAT_IT_IS = t`Waiting for an agent on standard input (MCP). Stop with Ctrl-C.`;

interface HttpServing extends ToolServing {
  readonly port: string | undefined;
  readonly agentUserAgent: string | undefined;
}

async function httpView(
  context: With<'parts' | 'serving'>,
  { port, ...serving }: HttpServing,
): Promise<View> {
  const served = await context.serving.toolServer.serveHttp({
    ...serving,
    port: parsePort(port ?? DEFAULT_PORT),
  });
  const url = `${served.url}${TOOL_SERVER_PATHS[0]}`;
  const { token } = served;
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return {
    kind: 'record',
    record: {
      url,
      ...(authorization === undefined ? {} : { authorization }),
    } satisfies ServedToolsRecord,
    title: t`The tool server is running`,
    lines: [
      [t`Address`, url],
      ...(authorization === undefined ? [] : ([[t`Authorization`, authorization]] as const)),
    ],
    note: HOW_TO_STOP,
    after: untilStopped(context, () => served.close()),
  };
}
