/** Spanish: what was bought: orders, journal, receipts, doctor. */
import type { Catalogue } from '../translate.ts';

export const LEDGER: Catalogue = {
  'write a damaged or lost journal anew, from chain and merchant':
    'reescribe un diario dañado o perdido, a partir de la cadena y el comerciante',
  'order id, intent id, idempotency key or transaction':
    'id del pedido, id de la intención, clave de idempotencia o transacción',
  '{0}, or how it begins': '{~0}, o su principio',
  'list what was bought, newest first (the default)':
    'muestra lo comprado, lo más reciente primero (por defecto)',
  'find out what became of interrupted purchases, and finish those that were paid':
    'averigua qué fue de las compras interrumpidas y termina las que se pagaron',
  '{0}; all unfinished ones without it': '{~0}; sin ello, todas las que están sin terminar',
  'those that were given up as well': 'también las que se abandonaron',
  'how long to wait for each: delivery (30s), proof of a payment (150s)':
    'cuánto se espera cada una: la entrega (30s), la prueba de un pago (150s)',
  'print purchases for the books, oldest first: what was paid, and what for':
    'escribe las compras para la contabilidad, de la más antigua a la más reciente: qué se pagó y por qué',
  'beneficiaries in full; without it they are masked':
    'los beneficiarios completos; sin ello se ocultan',
  'show one purchase again; its codes are masked':
    'muestra otra vez una compra; sus códigos se ocultan',
  'print the codes of one purchase, or write them to a new file':
    'escribe los códigos de una compra, o los guarda en un archivo nuevo',
  'remove the codes of one purchase from this machine':
    'borra de esta máquina los códigos de una compra',
  PRODUCT: 'PRODUCTO',
  PAID: 'PAGADO',
  WHEN: 'CUÁNDO',
  NOTE: 'NOTA',
  'Nothing was bought from this machine yet.': 'Todavía no se ha comprado nada desde esta máquina.',
  'No purchase of this machine is like that.': 'Ninguna compra de esta máquina es así.',
  '{0} of unknown outcome. Run: scrip orders resume':
    '{0} de resultado desconocido. Ejecute: scrip orders resume',
  'Nothing is left to be finished here.': 'Aquí no queda nada por terminar.',
  'Some belong to other hosts; run the same with {0}':
    'Algunas son de otros hosts; ejecute lo mismo con {0}',
  '{0} of {1} USDC; {2} left': '{0} de {1} USDC; quedan {2}',
  'This month': 'Este mes',
  '{0} in 24 hours, {1} this month; {2} left': '{0} en 24 horas, {1} este mes; quedan {2}',
  'Under way': 'En curso',
  'Asking the service and the chain': 'Consultando el servicio y la cadena',
  'the chain': 'la cadena',
  'the service': 'el servicio',
  '1 check fails: {0}': 'falla 1 comprobación: {0}',
  '{0} checks fail: {1}': 'fallan {0} comprobaciones: {1}',
  '{0}, its file is private': '{0}, su archivo es privado',
  'there is no file: the defaults hold': 'no hay archivo: rigen los valores por defecto',
  '{0} is valid; rules that it sets: {1}': '{0} es válido; reglas que fija: {1}',
  'Nothing is signed until then. Run: scrip doctor --repair':
    'Hasta entonces no se firma nada. Ejecute: scrip doctor --repair',
  'a repair is at work or was cut off': 'hay una reparación en curso, o se interrumpió',
  'entries that are damaged: {0} of {1}: {2}': 'registros dañados: {0} de {1}: {2}',
  '1 entry, its seal fits': '1 registro, su sello coincide',
  '{0} entries, every seal fits': '{0} registros, todos los sellos coinciden',
  '{0} are unfinished': '{0} están sin terminar',
  'payments of the last 24 hours on the chain that it does not have: {0}, of {1} USDC':
    'pagos de las últimas 24 horas en la cadena que no tiene: {0}, de {1} USDC',
  'Another folder, machine or program may have made them. If entries were removed, ask the merchant for their orders.':
    'Puede haberlos hecho otra carpeta, otra máquina u otro programa. Si se quitaron registros, pida sus pedidos al comerciante.',
  'Run: scrip orders resume': 'Ejecute: scrip orders resume',
  '{0} was paid and not delivered': '{0} se pagó y no se entregó',
  'Send the merchant what this prints: scrip orders show {0}':
    'Envíe al comerciante lo que muestra: scrip orders show {0}',
  'Install Node {0} or newer.': 'Instale Node {0} o posterior.',
  '{0} is too old': '{0} es demasiado antiguo',
  'other code or settings may be loaded before scrip':
    'puede cargarse otro código u otros ajustes antes que scrip',
  'Unset it for scrip.': 'Quite la variable para scrip.',
  'more authorities are trusted': 'se confía en más autoridades',
  'Keep it only for a host of your own.': 'Consérvela solo para un host propio.',
  'what runs is written to disk': 'lo que se ejecuta se escribe en el disco',
  'Unset it.': 'Quite la variable.',
  'keys of connections may be written to disk':
    'las claves de las conexiones pueden escribirse en el disco',
  '{0} is set: {1}': '{0} está definida: {~1}',
  '{0} is set: scrip asks hosts directly and does not use it':
    '{0} está definida: scrip se conecta directamente a los hosts y no la usa',
  'None is needed.': 'No hace falta ninguno.',
  'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off':
    'NODE_TLS_REJECT_UNAUTHORIZED=0 desactiva la comprobación de certificados',
  'Unset it; name a private authority with NODE_EXTRA_CA_CERTS.':
    'Quite la variable; indique una autoridad privada con NODE_EXTRA_CA_CERTS.',
  'nothing unusual is set': 'no hay nada inusual definido',
  '{0} is not there yet': '{0} todavía no existe',
  'Move it away: a folder is needed there.': 'Apártelo: ahí hace falta una carpeta.',
  '{0} is no folder': '{0} no es una carpeta',
  'Run: chown -R "$(id -un)" {0}': 'Ejecute: chown -R "$(id -un)" {0}',
  'The state folder is not safe: {0}': 'La carpeta de estado no es segura: {~0}',
  '{0} belongs to another user': '{0} pertenece a otro usuario',
  'Run: chmod 700 {0}': 'Ejecute: chmod 700 {0}',
  'others may write to {0} (mode {1})': 'otros pueden escribir en {0} (modo {1})',
  'others may read {0} (mode {1})': 'otros pueden leer {0} (modo {1})',
  '{0} is yours alone (mode {1})': '{0} es solo suya (modo {1})',
  '{0} free at {1}': '{0} libres en {1}',
  'Free disk space: nothing is paid that cannot be written down first.':
    'Libere espacio en el disco: no se paga nada que no pueda anotarse antes.',
  '{0} answers {1}': '{~0} responde {1}',
  '{0} answers': '{~0} responde',
  '{0} publishes none': '{~0} no publica ninguno',
  'Ask the host, or leave payTo: manifest out of its rules in the policy.':
    'Pregunte al host, o quite payTo: manifest de sus reglas en la política.',
  'that of {0} cannot be read': 'el de {0} no se puede leer',
  'names no wallet': 'no indica ningún monedero',
  'names 1 wallet': 'indica 1 monedero',
  'names {0} wallets': 'indica {0} monederos',
  'nobody to compare it with': 'no hay con quién compararlo',
  behind: 'por detrás de',
  'ahead of': 'por delante de',
  'Set the clock of this machine, such as by NTP.':
    'Ponga en hora el reloj de esta máquina, por ejemplo con NTP.',
  '{0} is of {1}, at block {2}': '{~0} es de {1}, en el bloque {2}',
  '{0} is of another chain than {1}': '{~0} es de otra cadena que {1}',
  'Name an RPC of Solana mainnet with --rpc-url, or the sandbox’s own.':
    'Indique un RPC de la red principal de Solana con --rpc-url, o el del sandbox.',
  '{0} has the mint of USDC': '{~0} tiene la acuñación de USDC',
  '{0} has no mint of USDC with 6 decimals': '{~0} no tiene una acuñación de USDC con 6 decimales',
  'Name another RPC with --rpc-url.': 'Indique otro RPC con --rpc-url.',
  '{0} entries kept, {1} restored': '{0} registros conservados, {1} restaurados',
  'the old records are in {0}': 'los registros antiguos están en {0}',
  'the payment {0} is explained by no record': 'ningún registro explica el pago {0}',
  'See what it is: scrip orders show {0}': 'Vea de qué se trata: scrip orders show {0}',
  'the wallet has more history than was read': 'el monedero tiene más historial del que se leyó',
  'Older payments may be missing: name an RPC that keeps all of it with --rpc-url.':
    'Pueden faltar pagos antiguos: indique con --rpc-url un RPC que lo conserve todo.',
  '{0} has its goods': '{0} tiene lo comprado',
  'this machine has no purchase "{0}"': 'esta máquina no tiene ninguna compra «{0}»',
  '"{0}" is only the beginning of an id': '«{0}» es solo el principio de un id',
  'Name all of it: {0}': 'Indíquelo entero: {0}',
  '"{0}" fits {1} purchases': '«{0}» coincide con {1} compras',
  'Name more of it: {0}': 'Indique más de él: {0}',
  'Codes are masked. To see them: scrip orders reveal {0}':
    'Los códigos están ocultos. Para verlos: scrip orders reveal {0}',
  'Codes in': 'Códigos en',
  Codes: 'Códigos',
  'no longer on this machine': 'ya no están en esta máquina',
  'the codes of {0} are not kept here': 'los códigos de {0} no se guardan aquí',
  'the codes of {0} are sealed by the wallet {1}': 'los códigos de {0} los selló el monedero {1}',
  'sealed by the wallet {0}': 'sellados por el monedero {0}',
  'no codes of the order {0} are known here': 'aquí no se conoce ningún código del pedido {0}',
  'Ask the merchant for them: scrip track {0}': 'Pídalos al comerciante: scrip track {0}',
  'How it stands: scrip track {0}': 'Cómo está: scrip track {0}',
  'the purchase {0} was made with the wallet {1}': 'la compra {0} se hizo con el monedero {1}',
  'Some belong to other wallets; name each with --keypair: {0}.':
    'Algunas son de otros monederos; indique cada uno con --keypair: {0}.',
  'paid by this wallet; no-wallet for orders made without one':
    'pagadas por este monedero; no-wallet para los pedidos hechos sin monedero',
  'Name an RPC that keeps the last 24 hours of the wallet with --rpc-url.':
    'Indique con --rpc-url un RPC que conserve las últimas 24 horas del monedero.',
  'Name that wallet with --keypair, or its --profile.':
    'Indique ese monedero con --keypair, o su --profile.',
  'Name that wallet with --keypair, and run this again.':
    'Indique ese monedero con --keypair y ejecute esto otra vez.',
  'Move its folder aside: the merchant still has the orders.':
    'Aparte su carpeta: el comerciante todavía tiene los pedidos.',
  'the wallet {0}: {1}': 'el monedero {0}: {~1}',
  'orders made without a wallet: {0}': 'pedidos hechos sin monedero: {~0}',
  'The merchant may still have them. Run: scrip track {0}':
    'Puede que el comerciante aún los tenga. Ejecute: scrip track {0}',
  'the purchase {0} was not paid and has no codes': 'la compra {0} no se pagó y no tiene códigos',
  'Run: scrip orders resume {0}': 'Ejecute: scrip orders resume {0}',
  'the purchase {0} has no codes yet': 'la compra {0} todavía no tiene códigos',
  Reason: 'Motivo',
  'To finish it: scrip orders resume {0}': 'Para terminarla: scrip orders resume {0}',
  'the payment was made and the merchant does not deliver':
    'el pago se hizo y el comerciante no entrega',
  'Do not pay again. Send the merchant these lines; to ask once more: scrip orders resume {0}':
    'No pague de nuevo. Envíe estas líneas al comerciante; para preguntar otra vez: scrip orders resume {0}',
  'Nothing was bought from this machine in that time.':
    'En ese tiempo no se compró nada desde esta máquina.',
  '{0} of unknown outcome, without paid_atomic. Run: scrip orders resume':
    '{0} de resultado desconocido, sin paid_atomic. Ejecute: scrip orders resume',
  'The order is at {0}, by the journal': 'Según el diario, el pedido está en {0}',
};
