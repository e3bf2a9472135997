/** Spanish: payments and orders under way. */
import type { Catalogue } from '../translate.ts';

export const PAYMENTS: Catalogue = {
  'The merchant would not take the order': 'El comerciante no aceptaría el pedido',
  'no time is left': 'no queda tiempo',
  '{0} answered {1} with something else than {2} ({3})':
    '{~0} respondió a {1} con algo distinto de {2} ({3})',
  '"{0}" is no identifier': '«{0}» no es un identificador',
  '"{0}" holds half of a character and cannot be asked for':
    '«{0}» contiene medio carácter y no se puede pedir',
  'this cart is being bought by another run (process {0}); nothing was sent':
    'otra ejecución está comprando este carrito (proceso {0}); no se envió nada',
  'No brand': 'Ninguna marca',
  '{0} has no product "{1}"': '{0} no tiene ningún producto «{1}»',
  'Run: scrip catalog --via partner --country <code> --brand <name>':
    'Ejecute: scrip catalog --via partner --country <code> --brand <name>',
  '{0} took the order without asking for a payment': '{0} aceptó el pedido sin pedir ningún pago',
  '{0} asks for a payment in no known form': '{0} pide un pago en una forma desconocida',
  'the merchant answered {0}{1}': 'el comerciante respondió {0}{1}',
  "the merchant's receipt is not readable: {0}": 'el recibo del comerciante no se puede leer: {0}',
  'silent for {0} ms': 'en silencio durante {0} ms',
  'closed here': 'cerrado aquí',
  'the connection ended': 'la conexión terminó',
  'a line of the stream is too long': 'una línea del flujo es demasiado larga',
  '{0} sent more than {1} bytes': '{0} envió más de {1} bytes',
  '{0} answered with a redirect': '{~0} respondió con una redirección',
  'Stopped while waiting for {0}': 'Detenido mientras se esperaba a {~0}',
  'did not answer within {0} ms': 'no respondió en {0} ms',
  'cannot be reached': 'no es accesible',
  'There is no stream of order {0} ({1})': 'No hay flujo del pedido {0} ({1})',
  'Stopped while following the order': 'Detenido mientras se seguía el pedido',
  'status {0}': 'estado {0}',
  'the server said stop': 'el servidor dijo que parase',
  '{0} asks for a payment by x402 version {1}': '{0} pide un pago con la versión {1} de x402',
  'Only version 2 of x402 is paid here. Ask the merchant for it, or use a client of that version.':
    'Aquí solo se paga con la versión 2 de x402. Pídala al comerciante o use un cliente de esa versión.',
  '{0} asks for a payment by the HTTP scheme {1}, not by x402':
    '{0} pide un pago con el esquema HTTP {1}, no con x402',
  'Only version 2 of x402 is paid here. Use a client of that protocol.':
    'Aquí solo se paga con la versión 2 de x402. Use un cliente de ese protocolo.',
  '{0} asks for no payment': '{0} no pide ningún pago',
  'Name an address that answers a GET with 402 and a payment requirement of x402 v2.':
    'Indique una dirección que responda a un GET con 402 y un requisito de pago de x402 v2.',
  '{0} on {1}': '{0} en {1}',
  '{0} for {1}; {2}': '{0} por {1}; {~2}',
  'has an account that can be credited': 'tiene una cuenta en la que se puede abonar',
  'The idempotency key "{0}" belongs to another order; nothing was sent':
    'La clave de idempotencia «{0}» es de otro pedido; no se envió nada',
  'Order {0} of the idempotency key "{1}" is over ({2}); nothing was paid now':
    'El pedido {0} de la clave de idempotencia "{1}" ha terminado ({2}); ahora no se pagó nada',
  'To order again, use another --idempotency-key.':
    'Para pedir otra vez, use otra --idempotency-key.',
  'The idempotency key "{0}" belongs to a purchase of which the journal was damaged; nothing was sent':
    'La clave de idempotencia «{0}» es de una compra cuyo diario se dañó; no se envió nada',
  'See what it came to: scrip orders show {0}. To buy again, use another key.':
    'Vea en qué quedó: scrip orders show {0}. Para comprar otra vez, use otra clave.',
  'This key has paid before, in {0}: finishing that purchase':
    'Con esta clave ya se pagó, en {0}: se termina esa compra',
  'A payment may be under way. Do not pay again. Free disk space or mend the state folder, then run: scrip orders resume {0}':
    'Puede haber un pago en curso. No pague de nuevo. Libere espacio en el disco o arregle la carpeta de estado y después ejecute: scrip orders resume {0}',
  '{0} for {1} was ordered at {2} already; nothing was sent':
    '{0} para {1} ya se pidió el {2}; no se envió nada',
  'To see it: scrip orders. To buy it again, add --allow-duplicate.':
    'Para verlo: scrip orders. Para comprarlo otra vez, añada --allow-duplicate.',
  'payments on {0} cannot be listed': 'los pagos en {0} no se pueden enumerar',
  'Reading the payments of this wallet from the chain':
    'Leyendo de la cadena los pagos de este monedero',
  'found on the chain': 'encontrado en la cadena',
  'Waiting until nothing that was signed before can land any more (about 80 s)':
    'Esperando hasta que nada de lo firmado antes pueda llegar ya (unos 80 s)',
  'its records were damaged, and no payment is theirs':
    'sus registros se dañaron y ningún pago es suyo',
  'a payment of this wallet; what was bought with it is lost with its records':
    'un pago de este monedero; lo que se compró con él se perdió con sus registros',
  'nothing to restore': 'nada que restaurar',
  'a payment of this wallet that no record explains; the host is not known, {0} was asked':
    'un pago de este monedero que ningún registro explica; no se conoce el host, se preguntó a {0}',
  'unknown purchase': 'compra desconocida',
  'its record is lost, and more payments than one may be its own; the others: {0}':
    'su registro se perdió y más de un pago puede ser el suyo; los otros: {0}',
  '{0} answered {1}{2}': '{~0} respondió {1}{2}',
  'The order of a record is not readable: {0}': 'El pedido de un registro no se puede leer: {0}',
  'The merchant did not take the order': 'El comerciante no aceptó el pedido',
  'The reply to the order was lost: it may exist, unpaid ({0})':
    'La respuesta al pedido se perdió: puede existir, sin pagar ({~0})',
  'Nothing was paid. Run the same command with --idempotency-key {0}: it asks for the same order, never for a second one.':
    'No se pagó nada. Ejecute la misma orden con --idempotency-key {0}: pide el mismo pedido, nunca un segundo.',
  'Stopped while waiting': 'Detenido durante la espera',
  'Run the command again to go on.': 'Ejecute la orden otra vez para continuar.',
  'The chain did not take the payment in time; nothing was charged':
    'La cadena no aceptó el pago a tiempo; no se cobró nada',
  'Signing for {0} {1}': 'Firmando por {0} {1}',
  'Stopped after the payment was signed': 'Detenido después de firmar el pago',
  'A payment may be under way. Run: scrip pay {0}':
    'Puede haber un pago en curso. Ejecute: scrip pay {0}',
  'no address is on the order; the merchant keeps what it owes back until you name it one':
    'no hay ninguna dirección en el pedido; el comerciante retiene lo que le debe hasta que usted le indique una',
  'This wallet cannot send {0} on {1}': 'Este monedero no puede enviar {0} en {1}',
  'Pay it from a wallet that can: scrip pay {0} --show prints amount, address and QR code.':
    'Páguelo desde un monedero que pueda: scrip pay {0} --show muestra importe, dirección y código QR.',
  'The payment expired unused; nothing was charged': 'El pago caducó sin usarse; no se cobró nada',
  'the merchant refused the payment: {0}': 'el comerciante rechazó el pago: {0}',
  'what was signed expired before the merchant took it, or nothing was signed':
    'lo firmado caducó antes de que el comerciante lo aceptara, o no se firmó nada',
  'this was bought before, and its codes were forgotten':
    'esto ya se compró, y sus códigos se borraron',
  'The sealed order is not readable: {0}': 'El pedido sellado no se puede leer: {0}',
  'A payment may be under way. Do not pay again. Run: scrip orders resume {0}':
    'Puede haber un pago en curso. No pague de nuevo. Ejecute: scrip orders resume {0}',
  'Stopped. Paid or being paid; order {0} waits for delivery':
    'Detenido. Pagado o pagándose; el pedido {0} espera la entrega',
  'Do not pay again. Run: scrip track {0}': 'No pague de nuevo. Ejecute: scrip track {0}',
  '{0} is sold at a value that you choose': '{0} se vende por el valor que usted elija',
  'The price is {0} USDC, more than the {1} allowed':
    'El precio es {0} USDC, más de los {1} permitidos',
  'No brand "{0}" is sold in {1}': 'Ninguna marca «{0}» se vende en {1}',
  'Did you mean: {0}?': '¿Quiso decir: {0}?',
  'The price "{0}" is not a USDC amount': 'El precio «{0}» no es un importe en USDC',
  'the journal went on to another attempt, which takes a proof that was lost with its record':
    'el diario pasó a otro intento, lo que exige una prueba que se perdió con su registro',
  'the chain has not decided yet': 'la cadena aún no ha decidido',
  'the transfer expired; waiting for proof that it is dead':
    'la transferencia caducó; se espera la prueba de que ya no puede llegar',
  'Waiting for the payment to be final': 'Esperando a que el pago sea definitivo',
  'it expired': 'caducó',
  'the merchant gave the order up ({0})': 'el comerciante abandonó el pedido ({0})',
  'the merchant has not answered yet': 'el comerciante aún no ha respondido',
  'the merchant has not delivered yet': 'el comerciante aún no ha entregado',
  'the merchant knows no order for it': 'el comerciante no conoce ningún pedido para él',
  'the payment is on the chain, but {0}': 'el pago está en la cadena, pero {~0}',
  'Asking the merchant for the payment request': 'Pidiendo al comerciante la solicitud de pago',
  'Checking the payment request and signing': 'Comprobando la solicitud de pago y firmando',
  'Could not write "{0}" to the journal: {1}': 'No se pudo escribir «{0}» en el diario: {~1}',
  'the signed payment expired before the merchant took it':
    'el pago firmado caducó antes de que el comerciante lo aceptara',
  'Sending the payment': 'Enviando el pago',
  'Sending the same payment again': 'Enviando otra vez el mismo pago',
  'Order {0} is accepted; waiting for delivery':
    'El pedido {0} está aceptado; se espera la entrega',
  '{0} was asked about the order {1} and tells of {2}':
    'se preguntó a {0} por el pedido {1}, y habla de {2}',
  'the merchant has named no order for the purchase {0} yet':
    'el comerciante aún no ha dado un pedido para la compra {0}',
  'Merchant’s id': 'Id del comerciante',
  'the merchant calls the order completed and delivers nothing':
    'el comerciante da el pedido por completado y no entrega nada',
  'no value is chosen; choose {0}': 'no se ha elegido ningún valor; elija {~0}',
  '"{0}" is not a plain decimal number such as 25 or 25.50':
    '«{0}» no es un número decimal simple como 25 o 25.50',
  '{0} is less than the least; choose {1}': '{0} es menos que el mínimo; elija {~1}',
  '{0} is more than the most; choose {1}': '{0} es más que el máximo; elija {~1}',
  '{0} is not on the step; nearest: {1}': '{0} no está en el incremento; lo más cercano: {1}',
  'the value is fixed at {0}, not {1}': 'el valor es fijo, {~0}, y no {1}',
  'its own': 'el suyo',
  '{0} to {1} {2} in steps of {3}': 'de {0} a {1} {2} en incrementos de {3}',
  'wrong signature': 'firma incorrecta',
  'too old': 'demasiado antiguo',
  'from the future': 'del futuro',
  'holds no secret': 'no contiene ningún secreto',
  'holds what is no secret of webhooks': 'contiene algo que no es un secreto de webhooks',
  'A secret is whsec_ and 24 to 64 bytes in base64, such as scrip sandbox prints.':
    'Un secreto es whsec_ y de 24 a 64 bytes en base64, como el que muestra scrip sandbox.',
  'Looking whether this key has paid before': 'Mirando si esta clave ya ha pagado',
  'The history of this wallet cannot be read back far enough to know whether the key "{0}" has paid before: {1}; nothing was signed':
    'No se puede leer bastante atrás la historia de este monedero para saber si la clave «{0}» ya ha pagado: {~1}; no se firmó nada',
  'it cannot be read to its end': 'no se puede leer hasta el final',
  'it has {0} transactions that this machine does not know, and {1} are read':
    'tiene {0} transacciones que esta máquina no conoce, y se leen {1}',
  'it has more than {0} transactions': 'tiene más de {0} transacciones',
  'the RPC keeps too little of it': 'el RPC guarda demasiado poco de ella',
  'the RPC lists transactions of {0} for its owner alone':
    'el RPC solo enumera transacciones de {0} para su propietario',
  'the RPC shows {0} and no transaction that made it':
    'el RPC muestra {0} y ninguna transacción que la creara',
  'the RPC does not list {0}, which this machine has seen land':
    'el RPC no enumera {0}, que esta máquina vio confirmada',
  'the RPC does not tell the time of the chain': 'el RPC no dice la hora de la cadena',
  'Leave --key-since out, or name another RPC with --rpc-url.':
    'Deje fuera --key-since, o indique otro RPC con --rpc-url.',
  '--key-since is later than the chain’s time': '--key-since es posterior a la hora de la cadena',
  'Name the day, in UTC, on which the key was made, or one before it.':
    'Indique el día, en UTC, en que se creó la clave, o uno anterior.',
  'Another run with this key has the turn to pay this order':
    'Otra ejecución con esta clave tiene el turno de pagar este pedido',
  'Another run had the turn to pay: waiting until nothing that it signed can land (about 2 min)':
    'Otra ejecución tenía el turno de pagar: esperando hasta que nada de lo que firmó pueda llegar a la cadena (unos 2 min)',
  'The turn to pay this order was over before it was signed; nothing was sent':
    'El turno de pagar este pedido terminó antes de firmar; no se envió nada',
  'This order was paid from elsewhere, in {0}: finishing that payment':
    'Este pedido se pagó desde otro lugar, en {0}: terminando ese pago',
  'The key "{0}" has paid for another order already, in {1}; nothing was signed now':
    'La clave «{0}» ya ha pagado otro pedido, en {1}; ahora no se firmó nada',
  'Paid before, or by another run with this key: nothing was paid now.':
    'Pagado antes, o por otra ejecución con esta clave: ahora no se pagó nada.',
  'this run has paid nothing: {0}': 'esta ejecución no ha pagado nada: {~0}',
  'To go on waiting: scrip track {0}. If that run is gone: scrip pay {1}':
    'Para seguir esperando: scrip track {0}. Si esa ejecución ya no existe: scrip pay {1}',
  'Do not pay again: look where this key was used before. If nothing is left of that, send the merchant what this prints: scrip orders show {0}':
    'No pague de nuevo: mire dónde se usó antes esta clave. Si no queda nada de aquello, envíe al comerciante lo que muestra: scrip orders show {0}',
  'another run has paid with this key, and the merchant gives the order to none but that: {0}':
    'otra ejecución ha pagado con esta clave, y el comerciante solo da el pedido a aquella: {~0}',
};
