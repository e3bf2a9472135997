/** Spanish: settings, profiles, output, the program itself. */
import type { Catalogue } from '../translate.ts';

export const SETTINGS: Catalogue = {
  'HOME is no whole path: {0}': 'HOME no es una ruta completa: {0}',
  'Set it to your home folder.': 'Indique ahí la ruta completa de su carpeta personal.',
  'Browse:': 'Explorar:',
  'Buy:': 'Comprar:',
  'Wallet and sandbox:': 'Monedero y sandbox:',
  'More:': 'Más:',
  'list the brands sold in a country': 'muestra las marcas que se venden en un país',
  'list the products of a brand or of a family':
    'muestra los productos de una marca o de una familia',
  'quote a product in USDC': 'da el precio de un producto en USDC',
  'find brands by name, typing errors forgiven':
    'busca marcas por su nombre, con tolerancia a las erratas',
  'list the countries and their codes': 'muestra los países y sus códigos',
  'list the coins that the partner API takes': 'muestra las monedas que acepta la API de socios',
  'list the ways to pay, with their coins and networks':
    'muestra las formas de pago, con sus monedas y redes',
  'check an order of the partner API without making it':
    'comprueba un pedido de la API de socios sin hacerlo',
  'show what a host asks to be paid, check by check; sign nothing':
    'muestra, comprobación a comprobación, lo que un host pide cobrar; no firma nada',
  'buy a product and wait for its code': 'compra un producto y espera su código',
  'be asked for everything, one question after another, and buy':
    'le pregunta todo, paso a paso, y compra',
  'pay an order of the partner API, or show how to':
    'paga un pedido de la API de socios, o muestra cómo',
  'follow an order until it is delivered': 'sigue un pedido hasta que se entrega',
  'what this machine bought; finish what was interrupted':
    'lo que compró esta máquina; termina lo que se interrumpió',
  'open the page of a payment, or where a code is redeemed':
    'abre la página de un pago, o donde se canjea un código',
  'make, import, fund and look at the wallet that pays':
    'crea, importa, recarga y muestra el monedero que paga',
  'what may be spent, on what, and by whom': 'qué se puede gastar, en qué y quién',
  'what the wallet has spent, against what it may':
    'lo que ha gastado el monedero, frente a lo que puede gastar',
  'serve the whole service on one port of this machine':
    'sirve todo el servicio en un puerto de esta máquina',
  'receive webhooks on this machine, check them, print them and pass them on':
    'recibe webhooks en esta máquina, los comprueba, los muestra y los reenvía',
  'be the tool server of an agent (Model Context Protocol)':
    'es el servidor de herramientas de un agente (Model Context Protocol)',
  'check this machine, its wallet, its journal, the host and the chain':
    'revisa esta máquina, su monedero, su diario, el host y la cadena',
  'collect what helps to find a fault, with nothing secret in it':
    'reúne lo que ayuda a encontrar un fallo, sin nada secreto',
  'look at the settings and change them': 'muestra los ajustes y los cambia',
  'name hosts and wallets, and choose between them':
    'da nombre a hosts y monederos, y elige entre ellos',
  'list every error code, its exit status and what to do':
    'muestra cada código de error, su estado de salida y qué hacer',
  'print the JSON Schema of what a command prints with --json':
    'escribe el JSON Schema de lo que una orden escribe con --json',
  'print what an agent should know to use this program':
    'escribe lo que un agente debe saber para usar este programa',
  'print a completion script for a shell': 'escribe el script de autocompletado para un shell',
  'shell to write for': 'shell para el que se escribe',
  'print one setting as it holds here': 'muestra un ajuste tal como rige aquí',
  'setting, as `scrip config list` names it': 'ajuste, con el nombre que le da `scrip config list`',
  'list every setting with where it comes from (the default)':
    'muestra todos los ajustes y de dónde vienen (por defecto)',
  'print where the file of the settings is': 'muestra dónde está el archivo de los ajustes',
  'keep a setting in the profile; `profile` chooses the one for all commands':
    'guarda un ajuste en el perfil; `profile` elige el de todas las órdenes',
  'its value': 'su valor',
  'take a setting out of the profile': 'quita un ajuste del perfil',
  Profile: 'Perfil',
  'not set': 'sin definir',
  '{0} is set and wins.': '{0} está definida y prevalece.',
  'there is no setting "{0}"': 'no hay ningún ajuste «{0}»',
  'There are: {0}.': 'Hay: {0}.',
  'Topics: {0}. The commands: scrip --help': 'Temas: {0}. Las órdenes: scrip --help',
  'the profile {0} takes no {1}: it is play money on this machine':
    'el perfil {0} no admite {1}: es dinero de prueba en esta máquina',
  'Make a profile of its own: scrip profile add <name> --checkout-url <url>':
    'Cree un perfil aparte: scrip profile add <name> --checkout-url <url>',
  'form of the page': 'formato de la página',
  EXIT: 'SALIDA',
  RETRY: 'REINTENTAR',
  'MONEY MOVED': 'DINERO MOVIDO',
  'WHAT TO DO': 'QUÉ HACER',
  'name of the profile': 'nombre del perfil',
  'use a profile for every command that names none':
    'usa un perfil en todas las órdenes que no indican ninguno',
  'list the profiles (the default)': 'muestra los perfiles (por defecto)',
  'show what a profile comes to': 'muestra en qué queda un perfil',
  '{0}; the one in use without it': '{~0}; sin ello, el que está en uso',
  'forget a profile; its wallet stays where it is':
    'olvida un perfil; su monedero se queda donde está',
  'name a host and a wallet, by the global options':
    'da nombre a un host y un monedero, con las opciones globales',
  'letters, digits, - and _': 'letras, cifras, - y _',
  'address that the signer command signs for': 'dirección por la que firma la orden firmante',
  'two-letter code of the country that you are in':
    'código de dos letras del país en el que está usted',
  'the profile {0} is always there': 'el perfil {0} existe siempre',
  'Choose another name.': 'Elija otro nombre.',
  'there is a profile {0} already': 'ya hay un perfil {0}',
  'Change it: scrip config set <key> <value> --profile {0}':
    'Cámbielo: scrip config set <key> <value> --profile {0}',
  'Use it with --profile {0}, or for every command: scrip profile use {1}':
    'Úselo con --profile {0}, o en todas las órdenes: scrip profile use {1}',
  PROFILE: 'PERFIL',
  'IN USE': 'EN USO',
  MONEY: 'DINERO',
  HOST: 'HOST',
  WALLET: 'MONEDERO',
  'Money: {0}.': 'Dinero: {~0}.',
  'Its settings go one by one: scrip config unset <key>':
    'Sus ajustes se quitan uno a uno: scrip config unset <key>',
  Removed: 'Quitado',
  '{0} (left as it is)': '{0} (se deja como está)',
  'Commands without --profile use the sandbox again.':
    'Las órdenes sin --profile usan otra vez el sandbox.',
  Host: 'Host',
  Money: 'Dinero',
  'words of a command, such as wallet balance; all of them without':
    'palabras de una orden, como wallet balance; sin ellas, todas',
  COMMAND: 'ORDEN',
  'The schema of one: scrip schema <command>': 'El esquema de una: scrip schema <command>',
  'codes, such as WALLET_MISSING, in any case; all of them without':
    'códigos, como WALLET_MISSING, en mayúsculas o minúsculas; sin ninguno, todos',
  'there is no error code "{0}"': 'no hay ningún código de error «{0}»',
  'there is no command "{0}" that prints JSON': 'no hay ninguna orden «{0}» que escriba JSON',
  'Run: scrip schema': 'Ejecute: scrip schema',
  'Run: scrip errors': 'Ejecute: scrip errors',
  'Did you mean {0}?': '¿Quiso decir {0}?',
  'the document': 'el documento',
  'unknown key "{0}"': 'clave desconocida «{0}»',
  'profile is not text': 'profile no es texto',
  'there is no profile "{0}" to be used': 'no hay ningún perfil «{0}» que usar',
  'unknown key "{0}.{1}"': 'clave desconocida «{0}.{1}»',
  '{0}.{1} is not for the sandbox: name another profile':
    '{0}.{1} no es para el sandbox: indique otro perfil',
  '{0}.{1} is not text': '{0}.{1} no es texto',
  '{0} is not an object': '{~0} no es un objeto',
  'Correct the file, or put it aside; it was left as it is.':
    'Corrija el archivo o apártelo; se dejó como estaba.',
  'Correct the file; a profile may hold {0}.': 'Corrija el archivo; un perfil puede contener {0}.',
  'stopped at the question; nothing was sent': 'detenido en la pregunta; no se envió nada',
  'an unknown fault': 'un fallo desconocido',
  'a line is longer than {0} characters': 'una línea tiene más de {0} caracteres',
  "unknown {0} '{1}'": '{~0} «{1}» no existe',
  'a subcommand is missing: {0}': 'falta una suborden: {0}',
  'there is no field "{0}"': 'no hay ningún campo «{0}»',
  'Fields: {0}.': 'Campos: {0}.',
  '--{0} and --{1} are two formats': '--{0} y --{1} son dos formatos',
  'Name one of {0}.': 'Indique uno de {0}.',
  '--fields names no field': '--fields no indica ningún campo',
  'Write them with commas between them, such as --fields brand_name,min.':
    'Escríbalos separados por comas, como --fields brand_name,min.',
  'The same in one line:': 'Lo mismo en una línea:',
  'a brace of the template has no other: {0}': 'una llave de la plantilla no tiene pareja: {0}',
  'Write fields as {name}, and a brace of the text as {{ or }}.':
    'Escriba los campos como {name}, y una llave del texto como {{ o }}.',
  'Left after': 'Queda después',
  'Refunds to': 'Reembolsos a',
  'To do': 'Por hacer',
  'What to do': 'Qué hacer',
  'IN STOCK': 'EN STOCK',
  'there is no profile "{0}" in {1}': 'no hay ningún perfil «{0}» en {1}',
  ' SCRIP_PROFILE is set to {0} and wins.': ' SCRIP_PROFILE vale {0} y prevalece.',
  'embedded in this program': 'integrado en este programa',
  'From now on commands without --profile are about real money at {0}.':
    'Desde ahora las órdenes sin --profile son con dinero real en {0}.',
  'From now on commands without --profile are about play money.':
    'Desde ahora las órdenes sin --profile son con dinero de prueba.',
  'standard output cannot be written{0}': 'no se puede escribir en la salida estándar{0}',
  'the embedded sandbox, kept in {0}': 'el sandbox integrado, guardado en {0}',
  'done in {0} s': 'terminado en {0} s',
  'Buy gift cards, mobile top-ups and eSIMs with USDC on Solana.':
    'Compre tarjetas regalo, recargas móviles y eSIM con USDC en Solana.',
  'print the version': 'muestra la versión',
  'print this help': 'muestra esta ayuda',
  'print the help of a command, or of a topic': 'muestra la ayuda de una orden, o de un tema',
  'Global options, explained by scrip --help: {0}':
    'Opciones globales, explicadas por scrip --help: {0}',
  '\nStart here:\n  $ scrip wallet new && scrip wallet fund\n  $ scrip brands --country us --search amazon\n  $ scrip <command> --help\n  $ scrip help money      also: exit-codes, environment, formatting, profiles\n\nUnless a host is named, by --checkout-url or by a profile, everything runs on the\nembedded service, with play money.':
    '\nPara empezar:\n  $ scrip wallet new && scrip wallet fund\n  $ scrip brands --country us --search amazon\n  $ scrip <command> --help\n  $ scrip help money      y también: exit-codes, environment, formatting, profiles\n\nSi no se indica ningún host, con --checkout-url o con un perfil, todo funciona\ncon el servicio integrado y dinero de prueba.',
  '"{0}" is not a port between 0 and 65535': '«{0}» no es un puerto entre 0 y 65535',
  'checkout host': 'host de pago',
  'partner API': 'API de socios',
  'agent tool server': 'servidor de herramientas para agentes',
  'site that lists the countries': 'sitio que lista los países',
  'The list of this host cannot be read: these are the countries that scrip knows, sold in or not.':
    'La lista de este host no se puede leer: estos son los países que scrip conoce, se venda en ellos o no.',
  'a second one, of another operator': 'un segundo, de otro operador',
  'since when keys can have been used': 'desde cuándo pueden haberse usado claves',
  '--key-since "{0}" is not a date': '--key-since «{0}» no es una fecha',
  'key file that pays': 'archivo de clave que paga',
  'program that signs': 'programa que firma',
  'passphrase of the key file': 'frase de contraseña de la clave',
  'who you are to the partner API': 'quién es usted para la API de socios',
  'two-letter code of the country that the user is in':
    'código de dos letras del país en el que está el usuario',
  'language of messages: en or es': 'idioma de los mensajes: en o es',
  '{0} "{1}" is not an https address': '{0} «{1}» no es una dirección https',
  'Use https://…; plain http is for this machine alone, such as http://127.0.0.1:4020.':
    'Use https://…; http sin cifrar es solo para esta máquina, como http://127.0.0.1:4020.',
  '{0} takes a plain base address, without ?, # or a user name':
    '{0} admite una dirección base simple, sin ?, # ni nombre de usuario',
  'a partner id is 1 to 100 printable characters without spaces':
    'un id de socio tiene de 1 a 100 caracteres imprimibles sin espacios',
  'the country "{0}" of the settings is not two letters':
    'el país «{0}» de los ajustes no tiene dos letras',
  '"{0}" is not a profile name': '«{0}» no es un nombre de perfil',
  'Profile names are letters, digits, - and _, at most 40.':
    'Los nombres de perfil tienen letras, cifras, - y _, 40 como máximo.',
  'the signer command is not the absolute path of a program':
    'la orden firmante no es la ruta absoluta de un programa',
  'With arguments, write a JSON array: \'["/path/to/signer","--slot","1"]\'':
    'Con argumentos, escriba una lista JSON: \'["/path/to/signer","--slot","1"]\'',
  '{0} is not an address of Solana': '{0} no es una dirección de Solana',
  'a key file and a signer command are both named':
    'se indican a la vez un archivo de clave y una orden firmante',
  'Leave --keypair or --signer-command out.': 'Quite --keypair o --signer-command.',
  '{0} is not an absolute path': '{0} no es una ruta absoluta',
  SETTING: 'AJUSTE',
  FROM: 'DE',
  VARIABLE: 'VARIABLE',
  'profile {0}': 'perfil {0}',
  'the sandbox wallet {0} is not used with {1}': 'el monedero del sandbox {0} no se usa con {1}',
  'the wallet {0} of the profile {1} is for real money':
    'el monedero {0} del perfil {1} es para dinero real',
  'To give it play money all the same, name it with --keypair.':
    'Para darle dinero de prueba de todos modos, indíquelo con --keypair.',
  '{0} is not the number of an open descriptor': '{0} no es el número de un descriptor abierto',
  'Such as: scrip … {0} 3 3< <(pass show scrip)':
    'Por ejemplo: scrip … {0} 3 3< <(pass show scrip)',
  '--rpc-url-2 is the same as --rpc-url': '--rpc-url-2 es igual que --rpc-url',
  'Name a node of another operator.': 'Indique un nodo de otro operador.',
  'nobody can be asked here': 'aquí no se puede preguntar a nadie',
  'Run the command again.': 'Ejecute la orden otra vez.',
};
