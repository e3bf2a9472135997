/** Spanish: ordering at the checkout host, and following. */
import type { Catalogue } from '../translate.ts';

export const ORDERING: Catalogue = {
  'standard input': 'la entrada estándar',
  '{0} holds more than {1} MiB': '{~0} contiene más de {1} MiB',
  ' and ': ' y ',
  'with --no-input': 'con --no-input',
  'off a terminal': 'fuera de un terminal',
  '{0} an order needs {1}: nobody can be asked':
    '{~0}, un pedido necesita {~1}: no se puede preguntar a nadie',
  'Add {0}.': 'Añada {0}.',
  '"{0}" is not a time such as 90s, 10m or 1h': '«{0}» no es un tiempo como 90s, 10m o 1h',
  'Name the unit: {0}s or {1}m.': 'Indique la unidad: {0}s o {1}m.',
  'Order {0} is {1}': 'El pedido {0} está en {1}',
  Order: 'Pedido',
  Status: 'Estado',
  'Codes are masked in a pipe. To print them: --reveal, or scrip orders reveal {0}':
    'Los códigos se ocultan en una tubería. Para mostrarlos: --reveal, o scrip orders reveal {0}',
  'an address that answers 402, or a product_id from scrip catalog':
    'una dirección que responde 402, o un product_id de scrip catalog',
  'two-letter country code, for a product': 'código de país de dos letras, para un producto',
  'brand of the product': 'marca del producto',
  'who would receive it: an e-mail, or +phone for a top-up':
    'quién lo recibiría: un correo, o +teléfono para una recarga',
  'your own address; --to where that is an e-mail':
    'su propia dirección; la de --to si es un correo',
  'face value, for products that let you choose it':
    'valor nominal, en los productos que permiten elegirlo',
  'what you would allow; of a product, the quote and 0.5 %':
    'lo que usted permitiría; de un producto, la cotización y un 0,5 %',
  'Asking for the payment request': 'Pidiendo la solicitud de pago',
  '{0} may be paid': '{0} se puede pagar',
  '"{0}" is not an https address without a user name':
    '«{0}» no es una dirección https sin nombre de usuario',
  'Asking for the price': 'Pidiendo el precio',
  "a product needs the option '{0}'": 'un producto necesita la opción «{0}»',
  '{0}: nothing was signed': '{~0}: no se firmó nada',
  'Asked for': 'Se pide',
  'no amount': 'ningún importe',
  'Paid to': 'Se paga a',
  Account: 'Cuenta',
  Drift: 'Diferencia',
  'nothing was quoted': 'no se cotizó nada',
  '{0} above the quote': '{0} por encima de la cotización',
  '{0} below the quote': '{0} por debajo de la cotización',
  '{0} of {1} checks fail: {2}': 'fallan {0} de {1} comprobaciones: {2}',
  'from scrip catalog; or name a cart': 'de scrip catalog; o indique un carrito',
  'What and for whom:': 'Qué y para quién:',
  'who receives it: an e-mail, or +phone for a top-up':
    'quién lo recibe: un correo, o +teléfono para una recarga',
  'where the merchant reaches you (default: the e-mail of --to)':
    'dónde le contacta el comerciante (por defecto: el correo de --to)',
  'a remark of your own, kept on this machine and sent to nobody':
    'una nota suya, que se guarda en esta máquina y no se envía a nadie',
  'Money:': 'Dinero:',
  'pay at most this; without it, the quote and 0.5 %':
    'paga como máximo esto; sin ello, la cotización y un 0,5 %',
  'do not ask; off a terminal --max-amount is needed as well':
    'no pregunta; fuera de un terminal hace falta también --max-amount',
  'say what would be bought and whether it could be paid; send nothing':
    'dice qué se compraría y si podría pagarse; no envía nada',
  'the same key never buys twice': 'la misma clave nunca compra dos veces',
  'buy it though the same was ordered within ten minutes':
    'lo compra aunque se haya pedido lo mismo hace menos de diez minutos',
  'Delivery:': 'Entrega:',
  'how long to wait for delivery (10m), and for any answer (35s)':
    'cuánto se espera la entrega (10m), y cualquier respuesta (35s)',
  'return when the order is accepted, before it is delivered':
    'vuelve cuando se acepta el pedido, antes de la entrega',
  'print the code in a pipe as well; without it, masked there unless --json or --ndjson':
    'escribe el código también en una tubería; sin ello, allí se oculta salvo con --json o --ndjson',
  'address that is told of each change: docs/events.md':
    'dirección a la que se comunica cada cambio: docs/events.md',
  'Many at once:': 'Muchos a la vez:',
  'buy every line of a CSV or JSON file; - reads it: docs/batches.md':
    'compra cada línea de un archivo CSV o JSON; - lo lee de la entrada: docs/batches.md',
  'pay at most this for the whole cart': 'paga como máximo esto por todo el carrito',
  'buy the good lines of a cart, and tell of the bad ones':
    'compra las líneas correctas de un carrito e informa de las demás',
  'orders of a cart that are placed side by side': 'pedidos de un carrito que se hacen a la vez',
  'Another coin, or the partner API:': 'Otra moneda, o la API de socios:',
  'how many (partner API)': 'cuántos (API de socios)',
  'pay it at once from the wallet (partner API)':
    'lo paga en el acto desde el monedero (API de socios)',
  'pay for opening the recipient’s account as well (partner API)':
    'paga también la apertura de la cuenta del destinatario (API de socios)',
  'where money goes back to (partner API)': 'adónde vuelve el dinero (API de socios)',
  'a cart is bought from the checkout host': 'un carrito se compra en el host de pago',
  'Leave --via partner out.': 'Quite --via partner.',
  '{0} is for the partner API': '{0} es para la API de socios',
  'Add --via partner.': 'Añada --via partner.',
  '{0} is empty': '{0} está vacío',
  'Look at it with scrip orders reveal {0}, and ask the merchant.':
    'Mírelo con scrip orders reveal {0}, y pregunte al comerciante.',
  'List them: scrip brands --country {0}': 'Lístelas: scrip brands --country {0}',
  'Play money exists in the sandbox alone: scrip wallet fund --profile sandbox. For real money, send USDC to what scrip wallet address prints.':
    'El dinero de juego existe solo en la caja de arena: scrip wallet fund --profile sandbox. Si es dinero real, envíe USDC a la dirección que muestra scrip wallet address.',
  'Give it a value; a variable of a script may not be set.':
    'Dele un valor; puede que no esté definida una variable de un script.',
  'not given: {0}': 'falta: {0}',
  'Such as: scrip {0} {1}': 'Por ejemplo: scrip {0} {1}',
  'Such as: scrip order <product_id> --country <code> --brand <name> --to <beneficiary>, or: scrip wizard':
    'Por ejemplo: scrip order <product_id> --country <code> --brand <name> --to <beneficiary>, o: scrip wizard',
  'Such as: scrip validate <product_id> --to <beneficiary> --email <email>, or: scrip validate --cart <file>':
    'Por ejemplo: scrip validate <product_id> --to <beneficiary> --email <email>, o: scrip validate --cart <file>',
  'Such as: scrip track <order_id>, or all that are open: scrip track --all':
    'Por ejemplo: scrip track <order_id>, o todos los abiertos: scrip track --all',
  '--to "{0}" is neither an e-mail address nor a phone number':
    '--to "{0}" no es ni una dirección de correo ni un número de teléfono',
  '{0} is not a coin that this merchant takes': '{0} no es una moneda que acepte este comerciante',
  'Name one of these with --coin: {0}': 'Indique una de estas con --coin: {0}',
  'The product is not sold at this value': 'El producto no se vende por este valor',
  'Name another value with --value; the details say which.':
    'Indique otro valor con --value; los detalles dicen cuál.',
  'Begin again with: scrip wizard': 'Empiece de nuevo con: scrip wizard',
  '{0} is an order of the checkout host, which is paid as it is made':
    '{0} es un pedido del host de pago, que se paga al hacerlo',
  'There is nothing left to pay. See how it stands: scrip track {0}':
    'No queda nada por pagar. Vea cómo está: scrip track {0}',
  '"{0}" is not the id of an order of the partner API':
    '«{0}» no es el id de un pedido de la API de socios',
  'Name the UUID that scrip order --via partner printed; scrip orders lists what was bought.':
    'Indique el UUID que mostró scrip order --via partner; scrip orders lista lo comprado.',
  'required option not given: {0}': 'falta la opción obligatoria: {0}',
  'required options not given: {0}': 'faltan las opciones obligatorias: {0}',
  'scrip order --help has examples; scrip wizard asks for everything.':
    'scrip order --help tiene ejemplos; scrip wizard lo pregunta todo.',
  'the wallet {0} holds {1} USDC, and the price is {2}':
    'el monedero {0} tiene {1} USDC y el precio es {2}',
  'Nothing was sent; this is what would be bought': 'No se envió nada; esto es lo que se compraría',
  Wallet: 'Monedero',
  Balance: 'Saldo',
  'from scrip order or scrip orders; or --all': 'de scrip order o scrip orders; o --all',
  'every order of this machine that is under way, at once':
    'todos los pedidos en curso de esta máquina, a la vez',
  'how to follow an order of the partner API; with --json or --ndjson, a line for each change':
    'cómo se sigue un pedido de la API de socios; con --json o --ndjson, una línea por cada cambio',
  'how long to wait, such as 90s or 10m; 0s asks once':
    'cuánto se espera, como 90s o 10m; 0s pregunta una vez',
  'give out the code in a pipe and to --exec as well; else it is masked':
    'entrega el código también en una tubería y a --exec; si no, se oculta',
  'one order and --all exclude each other': 'un pedido y --all se excluyen',
  "missing required argument 'order_id'": 'falta el argumento obligatorio «order_id»',
  'lines of product,to,value,quantity as CSV or JSON; - reads them':
    'líneas de product,to,value,quantity en CSV o JSON; - las lee de la entrada',
  'your own address': 'su propia dirección',
  'how many': 'cuántos',
  'country of the product (default: that of the settings)':
    'país del producto (por defecto: el de los ajustes)',
  'brand of the product; finds it faster': 'marca del producto; así se encuentra antes',
  'Checking the order': 'Comprobando el pedido',
  'Security code': 'Código de seguridad',
  'Redeem at': 'Canjear en',
  'How to redeem': 'Cómo se canjea',
  'Failed because': 'Falló porque',
  Item: 'Artículo',
  'Item{0}': 'Artículo{0}',
  'Item {0}': 'Artículo {0}',
  'Field {0}': 'Campo {0}',
  'order {0} is completed, and the reply holds no code':
    'el pedido {0} está completo, y la respuesta no trae ningún código',
  'Do not pay again. Look whether the goods came by mail or message; otherwise ask the merchant with the order id. To look again: scrip track {0}':
    'No pague otra vez. Mire si lo comprado llegó por correo o mensaje; si no, pregunte al comerciante con el id del pedido. Para mirar otra vez: scrip track {0}',
  Bought: 'Comprado',
  'Merchant host': 'Host del comerciante',
  'Atomic amount': 'Importe atómico',
  'SHA-256 of the request': 'SHA-256 de la solicitud',
  'unnamed product': 'producto sin nombre',
  'order {0} is {1}{2}': 'el pedido {0} está en {1}{~2}',
  'Run: scrip track {0}': 'Ejecute: scrip track {0}',
  'an idempotency key is 1 to 128 printable characters without spaces':
    'una clave de idempotencia tiene de 1 a 128 caracteres imprimibles sin espacios',
  '--callback-url is {0}': '--callback-url: {~0}',
  'Looking after unfinished purchases: {0}': 'Revisando las compras sin terminar: {0}',
  '{0} finished now': '{0} terminadas ahora',
  '{0} still open; run scrip orders resume': '{0} aún abiertas; ejecute scrip orders resume',
  'Of earlier purchases that were unfinished: {0}':
    'De las compras anteriores que estaban sin terminar: {,0}',
  '--note is 1 to {0} characters': '--note tiene de 1 a {0} caracteres',
  'ring the terminal’s bell on delivery': 'hace sonar el timbre del terminal al entregarse',
  'run a command on delivery, without a shell; it reads the order as JSON (docs/events.md)':
    'ejecuta una orden al entregarse, sin shell; lee el pedido en JSON (docs/events.md)',
  'it ended with status {0}': 'terminó con el estado {0}',
  'order {0} is delivered, but the command of --exec failed: {1}':
    'el pedido {0} está entregado, pero falló la orden de --exec: {~1}',
  '{0}. Order it again?': '{~0}. ¿Pedirlo otra vez?',
  'Pay up to {0} USDC?': '¿Pagar hasta {0} USDC?',
  For: 'Para',
  'E-mail': 'Correo',
  'from this day (2026-11-01) or instant on, or of the last 30d':
    'desde este día (2026-11-01) o instante, o de los últimos 30d',
  'up to this day, whole, or to before this instant':
    'hasta este día, entero, o antes de este instante',
  'that stand so': 'que están así',
  'bought there: host.example, or `embedded` for the sandbox':
    'compradas allí: host.example, o `embedded` para el sandbox',
  '{0} "{1}" is not a date': '{0} «{1}» no es una fecha',
  'Write a day, 2026-11-01, an instant, 2026-11-01T12:00Z, or a time back, 30d or 12h.':
    'Escriba un día, 2026-11-01, un instante, 2026-11-01T12:00Z, o un tiempo hacia atrás, 30d o 12h.',
  'not known yet': 'todavía desconocido',
  Note: 'Nota',
  'The order was paid; do not pay again. Run: scrip orders reveal {0}':
    'El pedido está pagado; no pague de nuevo. Ejecute: scrip orders reveal {0}',
  Paid: 'Pagado',
  From: 'Desde',
  'the goods are here, but this machine could not record that it has them':
    'lo comprado está aquí, pero esta máquina no pudo anotar que lo tiene',
  'the order is not delivered yet': 'el pedido todavía no está entregado',
  'the order was paid and failed': 'el pedido se pagó y falló',
  'it is not known yet whether the payment was made': 'todavía no se sabe si el pago se hizo',
  'nothing was charged': 'no se cobró nada',
  'Contact the merchant with the order id {0}.':
    'Contacte con el comerciante e indique el id del pedido {0}.',
  'Do not pay again. Send the merchant what this prints: scrip orders show {0}':
    'No pague de nuevo. Envíe al comerciante lo que muestra: scrip orders show {0}',
  'Do not pay again. Run: scrip orders resume {0}':
    'No pague de nuevo. Ejecute: scrip orders resume {0}',
  'Bought before, on {0} UTC: nothing was paid now.':
    'Comprado antes, el {0} UTC: ahora no se ha pagado nada.',
  'Finishing the order begun at {0} UTC; to buy again, use an --idempotency-key of its own.':
    'Se termina el pedido empezado el {0} UTC; para comprar otra vez, use una --idempotency-key propia.',
  'to order again, use an --idempotency-key of its own.':
    'para pedir otra vez, use una --idempotency-key propia.',
  'another --idempotency-key makes another order.': 'otra --idempotency-key hace otro pedido.',
  'This is order {0}, made at {1} UTC; {2}': 'Este es el pedido {0}, hecho el {1} UTC; {~2}',
  'No order of this machine is under way.': 'Ningún pedido de esta máquina está en curso.',
  'Delivered: {0} of {1}.': 'Entregados: {0} de {~1}.',
  'not delivered: {0} of {1}': 'sin entregar: {0} de {~1}',
  'See each, such as: scrip track {0}': 'Vea cada uno, por ejemplo: scrip track {0}',
  'Others belong to other profiles; run the same with {0}.':
    'Otros son de otros perfiles; ejecute lo mismo con {0}.',
  'the command of {0} cannot be read': 'la orden de {0} no se puede leer',
  'Such as {0} \'notify-send "Gift card" delivered\', or a JSON array of words.':
    'Por ejemplo {0} \'notify-send "Gift card" delivered\', o una lista JSON de palabras.',
};
