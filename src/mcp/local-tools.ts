/** The tool server of the user's own machine: texts wrapped, codes hidden, paying only where allowed. */
import { payTool } from './pay-tool.ts';
import type { ToolServerOptions } from './server.ts';
import { type Tool, wireTools } from './tools.ts';

export interface LocalToolOptions {
  /** `payOrder` is among the tools. */
  readonly mayPay: boolean;
  readonly areCodesShown: boolean;
}

export function localTools({ mayPay, areCodesShown }: LocalToolOptions): readonly Tool[] {
  const disclosure = { isGuarded: true, areCodesShown };
  return [...wireTools(disclosure), ...(mayPay ? [payTool(disclosure)] : [])];
}

/** What a server of these tools is made of. */
export function localServer(
  options: LocalToolOptions & Pick<ToolServerOptions, 'backend' | 'version'>,
): Omit<ToolServerOptions, 'clock' | 'ended'> {
  const { areCodesShown, backend, version } = options;
  const disclosure = { isGuarded: true, areCodesShown };
  return { tools: localTools(options), disclosure, backend, version };
}
