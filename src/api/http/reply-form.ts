/** The JSON of a reply in the form of the interface, where hosts are known to send another one. */
import type { Endpoint } from '../../contract/endpoint.ts';
import { ORDER_FORMS } from '../checkout/order-form.ts';
import { parseJson } from './exchange.ts';
import { countriesForm, searchForm } from './list-form.ts';
import { parseExactly } from './other-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Lists that the interface does not show, by the name of their row. */
const LIST_FORMS: Readonly<Partial<Record<string, (json: unknown, asked: Fields) => unknown>>> = {
  getAvailableCountries: countriesForm,
  searchProducts: searchForm,
};

/** @param asked the input of the call */
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
