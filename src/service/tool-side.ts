/** The tool server for agents, served beside the service and opened at its first request. */
import type { Fetch } from '../contract/fetch.ts';
import { TOOL_MANIFEST_PATH, TOOL_SERVER_PATHS } from '../contract/tool-manifest.ts';
import type { Caller } from './traffic.ts';

/** What the tool server gets from the service. */
interface ToolHome {
  /** Address at which clients reach it, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns a `Fetch` to the service in this process, on behalf of the caller's address. */
  fetchFor(address: string): Fetch;
}

/** The tool server for agents, at the paths of the contract. */
interface ServedTools {
  handle(request: Request, address: string): Promise<Response>;
  close(): Promise<void>;
}

/** The part of the service that the tools call. */
interface Handles {
  handle(request: Request, caller?: Caller): Promise<Response>;
}

export type OpenTools = (home: ToolHome) => Promise<ServedTools>;

const PATHS: ReadonlySet<string> = new Set([...TOOL_SERVER_PATHS, TOOL_MANIFEST_PATH]);

/** Its code is large and rarely needed, so it loads on first use. */
export function createToolSide(
  opened: Promise<{ readonly baseUrl: string; readonly service: Handles }>,
  open: OpenTools | undefined,
) {
  let tools: Promise<ServedTools> | undefined;
  const openOnce = async (start: OpenTools): Promise<ServedTools> => {
    const { baseUrl, service } = await opened;
    const fetchFor =
      (address: string): Fetch =>
      (url, init) =>
        service.handle(new Request(url, init), address === '' ? undefined : { address });
    return start({ baseUrl, fetchFor });
  };
  return {
    /** Returns undefined for paths of the service. */
    async handle(request: Request, { address = '' }: Caller): Promise<Response | undefined> {
      if (!open || !PATHS.has(new URL(request.url).pathname)) return undefined;
      tools ??= openOnce(open);
      return (await tools).handle(request, address);
    },
    close: async (): Promise<void> => (await tools)?.close(),
  };
}
