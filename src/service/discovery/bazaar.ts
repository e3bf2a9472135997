/** What a 402 says of its endpoint to the catalogs of facilitators (x402 `specs/extensions/bazaar.md`). */
import { z } from 'zod';
import { orderReceipt, orderRequest, postOrder } from '../../contract/checkout.ts';
import { lazy } from '../../contract/endpoint.ts';
import { orderOf, receiptAt } from './examples.ts';

/**
 * The extension for an order. It is published: of the order it has the product alone. Small, since it is in
 * a header, and comes back in the header of the payment.
 */
export function bazaarOf(baseUrl: string, item: Parameters<typeof orderOf>[0]): object {
  const { method } = postOrder;
  const input = { type: 'http', method, bodyType: 'json', body: orderOf(item) };
  const output = { type: 'json', example: receiptAt(baseUrl) };
  return { info: { input, output }, schema: schema() };
}

const schema = lazy(() => {
  const { order_id, status, poll_url } = orderReceipt().shape;
  const fixed = { type: { const: 'http' }, method: { const: postOrder.method } };
  const input = { ...fixed, bodyType: { const: 'json' }, body: outline(orderRequest()) };
  const example = outline(z.object({ order_id, status, poll_url }));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: { type: 'object', properties: input, required: Object.keys(input) },
      output: { type: 'object', properties: { type: { const: 'json' }, example } },
    },
    required: ['input'],
  };
});

/** Fields and their types: forms and limits are in the OpenAPI document. */
function outline(of: z.ZodType): unknown {
  return outlined(z.toJSONSchema(of, { io: 'input' }));
}

function outlined({ type, properties, required, items }: z.core.JSONSchema.JSONSchema): object {
  if (typeof items === 'object' && !Array.isArray(items)) return { type, items: outlined(items) };
  if (properties === undefined) return type === undefined ? {} : { type };
  const fields = Object.entries(properties).map(([name, field]) => [name, outlined(Object(field))]);
  return { type, properties: Object.fromEntries(fields), required };
}
