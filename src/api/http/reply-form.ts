/** Converts responses to the interface's form for hosts known to send another. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { ORDER_FORMS } from '../checkout/order-form.ts';
import { parseJson } from './exchange.ts';
import { countriesForm, searchForm } from './list-form.ts';
import { parseExactly } from './other-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Conversions for lists that the interface does not show, by endpoint. */
const LIST_FORMS: Readonly<Partial<Record<string, (json: unknown, asked: Fields) => unknown>>> = {
  getAvailableCountries: countriesForm,
  searchProducts: searchForm,
};

/** Parses a response. @param asked the input of the call */
export function replyJson(
  { name, output }: Pick<Endpoint, 'name' | 'output'>,
  text: string,
  asked: Fields,
): unknown {
  const order = ORDER_FORMS.get(output);
  if (order !== undefined) {
    const { order_id } = asked;
    return order(parseExactly(text), typeof order_id === 'string' ? order_id : undefined);
  }
  return LIST_FORMS[name]?.(parseJson(text), asked) ?? parseJson(text);
}
