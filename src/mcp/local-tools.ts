/** The tool server on the user's own machine: wraps texts from outside, hides codes, pays only if allowed. */
import { payTool } from './pay-tool.ts';
import type { ToolServerOptions } from './server.ts';
import { type Tool, wireTools } from './tools.ts';

export interface LocalToolOptions {
  /** Whether to offer the tool `payOrder`. */
  readonly mayPay: boolean;
  readonly areCodesShown: boolean;
}

export function localTools({ mayPay, areCodesShown }: LocalToolOptions): readonly Tool[] {
  const disclosure = { isGuarded: true, areCodesShown };
  return [...wireTools(disclosure), ...(mayPay ? [payTool(disclosure)] : [])];
}

/** The options of a server with these tools. */
export function localServer(
  options: LocalToolOptions & Pick<ToolServerOptions, 'backend' | 'version'>,
): Omit<ToolServerOptions, 'clock' | 'ended'> {
  const { areCodesShown, backend, version } = options;
  const disclosure = { isGuarded: true, areCodesShown };
  return { tools: localTools(options), disclosure, backend, version };
}
