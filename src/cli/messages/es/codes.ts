/** Spanish: what every error code asks for, and exit statuses. */
import type { Catalogue } from '../translate.ts';

export const CODES: Catalogue = {
  'This is a bug in scrip; run the command again with --verbose and report what it prints.':
    'Es un fallo de scrip; ejecute la orden otra vez con --verbose e informe de lo que muestra.',
  'Run the command with --help to see what it takes.':
    'Ejecute la orden con --help para ver qué admite.',
  'Correct the value and run the command again.': 'Corrija el valor y ejecute la orden otra vez.',
  'Write amounts as plain decimals, such as 25 or 25.50.':
    'Escriba los importes como decimales simples, por ejemplo 25 o 25.50.',
  'Write the address as name@example.com.': 'Escriba la dirección como nombre@example.com.',
  'Write the number in E.164 form: + and country code, such as +14155550123.':
    'Escriba el número en formato E.164: + y código del país, como +14155550123.',
  'If you mean that number, add --allow-other-country.':
    'Si quiere ese número, añada --allow-other-country.',
  'Run: scrip countries': 'Ejecute: scrip countries',
  'Run: scrip brands --country <code> --search <text>':
    'Ejecute: scrip brands --country <code> --search <text>',
  'Name the face value with --value.': 'Indique el valor nominal con --value.',
  'Leave --value out: this product has a fixed face value.':
    'Quite --value: este producto tiene un valor nominal fijo.',
  'Choose a value within the bounds of the product.':
    'Elija un valor dentro de los límites del producto.',
  'Choose a value on the step of the product.':
    'Elija un valor que respete el incremento del producto.',
  'Use another --idempotency-key, or repeat the first command exactly.':
    'Use otra --idempotency-key, o repita exactamente la primera orden.',
  'Correct the catalog file at the path named and start again.':
    'Corrija el archivo del catálogo en la ruta indicada y vuelva a empezar.',
  'Off a terminal, name everything by flags: --yes and --max-amount for an order.':
    'Fuera de un terminal, indíquelo todo con opciones: --yes y --max-amount para un pedido.',
  'Run: scrip catalog --country <code> --brand <name>':
    'Ejecute: scrip catalog --country <code> --brand <name>',
  'Run: scrip orders': 'Ejecute: scrip orders',
  'Run: scrip wallet new': 'Ejecute: scrip wallet new',
  'Run: scrip profile list': 'Ejecute: scrip profile list',
  'Check the address and your connection, then run the command again.':
    'Compruebe la dirección y su conexión, y ejecute la orden otra vez.',
  'The merchant failed; try again in a moment.':
    'El comerciante falló; inténtelo de nuevo dentro de un momento.',
  'The merchant refused the request; the message says why.':
    'El comerciante rechazó la solicitud; el mensaje dice por qué.',
  'The host does not speak this interface; check --checkout-url.':
    'El host no habla esta interfaz; compruebe --checkout-url.',
  'Wait and run the command again.': 'Espere y ejecute la orden otra vez.',
  'The payment service is down; nothing was charged. Try again in a moment.':
    'El servicio de pago no está disponible; no se cobró nada. Inténtelo de nuevo dentro de un momento.',
  'Check --rpc-url and your connection.': 'Compruebe --rpc-url y su conexión.',
  'Name the final address of the host yourself; payments never follow a redirect.':
    'Indique usted la dirección final del host; los pagos nunca siguen una redirección.',
  'The payment could not be read.': 'El pago no se pudo leer.',
  'Mend what the merchant names, or ask the merchant, and run the command again.':
    'Corrija lo que indica el comerciante, o pregúntele, y ejecute la orden otra vez.',
  'Nothing was signed. Do not pay this host before you know why it asks for this.':
    'No se firmó nada. No pague a este host antes de saber por qué pide esto.',
  'Run the command again for a fresh quote.':
    'Ejecute la orden otra vez para obtener una cotización nueva.',
  'Raise --max-amount if the new price is right for you.':
    'Aumente --max-amount si el precio nuevo le conviene.',
  'Put USDC into the wallet; in the sandbox: scrip wallet fund':
    'Ponga USDC en el monedero; en el sandbox: scrip wallet fund',
  'Run the command again to decide anew.': 'Ejecute la orden otra vez para decidir de nuevo.',
  'Run: scrip track <order_id>': 'Ejecute: scrip track <order_id>',
  'Do not pay again. Run: scrip orders resume': 'No pague de nuevo. Ejecute: scrip orders resume',
  'Contact the merchant with the order id.':
    'Contacte con el comerciante e indique el id del pedido.',
  'Place a new order.': 'Haga un pedido nuevo.',
  'Do not pay again. Send the merchant the bundle that scrip orders show prints.':
    'No pague de nuevo. Envíe al comerciante el paquete que muestra scrip orders show.',
  'Free disk space or mend the state folder, then run the command again.':
    'Libere espacio en el disco o arregle la carpeta de estado, y ejecute la orden otra vez.',
  'Make the key file private: chmod 600, owned by you, not a link.':
    'Haga privado el archivo de clave: chmod 600, propiedad de usted y no un enlace.',
  'Name a key file in the Solana CLI format with --keypair.':
    'Indique con --keypair un archivo de clave con el formato de la CLI de Solana.',
  'Name another file with --keypair.': 'Indique otro archivo con --keypair.',
  'Name the wallet for this host with --keypair.':
    'Indique con --keypair el monedero para este host.',
  'Check the data folder and its permissions.': 'Compruebe la carpeta de datos y sus permisos.',
  'Install scrip with its optional packages on Linux or macOS, or name a host with --checkout-url.':
    'Instale scrip con sus paquetes opcionales en Linux o macOS, o indique un host con --checkout-url.',
  'Two writers met; run the command again, and report it if it says the same.':
    'Coincidieron dos escrituras; ejecute la orden otra vez, e informe de ello si dice lo mismo.',
  'The chain did not take the transaction; nothing moved.':
    'La cadena no aceptó la transacción; no se movió nada.',
  'Mend what the problems say and run the command again.':
    'Corrija lo que dicen los problemas y ejecute la orden otra vez.',
  'Nothing was sent. Place a new order: scrip order … --via partner':
    'No se envió nada. Haga un pedido nuevo: scrip order … --via partner',
  'The money went back to the refund wallet; place a new order.':
    'El dinero volvió al monedero de reembolsos; haga un pedido nuevo.',
  'The merchant’s support is handling the order. Do not pay again; look later: scrip track <order_id>':
    'La atención al cliente del comerciante se ocupa del pedido. No pague de nuevo; mírelo más tarde: scrip track <order_id>',
  'Follow the order with --follow poll.': 'Siga el pedido con --follow poll.',
  'Run: scrip brands --country <code>': 'Ejecute: scrip brands --country <code>',
  'Nothing was charged. Choose another product: scrip catalog --country <code> --brand <name>':
    'No se cobró nada. Elija otro producto: scrip catalog --country <code> --brand <name>',
  'Correct --to: an e-mail for a gift card, +phone for a top-up.':
    'Corrija --to: un correo para una tarjeta regalo, +teléfono para una recarga.',
  'Free disk space or name another file, then run the command again.':
    'Libere espacio en el disco o indique otro archivo, y ejecute la orden otra vez.',
  'The merchant may still have them. Run: scrip track <order_id>':
    'Puede que el comerciante aún los tenga. Ejecute: scrip track <order_id>',
  'Name a file with --passphrase-file or a descriptor with --passphrase-fd, or run it in a terminal.':
    'Indique un archivo con --passphrase-file o un descriptor con --passphrase-fd, o ejecútelo en un terminal.',
  'Choose a longer passphrase, or add --weak-ok.':
    'Elija una frase de contraseña más larga, o añada --weak-ok.',
  'Run the command again with the passphrase of this key file.':
    'Ejecute la orden otra vez con la frase de contraseña de este archivo de clave.',
  'Run the signer command by itself and see what it says: docs/wallet.md':
    'Ejecute la orden firmante por separado y vea qué dice: docs/wallet.md',
  'Pay the order in a terminal, where you are asked: scrip pay <order_id>':
    'Pague el pedido en un terminal, donde se le pregunta: scrip pay <order_id>',
  'Correct the file, or add the entry to it by hand.':
    'Corrija el archivo, o añada la entrada a mano.',
  'Make the file one that you own and may write, then try again.':
    'Haga que el archivo sea suyo y que pueda escribirlo, y vuelva a intentarlo.',
  'There is nothing to go on with. Begin with: scrip wizard':
    'No hay nada con lo que continuar. Empiece con: scrip wizard',
  'Begin afresh with: scrip wizard': 'Empiece de nuevo con: scrip wizard',
  'Go on with: scrip wizard --resume': 'Continúe con: scrip wizard --resume',
  'Do what the report says of each, and run the audit again.':
    'Haga lo que el informe dice de cada uno, y ejecute la auditoría otra vez.',
  'Run: scrip sandbox webhooks': 'Ejecute: scrip sandbox webhooks',
  'Correct the policy file; scrip policy path names it.':
    'Corrija el archivo de la política; scrip policy path dice cuál es.',
  'Nothing was signed. See scrip policy show and scrip spend.':
    'No se firmó nada. Vea scrip policy show y scrip spend.',
  'Nothing was signed. See scrip policy show.': 'No se firmó nada. Vea scrip policy show.',
  'If you trust this host: scrip policy set hosts.<host> any':
    'Si confía en este host: scrip policy set hosts.<host> any',
  'Nothing was signed. See recipients in scrip policy show.':
    'No se firmó nada. Vea recipients en scrip policy show.',
  'Run it at a terminal, or allow it there: scrip policy set nonInteractive.enabled true':
    'Ejecútelo en un terminal, o permítalo allí: scrip policy set nonInteractive.enabled true',
  'If you want it twice, add --allow-duplicate.':
    'Si lo quiere dos veces, añada --allow-duplicate.',
  'Mend what scrip doctor names on this machine.':
    'Arregle en esta máquina lo que indica scrip doctor.',
  'Correct the lines named, or leave them out with --skip-invalid.':
    'Corrija las líneas indicadas, o déjelas fuera con --skip-invalid.',
  'Let the other run end, then run the command again.':
    'Deje que termine la otra ejecución, y ejecute la orden otra vez.',
  'Run the same command again: what was bought is not bought twice.':
    'Ejecute la misma orden otra vez: lo comprado no se compra dos veces.',
  'The order is delivered; run the command by itself and see what it says.':
    'El pedido está entregado; ejecute la orden por separado y vea qué dice.',
  'See what is under way: scrip sandbox webhooks --state pending':
    'Vea lo que está en curso: scrip sandbox webhooks --state pending',
  'Only 2xx is success; see what the endpoint says of it.':
    'Solo 2xx es un éxito; vea qué dice el destino.',
  'Run: scrip orders show <order_id>': 'Ejecute: scrip orders show <order_id>',
  'Look at it with scrip orders reveal <order_id>, and ask the merchant.':
    'Mírelo con scrip orders reveal <order_id>, y pregunte al comerciante.',
  'Add --print, and open the address yourself.': 'Añada --print, y abra usted la dirección.',
  'Do not pay again. Look whether the goods came by mail or message; otherwise ask the merchant with the order id.':
    'No pague otra vez. Mire si lo comprado llegó por correo o mensaje; si no, pregunte al comerciante con el id del pedido.',
  'Say since when the key can have been used, such as --key-since 30d, or name an RPC that keeps the whole history.':
    'Diga desde cuándo puede haberse usado la clave, por ejemplo --key-since 30d, o indique un RPC que guarde toda la historia.',
  'Do not pay again: look where this key was used before. To buy again, use another --idempotency-key.':
    'No pague de nuevo: mire dónde se usó antes esta clave. Para comprar otra vez, use otra --idempotency-key.',
  done: 'hecho',
  'internal error, or not possible on this machine': 'error interno, o imposible en esta máquina',
  'wrong usage or invalid input; nothing was sent':
    'uso incorrecto o entrada no válida; no se envió nada',
  'not found': 'no encontrado',
  'network or merchant failure': 'fallo de la red o del comerciante',
  'payment refused, by scrip or by the merchant': 'pago rechazado, por scrip o por el comerciante',
  'over a limit, or too little money; nothing was signed':
    'por encima de un límite, o falta dinero; no se firmó nada',
  'declined by the user': 'el usuario no aceptó',
  'under way: delivery or payment is still pending':
    'en curso: la entrega o el pago siguen pendientes',
  'outcome of a payment unknown: do not pay again, run scrip orders resume':
    'no se sabe si se pagó: no pague de nuevo, ejecute scrip orders resume',
  'order failed, expired, canceled or refunded':
    'pedido fallido, caducado, cancelado o reembolsado',
  'order needs manual action: do not pay again':
    'el pedido necesita una acción manual: no pague de nuevo',
  'part of a batch failed': 'falló una parte de un lote',
  'a file or folder of this machine cannot be used':
    'no se puede usar un archivo o una carpeta de esta máquina',
  'interrupted; run scrip orders resume': 'interrumpido; ejecute scrip orders resume',
};
