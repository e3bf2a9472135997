/** Spanish: the partner API as it is shown. */
import type { Catalogue } from '../translate.ts';

export const PARTNER: Catalogue = {
  'order {0} is at {1}': 'el pedido {0} está en {1}',
  'To go on with the same order: {0}': 'Para seguir con el mismo pedido: {0}',
  'To pay it there: scrip pay {0} --checkout-url {1}':
    'Para pagarlo allí: scrip pay {0} --checkout-url {1}',
  'from scrip order --via partner': 'de scrip order --via partner',
  'do not ask; needs --max-amount': 'no pregunta; necesita --max-amount',
  'pay at most this, in the coin of the order': 'paga como máximo esto, en la moneda del pedido',
  'pay only this part now': 'paga ahora solo esta parte',
  'pay what the merchant misses, though a part was paid from elsewhere':
    'paga lo que le falta al comerciante, aunque una parte se pagó desde otro lugar',
  'pay for opening the recipient’s account as well, where it has none':
    'paga también la apertura de la cuenta del destinatario, si no la tiene',
  'pay nothing; show amount, address, payment URI and a QR code':
    'no paga nada; muestra importe, dirección, URI de pago y un código QR',
  'return when the payment is final, before the goods are there':
    'vuelve cuando el pago es definitivo, antes de que llegue lo comprado',
  'how long to wait for the goods': 'cuánto se espera lo comprado',
  'off a terminal a payment needs {0}: nobody can be asked':
    'fuera de un terminal un pago necesita {0}: no se puede preguntar a nadie',
  'Add {0}, or --show to pay by hand.': 'Añada {0}, o --show para pagar a mano.',
  'The order is valid': 'El pedido es válido',
  'The order has problems': 'El pedido tiene problemas',
  '{0} {1} on {2}': '{0} {1} en {2}',
  'not known': 'desconocido',
  Problem: 'Problema',
  Meaning: 'Significado',
  Details: 'Detalles',
  'Order {0} is {1} (payment: {2})': 'El pedido {0} está en {1} (pago: {2})',
  'The stream ended ({0}); reading again in {1} s':
    'El flujo terminó ({~0}); se leerá de nuevo en {1} s',
  'the price is {0} {1}, more than the {2} allowed':
    'el precio es {0} {1}, más de los {2} permitidos',
  'the price "{0}" is not an amount': 'el precio «{0}» no es un importe',
  '--pay cannot send {0} on {1}: this wallet has USDC and SOL on Solana':
    '--pay no puede enviar {0} en {1}: este monedero tiene USDC y SOL en Solana',
  'Leave --pay out; the order then shows address, payment URI and QR code.':
    'Quite --pay; el pedido muestra entonces dirección, URI de pago y código QR.',
  'the wallet {0} holds {1} {2}, and the price is {3}':
    'el monedero {0} tiene {1} {2} y el precio es {3}',
  'Put {0} into the wallet; in the sandbox: scrip wallet fund':
    'Ponga {0} en el monedero; en el sandbox: scrip wallet fund',
  'Nothing was sent; this is what would be ordered': 'No se envió nada; esto es lo que se pediría',
  'Make this order and pay up to {0} {1}?': '¿Hacer este pedido y pagar hasta {0} {1}?',
  'Make this order, to be paid with {0} {1}?': '¿Hacer este pedido, que se paga con {0} {1}?',
  'you declined; no order was made': 'usted no aceptó; no se hizo ningún pedido',
  'nowhere: name a wallet with --refund-wallet':
    'a ningún sitio: indique un monedero con --refund-wallet',
  'Making the order': 'Haciendo el pedido',
  'Pay {0}{1}?': '¿Pagar {0}{~1}?',
  'you declined; nothing was paid': 'usted no aceptó; no se pagó nada',
  'The order stays as it is. To pay it: scrip pay {0}':
    'El pedido sigue como está. Para pagarlo: scrip pay {0}',
  '{0} {1} are asked for, more than the {2} allowed': 'se piden {0} {1}, más de los {2} permitidos',
  '{0} has no account for {1}{2}': '{0} no tiene cuenta para {1}{~2}',
  'Add --open-account to pay for it as well.': 'Añada --open-account para pagarla también.',
  " and {0} SOL to open the recipient's account":
    ' y {0} SOL para abrir la cuenta del destinatario',
  Amount: 'Importe',
  Network: 'Red',
  To: 'Para',
  'it is not known yet whether the payment was made: {0}':
    'todavía no se sabe si el pago se hizo: {~0}',
  'Do not pay again otherwise. Run: scrip pay {0}':
    'No pague de nuevo de otra forma. Ejecute: scrip pay {0}',
  'the payment is on the chain, and the merchant has not said so':
    'el pago está en la cadena y el comerciante aún no lo ha confirmado',
  'Do not pay again. Send the merchant the order id {0} and the transactions.':
    'No pague de nuevo. Envíe al comerciante el id del pedido {0} y las transacciones.',
  'this machine did not make the order, so nothing says what it should cost':
    'este pedido no se hizo en esta máquina, así que nada dice lo que debería costar',
  'To pay it by hand, see: scrip pay {0} --show': 'Para pagarlo a mano, vea: scrip pay {0} --show',
  'To pay what the merchant says is missing: scrip pay {0} --missing':
    'Para pagar lo que el comerciante dice que falta: scrip pay {0} --missing',
  'Who agrees to that can say so on a terminal, without --yes: scrip pay {0}':
    'Quien lo acepte puede decirlo en un terminal, sin --yes: scrip pay {0}',
  'a part of nothing cannot be paid': 'no se puede pagar una parte de cero',
  'transfers on {0} are not known here': 'aquí no se conocen las transferencias en {0}',
  'The order is made. Run: scrip track {0}': 'El pedido está hecho. Ejecute: scrip track {0}',
  'The payment window is over: send no money now. Place a new order.':
    'El plazo de pago ha terminado: no envíe dinero ahora. Haga un pedido nuevo.',
  Payment: 'Pago',
  Received: 'Recibido',
  Transaction: 'Transacción',
  Missing: 'Falta',
  Send: 'Envíe',
  'Payment URI': 'URI de pago',
  'Checkout page': 'Página de pago',
  'Pay it at {0} Then: scrip track {1}': 'Páguelo en {0} Después: scrip track {1}',
  'any wallet, or by: scrip pay {0}': 'cualquier monedero, o con: scrip pay {0}',
  'any wallet': 'cualquier monedero',
  'Pay it with {0}. Then: scrip track {1}': 'Páguelo con {~0}. Después: scrip track {1}',
  Code: 'Código',
  Serial: 'Serie',
  expired: 'ha caducado',
  'was canceled': 'se canceló',
  'was refunded': 'se reembolsó',
  'could not be set up for payment': 'no pudo prepararse para el pago',
  'waits for the merchant’s support': 'espera a la atención al cliente del comerciante',
  'order {0} {1} (payment: {2})': 'el pedido {0} {~1} (pago: {2})',
  'A payment was seen: ask the merchant for the refund, with the order id.':
    'Se vio un pago: pida el reembolso al comerciante, con el id del pedido.',
  'order {0} is {1} (payment: {2})': 'el pedido {0} está en {1} (pago: {2})',
  'To pay it: scrip pay {0}. To go on waiting: scrip track {1}':
    'Para pagarlo: scrip pay {0}. Para seguir esperando: scrip track {1}',
  'The merchant’s support is handling order {0}. Do not pay again; look later: scrip track {1}':
    'La atención al cliente del comerciante se ocupa del pedido {0}. No pague de nuevo; mírelo más tarde: scrip track {1}',
  'order {0} was closed with 1 product undelivered':
    'el pedido {0} se cerró con 1 producto sin entregar',
  'order {0} was closed with {1} products undelivered':
    'el pedido {0} se cerró con {1} productos sin entregar',
  'which side of the merchant to ask (default: checkout)':
    'a qué lado del comerciante se pregunta (por defecto: checkout)',
  'coin to pay in (default: {0}); see scrip vias':
    'moneda en la que se paga (por defecto: {0}); vea scrip vias',
  'network to pay on (default: Solana where the coin has it)':
    'red en la que se paga (por defecto: Solana si la moneda la tiene)',
  'way to pay (default: from a wallet of yours)':
    'forma de pago (por defecto: desde un monedero propio)',
  'coupon of the merchant': 'cupón del comerciante',
  'Pay in another coin: scrip vias': 'Pague en otra moneda: scrip vias',
  'Pay on another network: scrip vias --coin <coin>': 'Pague en otra red: scrip vias --coin <coin>',
  'The merchant gives no meaning that is known here':
    'El comerciante no da ningún significado que se conozca aquí',
  'Ask the merchant.': 'Pregunte al comerciante.',
  'the order has {0}: {1}': 'el pedido tiene {~0}: {~1}',
  '{0} problems': '{0} problemas',
  'Order made, no payment activity yet': 'Pedido hecho, aún sin actividad de pago',
  'Awaiting the crypto payment; the payment window is open':
    'A la espera del pago en criptomoneda; el plazo de pago está abierto',
  'Transaction broadcast, not yet confirmed': 'Transacción difundida, aún sin confirmar',
  'The payment attempt failed, for example on chain':
    'El intento de pago falló, por ejemplo en la cadena',
  'The payment could not be set up, for example a provider or quote failure':
    'El pago no se pudo preparar, por ejemplo por un fallo del proveedor o de la cotización',
  'Awaiting the NFT cards that pay for part of the order':
    'A la espera de las tarjetas NFT que pagan una parte del pedido',
  'The NFT cards were spent': 'Las tarjetas NFT se gastaron',
  'Payment confirmed on chain, delivery not started':
    'Pago confirmado en la cadena, entrega sin empezar',
  'Payment confirmed, queued for delivery': 'Pago confirmado, en cola para la entrega',
  'Awaiting the coupon that pays for part of the order':
    'A la espera del cupón que paga una parte del pedido',
  'Refunded to the customer': 'Reembolsado al cliente',
  'Staff intervention needed; support is handling it':
    'Hace falta que intervenga una persona; la atención al cliente se ocupa',
  'Fully delivered': 'Entregado por completo',
  'The payment window elapsed without a valid payment; a new order must be created':
    'El plazo de pago terminó sin un pago válido; hay que hacer un pedido nuevo',
  'Canceled by the user': 'Cancelado por el usuario',
  'A destination wallet was asked for': 'Se pidió un monedero de destino',
  'The destination wallet exists': 'El monedero de destino existe',
  'The amount and the address were given to the user':
    'Se dieron al usuario el importe y la dirección',
  'A transaction was seen, not yet confirmed': 'Se vio una transacción, aún sin confirmar',
  'The transaction is being checked': 'La transacción se está comprobando',
  'The transaction is held by compliance': 'La transacción está retenida por cumplimiento',
  'The full payment is confirmed': 'El pago completo está confirmado',
  'Less than the required amount was paid': 'Se pagó menos del importe necesario',
  'The payment failed': 'El pago falló',
  'The window is closing; a last look for a payment':
    'El plazo se cierra; una última búsqueda del pago',
  'The window is closing with a payment seen but not complete':
    'El plazo se cierra con un pago visto pero incompleto',
  'The window closed without a payment': 'El plazo se cerró sin ningún pago',
  'The window closed with a payment seen; a refund case':
    'El plazo se cerró con un pago visto; procede un reembolso',
  'The user canceled': 'El usuario canceló',
  'Leave the coupon out, or use another one.': 'Quite el cupón, o use otro.',
  'The order total is below the minimum of the coin':
    'El total del pedido está por debajo del mínimo de la moneda',
  'Order more, or pay in another coin.': 'Pida más, o pague en otra moneda.',
  'The order total is above the maximum per order':
    'El total del pedido supera el máximo por pedido',
  'Split the order.': 'Divida el pedido.',
  'The daily limit of the account tier is reached':
    'Se alcanzó el límite diario del nivel de la cuenta',
  'Wait a day, or verify the account for a higher tier.':
    'Espere un día, o verifique la cuenta para un nivel superior.',
  'The monthly limit of the account tier is reached':
    'Se alcanzó el límite mensual del nivel de la cuenta',
  'Wait, or verify the account for a higher tier.':
    'Espere, o verifique la cuenta para un nivel superior.',
  'More products than one order may hold': 'Más productos de los que admite un pedido',
  'More than one rate-limited product in the order': 'Más de un producto limitado en el pedido',
  'Order limited products one at a time.': 'Pida los productos limitados de uno en uno.',
  'The product is no longer in the catalogue': 'El producto ya no está en el catálogo',
  'Choose another product: scrip catalog': 'Elija otro producto: scrip catalog',
  'The product is out of stock': 'El producto está agotado',
  'Choose another denomination, or try later.': 'Elija otro valor, o inténtelo más tarde.',
  'The product is inactive or paused': 'El producto está inactivo o en pausa',
  'Choose another product, or try later.': 'Elija otro producto, o inténtelo más tarde.',
  'The beneficiary is of the wrong kind for the product':
    'El beneficiario no es de la clase que pide el producto',
  'Use an email for gift cards and eSIMs, a phone number such as +14155550123 for top-ups.':
    'Use un correo para tarjetas regalo y eSIM, un número de teléfono como +14155550123 para recargas.',
  'The payment via is not allowed for this order': 'La forma de pago no se permite en este pedido',
  'Choose one of those allowed: scrip vias': 'Elija una de las permitidas: scrip vias',
  'This coin cannot be paid on this network': 'Esta moneda no se puede pagar en esta red',
  'Choose a supported pair: scrip vias': 'Elija un par admitido: scrip vias',
  'The product needs a signed-in user': 'El producto necesita un usuario con sesión iniciada',
  'Sign in at the merchant, or choose another product.':
    'Inicie sesión en el comerciante, o elija otro producto.',
  'The coupon needs a signed-in user': 'El cupón necesita un usuario con sesión iniciada',
  'Sign in at the merchant, or leave the coupon out.':
    'Inicie sesión en el comerciante, o quite el cupón.',
  'The coupon does not exist': 'El cupón no existe',
  'Check its spelling.': 'Compruebe cómo está escrito.',
  'The coupon is not active yet': 'El cupón aún no está activo',
  'Wait until it starts.': 'Espere a que empiece.',
  'The coupon was already redeemed by this user': 'Este usuario ya canjeó el cupón',
  'The coupon was used as often as it may be': 'El cupón se usó tantas veces como se puede',
  'The coupon is past its validity date': 'El cupón ya no es válido por su fecha',
  'The order total is below the minimum of the coupon':
    'El total del pedido está por debajo del mínimo del cupón',
  'Order more, or leave the coupon out.': 'Pida más, o quite el cupón.',
  'The coupon is not valid for this user': 'El cupón no es válido para este usuario',
  'The coupon is not valid for the categories of these products':
    'El cupón no es válido para las categorías de estos productos',
  'The coupon is not valid for this kind of product':
    'El cupón no es válido para esta clase de producto',
  'The coupon is not valid for these brands': 'El cupón no es válido para estas marcas',
  'The coupon is not valid in this country': 'El cupón no es válido en este país',
  'The coupon is not valid for this store or region':
    'El cupón no es válido para esta tienda o región',
  'A verified account is needed, for these products or for this amount':
    'Hace falta una cuenta verificada, por estos productos o por este importe',
  'Complete identity verification in the account and try again.':
    'Complete la verificación de identidad en la cuenta e inténtelo de nuevo.',
  'Identity verification is in progress': 'La verificación de identidad está en curso',
  'Wait: usually 20 minutes, up to 48 hours.':
    'Espere: normalmente 20 minutos, 48 horas como máximo.',
  'Extra verification is needed before the order proceeds':
    'Hace falta una verificación adicional antes de que el pedido siga',
  'Follow what the merchant asks for and try again.':
    'Haga lo que pide el comerciante e inténtelo de nuevo.',
  'The coin is temporarily suspended': 'La moneda está suspendida temporalmente',
  'The network is temporarily suspended': 'La red está suspendida temporalmente',
};
