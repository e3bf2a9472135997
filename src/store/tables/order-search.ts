/** Orders of both surfaces, as an operator looks for them; by indexes alone. */
import { type Db, join, type Sql, sql } from '../sql.ts';
import type { OrderRow } from './orders.ts';
import type { PartnerOrderRow } from './partner-orders.ts';

export type FoundOrder =
  | { readonly surface: 'partner'; readonly row: PartnerOrderRow }
  | { readonly surface: 'checkout'; readonly row: OrderRow };

/** An amount in digits, of what has so many decimals. */
export interface AmountRange {
  readonly decimals: number;
  readonly least: string | undefined;
  readonly most: string | undefined;
}

export interface OrderSearch {
  /** Of both surfaces; undefined for all. */
  readonly states?: readonly string[] | undefined;
  readonly surface?: FoundOrder['surface'] | undefined;
  readonly partnerId?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
  /** One of these. */
  readonly amounts?: readonly AmountRange[] | undefined;
  /** A part of the buyer's e-mail address or of a brand's name, in any case. */
  readonly text?: string | undefined;
  /** What names an order exactly, in each way that its rail or its buyer may write it. */
  readonly marks?: readonly string[] | undefined;
  readonly partOfId?: string | undefined;
  readonly isNewestFirst?: boolean | undefined;
  /** The last order before the first of these. */
  readonly after?: Pick<OrderRow, 'orderId' | 'createdAtMs'> | undefined;
  readonly limit: number;
}

const SURFACES = {
  partner: {
    own: sql`partner_orders`,
    ...{ state: sql`order_state`, amount: sql`coin_amount_atomic`, decimals: sql`decimals` },
  },
  checkout: {
    own: sql`orders`,
    ...{ state: sql`status`, amount: sql`amount_atomic`, decimals: sql`6` },
  },
} as const;
type Surface = (typeof SURFACES)[FoundOrder['surface']];

export function orderSearchIn(db: Db, { brand }: { readonly brand: Sql }) {
  /** Read one by one from their index, as there are few. */
  const brands = async (): Promise<readonly string[]> => {
    const next = (after: Sql) =>
      sql`(select ${brand} from deliveries where ${after} order by ${brand} limit 1)`;
    const rows = await db.all(sql<{ readonly name: string | null }>`
      with recursive brands (name) as (
        select ${next(sql`${brand} is not null`)}
        union all
        select ${next(sql`${brand} > brands.name`)} from brands where brands.name is not null
      ) select name from brands`);
    return rows.flatMap(({ name }) => name ?? []);
  };
  return {
    async find(search: OrderSearch): Promise<readonly FoundOrder[]> {
      const { surface: only, isNewestFirst = false, limit } = search;
      const branches =
        search.text === undefined ? [sql`true`] : textIs(search.text, await brands(), brand);
      const way = isNewestFirst ? sql`desc` : sql`asc`;
      const byTime = sql`order by created_at_ms ${way}, order_id ${way}`;
      const rowsOf = <Row>(surface: Surface) => {
        const shared = conditions(search, surface);
        const found = branches.map(
          (branch) => sql`select * from (
            select order_id, created_at_ms from ${surface.own}
            where ${join([...shared, branch], ' and ')} ${byTime} limit ${limit}) as branch`,
        );
        return db.all(sql<Row>`select * from ${surface.own} where order_id in (
          select order_id from (${join(found, ' union ')}) as found ${byTime} limit ${limit})`);
      };
      const [partner, checkout] = await Promise.all([
        only === 'checkout' ? [] : rowsOf<PartnerOrderRow>(SURFACES.partner),
        only === 'partner' || search.partnerId !== undefined
          ? []
          : rowsOf<OrderRow>(SURFACES.checkout),
      ]);
      const found: readonly FoundOrder[] = [
        ...partner.map((row) => ({ surface: 'partner', row }) as const),
        ...checkout.map((row) => ({ surface: 'checkout', row }) as const),
      ];
      const sorted = found.toSorted((one, other) => compare(one.row, other.row));
      return (isNewestFirst ? sorted.toReversed() : sorted).slice(0, limit);
    },
  };
}

function compare(one: Age, other: Age): number {
  const byTime = one.createdAtMs - other.createdAtMs;
  return byTime !== 0 ? byTime : one.orderId < other.orderId ? -1 : 1;
}
type Age = Pick<OrderRow, 'orderId' | 'createdAtMs'>;

function conditions(search: OrderSearch, { state, amount, decimals }: Surface): readonly Sql[] {
  const { states, partnerId, sinceMs, untilMs, amounts, marks, partOfId, after } = search;
  const inRange = ({ decimals: own, least, most }: AmountRange) =>
    join(
      [
        sql`${decimals} = ${own}`,
        ...(least === undefined ? [] : [sql`${sized(amount)} >= (${least.length}, ${least})`]),
        ...(most === undefined ? [] : [sql`${sized(amount)} <= (${most.length}, ${most})`]),
      ],
      ' and ',
    );
  const place = sql`(created_at_ms, order_id)`;
  const next = search.isNewestFirst ? sql`<` : sql`>`;
  return [
    ...(states === undefined ? [] : [sql`${state} in (${join(states)})`]),
    ...(partnerId === undefined ? [] : [sql`application_id = ${partnerId}`]),
    ...(sinceMs === undefined ? [] : [sql`created_at_ms >= ${sinceMs}`]),
    ...(untilMs === undefined ? [] : [sql`created_at_ms < ${untilMs}`]),
    ...(after === undefined
      ? []
      : [sql`${place} ${next} (${after.createdAtMs}, ${after.orderId})`]),
    ...(amounts === undefined ? [] : [sql`(${join(amounts.map(inRange), ' or ')})`]),
    ...(marks === undefined ? [] : [sql`order_id in (${join(marks.map(named), ' union all ')})`]),
    ...(partOfId === undefined ? [] : [contains(sql`order_id`, partOfId)]),
  ];
}

/** Digits compare as numbers once their lengths do; they may be more than an integer of an engine holds. */
const sized = (digits: Sql) => sql`(length(${digits}), ${digits})`;

/** One condition for each index, as none serves both. */
function textIs(text: string, brands: readonly string[], brand: Sql): readonly Sql[] {
  const wanted = text.toLowerCase();
  const named = brands.filter((name) => name.toLowerCase().includes(wanted));
  return [
    // No address has a space.
    /\s/.test(wanted) ? sql`false` : contains(sql`lower(email)`, wanted),
    ...(named.length === 0
      ? []
      : [sql`order_id in (select order_id from deliveries where ${brand} in (${join(named)}))`]),
  ];
}

function contains(where: Sql, part: string): Sql {
  return sql`${where} like ${`%${part.replace(/[%_!]/g, '!$&')}%`} escape '!'`;
}

/** In the words of the indexes of transactions, one of which is unique. */
const SOLANA = sql`'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'`;

/** Orders that a text names: its page, people, addresses, transactions, references. */
const named = (mark: string) => sql`
  select order_id from partner_orders where page_id = ${mark}
  union all select order_id from partner_orders where lower(email) = lower(${mark})
  union all select order_id from partner_orders where wallet_address = ${mark}
  union all select order_id from partner_orders where refund_address = ${mark}
  union all select order_id from partner_orders where idempotency_key = ${mark}
  union all select order_id from order_transactions where "transaction" = ${mark}
  union all select order_id from payment_requests where account = ${mark}
  union all select substr(lease, 7) from receiving_accounts where owner = ${mark} and lease like 'order %'
  union all select order_id from orders where lower(email) = lower(${mark})
  union all select order_id from orders where session_id = ${mark}
  union all select orders.order_id from sessions
    inner join orders on orders.session_id = sessions.session_id where sessions.destination = ${mark}
  union all select order_id from settlements where payer = ${mark}
  union all select order_id from settlements where "transaction" = ${mark} and network = ${SOLANA}
  union all select order_id from settlements where "transaction" = ${mark} and network <> ${SOLANA}
  union all select order_id from settlements where payment_id = ${mark} and state <> 'failed'
  union all select order_id from deliveries where delivery_id = ${mark}
  union all select order_id from deliveries where code_digest = ${mark}
  union all select order_id from deliveries where lower(beneficiary) = lower(${mark})
  union all select order_id from refunds where refund_id = ${mark}
  union all select refunds.order_id from payouts
    inner join refunds on refunds.refund_id = payouts.refund_id where payouts."transaction" = ${mark}`;
