/** Spanish: texts that are put together while the program runs, words that are typed, and the parser's own. */
import type { Catalogue } from '../translate.ts';

export const COMPOSED: Catalogue = {
  'hint:': 'sugerencia:',
  'cause:': 'causa:',
  'host: {0}': 'host: {~0}',
  'wallet: {0}': 'monedero: {0}',
  '(y/N)': '(s/N)',
  yes: 'sí',
  y: 's',
  back: 'atrás',
  again: 'otra vez',
  no: 'no',
  'Usage:': 'Uso:',
  'Arguments:': 'Argumentos:',
  'Options:': 'Opciones:',
  'Global Options:': 'Opciones globales:',
  'Commands:': 'Órdenes:',
  '\nExamples:\n{0}': '\nEjemplos:\n{0}',
  '(choices: {0})': '(opciones: {0})',
  '(default: {0})': '(por defecto: {0})',
  '(choices: {0}, default: {1})': '(opciones: {0}, por defecto: {1})',
  "unknown option '{0}'": 'la opción «{0}» no existe',
  "unknown command '{0}'": 'la orden «{0}» no existe',
  "unknown subcommand '{0}'": 'la suborden «{0}» no existe',
  "required option '{0}' not specified": 'falta la opción obligatoria «{0}»',
  "missing required argument '{0}'": 'falta el argumento obligatorio «{0}»',
  "option '{0}' argument missing": 'falta el valor de la opción «{0}»',
  "option '{0}' argument '{1}' is invalid. {2}":
    'el valor «{1}» de la opción «{0}» no es válido. {~2}',
  "command-argument value '{0}' is invalid for argument '{1}'. {2}":
    'el valor «{0}» no es válido para el argumento «{1}». {~2}',
  'Allowed choices are {0}.': 'Las opciones permitidas son {0}.',
  'too many arguments. Expected {0} argument but got {1}.':
    'demasiados argumentos: se esperaba {0} y hay {1}.',
  'too many arguments. Expected {0} arguments but got {1}.':
    'demasiados argumentos: se esperaban {0} y hay {1}.',
  "too many arguments for '{0}'. Expected {1} argument but got {2}.":
    'demasiados argumentos para «{0}»: se esperaba {1} y hay {2}.',
  "too many arguments for '{0}'. Expected {1} arguments but got {2}.":
    'demasiados argumentos para «{0}»: se esperaban {1} y hay {2}.',
  'Did you mean one of {0}?': '¿Quiso decir una de {0}?',
  'internal error': 'error interno',
  'The key file {0} {1}': 'El archivo de clave {0} {~1}',
  'The passphrase file {0} {1}': 'El archivo de la frase de contraseña {0} {~1}',
  'The key file {0} cannot be used: it has {1} bytes or more, and {2} are read':
    'El archivo de clave {0} no se puede usar: tiene {1} bytes o más, y se leen {2}',
  '{0} in {1} has no product "{2}"': '{~0} en {1} no tiene ningún producto «{2}»',
  'The payment that was built has another {0}': 'El pago construido tiene otro valor: {~0}',
  'Top-up': 'Recarga',
  Gift: 'Regalo',
  Recap: 'Resumen',
  default: 'por defecto',
  anybody: 'cualquiera',
  '{0} (default)': '{~0} (por defecto)',
  none: 'ninguna',
  play: 'de prueba',
  real: 'real',
  '{0} for {1} was ordered at {2} already': '{0} para {1} ya se pidió el {2}',
  '{0} is not taken: {1}.': '{0} no se admite: {~1}.',
  'The kept answer is not taken any more: {0}.': 'La respuesta guardada ya no se admite: {~0}.',
  'Type back and choose another brand.': 'Escriba atrás y elija otra marca.',
  'Type back and answer the question before differently.':
    'Escriba atrás y responda de otro modo a la pregunta anterior.',
  'Name another country, or type back and choose another product type.':
    'Indique otro país, o escriba atrás y elija otro tipo de producto.',
  'Answer yes to place the order, or type back to change the last answer.':
    'Responda sí para hacer el pedido, o escriba atrás para cambiar la última respuesta.',
};
