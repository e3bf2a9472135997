/** Spanish: carts and batches. */
import type { Catalogue } from '../translate.ts';

export const BATCHES: Catalogue = {
  'the wallet {0} holds {1} USDC, and the cart costs {2}; nothing was sent':
    'el monedero {0} tiene {1} USDC y el carrito cuesta {2}; no se envió nada',
  'Pay up to {0} USDC for {1}?': '¿Pagar hasta {0} USDC por {~1}?',
  '{0} lines': '{0} líneas',
  '{0} orders': '{0} pedidos',
  '{0} items': '{0} artículos',
  'you declined; nothing was charged': 'usted no aceptó; no se cobró nada',
  Items: 'Artículos',
  Orders: 'Pedidos',
  Merchant: 'Comerciante',
  'the embedded sandbox': 'el sandbox integrado',
  Price: 'Precio',
  'At most': 'Como máximo',
  '{0} USDC on Solana': '{0} USDC en Solana',
  Left: 'Queda',
  '{0} USDC by the policy in 24 hours': '{0} USDC según la política en 24 horas',
  'line {0} of the cart names no {1}': 'la línea {0} del carrito no indica {1}',
  'Fill the column {0}, or name it for all lines with --{1}.':
    'Rellene la columna {0}, o indíquela para todas las líneas con --{1}.',
  '{0} of {1} would be bought in {2} for {3} USDC':
    'se comprarían {0} de {~1} en {~2} por {3} USDC',
  'Nothing was sent. {0}.': 'No se envió nada: {~0}.',
  '{0} of {1} bought in {2} for {3} USDC.': 'Compradas {0} de {~1} en {~2} por {3} USDC.',
  '1 of them was bought before; to buy the same again, use an --idempotency-key of its own.':
    '1 de ellas ya estaba comprada; para comprar lo mismo otra vez, use una --idempotency-key propia.',
  '{0} of them were bought before; to buy the same again, use an --idempotency-key of its own.':
    '{0} de ellas ya estaban compradas; para comprar lo mismo otra vez, use una --idempotency-key propia.',
  'not bought: {0} of {1}': 'sin comprar: {0} de {~1}',
  'Correct those lines and run it again: what was bought is not bought twice.':
    'Corrija esas líneas y ejecútelo otra vez: lo comprado no se compra dos veces.',
  'What failed was paid, and is not bought again: contact the merchant with the order ids of those lines.':
    'Lo que falló está pagado y no se vuelve a comprar: escriba al comerciante con los números de pedido de esas líneas.',
  'Stopped; bought: {0} of {1}': 'Detenido; compradas: {0} de {~1}',
  'Run the same command again to go on: what was bought is not bought twice.':
    'Ejecute la misma orden otra vez para continuar: lo comprado no se compra dos veces.',
  'Limit a cart with --max-total.': 'Limite un carrito con --max-total.',
  'Follow the orders of a cart with: scrip track --all':
    'Siga los pedidos de un carrito con: scrip track --all',
  'name a product, or a cart with --cart': 'indique un producto, o un carrito con --cart',
  'Name a cart with --cart.': 'Indique un carrito con --cart.',
  '{0} is not for this order': '{0} no es para este pedido',
  'required option not given: --email': 'falta la opción obligatoria: --email',
  'A cart has many recipients: say where the merchant reaches you.':
    'Un carrito tiene muchos destinatarios: indique dónde le contacta el comerciante.',
  '--concurrency "{0}" is not a number from 1 to {1}':
    '--concurrency «{0}» no es un número de 1 a {1}',
  '--limit "{0}" is not a number from 1 to {1}': '--limit «{0}» no es un número de 1 a {1}',
  '--count "{0}" is not a number from 1 to {1}': '--count «{0}» no es un número de 1 a {1}',
  'the cart has no commas: something else stands between its fields':
    'el carrito no tiene comas: hay otra cosa entre sus campos',
  'Save the file as comma-separated values.': 'Guarde el archivo como valores separados por comas.',
  Checking: 'Comprobando',
  'a payment of this wallet has lost its record, and may have been one for this cart; nothing was sent':
    'un pago de este monedero ha perdido su registro y pudo ser de este carrito; no se envió nada',
  'See scrip orders show {0}. If it was for something else, add --allow-duplicate.':
    'Vea scrip orders show {0}. Si era para otra cosa, añada --allow-duplicate.',
  Buying: 'Comprando',
  ' and {0} more': ' y {0} más',
  'The order {0} of this cart cannot be read': 'El pedido {0} de este carrito no se puede leer',
  'the cart costs {0} USDC, more than the {1} allowed; nothing was sent':
    'el carrito cuesta {0} USDC, más de los {1} permitidos; no se envió nada',
  'Raise --max-total if the price is right for you.':
    'Aumente --max-total si el precio le conviene.',
  'about {0} left': 'quedan unos {0}',
  'the merchant gives no reason': 'el comerciante no da ningún motivo',
  LINE: 'LÍNEA',
  STATUS: 'ESTADO',
  TO: 'PARA',
  AMOUNT: 'IMPORTE',
  ORDER: 'PEDIDO',
  CODE: 'CÓDIGO',
  TRANSACTION: 'TRANSACCIÓN',
  FIELD: 'CAMPO',
  ERROR: 'ERROR',
  'Do not pay again. Run the same command again: what was bought is told, not bought twice.':
    'No pague de nuevo. Ejecute la misma orden otra vez: lo comprado se muestra, no se compra dos veces.',
  ' and others': ' y otras',
  '{0} of {1} cannot be bought: {2} {3}{4}; nothing was sent':
    '{0} de {~1} no se pueden comprar: {2} {~3}{~4}; no se envió nada',
  'the cart is empty': 'el carrito está vacío',
  'a cart of {0} lines is more than {1}': 'un carrito de {0} líneas supera las {1}',
  'the cart is not JSON': 'el carrito no es JSON',
  'the cart': 'el carrito',
  'line {0} of the cart': 'la línea {0} del carrito',
  '{0} is not JSON': '{~0} no es JSON',
  'is not an object': 'no es un objeto',
  'has a "{0}" that is neither text nor a number': 'tiene «{0}», que no es texto ni número',
  'has the unknown field "{0}"': 'tiene el campo desconocido «{0}»',
  'names "{0}" twice': 'indica «{0}» dos veces',
  'has a "{0}" of more than {1} characters': 'tiene «{0}» de más de {1} caracteres',
  'has {0} fields': 'tiene {0} campos',
  'names the unknown column "{0}"': 'indica la columna desconocida «{0}»',
  'names a column twice': 'indica una columna dos veces',
  'has a quote where none may stand': 'tiene una comilla donde no puede haberla',
  'names no product': 'no indica ningún producto',
  'has the quantity "{0}", which is not a whole number from 1 to 999':
    'tiene la cantidad «{0}», que no es un número entero de 1 a 999',
  'line {0} of the cart {1}': 'la línea {0} del carrito {~1}',
  'Write product_id,to,value,quantity on each line, or JSON such as {"product_id":"…","to":"…"}.':
    'Escriba product_id,to,value,quantity en cada línea, o JSON como {"product_id":"…","to":"…"}.',
  '"{0}" is not a quantity from 1 to 999': '«{0}» no es una cantidad de 1 a 999',
  'nobody is named to receive {0}': 'no se indica quién recibe {0}',
  'Name the beneficiary with --to, or in the column "to" of the cart.':
    'Indique el beneficiario con --to, o en la columna «to» del carrito.',
  'there is no country "{0}"': 'no hay ningún país «{0}»',
};
