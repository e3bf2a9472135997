/** Texts of the payment page in its languages. */
import type { PayoutRow } from '../../store/tables/refunds.ts';
import type { WireErrorCode } from '../http/replies.ts';
import type { Situation } from './situation.ts';

type Pair = readonly [title: string, what: string];
type Wrong = Readonly<Partial<Record<WireErrorCode, string>>>;

const ENGLISH = {
  // The situation, and what the buyer should do or expect.
  situations: {
    preparing: ['Preparing the payment', 'The address and the amount appear here in a moment.'],
    due: ['Send your payment', 'Send the exact amount to this address, on this network only.'],
    retry: ['The payment failed', 'Nothing was received. Send the payment again.'],
    partial: ['Part of the payment is missing', 'Send the missing amount to the same address.'],
    seen: ['Payment found', 'Waiting for the network to confirm it. You need not do anything.'],
    checking: ['Checking the payment', 'The payment was received and is being checked.'],
    held: ['The payment is on hold', 'Contact the shop and give the order number.'],
    closing: ['The time to pay is over', 'Checking once more for a payment. Send nothing now.'],
    paid: ['Paid', 'The payment is confirmed. Delivery is in progress.'],
    manual: ['The shop is handling your order', 'The shop has to act. You need not pay again.'],
    delivered: ['Delivered', 'The shop where you ordered has the codes, or sent them.'],
    closed: ['Closed', 'A part of the order was delivered; the rest is refunded.'],
    expired: ['The time to pay is over', 'Send nothing to the old address. Place a new order.'],
    late: ['The payment came late', 'The order has ended. What you sent is owed back to you.'],
    canceled: ['Canceled', 'The order was canceled. Send nothing to its address.'],
    refunded: ['Refund', 'The order ended with a refund. How far it is stands below.'],
    failed: ['The payment could not be set up', 'Place a new order, or choose another coin.'],
  } satisfies Readonly<Record<Situation, Pair>>,
  amount: 'Amount',
  missing: 'Missing amount',
  network: 'Network',
  address: 'Address',
  received: 'Received',
  order: 'Order',
  goods: 'You are buying',
  refund: 'Refund',
  refundNeedsAddress: 'Give the shop an address for the refund.',
  refundForm: {
    // In place of the recipient.
    missing: 'waits for your address',
    what: 'Name the address that the refund goes to. You can name it once.',
    address: 'Your address',
    key: 'Key of the order',
    whereKey: 'The Idempotency-Key of the order: the shop or program where you ordered has it.',
    send: 'Send the refund there',
    wrong: {
      order_key_wrong: 'This is not the key of the order.',
      refund_address_known: 'The order already has another address for refunds.',
      invalid_request:
        'The refund cannot be sent there. Name a wallet that has received this coin.',
    } satisfies Wrong as Wrong,
    failed: 'This did not work. Try again in a minute.',
  },
  // After the recipient; `sent` stands before the id of the transaction.
  refundStates: {
    open: 'not sent yet',
    account: 'not sent yet: this wallet has to receive the coin once before',
    sending: 'being sent',
    sent: 'sent in transaction',
    refused: 'not sent; ask the shop',
  } satisfies Readonly<Record<PayoutRow['state'] | 'account', string>>,
  copy: 'Copy',
  copied: 'Copied',
  openWallet: 'Open in a wallet',
  withoutSol: 'No SOL in your wallet? Pay without a network fee',
  wallet: {
    // `{}` is the name of a wallet, or `any`; in `failed` why.
    pay: 'Pay with {}, without a network fee',
    any: 'the wallet of this browser',
    sent: 'The payment was sent.',
    failed: 'Not paid: {}',
    testOnly:
      'Sign with a wallet of test money alone: what it signs here is valid on the real network too.',
  },
  qr: 'QR code of the payment',
  exactly: 'Fees of an exchange or a wallet come on top.',
  until: 'Pay until',
  // `{}` is the number of minutes.
  left: '{} min left',
  reload: 'Check again',
  // `{}` is the name of the shop.
  back: 'Back to {}',
  testMoney: 'Test shop: no real money moves here.',
  simulate: 'Pay with test money',
  unknown: ['No such order', 'Check the address of this page.'] satisfies Pair as Pair,
};

export type PageTexts = typeof ENGLISH;

const SPANISH: PageTexts = {
  situations: {
    preparing: ['Preparando el pago', 'La dirección y el importe aparecen aquí en un momento.'],
    due: ['Envíe su pago', 'Envíe el importe exacto a esta dirección, solo por esta red.'],
    retry: ['El pago falló', 'No se recibió nada. Envíe el pago de nuevo.'],
    partial: ['Falta una parte del pago', 'Envíe el importe que falta a la misma dirección.'],
    seen: ['Pago encontrado', 'Esperando a que la red lo confirme. No tiene que hacer nada.'],
    checking: ['Comprobando el pago', 'El pago se recibió y se está comprobando.'],
    held: ['El pago está retenido', 'Escriba a la tienda e indique el número de pedido.'],
    closing: ['El plazo de pago terminó', 'Se busca un pago por última vez. No envíe nada ahora.'],
    paid: ['Pagado', 'El pago está confirmado. La entrega está en curso.'],
    manual: [
      'La tienda se ocupa de su pedido',
      'La tienda debe actuar. No tiene que volver a pagar.',
    ],
    delivered: ['Entregado', 'La tienda donde hizo el pedido tiene los códigos, o los envió.'],
    closed: ['Cerrado', 'Se entregó una parte del pedido; el resto se reembolsa.'],
    expired: [
      'El plazo de pago terminó',
      'No envíe nada a la dirección anterior. Haga otro pedido.',
    ],
    late: ['El pago llegó tarde', 'El pedido terminó. Se le debe lo que envió.'],
    canceled: ['Cancelado', 'El pedido se canceló. No envíe nada a su dirección.'],
    refunded: ['Reembolso', 'El pedido terminó con un reembolso. Abajo se ve su estado.'],
    failed: ['No se pudo preparar el pago', 'Haga otro pedido, o elija otra moneda.'],
  },
  amount: 'Importe',
  missing: 'Importe que falta',
  network: 'Red',
  address: 'Dirección',
  received: 'Recibido',
  order: 'Pedido',
  goods: 'Su compra',
  refund: 'Reembolso',
  refundNeedsAddress: 'Dé a la tienda una dirección para el reembolso.',
  refundForm: {
    missing: 'espera su dirección',
    what: 'Indique la dirección a la que se envía el reembolso. Solo puede indicarla una vez.',
    address: 'Su dirección',
    key: 'Clave del pedido',
    whereKey: 'La Idempotency-Key del pedido: la tiene la tienda o el programa donde lo hizo.',
    send: 'Enviar ahí el reembolso',
    wrong: {
      order_key_wrong: 'Esta no es la clave del pedido.',
      refund_address_known: 'El pedido ya tiene otra dirección para reembolsos.',
      invalid_request:
        'El reembolso no se puede enviar ahí. Indique una cartera que haya recibido esta moneda.',
    },
    failed: 'No ha funcionado. Inténtelo de nuevo en un minuto.',
  },
  refundStates: {
    open: 'aún no enviado',
    account: 'aún no enviado: esta cartera debe recibir antes la moneda una vez',
    sending: 'enviándose',
    sent: 'enviado en la transacción',
    refused: 'no se envía; pregunte a la tienda',
  },
  copy: 'Copiar',
  copied: 'Copiado',
  openWallet: 'Abrir en una cartera',
  withoutSol: '¿Sin SOL en su cartera? Pague sin comisión de red',
  wallet: {
    pay: 'Pagar con {}, sin comisión de red',
    any: 'la cartera de este navegador',
    sent: 'El pago se envió.',
    failed: 'No se pagó: {}',
    testOnly:
      'Firme solo con una cartera de dinero de prueba: lo que firma aquí vale también en la red real.',
  },
  qr: 'Código QR del pago',
  exactly: 'Las comisiones de una plataforma o cartera se suman aparte.',
  until: 'Pague hasta',
  left: 'quedan {} min',
  reload: 'Comprobar de nuevo',
  back: 'Volver a {}',
  testMoney: 'Tienda de prueba: aquí no se mueve dinero real.',
  simulate: 'Pagar con dinero de prueba',
  unknown: ['No existe ese pedido', 'Compruebe la dirección de esta página.'],
};

const TEXTS = { en: ENGLISH, es: SPANISH } as const;
export type PageLanguage = keyof typeof TEXTS;

export function textsIn(language: PageLanguage): PageTexts {
  return TEXTS[language];
}

/** Returns the page's first language in `Accept-Language` (RFC 9110, 12.5.4), otherwise English. */
export function languageOf(asked: string | null, header: string | null): PageLanguage {
  const wanted = asked === null ? ranked(header ?? '') : [asked];
  const found = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage);
  return found ?? 'en';
}

function isLanguage(tag: string): tag is PageLanguage {
  return Object.hasOwn(TEXTS, tag);
}

function ranked(header: string): readonly string[] {
  const tags = header.split(',').map((part) => {
    const [tag = '', weight = ''] = part.split(';');
    return { tag: tag.trim(), weight: Number(/^\s*q=([\d.]+)/.exec(weight)?.[1] ?? 1) };
  });
  return tags.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag);
}
