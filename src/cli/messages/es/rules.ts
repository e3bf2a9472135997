/** Spanish: rules about money, payments and goods. */
import type { Catalogue } from '../translate.ts';

export const RULES: Catalogue = {
  'is empty': 'está vacío',
  'has a space in it': 'tiene un espacio',
  'has no @': 'no tiene @',
  'has more than one @': 'tiene más de una @',
  'has nothing before the @': 'no tiene nada antes de la @',
  'has a dot where none may stand': 'tiene un punto donde no puede haberlo',
  'has characters before the @ that mail hosts do not take':
    'tiene antes de la @ caracteres que los servidores de correo no admiten',
  'has no valid domain after the @': 'no tiene un dominio válido después de la @',
  'the e-mail address "{0}" {1}': 'el correo «{0}» {~1}',
  'the e-mail address is {0} characters long, over {1}':
    'el correo tiene {0} caracteres, más de {1}',
  '"{0}" is a phone number; this product is sent to an e-mail address':
    '«{0}» es un número de teléfono; este producto se envía a un correo',
  'is an e-mail address; a top-up needs a number': 'es un correo; una recarga necesita un número',
  'does not start with + and the country code': 'no empieza con + y el código del país',
  'has characters that are not digits': 'tiene caracteres que no son cifras',
  'is not a number that any country has': 'no es un número de ningún país',
  'has no + and does not begin with the country code of {0}':
    'no lleva + ni empieza por el prefijo de {0}',
  'is not a number of the country {0}': 'no es un número del país {0}',
  'another country': 'otro país',
  'The country of {0} is {1}, the product’s is {2}. Buy it all the same?':
    'El país de {0} es {~1}, y el del producto es {2}. ¿Comprarlo de todos modos?',
  'The phone number’s country is {0}, the product’s is {1}; nothing was sent':
    'El país del número de teléfono es {~0}, y el del producto es {1}; no se envió nada',
  'The phone number’s country is {0}, the product’s is {1}. To order it all the same, add --allow-other-country.':
    'El país del número de teléfono es {~0}, y el del producto es {1}. Para pedirlo de todos modos, añada --allow-other-country.',
  'Lines for phones of another country than their product: {0}, such as line {1} ({2}, not {3}). Buy them all the same?':
    'Líneas para teléfonos de otro país que el de su producto: {0}, como la línea {1} ({~2}, no {3}). ¿Comprarlas de todos modos?',
  'the server may top up phones of other countries':
    'el servidor puede recargar teléfonos de otros países',
  'let it top up phones of other countries than the product’s':
    'deja que recargue teléfonos de otros países que el del producto',
  'top up a phone of another country than the product’s':
    'recarga un teléfono de otro país que el del producto',
  'the phone number "{0}" {1}': 'el número de teléfono «{0}» {~1}',
  'nested deeper than {0} levels': 'más de {0} niveles de anidamiento',
  'the number {0}': 'el número {0}',
  'a value of type {0}': 'un valor de tipo {0}',
  'JSON cannot hold {0}': 'JSON no puede contener {~0}',
  '"{0}" is not a fail point, or name:n of one': '«{0}» no es un punto de fallo, ni name:n de uno',
  '{0} is not an amount between 0 and 2^64 - 1': '{0} no es un importe entre 0 y 2^64 - 1',
  '"{0}" is not a whole number of atomic units':
    '«{0}» no es un número entero de unidades atómicas',
  'the amount {0} is too large': 'el importe {0} es demasiado grande',
  '"{0}" has more than {1} decimals': '«{0}» tiene más de {1} decimales',
  'The creation of this order was not written down here':
    'La creación de este pedido no se anotó aquí',
  'The amount {0} cannot be paid': 'El importe {0} no se puede pagar',
  '{0} was {1} and is now {2}': '{0} era {1} y ahora es {2}',
  'The order changed after it was made: {0}': 'El pedido cambió después de hacerse: {~0}',
  'The order asks for the {0} {1}, not {2}': 'El pedido pide {~0} {1}, y no {2}',
  'The order names no address to pay to': 'El pedido no indica ninguna dirección a la que pagar',
  'The payment would go to the paying wallet itself, {0}':
    'El pago iría al propio monedero que paga, {0}',
  '{0} is not the address of a wallet': '{0} no es la dirección de un monedero',
  'A transfer that was signed before may still land':
    'Una transferencia firmada antes todavía puede llegar',
  'The full amount was paid; the merchant has not said so yet':
    'Se pagó el importe completo; el comerciante aún no lo ha confirmado',
  'The merchant holds the order: {0}': 'El comerciante retiene el pedido: {0}',
  'The order expires although a payment was seen: {0}':
    'El pedido caduca aunque se vio un pago: {0}',
  'The merchant says it is paid: {0}': 'El comerciante dice que está pagado: {0}',
  'The order is over: {0}': 'El pedido ha terminado: {0}',
  'The merchant sees a payment on its way: {0}': 'El comerciante ve un pago en camino: {0}',
  'The merchant has a part of the amount that we did not send':
    'El comerciante tiene una parte del importe que no enviamos nosotros',
  'The order cannot be paid yet: {0}': 'El pedido todavía no se puede pagar: {0}',
  'The order asks for {0}, more than the {1} agreed on':
    'El pedido pide {0}, más de los {1} acordados',
  'The order does not wait for a payment: {0}': 'El pedido no espera ningún pago: {0}',
  'The payment window ends in {0} s, less than {1}':
    'El plazo de pago termina en {0} s, menos de {1}',
  'The merchant has not counted what was paid yet':
    'El comerciante aún no ha contado lo que se pagó',
  'The merchant misses {0}, which is not what we have left':
    'Al comerciante le falta {0}, que no es lo que nos queda',
  'The merchant was not told where to send money back to':
    'No se dijo al comerciante adónde devolver el dinero',
  'the scheme is not known': 'el esquema es desconocido',
  'it requires {0}': 'exige {0}',
  'the target is no address': 'el destino no es una dirección',
  'it calls something other than a transfer': 'llama a algo distinto de una transferencia',
  'the transfer names no address': 'la transferencia no indica ninguna dirección',
  'the amount is not a whole number of base units':
    'el importe no es un número entero de unidades base',
  'the amount is over 256 bits': 'el importe supera 256 bits',
  'it is not percent-encoded properly': 'la codificación con porcentajes no es correcta',
  '{0} stands more than once': '{0} aparece más de una vez',
  '{0} is not well-formed': '{0} no está bien formado',
  'This is no payment URI: {0}': 'Esto no es una URI de pago: {~0}',
  'The merchant takes {0}, not {1} on {2}': 'El comerciante acepta {0}, y no {1} en {2}',
  'The merchant takes the asset {0}, not {1}': 'El comerciante acepta el activo {0}, y no {1}',
  'The payment requirement is not valid: {0}': 'El requisito de pago no es válido: {0}',
  'The merchant asks for {0} atomic units, more than the {1} allowed':
    'El comerciante pide {0} unidades atómicas, más de las {1} permitidas',
  'The payment request expired at {0}; nothing was sent':
    'La solicitud de pago caducó a las {~0}; no se envió nada',
  'The payment requirement names no amount': 'El requisito de pago no indica ningún importe',
  'The payment requirement names two amounts, {0} and {1}':
    'El requisito de pago indica dos importes, {0} y {1}',
  '"{0}" is not an amount in atomic units': '«{0}» no es un importe en unidades atómicas',
  'The payment requirement asks for an amount of 0': 'El requisito de pago pide un importe de 0',
  'The merchant asks for the {0} {1}, not {2}': 'El comerciante pide {~0} {1}, y no {2}',
  'The payment requirement names no fee payer':
    'El requisito de pago no indica quién paga la comisión',
  'The merchant names our own wallet {0} as fee payer':
    'El comerciante indica nuestro propio monedero {0} como pagador de la comisión',
  'The merchant asks for a memo that is not plain ASCII of at most {0} characters':
    'El comerciante pide una nota que no es ASCII simple de {0} caracteres como máximo',
  'an unreadable time': 'una hora ilegible',
  'paid, and being delivered': 'pagado, y entregándose',
  'paid, and not delivered': 'pagado, y sin entregar',
  'not paid in time': 'no se pagó a tiempo',
  'made, and to be paid': 'hecho, y por pagar',
  'a payment was seen': 'se vio un pago',
  'too little was paid': 'se pagó de menos',
  'support is handling it': 'la atención al cliente se ocupa',
  'the money was given back': 'el dinero se devolvió',
  'paid, but not in time': 'pagado, pero no a tiempo',
  'canceled by the buyer': 'cancelado por el comprador',
  'made, and without a wallet yet': 'creado, y aún sin cartera',
  'made, and its wallet is there': 'creado, y su cartera ya existe',
  'its payment could not be set up': 'no se pudo preparar su pago',
  'NFT cards are to be spent': 'se van a gastar tarjetas NFT',
  'the NFT cards were spent': 'se gastaron las tarjetas NFT',
  'a coupon is being redeemed': 'se está canjeando un cupón',
  '{0} has the fixed face value {1} {2}, not {3}':
    '{0} tiene el valor nominal fijo {1} {2}, y no {3}',
  '{0} needs a face value: {1}': '{0} necesita un valor nominal: {~1}',
  '{0} is outside the range of {1}: {2}': '{0} está fuera del rango de {1}: {~2}',
  '{0} is not on the step of {1}: {2}': '{0} no respeta el incremento de {1}: {~2}',
  'asks for {0}, not {1}': 'pide {0}, y no {1}',
  '{0} ({1} atomic units)': '{0} ({1} unidades atómicas)',
  'no limit was named': 'no se indicó ningún límite',
  'at most {0}, and no amount to compare': 'como máximo {0}, y ningún importe con el que comparar',
  'within {0}': 'dentro de {0}',
  'above the {0} allowed': 'por encima de los {0} permitidos',
  'quoted {0}, and no amount to compare': 'cotizado {0}, y ningún importe con el que comparar',
  'as quoted, {0}': 'como se cotizó, {0}',
  '{0} bps {1} the quote of {2}': '{0} pb {~1} de la cotización de {2}',
  above: 'por encima',
  below: 'por debajo',
  'is the paying wallet itself': 'es el propio monedero que paga',
  '{0}, which no key belongs to': '{0}, al que no corresponde ninguna clave',
  'none is named': 'no se indica ninguno',
  '{0} cannot sign': '{0} no puede firmar',
  'none is asked for': 'no se pide ninguna',
  'is not plain ASCII of at most {0} characters':
    'no es ASCII simple de {0} caracteres como máximo',
  'nothing else': 'nada más',
  'in {0} s': 'en {0} s',
  'expired {0} s ago': 'caducó hace {0} s',
  'that looks like a key; on a command line others can read it, and the shell keeps it':
    'eso parece una clave; en una línea de órdenes otros pueden leerla, y el shell la guarda',
  'Take it for known to others if it was one. Name a file, or - for standard input; a file of such a name is ./<name>.':
    'Si lo era, dela por conocida. Indique un archivo, o - para la entrada estándar; un archivo con ese nombre es ./<name>.',
  'longer than {0} characters': 'tiene más de {0} caracteres',
  'not an address': 'no es una dirección',
  'has a user name or password in it': 'contiene un nombre de usuario o una contraseña',
  'not http(s)': 'no es http(s)',
  'not https': 'no es https',
  'on port {0}, not {1}': 'en el puerto {0}, y no {1}',
  'not on the public internet': 'no está en la red pública',
};
