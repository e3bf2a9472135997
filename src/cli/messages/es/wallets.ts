/** Spanish: wallets, keys and passphrases. */
import type { Catalogue } from '../translate.ts';

export const WALLETS: Catalogue = {
  'print the address that pays': 'muestra la dirección que paga',
  'show what the wallet holds, by the chain': 'muestra lo que tiene el monedero, según la cadena',
  'put play money into the wallet (sandbox only)':
    'pone dinero de prueba en el monedero (solo en el sandbox)',
  'The wallet is not marked as play money: it pays by the rules of real money. If it holds play money alone: scrip wallet mark-play':
    'El monedero no está marcado como dinero de prueba: paga según las reglas del dinero real. Si solo tiene dinero de prueba: scrip wallet mark-play',
  'say that the wallet holds play money alone; asked about at a terminal':
    'dice que el monedero solo tiene dinero de prueba; se pregunta en un terminal',
  'take the mark away: the rules of real money hold for it again':
    'quita la marca: para él vuelven a regir las reglas del dinero real',
  'a wallet is marked as play money at a terminal':
    'un monedero se marca como dinero de prueba en un terminal',
  'In a script, use a wallet that was made for the sandbox: scrip wallet new':
    'En un script, use un monedero creado para el sandbox: scrip wallet new',
  'Mark {0} as play money? It then pays any sandbox on this machine without a question, and no host elsewhere.':
    '¿Marcar {0} como dinero de prueba? Entonces paga a cualquier sandbox en esta máquina sin preguntar, y a ningún host en otro lugar.',
  'you declined; the wallet is as it was': 'usted no aceptó; el monedero sigue como estaba',
  'play mark': 'la marca de dinero de prueba',
  'The play mark {0} is not that of {1}': 'La marca de dinero de prueba {0} no es la de {1}',
  'Remove the file. If the wallet holds play money alone: scrip wallet mark-play':
    'Quite el archivo. Si el monedero solo tiene dinero de prueba: scrip wallet mark-play',
  'The play mark {0} cannot be removed': 'La marca de dinero de prueba {0} no se puede quitar',
  'Remove the file yourself.': 'Quite el archivo usted mismo.',
  'USDC to add': 'USDC que se añaden',
  'SOL to add': 'SOL que se añaden',
  'copy a key: Solana CLI file, base58, recovery phrase or encrypted key file':
    'copia una clave: archivo de la CLI de Solana, base58, frase de recuperación o archivo de clave cifrado',
  'file that holds it; - is standard input; asked for when left out':
    'archivo que la contiene; - es la entrada estándar; si no se indica, se pregunta',
  'descriptor to read it from': 'descriptor del que se lee',
  "of a phrase: the key at m/44'/501'/<n>'/0'": "de una frase: la clave en m/44'/501'/<n>'/0'",
  "of a phrase: the key at this path (m/44'/501'/0'/0')":
    "de una frase: la clave en esta ruta (m/44'/501'/0'/0')",
  'of a phrase: its first key without a path, as solana-keygen has it':
    'de una frase: su primera clave sin ruta, como la tiene solana-keygen',
  'passphrase of the phrase itself (BIP39)': 'frase de contraseña de la propia frase (BIP39)',
  '32 bytes in base58 are a seed, and not an address':
    '32 bytes en base58 son una semilla, y no una dirección',
  'put the copy under a passphrase; --passphrase-file implies it':
    'pone la copia bajo una frase de contraseña; --passphrase-file lo implica',
  'one file is imported at a time, and {0} are named':
    'se importa un archivo cada vez, y se indican {0}',
  'a file and a descriptor are both named': 'se indican a la vez un archivo y un descriptor',
  '--account, --path and --no-derivation exclude each other':
    '--account, --path y --no-derivation se excluyen',
  'the account "{0}" is not a number': 'la cuenta «{0}» no es un número',
  'Check the path of the key file.': 'Compruebe la ruta del archivo de clave.',
  'take a passphrase of fewer than 12 characters':
    'acepta una frase de contraseña de menos de 12 caracteres',
  'make a key file; one that is there is never overwritten':
    'crea un archivo de clave; nunca se sobrescribe uno que exista',
  'under a passphrase; --passphrase-file and --passphrase-fd imply it':
    'bajo una frase de contraseña; --passphrase-file y --passphrase-fd lo implican',
  'put the key file under a passphrase, in its place':
    'pone el archivo de clave bajo una frase de contraseña, en su mismo lugar',
  'put an encrypted key file under another passphrase':
    'pone un archivo de clave cifrado bajo otra frase de contraseña',
  'the passphrase to be; - is standard input':
    'la nueva frase de contraseña; - es la entrada estándar',
  'hand out the secret key: to a file, or to a terminal after a question':
    'entrega la clave secreta: a un archivo, o a un terminal tras una pregunta',
  'file to make, which you alone may read': 'archivo que se crea y que solo usted puede leer',
  'json for the Solana CLI, base58 for other wallets':
    'json para la CLI de Solana, base58 para otros monederos',
  'Next: scrip wallet fund': 'A continuación: scrip wallet fund',
  'Next: scrip wallet balance': 'A continuación: scrip wallet balance',
  'Copies of the file from before, in backups too, are still in the clear.':
    'Las copias anteriores del archivo, también las de seguridad, siguen sin cifrar.',
  'Copies of the file from before open with the passphrase from before.':
    'Las copias anteriores del archivo se abren con la frase de contraseña anterior.',
  'Whoever reads that file has the money.': 'Quien lea ese archivo tiene el dinero.',
  'a secret key is printed on a terminal alone': 'una clave secreta solo se muestra en un terminal',
  'Write it to a file: scrip wallet export --output <file>':
    'Escríbala en un archivo: scrip wallet export --output <file>',
  'Print the secret key of {0}? Whoever sees it has the money.':
    '¿Mostrar la clave secreta de {0}? Quien la vea tiene el dinero.',
  'nothing was printed': 'no se mostró nada',
  Signer: 'Firmante',
  'Key file': 'Archivo de clave',
  'Read from': 'Leído de',
  Encrypted: 'Cifrado',
  'account {0}': 'cuenta {0}',
  '{0} is not between 0 and {1}': '{0} no está entre 0 y {1}',
  '"{0}" is not a path of hardened steps': '«{0}» no es una ruta de pasos endurecidos',
  "Write it as m/44'/501'/0'/0', in double quotes in a shell.":
    "Escríbalo como m/44'/501'/0'/0', entre comillas dobles en un shell.",
  'descriptor {0} is a terminal, which shows what is typed':
    'el descriptor {0} es un terminal, que muestra lo que se escribe',
  'Leave the flag out to be asked without an echo.':
    'Quite la opción para que se le pregunte sin mostrar lo que escribe.',
  'holds more than {0} bytes': 'contiene más de {0} bytes',
  'cannot be read': 'no se puede leer',
  'is not open': 'no está abierto',
  'is neither a pipe nor a file': 'no es una tubería ni un archivo',
  'descriptor {0} {1}': 'el descriptor {0} {~1}',
  'its address is not a Solana address': 'su dirección no es una dirección de Solana',
  'its signature is not that of {0} over the message': 'su firma no es la de {0} sobre el mensaje',
  'its reply is not a signature of 64 bytes in base58 or base64':
    'su respuesta no es una firma de 64 bytes en base58 o base64',
  '"{0}" is not an absolute path': '«{0}» no es una ruta absoluta',
  'it did not answer within {0} s': 'no respondió en {0} s',
  'stopped while the signer was asked; nothing was sent':
    'detenido mientras se preguntaba al firmante; no se envió nada',
  'it answered with more than {0} characters': 'respondió con más de {0} caracteres',
  'the signer command declined; nothing was sent': 'la orden firmante no aceptó; no se envió nada',
  'The signer command failed: {0}': 'La orden firmante falló: {~0}',
  'The keystore of {0} cannot be opened': 'El almacén de claves de {0} no se puede abrir',
  'Opening it takes up to 1 GiB of memory, by what its header asks for.':
    'Abrirlo ocupa hasta 1 GiB de memoria, según lo que pide su cabecera.',
  'The keystore holds another key than {0}': 'El almacén de claves contiene otra clave que {0}',
  'The keystore {0} cannot be used: it is not in the form of version 1':
    'El almacén de claves {0} no se puede usar: no tiene la forma de la versión 1',
  'The passphrase is not the one of this keystore, or the keystore was changed':
    'La frase de contraseña no es la de este almacén de claves, o el almacén se modificó',
  'The keystore is not in the form of version 1':
    'El almacén de claves no tiene la forma de la versión 1',
  'a passphrase is needed, and nobody can be asked':
    'hace falta una frase de contraseña, y no se puede preguntar a nadie',
  'descriptor {0}': 'el descriptor {0}',
  'is not text in UTF-8': 'no es texto en UTF-8',
  'has more than one line, or control characters':
    'tiene más de una línea, o caracteres de control',
  '{0}, again: ': '{~0}, otra vez: ',
  'the two passphrases are not the same': 'las dos frases de contraseña no son iguales',
  'a new passphrase has at least {0} characters':
    'una frase de contraseña nueva tiene al menos {0} caracteres',
  'the passphrase of {0} {1}': 'la frase de contraseña de {~0} {~1}',
  'key file': 'archivo de clave',
  'passphrase file': 'archivo de la frase de contraseña',
  'Check the path of the {0}.': 'Compruebe la ruta del {~0}.',
  'There is no {0} at {1}': 'No hay ningún {~0} en {1}',
  'cannot be opened ({0})': 'no se puede abrir ({0})',
  'Name the file itself that the link leads to.':
    'Indique el propio archivo al que lleva el enlace.',
  'Name a regular file.': 'Indique un archivo normal.',
  'Copy it to a file of your own and name that, or run: sudo chown "$(id -u)" {0}':
    'Cópielo a un archivo propio e indique ese, o ejecute: sudo chown "$(id -u)" {0}',
  'Run: chmod 600 {0}': 'Ejecute: chmod 600 {0}',
  'can be used by others (mode {0})': 'otros pueden usarlo (modo {0})',
  'Run: chmod go-w {0}': 'Ejecute: chmod go-w {0}',
  'is in a folder that others may write to': 'está en una carpeta en la que otros pueden escribir',
  'Find the other name and remove it: find / -xdev -samefile {0}':
    'Busque el otro nombre y quítelo: find / -xdev -samefile {0}',
  'There is already a file at {0}': 'Ya hay un archivo en {0}',
  'Name a place that you may write to.': 'Indique un lugar en el que usted pueda escribir.',
  'The {0} {1} {2}': 'El {~0} {1} {~2}',
  'The {0} {1} cannot be used: it has {2} bytes or more, and {3} are read':
    'El {~0} {1} no se puede usar: tiene {2} bytes o más, y se leen {3}',
  'it is not a JSON array of {0} numbers': 'no es una lista JSON de {0} números',
  'it is neither JSON, nor a phrase, nor 64 bytes in base58':
    'no es JSON, ni una frase, ni 64 bytes en base58',
  '{0} holds 32 bytes: the seed of a key, or an address':
    '{~0} contiene 32 bytes: la semilla de una clave, o una dirección',
  'If it is a seed and no address, run the command again with --seed.':
    'Si es una semilla y no una dirección, ejecute la orden otra vez con --seed.',
  'its public half does not belong to its secret half':
    'su mitad pública no corresponde a su mitad secreta',
  '{0} words are no phrase; it has 12, 15, 18, 21 or 24':
    '{0} palabras no son una frase; tiene 12, 15, 18, 21 o 24',
  'word {0} of the phrase is not in the English list of BIP39':
    'la palabra {0} de la frase no está en la lista inglesa de BIP39',
  'the checksum of the phrase is wrong: a word is wrong or out of place':
    'la suma de control de la frase no es correcta: una palabra está mal o fuera de lugar',
  'phrase, path {0}': 'frase, ruta {0}',
  'The key in {0} cannot be used: {1}': 'La clave de {~0} no se puede usar: {~1}',
  'there is no terminal to ask on': 'no hay ningún terminal en el que preguntar',
  'stopped at the passphrase; nothing was sent':
    'detenido en la frase de contraseña; no se envió nada',
  'The signer signs the same message differently each time':
    'El firmante firma el mismo mensaje cada vez de forma distinta',
  'Codes are sealed by its signature: use a signer that follows RFC 8032.':
    'Los códigos se sellan con su firma: use un firmante que siga el RFC 8032.',
  'The sealed codes cannot be opened with this wallet':
    'Los códigos sellados no se pueden abrir con este monedero',
  'Name the wallet that paid with --keypair.': 'Indique con --keypair el monedero que pagó.',
  'the wallet is a signer command, and there is no key file':
    'el monedero es una orden firmante, y no hay archivo de clave',
  'Name a key file with --keypair, or leave --signer-command out.':
    'Indique un archivo de clave con --keypair, o quite --signer-command.',
  'Secret key in base58, or recovery phrase: ':
    'Clave secreta en base58, o frase de recuperación: ',
  'what was typed': 'lo que se escribió',
  'no file is named, and nobody can be asked':
    'no se indica ningún archivo, y no se puede preguntar a nadie',
  'Run: scrip wallet import <file>, or - for standard input.':
    'Ejecute: scrip wallet import <file>, o - para la entrada estándar.',
  'New passphrase of {0}': 'Nueva frase de contraseña de {0}',
  '{0} is encrypted already': '{0} ya está cifrado',
  'Run: scrip wallet change-passphrase': 'Ejecute: scrip wallet change-passphrase',
  '{0} has no passphrase': '{0} no tiene frase de contraseña',
  'Run: scrip wallet encrypt': 'Ejecute: scrip wallet encrypt',
  'That was not it. ': 'No era esa. ',
  '{0}Passphrase of {1}': '{~0}Frase de contraseña de {1}',
};
