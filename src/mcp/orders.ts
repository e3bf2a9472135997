/** Orders beside the tools: resources that results link, and tasks. Each is the order as getOrderStatus reads it. */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type ResourceLink,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { lazy } from '../contract/endpoint.ts';
import { awaitsPayment, clientShouldStop } from '../domain/order/order-states.ts';

export type ReadOrder = (orderId: string, signal: AbortSignal) => Promise<CallToolResult>;

const ORDER_URI = 'scrip://orders/';
const ORDER_TEMPLATE = {
  uriTemplate: `${ORDER_URI}{order_id}`,
  name: 'order',
  title: 'Order',
  description: 'An order as getOrderStatus reads it',
  mimeType: 'application/json',
};

const withOrder = lazy(() => z.object({ order_id: z.uuid() }));

/** Links the order that a tool has made or paid. */
export function orderLinks(result: unknown): readonly ResourceLink[] {
  const order = withOrder().safeParse(Object(result).order ?? result).data;
  if (order === undefined) return [];
  const uri = ORDER_URI + order.order_id;
  return [{ type: 'resource_link', uri, name: 'order', mimeType: ORDER_TEMPLATE.mimeType }];
}

export function answerResources(server: Server, read: ReadOrder): void {
  const { mimeType } = ORDER_TEMPLATE;
  server.setRequestHandler('resources/list', async () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [ORDER_TEMPLATE],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const order_id = uri.startsWith(ORDER_URI) ? uri.slice(ORDER_URI.length) : undefined;
    const order = withOrder().safeParse({ order_id }).data;
    if (order === undefined) throw new ResourceNotFoundError(uri);
    const { isError, structuredContent, content } = await read(order.order_id, mcpReq.signal);
    const [first] = content;
    const said = first?.type === 'text' ? first.text : '';
    if (isError === true && said.includes('"ORDER_UNKNOWN"')) throw new ResourceNotFoundError(uri);
    if (isError === true) throw new ProtocolError(ProtocolErrorCode.InternalError, said);
    const text = JSON.stringify(Object(structuredContent).result);
    return { contents: [{ uri, mimeType, text }] };
  });
}

// Tasks, an extension of 2026-07-28: what `payOrder` has paid is one until its goods are there. A task is the order
// and has its id: nothing is stored, and a later process answers as well.

const TASKS = 'io.modelcontextprotocol/tasks';
export const TASKS_OFFERED = { extensions: { [TASKS]: {} } };

/** Interface: Agent tool server; poll the status every 30 seconds. */
const POLL_MS = 30_000;

const withTasks = lazy(() =>
  z.object({
    [CLIENT_CAPABILITIES_META_KEY]: z.object({ extensions: z.object({ [TASKS]: z.object({}) }) }),
  }),
);

const taskOrder = lazy(() =>
  z
    .object({
      order_id: z.uuid(),
      created_at: z.number(),
      order_state: z.string(),
      payment_state: z.string(),
    })
    .transform(
      ({ order_id, created_at, order_state: orderState, payment_state: paymentState }) => ({
        taskId: order_id,
        createdAtMs: created_at * 1_000,
        states: { orderState, paymentState },
      }),
    ),
);

/** Returns the task instead of a payment's result, to a client that takes tasks, while goods are awaited. */
export function taskInstead(
  { structuredContent }: CallToolResult,
  { mcpReq }: ServerContext,
  nowMs: number,
): (CallToolResult & { readonly resultType: 'task' }) | undefined {
  if (!withTasks().safeParse(mcpReq.envelope).success) return undefined;
  const order = taskOrder().safeParse(Object(Object(structuredContent).result).order).data;
  if (order === undefined || clientShouldStop(order.states)) return undefined;
  if (awaitsPayment(order.states)) return undefined;
  return { content: [], resultType: 'task', ...taskOf(order, nowMs), status: 'working' };
}

function taskOf(
  { taskId, createdAtMs, states }: z.infer<ReturnType<typeof taskOrder>>,
  nowMs: number,
) {
  return {
    taskId,
    statusMessage: states.orderState,
    createdAt: new Date(createdAtMs).toISOString(),
    lastUpdatedAt: new Date(nowMs).toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

export function answerTasks(server: Server, read: ReadOrder, now: () => number): void {
  const params = z.looseObject({ taskId: z.uuid() });
  const find = async (taskId: string, signal: AbortSignal) => {
    const { isError, structuredContent } = await read(taskId, signal);
    const order: unknown = Object(structuredContent).result;
    const known = taskOrder().safeParse(order).data;
    if (isError !== true && known !== undefined) return { known, order };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no task ${taskId}`);
  };
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }, { mcpReq: { signal } }) => {
    const { known, order } = await find(taskId, signal);
    const task = taskOf(known, now());
    if (!clientShouldStop(known.states)) return { ...task, status: 'working' };
    const transactions: unknown = Object(order).payment_transactions ?? [];
    const structuredContent = { result: { order, transactions } };
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
    const result = { resultType: 'complete', content, structuredContent };
    return { ...task, status: 'completed', result };
  });
  // An order asks nothing and cannot be taken back once it is paid; both are acknowledged.
  for (const method of ['tasks/update', 'tasks/cancel']) {
    server.setRequestHandler(method, { params }, async ({ taskId }, { mcpReq: { signal } }) => {
      await find(taskId, signal);
      return {};
    });
  }
}
