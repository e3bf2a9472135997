/**
 * The payment page of a partner API order, at its `checkout_url`. Anyone with the link may pay, and
 * sees the products and the progress, but no codes, addresses of people, or partner id. It works
 * without scripts; with them it follows the order.
 */
import { html } from 'hono/html';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { networkName } from '../../domain/money/coins.ts';
import { formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import { formatFaceValue } from '../../domain/product/product.ts';
import type { WalletRequest } from '../../rails/merchant-rail.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { RefundPayment } from '../../store/tables/refunds.ts';
import { decodeLine, type PricedLine } from '../checkout/line.ts';
import type { WireErrorCode } from '../http/replies.ts';
import { qrUrl } from '../partner/catalog/qr.ts';
import { hasSecretKey } from '../partner/orders/order-key.ts';
import { refundFormPath } from './path.ts';
import { isOver, isPayable, situationOf } from './situation.ts';
import { type PageLanguage, type PageTexts, textsIn } from './texts.ts';

type Html = ReturnType<typeof html>;

/** Input of the page. */
export interface PagedOrder {
  readonly row: PartnerOrderRow;
  readonly payment: Partial<WirePartnerOrder>;
  readonly deliveries: readonly DeliveryRow[];
  readonly refunds: readonly RefundPayment[];
  readonly isSandbox: boolean;
  /** URL of the form that simulates the payment; undefined if the payment is real. */
  readonly simulateAt: string | undefined;
  /** Link for a wallet without SOL; undefined if the shop does not pay network fees. */
  readonly sponsoredAt: string | undefined;
  /** What a wallet in the browser is asked to sign; undefined where wallets send their payments themselves. */
  readonly wallet: WalletOffer | undefined;
  readonly shopName: string;
  /** Address of the shop, for the way back. */
  readonly website: string | undefined;
}

interface WalletOffer extends Pick<WalletRequest, 'requirement' | 'typedData'> {
  /** Path that takes the signed payment. */
  readonly at: string;
}

/** @param wrong what the buyer sent in the form, and why it was refused */
export function paymentPage(language: PageLanguage, order: PagedOrder, wrong?: WrongAddress): Html {
  const texts = textsIn(language);
  const situation = situationOf(order.row);
  const [title, what] = texts.situations[situation];
  // A form that is being filled in is not replaced.
  const isLast = isOver(situation) && (needsAddress(order) || !order.refunds.some(isUnderWay));
  return document(language, title, {
    above: html`<header><p class="shop">${order.shopName}</p>${order.isSandbox ? html`<p class="test">${texts.testMoney}</p>` : ''}</header>`,
    main: html`<main data-version="${versionOf(order)}"${isLast ? html` data-over` : ''}>
<h1 tabindex="-1">${title}</h1>
<p>${what}</p>
${isPayable(situation) ? request(texts, order) : ''}
<dl>
${receivedRow(texts, order)}
${order.refunds.map((refund) => refundRow(texts, refund, hasSecretKey(order.row)))}
${row(texts.goods, html`<span>${goods(order)}</span>`)}
${row(texts.order, html`<code>${order.row.pageId}</code>`)}
</dl>
${isOver(situation) && needsAddress(order) ? refundForm(language, order, wrong) : ''}
${isOver(situation) && order.website !== undefined ? html`<p><a href="${order.website}">${texts.back.replace('{}', order.shopName)}</a></p>` : ''}
${isLast ? '' : html`<noscript><p><a href="">${texts.reload}</a></p></noscript>`}
</main>`,
    // Without scripts the browser reloads the page while the order can still change.
    head: isLast ? '' : html`<noscript><meta http-equiv="refresh" content="15"></noscript>`,
  });
}

/** Changes with everything that the page shows. */
function versionOf({ row: order, refunds }: PagedOrder): string {
  return [order.version, ...refunds.map(refundState)].join('.');
}

/** Whether the shop sends it without the buyer. */
function isUnderWay({ recipient, state }: RefundPayment): boolean {
  return recipient !== null && (state === 'open' || state === 'sending');
}

export function unknownOrderPage(language: PageLanguage): Html {
  const [title, what] = textsIn(language).unknown;
  const main = html`<main data-over><h1 tabindex="-1">${title}</h1><p>${what}</p></main>`;
  return document(language, title, { main, head: '', above: '' });
}

interface Parts {
  readonly head: Html | string;
  readonly above: Html | string;
  readonly main: Html;
}

function document(language: PageLanguage, title: string, { head, above, main }: Parts): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}
<link rel="stylesheet" href="/pay/style.css">
<script src="/pay/live.js" defer></script>
</head>
<body>
${above}
${main}
<p id="news" class="spoken" role="status"></p>
</body>
</html>
`;
}

/** How to pay the order: amount, address, QR code, link; or the button that simulates a payment. */
function request(texts: PageTexts, paged: PagedOrder): Html {
  const { row: order, payment, simulateAt, sponsoredAt, wallet, isSandbox } = paged;
  const { missing_amount: missing, coin, wallet_address: address } = payment;
  const amount = missing ?? payment.coin_amount ?? '';
  const uri = (missing ? payment.missing_amount_qr_text : payment.qr_text) ?? undefined;
  const spoken = `${texts.qr}: ${amount} ${coin ?? ''}, ${address ?? ''}`;
  return html`<dl>
${copied(texts, missing ? texts.missing : texts.amount, { text: amount, unit: coin ?? '', isLarge: true })}
${payment.network === undefined ? '' : row(texts.network, html`<span>${networkName(coin, payment.network)}</span>`)}
${address === undefined ? '' : copied(texts, texts.address, { text: address })}
</dl>
${
  uri === undefined
    ? ''
    : html`<img src="${pictureOf(uri)}" alt="${spoken}" width="224" height="224">
<a class="pay" href="${uri}">${texts.openWallet}</a>`
}
${sponsoredAt === undefined ? '' : html`<p><a href="${sponsoredAt}">${texts.withoutSol}</a></p>`}
${wallet === undefined ? '' : walletButtons(texts, wallet, isSandbox)}
${simulateAt === undefined ? '' : html`<form method="post" action="${simulateAt}"><button>${texts.simulate}</button></form>`}
<p class="soft">${texts.until} ${until(texts, order.windowEndsAtMs)}. ${texts.exactly}</p>`;
}

/** Scripts fill it with a button for each wallet of the browser. */
function walletButtons({ wallet: texts }: PageTexts, offer: WalletOffer, isSandbox: boolean): Html {
  return html`<div id="wallet" hidden data-offer="${JSON.stringify(offer)}" data-pay="${texts.pay}" data-any="${texts.any}" data-sent="${texts.sent}" data-failed="${texts.failed}">
${isSandbox ? html`<p class="soft">${texts.testOnly}</p>` : ''}
<p class="wrong" role="alert"></p>
</div>`;
}

/** Relative, so that it is loaded from the page's own origin under any host name. */
function pictureOf(uri: string): string {
  return qrUrl('', uri, 'svg');
}

function until({ left }: PageTexts, atMs: number): Html {
  const at = new Date(atMs).toISOString();
  const plain = `${at.slice(11, 16)} UTC`;
  return html`<time id="until" datetime="${at}" data-left="${left}">${plain}</time>`;
}

function row(name: string, value: Html): Html {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

interface Copied {
  readonly text: string;
  readonly unit?: string;
  readonly isLarge?: boolean;
}

/** Scripts show the button; without them a click selects the whole text. */
function copied(
  texts: PageTexts,
  name: string,
  { text, unit = '', isLarge = false }: Copied,
): Html {
  return html`<dt>${name}</dt><dd${isLarge ? html` class="large"` : ''}><span><code>${text}</code> ${unit}</span>
<button type="button" hidden data-copy="${text}" data-done="${texts.copied}" aria-label="${texts.copy}: ${name}">${texts.copy}</button></dd>`;
}

function receivedRow(texts: PageTexts, { payment }: PagedOrder): Html | string {
  const { received_amount: received, coin } = payment;
  if (received === null || received === undefined) return '';
  return row(texts.received, html`<span>${received} ${coin ?? ''}</span>`);
}

/** Characters of a transaction id; the whole is its title. */
const SHOWN = 8;

function refundRow(texts: PageTexts, refund: RefundPayment, isAsked: boolean): Html {
  const amount = formatDecimal(parseAtomic(refund.amountAtomic), refund.decimals);
  const to =
    refund.recipient === null
      ? html`${isAsked ? texts.refundForm.missing : texts.refundNeedsAddress}`
      : html`${refund.recipient}, ${refundText(texts, refund)}`;
  return row(texts.refund, html`<span>${amount} ${refund.coin}: ${to}</span>`);
}

function refundText({ refundStates }: PageTexts, refund: RefundPayment): Html {
  const { transaction } = refund;
  const text = refundStates[refundState(refund)];
  if (transaction === null) return html`${text}`;
  return html`${text} <code title="${transaction}">${transaction.slice(0, SHOWN)}…</code>`;
}

function refundState({ state, waitsFor }: RefundPayment): keyof PageTexts['refundStates'] {
  return state === 'open' && waitsFor === 'account' ? 'account' : state;
}

/** What the form sent, and why it was refused. */
export interface WrongAddress {
  readonly address: string;
  readonly refusal: WireErrorCode;
}

/** Without a key of its own an order has nothing by which its buyer is known: the shop names the address. */
function needsAddress({ row: order, refunds }: PagedOrder): boolean {
  if (!hasSecretKey(order)) return false;
  return refunds.some(({ recipient, state }) => recipient === null && state === 'open');
}

function refundForm(
  language: PageLanguage,
  { row: { pageId, coin, network } }: PagedOrder,
  wrong: WrongAddress | undefined,
): Html {
  const texts = textsIn(language).refundForm;
  const label = `${texts.address} (${coin}, ${networkName(coin, network ?? '')})`;
  return html`<form method="post" action="${refundFormPath(pageId)}?lang=${language}">
<p>${texts.what}</p>
${wrong === undefined ? '' : html`<p class="wrong" role="alert">${texts.wrong[wrong.refusal] ?? texts.failed}</p>`}
<label>${label}<input name="address" value="${wrong?.address ?? ''}" required maxlength="2048" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<label>${texts.key}<input name="order_key" type="password" required maxlength="255" autocomplete="off"></label>
<p class="soft">${texts.whereKey}</p>
<button>${texts.send}</button>
</form>`;
}

/** Each product once, with its count. */
function goods({ deliveries }: PagedOrder): string {
  const counts = new Map<string, number>();
  for (const { goods: line } of deliveries) {
    const name = nameOf(decodeLine(line));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(', ');
}

/** The name of a range has its limits, and not what was chosen. */
function nameOf({ product, faceValue }: Pick<PricedLine, 'product' | 'faceValue'>): string {
  const { name, denomination, brand } = product;
  if (!denomination.isRange) return name;
  return `${brand.name} ${formatFaceValue(faceValue)} ${brand.currency}`;
}
