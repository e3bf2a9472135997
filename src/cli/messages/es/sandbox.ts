/** Spanish: the sandbox and its books. */
import type { Catalogue } from '../translate.ts';

export const SANDBOX: Catalogue = {
  'port; 0 takes a free one': 'puerto; con 0 toma uno libre',
  'address to bind': 'dirección en la que escucha',
  'data folder (default: the one of the embedded service)':
    'carpeta de datos (por defecto: la del servicio integrado)',
  'sell the goods of this file (docs/catalog.md)':
    'vende los artículos de este archivo (docs/catalog.md)',
  'coins, networks and rates of this file (docs/partner-catalog.md)':
    'monedas, redes y tipos de cambio de este archivo (docs/partner-catalog.md)',
  'rules and limits of this file (docs/partner-rules.md)':
    'reglas y límites de este archivo (docs/partner-rules.md)',
  'settle payments by an x402 facilitator elsewhere':
    'liquida los pagos con un facilitador x402 externo',
  'token for that facilitator, in a file': 'token para ese facilitador, en un archivo',
  'also settle payments for the callers of this file (docs/sandbox.md)':
    'liquida también los pagos de los clientes de este archivo (docs/sandbox.md)',
  'take no payments while the fee payer has less (default: 0.01)':
    'no acepta pagos mientras quien paga las comisiones tenga menos (por defecto: 0.01)',
  '--facilitator-token needs --facilitator': '--facilitator-token necesita --facilitator',
  '{0} has no meaning with --facilitator': '{0} no tiene sentido con --facilitator',
  'Fee payer': 'Paga las comisiones',
  'Settles for': 'Liquida para',
  '{0}, up to {1} lamports a day': '{0}, hasta {1} lamports al día',
  'Settled for': 'Liquidado para',
  '{0}: {1} payments today, {2} lamports': '{0}: {1} pagos hoy, {2} lamports',
  'No payment is taken: the fee payer {0} has {1} lamports, less than its floor of {2}':
    'No se acepta ningún pago: {0}, que paga las comisiones, tiene {1} lamports, menos que su mínimo de {2}',
  'The caller {0} has used up its {1} lamports of {2} (UTC)':
    'El cliente {0} ha agotado sus {1} lamports del {2} (UTC)',
  'callers file': 'archivo de clientes',
  'token file': 'archivo del token',
  'The token file {0} does not hold one token':
    'El archivo del token {0} no contiene un solo token',
  'Write the token alone into it: visible characters without spaces.':
    'Escriba en él solo el token: caracteres visibles sin espacios.',
  'The callers to settle for are not valid at {0}: {1}':
    'Los clientes para los que se liquida no son válidos en {0}: {1}',
  'The callers to settle for are not JSON': 'Los clientes para los que se liquida no son JSON',
  'Correct the file of --settle-for and start again (docs/sandbox.md).':
    'Corrija el archivo de --settle-for y vuelva a empezar (docs/sandbox.md).',
  'webhooks may go to this machine and its network':
    'los webhooks pueden ir a esta máquina y a su red',
  'limit callers as a public service does (docs/limits.md)':
    'limita a quienes llaman como un servicio público (docs/limits.md)',
  'how long an order of the partner API may be paid':
    'cuánto tiempo se puede pagar un pedido de la API de socios',
  'rehearse trouble; may be repeated (docs/sandbox-faults.md)':
    'ensaya problemas; se puede repetir (docs/sandbox-faults.md)',
  'what faults are drawn from: the same ones again':
    'de dónde se sortean los fallos: otra vez los mismos',
  "the service's clock is off (+2h, -10m) or stopped (an instant)":
    'el reloj del servicio va desviado (+2h, -10m) o parado (un instante)',
  'take only agents of this User-Agent (default: any)':
    'acepta solo agentes con este User-Agent (por defecto: cualquiera)',
  'believe X-Forwarded-For of this proxy or network; may be repeated (docs/limits.md)':
    'cree el X-Forwarded-For de este proxy o esta red; se puede repetir (docs/limits.md)',
  '{0} is no IP address and no network of them': '{0} no es una dirección IP ni una red de ellas',
  'Write --trusted-proxy 10.0.0.7, or a network such as 10.0.0.0/8.':
    'Escriba --trusted-proxy 10.0.0.7, o una red como 10.0.0.0/8.',
  'The sandbox is served': 'El sandbox está en marcha',
  'Checkout host': 'Host de pago',
  'Partner API': 'API de socios',
  'Tools for agents': 'Herramientas para agentes',
  'Its websockets': 'Sus websockets',
  'Webhook secret': 'Secreto de webhooks',
  '{0} (partner {1})': '{0} (socio {1})',
  Try: 'Pruebe',
  'Warning: webhooks may reach any address of this machine and its network.':
    'Aviso: los webhooks pueden llegar a cualquier dirección de esta máquina y de su red.',
  Faults: 'Fallos',
  '{0} (again with --seed {1})': '{0} (los mismos con --seed {1})',
  '"{0}" is not a seed between 0 and 4294967295': '«{0}» no es una semilla entre 0 y 4294967295',
  'check orders, payments, purchases and refunds against each other':
    'compara entre sí pedidos, pagos, compras y reembolsos',
  'list the webhooks that did not arrive': 'muestra los webhooks que no llegaron',
  'at most so many': 'como máximo tantos',
  'send a webhook again, with all of its attempts':
    'envía otra vez un webhook, con todos sus intentos',
  'from scrip sandbox webhooks': 'de scrip sandbox webhooks',
  'Everything agrees': 'Todo coincide',
  'Not everything agrees': 'No todo coincide',
  Transfers: 'Transferencias',
  '{0} of {1} transactions': '{0} de {1} transacciones',
  Payments: 'Pagos',
  '{0} on the checkout host': '{0} en el host de pago',
  '{0} of the partner API': '{0} de la API de socios',
  Lines: 'Líneas',
  '{0}; bought of the supplier: {1}': '{0}; compradas al proveedor: {1}',
  Undecided: 'Sin decidir',
  '{0} (payments and lines)': '{0} (pagos y líneas)',
  Refunds: 'Reembolsos',
  Mismatch: 'Discrepancia',
  '{0}: expected {1}, found {2}': '{0}: se esperaba {1}, se encontró {2}',
  About: 'Sobre',
  'order {0}, {1}': 'pedido {0}, {1}',
  '1 thing does not agree': '1 cosa no coincide',
  '{0} things do not agree': '{0} cosas no coinciden',
  webhook: 'webhook',
  state: 'estado',
  attempts: 'intentos',
  error: 'error',
  next: 'próximo',
  url: 'url',
  'No webhook is {0}.': 'Ningún webhook está en el estado {0}.',
  'Send one again: scrip sandbox webhooks replay {0}':
    'Envíe uno otra vez: scrip sandbox webhooks replay {0}',
  'It is sent again': 'Se envía otra vez',
  Webhook: 'Webhook',
  'A sandbox that is served on this folder sends it now; otherwise the next one does.':
    'Un sandbox en marcha con esta carpeta lo envía ahora; si no, lo hará el próximo.',
  '"{0}" is not a state of webhooks': '«{0}» no es un estado de webhooks',
  'States: {0}.': 'Estados: {0}.',
  'cancel an order that is not paid': 'cancela un pedido que no está pagado',
  'give the money of an order back': 'devuelve el dinero de un pedido',
  'remove the obstacle that an order waits for': 'quita el obstáculo por el que espera un pedido',
  'close an order of which a part was delivered': 'cierra un pedido del que se entregó una parte',
  'let a payment pass the compliance check': 'deja que un pago supere el control de cumplimiento',
  'play the payment of an order on a network that is no chain here':
    'simula el pago de un pedido en una red que aquí no es una cadena',
  'only this much, in the coin of the order': 'solo este importe, en la moneda del pedido',
  'the payment fails on its network': 'el pago falla en su red',
  'this order is paid on the embedded chain, by a real transfer':
    'este pedido se paga en la cadena integrada, con una transferencia real',
  'Run: scrip pay {0}': 'Ejecute: scrip pay {0}',
  'send a signed webhook of a change; without an event, list those there are':
    'envía el webhook firmado de un cambio; sin evento, muestra los que hay',
  'such as checkout.completed or partner.done': 'como checkout.completed o partner.done',
  'the endpoint; without it, the address that the order names':
    'el destino; sin él, la dirección que indica el pedido',
  'order that it is about (default: one that does not exist)':
    'pedido del que se trata (por defecto: uno que no existe)',
  '--to is {0}': '--to: {~0}',
  '"{0}" is not an event that can be played': '«{0}» no es un evento que se pueda simular',
  'List them: scrip sandbox trigger': 'Muéstrelos: scrip sandbox trigger',
  '{0} is told to the address of the order that --order names':
    '{0} se comunica a la dirección del pedido que indica --order',
  'To tell another address, name what is played: scrip sandbox trigger':
    'Para comunicarlo a otra dirección, indique lo que se simula: scrip sandbox trigger',
  'nobody is named to be told': 'no se indica a quién comunicarlo',
  'Name an address with --to, or an order that names one with --order.':
    'Indique una dirección con --to, o con --order un pedido que indique una.',
  'the last change of --order, told again to the address that it names':
    'el último cambio de --order, comunicado otra vez a la dirección que indica',
  event: 'evento',
  says: 'dice',
  what: 'qué',
  'Telling {0}': 'Comunicando a {0}',
  'no answer ({0})': 'sin respuesta ({~0})',
  'it answered {0}': 'respondió {0}',
  'a sandbox that is served on this folder sends it now; otherwise the next one does':
    'un sandbox en marcha con esta carpeta lo envía ahora; si no, lo hará el próximo',
  '{0} did not take {1}: {2}': '{0} no aceptó {1}: {~2}',
  Event: 'Evento',
  Outcome: 'Resultado',
  'A transfer landed at an address of ours, and no order was paid with it.':
    'Llegó una transferencia a una dirección nuestra, y con ella no se pagó ningún pedido.',
  'Give the money back to its sender.': 'Devuelva el dinero a quien lo envió.',
  'More than one transfer landed for one order of the checkout host.':
    'Llegó más de una transferencia para un mismo pedido del host de pago.',
  'Give what is too much back to its sender.': 'Devuelva lo que sobra a quien lo envió.',
  'The transfer that landed is not of the amount that was asked for.':
    'La transferencia que llegó no es del importe que se pidió.',
  'Compare the transaction with the order, and give back or ask for the difference.':
    'Compare la transacción con el pedido, y devuelva o pida la diferencia.',
  'The payment landed a while ago, and the books do not know it yet.':
    'El pago llegó hace tiempo, y los libros aún no lo saben.',
  'Start scrip sandbox on this folder: it decides what is open. Report it if it stays so.':
    'Inicie scrip sandbox en esta carpeta: decide lo que está abierto. Informe de ello si sigue así.',
  'The books call a payment settled that is not on the chain.':
    'Los libros dan por liquidado un pago que no está en la cadena.',
  'Deliver nothing more for this order, and find out who wrote the books.':
    'No entregue nada más de este pedido, y averigüe quién escribió los libros.',
  'A settlement has no order or no session.': 'Una liquidación no tiene pedido o no tiene sesión.',
  'Restore the data folder from a copy: rows were removed.':
    'Restaure la carpeta de datos desde una copia: se quitaron filas.',
  'What the books say was received is not what landed.':
    'Lo que según los libros se recibió no es lo que llegó.',
  'Compare the transactions of the order with the chain.':
    'Compare las transacciones del pedido con la cadena.',
  'Money came for an order that had ended, and was not given back.':
    'Llegó dinero para un pedido que había terminado, y no se devolvió.',
  'Run: scrip sandbox refund <order_id>': 'Ejecute: scrip sandbox refund <order_id>',
  'Something paid for was not delivered, and no refund is on record.':
    'Algo pagado no se entregó, y no consta ningún reembolso.',
  'Give the money back, or deliver it.': 'Devuelva el dinero, o entréguelo.',
  'The refunds of an order are more than was received for it.':
    'Los reembolsos de un pedido superan lo que se recibió por él.',
  'Pay no more than was received out.': 'No devuelva más de lo que se recibió.',
  'A line was delivered and given back as well, and no loss is booked.':
    'Una línea se entregó y además se devolvió, y no consta ninguna pérdida.',
  'Do not pay this refund out; if it is paid, book the loss.':
    'No pague este reembolso; si ya está pagado, anote la pérdida.',
  'A line was delivered, and its order is not paid.':
    'Una línea se entregó, y su pedido no está pagado.',
  'Ask the buyer for the payment, and find out who released the line.':
    'Pida el pago al comprador, y averigüe quién liberó la línea.',
  'A paid line is not delivered: its supplier’s answer is not known after ten tries.':
    'Una línea pagada no está entregada: tras diez intentos no se conoce la respuesta de su proveedor.',
  'Ask the supplier about the reference; it is asked for again under the same one.':
    'Pregunte al proveedor por la referencia; se vuelve a pedir con la misma.',
  'A delivered line has no purchase in the supplier’s ledger.':
    'Una línea entregada no tiene compra en el libro del proveedor.',
  'Ask the supplier where the code came from.': 'Pregunte al proveedor de dónde salió el código.',
  'The supplier sold something that no delivered line stands for.':
    'El proveedor vendió algo que no corresponde a ninguna línea entregada.',
  'Give the goods back to the supplier, or deliver them.':
    'Devuelva lo comprado al proveedor, o entréguelo.',
  'The supplier sold something else than the line says.':
    'El proveedor vendió algo distinto de lo que dice la línea.',
  'Have the supplier exchange it.': 'Haga que el proveedor lo cambie.',
  'there is no sandbox in {0}': 'no hay ningún sandbox en {0}',
  'Name its folder with --data.': 'Indique su carpeta con --data.',
  'the catalog is invalid at {0}{1}': 'el catálogo no es válido en {0}{1}',
  'The chain refused the transaction: {0}': 'La cadena rechazó la transacción: {0}',
  '--fault {0}: {1}': '--fault {0}: {~1}',
  'Such as --fault drop-reply@0.3,x3,payment; docs/sandbox-faults.md has them all.':
    'Por ejemplo --fault drop-reply@0.3,x3,payment; docs/sandbox-faults.md los tiene todos.',
  'the supplier {0} (asked for with --fault)': 'el proveedor {0} (pedido con --fault)',
  '--clock {0} is no time': '--clock {0} no es una hora',
  'Such as --clock +2h, --clock -10m, or --clock 2030-01-01T00:00:00Z for one that stands still.':
    'Por ejemplo --clock +2h, --clock -10m, o --clock 2030-01-01T00:00:00Z para uno que está parado.',
  'The market is not valid at {0}: {1}': 'El mercado no es válido en {0}: {1}',
  'Correct the market file at the path named and start again.':
    'Corrija el archivo del mercado en la ruta indicada y vuelva a empezar.',
  'The rate of {0} is 0 USD; it must be more': 'El tipo de cambio de {0} es 0 USD; debe ser más',
  'the {0} file is not JSON': 'el archivo {0} no es JSON',
  'The policy is not valid at {0}: {1}': 'La política no es válida en {0}: {1}',
  'Correct the policy file at the path named and start again.':
    'Corrija el archivo de la política en la ruta indicada y vuelva a empezar.',
  'the sandbox cannot use {0}': 'el sandbox no puede usar {0}',
  'secret.key is not the one that sandbox.db was begun with':
    'secret.key no es el archivo con el que se empezó sandbox.db',
  'Put the first secret.key back beside sandbox.db, or remove both to start over.':
    'Vuelva a poner el primer secret.key junto a sandbox.db, o quite los dos para empezar de nuevo.',
  '{0} is damaged: {1} bytes, not {2}': '{0} está dañado: {1} bytes, y no {2}',
  'the supplier cannot be reached': 'no se puede acceder al proveedor',
  "the supplier's answer to call {0} for {1} was lost; ask again with the same reference":
    'se perdió la respuesta del proveedor a la llamada {0} de {1}; pregunte de nuevo con la misma referencia',
  'delivery {0} is tried again later: {1}': 'la entrega {0} se intenta de nuevo más tarde: {1}',
  'Name another --port.': 'Indique otro --port.',
  'the reader is too slow': 'el lector es demasiado lento',
  '{0} is priced in {1}, which has no rate':
    '{0} tiene el precio en {1}, que no tiene tipo de cambio',
  'Price the product in a currency that the service has a rate for, such as USD.':
    'Ponga el precio del producto en una moneda con tipo de cambio, como USD.',
  'no webhook is called {0}': 'ningún webhook se llama {0}',
  'there is no order "{0}" in this sandbox': 'no hay ningún pedido «{0}» en este sandbox',
  'Name its data folder with --data, or play the event to an address with --to.':
    'Indique su carpeta de datos con --data, o simule el evento hacia una dirección con --to.',
  'order {0} names no address that is told of it':
    'el pedido {0} no indica ninguna dirección a la que comunicarlo',
  'Name one with --to, or when an order is made: --callback-url <url>.':
    'Indique una con --to, o al hacer un pedido: --callback-url <url>.',
  'order {0} was never like that': 'el pedido {0} nunca estuvo así',
  'Only what was is told again; to play it, name an address with --to.':
    'Solo se comunica otra vez lo que ocurrió; para simularlo, indique una dirección con --to.',
  '{0} is tried by itself, next at {1}': '{0} se intenta por sí solo, la próxima vez el {1}',
  'Only what was delivered or is dead can be sent again.':
    'Solo se puede enviar otra vez lo que se entregó o se dio por perdido.',
};
