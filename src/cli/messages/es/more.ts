/** Spanish: everything else. */
import type { Catalogue } from '../translate.ts';

export const MORE: Catalogue = {
  'Name the one of its commands that is meant: {0}': 'Indique cuál de sus órdenes es: {0}',
  'a new file for you alone (mode 0600), instead of standard output':
    'un archivo nuevo solo para usted (modo 0600), en lugar de la salida estándar',
  'port of this machine; 0 takes a free one': 'puerto de esta máquina; con 0 toma uno libre',
  'pass on what is genuine, headers and body as they came':
    'reenvía lo auténtico, con las cabeceras y el cuerpo tal como llegaron',
  'that address need not be of this machine or its network':
    'esa dirección no tiene que ser de esta máquina ni de su red',
  'what messages are signed with, whsec_…; - reads it (or SCRIP_WEBHOOK_SECRET)':
    'con qué se firman los mensajes, whsec_…; - lo lee de la entrada (o SCRIP_WEBHOOK_SECRET)',
  'data folder of the sandbox whose secrets are used without that':
    'carpeta de datos del sandbox cuyos secretos se usan si no se indica ninguno',
  'how each is printed': 'cómo se muestra cada uno',
  'end when so many genuine ones came, none of them twice':
    'termina cuando han llegado tantos auténticos, ninguno repetido',
  'end after this time, such as 90s; with --count it is a failure':
    'termina después de este tiempo, como 90s; con --count es un fallo',
  'from scrip orders': 'de scrip orders',
  'the page where its code is redeemed, instead of its payment':
    'la página donde se canjea su código, en lugar de la de su pago',
  'which of its goods to redeem': 'cuál de sus artículos se canjea',
  'print the address, and open nothing': 'muestra la dirección y no abre nada',
  'nobody can be asked whether to open it': 'no se puede preguntar a nadie si se abre',
  'Add --print for the address, or --yes to open it.':
    'Añada --print para ver la dirección, o --yes para abrirla.',
  Opened: 'Abierto',
  'Open it in your browser?': '¿Abrirla en su navegador?',
  'you declined; nothing was opened': 'usted no aceptó; no se abrió nada',
  '{0} could not be opened': 'no se pudo abrir {0}',
  'no transaction is known of the order {0}': 'no se conoce ninguna transacción del pedido {0}',
  'it was paid on the chain of a sandbox, which no explorer knows':
    'se pagó en la cadena de un sandbox, que ningún explorador conoce',
  'Run: scrip orders show {0}': 'Ejecute: scrip orders show {0}',
  '--item "{0}" is not a whole number from 1 on':
    '--item «{0}» no es un número entero a partir de 1',
  'item {0} of {1} has no address to redeem it at':
    'el artículo {0} de {1} no tiene dirección en la que canjearlo',
  'Run: scrip orders reveal {0}': 'Ejecute: scrip orders reveal {0}',
  'the address is not a plain https:// one, and is not opened':
    'la dirección no es una dirección https:// simple, y no se abre',
  'Written to': 'Escrito en',
  'Look at it before you give it to anybody: it is text.':
    'Revíselo antes de dárselo a nadie: es texto.',
  'Its money is play money, its shop and chain are inside, until you name a host.':
    'Su dinero es de prueba, y su tienda y su cadena van dentro, hasta que indique un host.',
  'It buys from {0}, as your settings say: the money may be real.':
    'Compra en {0}, como dicen sus ajustes: el dinero puede ser real.',
  'First run of scrip here: what it keeps goes to {0}.':
    'Primera ejecución de scrip aquí: lo que guarda va a {0}.',
  'Next: scrip wallet new && scrip wallet fund; then scrip wizard, or --help.':
    'A continuación: scrip wallet new && scrip wallet fund; después scrip wizard, o --help.',
  'settings to use; `sandbox` is the embedded service (SCRIP_PROFILE)':
    'ajustes que se usan; `sandbox` es el servicio integrado (SCRIP_PROFILE)',
  'checkout host instead of the embedded service (SCRIP_CHECKOUT_URL)':
    'host de pago en lugar del servicio integrado (SCRIP_CHECKOUT_URL)',
  'partner API (SCRIP_API_URL)': 'API de socios (SCRIP_API_URL)',
  'agent tool server (SCRIP_MCP_URL)': 'servidor de herramientas para agentes (SCRIP_MCP_URL)',
  'site that lists the countries (SCRIP_SITE_URL)': 'sitio que lista los países (SCRIP_SITE_URL)',
  'Solana JSON-RPC (SCRIP_RPC_URL)': 'Solana JSON-RPC (SCRIP_RPC_URL)',
  'a second one, of another operator (SCRIP_RPC_URL_2)':
    'un segundo, de otro operador (SCRIP_RPC_URL_2)',
  'since when idempotency keys can have been used: 2026-11-01, or 30d (SCRIP_KEY_SINCE)':
    'desde cuándo pueden haberse usado claves de idempotencia: 2026-11-01, o 30d (SCRIP_KEY_SINCE)',
  'who you are to the partner API (SCRIP_PARTNER_ID)':
    'quién es usted para la API de socios (SCRIP_PARTNER_ID)',
  'key file that pays, encrypted or in the Solana CLI format (SCRIP_KEYPAIR)':
    'archivo de clave que paga, cifrado o con el formato de la CLI de Solana (SCRIP_KEYPAIR)',
  'program that signs, in place of a key file (SCRIP_SIGNER_COMMAND)':
    'programa que firma, en lugar de un archivo de clave (SCRIP_SIGNER_COMMAND)',
  'passphrase of the key file; - is standard input':
    'frase de contraseña del archivo de clave; - es la entrada estándar',
  'descriptor to read the passphrase from': 'descriptor del que se lee la frase de contraseña',
  'language of messages: en or es (SCRIP_LANG)': 'idioma de los mensajes: en o es (SCRIP_LANG)',
  'auto, always or never (NO_COLOR, FORCE_COLOR)': 'auto, always o never (NO_COLOR, FORCE_COLOR)',
  'print these fields alone, such as brand_name,min':
    'escribe solo estos campos, como brand_name,min',
  'print a line for each record, such as "{brand_name} {min}"':
    'escribe una línea por registro, como "{brand_name} {min}"',
  'print one JSON document': 'escribe un documento JSON',
  'print a JSON document for each record, on a line of its own':
    'escribe un documento JSON por registro, cada uno en su línea',
  'print comma-separated values with a line of headers':
    'escribe valores separados por comas con una línea de encabezados',
  'never show long output a screen at a time': 'nunca muestra una salida larga pantalla a pantalla',
  'never ask; fail and name the flag instead': 'no pregunta nunca; falla e indica qué opción falta',
  'say what is being done, on stderr': 'cuenta lo que se hace, en la salida de errores',
  'not of this machine or its network': 'no es de esta máquina ni de su red',
  '--forward-to {0} is {1}': '--forward-to {0}: {~1}',
  'Name an address such as http://127.0.0.1:3000/webhooks, or add --forward-anywhere.':
    'Indique una dirección como http://127.0.0.1:3000/webhooks, o añada --forward-anywhere.',
  'no secret is named to check webhooks with':
    'no se indica ningún secreto con el que comprobar los webhooks',
  'Name a file with --secret-file, or set {0}.':
    'Indique un archivo con --secret-file, o defina {0}.',
  'the sandbox in {0}': 'el sandbox de {0}',
  'Listening on {0}': 'A la escucha en {0}',
  'Signatures are checked with: {0}': 'Las firmas se comprueban con: {,0}',
  'What is genuine goes on to {0}': 'Lo auténtico se reenvía a {0}',
  'An order that tells it: scrip order … --callback-url {0}':
    'Un pedido que lo comunica: scrip order … --callback-url {0}',
  'A sandbox that may reach it: scrip sandbox --webhook-allow-private':
    'Un sandbox que puede llegar a ella: scrip sandbox --webhook-allow-private',
  'no id': 'sin id',
  WEBHOOK: 'WEBHOOK',
  VERDICT: 'VEREDICTO',
  '{0} genuine of {1} received.': '{0} auténticos de {1} recibidos.',
  'webhooks that came in time: {0} of {1}': 'webhooks que llegaron a tiempo: {0} de {1}',
  'private webhooks are refused on {0}': 'los webhooks privados se rechazan en {0}',
  'Leave --webhook-allow-private out, or bind 127.0.0.1.':
    'Quite --webhook-allow-private, o escuche en 127.0.0.1.',
};
