/** Spanish: policies and spending. */
import type { Catalogue } from '../translate.ts';

export const SPENDING: Catalogue = {
  'print where the policy file is': 'muestra dónde está el archivo de la política',
  'print every rule, where it comes from, and what is left today':
    'muestra cada regla, de dónde viene y lo que queda hoy',
  'change one rule; what allows more is asked about at a terminal':
    'cambia una regla; lo que permite más se pregunta en un terminal',
  'such as perOrder, kinds, nonInteractive.enabled or hosts.<host>':
    'como perOrder, kinds, nonInteractive.enabled o hosts.<host>',
  'an amount, true, a list with commas, JSON; `default` takes it out':
    'un importe, true, una lista con comas, JSON; `default` la quita',
  'say whether a payment would be allowed now; nothing is sent':
    'dice si un pago se permitiría ahora; no se envía nada',
  'what it would cost': 'lo que costaría',
  'who would be paid; by default the checkout host of the settings':
    'a quién se pagaría; por defecto, el host de pago de los ajustes',
  'who would receive it': 'quién lo recibiría',
  'as from a script, also at a terminal': 'como desde un script, también en un terminal',
  '"{0}" is none of {1}': '«{0}» no es ninguno de {1}',
  'Policy file': 'Archivo de la política',
  'See all of it: scrip policy show': 'Véala entera: scrip policy show',
  '{0} {1} would allow more than the policy does': '{0} {1} permitiría más que la política',
  'Run it at a terminal, where it is asked about.':
    'Ejecútelo en un terminal, donde se le pregunta.',
  '{0} {1} allows more than the policy does. Change it?':
    '{0} {1} permite más que la política. ¿Cambiarla?',
  'you declined; the policy is as it was': 'usted no aceptó; la política sigue como estaba',
  'For play money; what the file states holds for real money too':
    'Para dinero de prueba; lo que dice el archivo rige también para dinero real',
  'For real money': 'Para dinero real',
  Spent: 'Gastado',
  '{0} USDC in 24 hours': '{0} USDC en 24 horas',
  'every kind': 'toda clase',
  'any sandbox on this machine': 'cualquier sandbox en esta máquina',
  '; fee payers {0}': '; pagadores de comisión {0}',
  'pay to {0}{1}{2}': 'se paga a {0}{~1}{~2}',
  '; no memo': '; sin nota',
  Allowed: 'Permitido',
  '{0} USDC to {1}': '{0} USDC a {1}',
  '"{0}" is not a host such as x402.example': '«{0}» no es un host como x402.example',
  'off a terminal real money is paid with an --idempotency-key alone':
    'fuera de un terminal, el dinero real solo se paga con una --idempotency-key',
  'Add --idempotency-key: the same key never buys twice.':
    'Añada --idempotency-key: la misma clave nunca compra dos veces.',
  '{0} of {1} USDC in 24 hours': '{0} de {1} USDC en 24 horas',
  '{0} Type {1} to agree:': '{~0} Escriba {1} para aceptar:',
  '"{0}" is no key of the policy': '«{0}» no es una clave de la política',
  'Keys are {0} and hosts.<host>.': 'Las claves son {0} y hosts.<host>.',
  'the policy': 'la política',
  'Nothing was changed. scrip policy set --help tells what a value may be.':
    'No se cambió nada. scrip policy set --help dice qué valores se admiten.',
  'the rule': 'la regla',
  'is not a host such as x402.example': 'no es un host como x402.example',
  'is not a key of the policy': 'no es una clave de la política',
  'is not an amount in quotes, such as "50"': 'no es un importe entre comillas, como "50"',
  'is not an amount such as "50": "{0}"': 'no es un importe como "50": «{0}»',
  'is not a whole number up to {0}': 'no es un número entero hasta {0}',
  'is not true or false': 'no es true ni false',
  'is not a text': 'no es un texto',
  'is not a list of texts': 'no es una lista de textos',
  'has "{0}", no Solana address: it is any, manifest or addresses':
    'contiene «{0}», que no es una dirección de Solana: puede ser any, manifest o direcciones',
  'is none of {0}': 'no es ninguno de {0}',
  'is not JSON': 'no es JSON',
  'the embedded sandbox takes play money alone, and this wallet is not marked as that':
    'el sandbox integrado solo acepta dinero de prueba, y este monedero no está marcado como tal',
  'the policy knows no host {0}': 'la política no conoce el host {0}',
  '{0} asks for {1}, which the policy does not allow it':
    '{0} pide {~1}, y la política no se lo permite',
  'the network {0}': 'la red {0}',
  'the asset {0}': 'el activo {0}',
  'a payment to {0}': 'un pago a {0}',
  'the fee payer {0}': 'el pagador de la comisión {0}',
  'a memo': 'una nota',
  'goods of an unknown kind': 'artículos de una clase desconocida',
  'the policy allows {0}, not {1}': 'la política permite {0}, y no {~1}',
  'the policy allows no goods for {0}': 'la política no permite artículos para {~0}',
  'the policy allows no refunds to {0}': 'la política no permite reembolsos a {0}',
  'somebody unknown': 'alguien desconocido',
  'The policy lets no agent be told codes': 'La política no deja dar códigos a ningún agente',
  'Leave out --reveal-codes. To change the policy, at a terminal: scrip policy set mcp.revealCodes true':
    'Quite --reveal-codes. Para cambiar la política, en una terminal: scrip policy set mcp.revealCodes true',
  'the policy lets no agent pay': 'la política no deja pagar a ningún agente',
  'the policy allows no payment that nobody is asked about':
    'la política no permite ningún pago sin que se pregunte a alguien',
  '{0} USDC are more than the {1} left of {2} that one order may cost':
    '{0} USDC superan los {1} que quedan de los {2} que puede costar un pedido',
  '{0} USDC are more than the {1} that one order may cost':
    '{0} USDC son más de los {1} que puede costar un pedido',
  '{0} USDC are more than the {1} left of {2} in 24 hours':
    '{0} USDC son más de los {1} que quedan de {2} en 24 horas',
  Counted: 'Se cuentan',
  Elsewhere: 'En otra parte',
  'the payments of this machine': 'los pagos de esta máquina',
  'the payments of this machine; {0}': 'los pagos de esta máquina; {~0}',
  'the payments of this machine, and all USDC that left the wallet on the chain':
    'los pagos de esta máquina, y todos los USDC que salieron del monedero en la cadena',
  'Asking the chain what left the wallet': 'Preguntando a la cadena qué salió del monedero',
  'transfers on {0} cannot be listed': 'las transferencias en {0} no se pueden listar',
  'no RPC is named, and {0} is not asked what the chain says of its own payments; nothing was signed':
    'no se ha indicado ningún RPC, y a {0} no se le pregunta qué dice la cadena de sus propios pagos; no se firmó nada',
  'Add --rpc-url with the address of your own Solana RPC, such as --rpc-url {0}. If the wallet holds play money alone: scrip wallet mark-play':
    'Añada --rpc-url con la dirección de su propio RPC de Solana, como --rpc-url {0}. Si la cartera solo tiene dinero de juego: scrip wallet mark-play',
  'what left the wallet in the last 24 hours is not known, and limits are measured by it: {0}; nothing was signed':
    'no se sabe qué salió del monedero en las últimas 24 horas, y los límites se miden por ello: {~0}; no se firmó nada',
  'the last 24 hours of the wallet are not known, and the limits of a day are measured by them: {0}; nothing was signed':
    'no se conocen las últimas 24 horas del monedero, y los límites de un día se miden por ellas: {~0}; no se firmó nada',
  'Pay from a wallet that nothing else uses, or wait a day.':
    'Pague con un monedero que nada más use, o espere un día.',
  'Open payments': 'Pagos abiertos',
  '{0} of {1} at once': '{0} de {1} a la vez',
  'play money, held up by nothing but what the file states':
    'dinero de juego, que solo frena lo que dice el archivo',
  'real money, held up by every rule': 'dinero real, que frenan todas las reglas',
  'payments under way: {0}; the policy allows {1} at once':
    'pagos en curso: {0}; la política permite {1} a la vez',
  '{0} USDC are to stay in the wallet, which holds {1}{2}':
    'deben quedar {0} USDC en el monedero, que tiene {1}{~2}',
  ', {0} of it for payments under way': ', de ellos {0} para pagos en curso',
  'the limits are in USDC, and what this coin is worth is not known here':
    'los límites son en USDC, y aquí no se sabe cuánto vale esta moneda',
  '{0}; nothing was signed': '{~0}; no se firmó nada',
  'If you trust this host: scrip policy set {0} any':
    'Si confía en este host: scrip policy set {0} any',
  'If the wallet holds play money alone, at a terminal: scrip wallet mark-play':
    'Si el monedero solo tiene dinero de prueba, en un terminal: scrip wallet mark-play',
  'If you trust this host: scrip policy set {0} any. If it is a sandbox and the wallet holds play money alone: scrip wallet mark-play':
    'Si confía en este host: scrip policy set {0} any. Si es un sandbox y el monedero solo tiene dinero de prueba: scrip wallet mark-play',
  'Finish what is under way: scrip orders resume':
    'Termine lo que está en curso: scrip orders resume',
  'See scrip policy show. To change it, at a terminal: scrip policy set {0} <value>':
    'Vea scrip policy show. Para cambiarlo, en un terminal: scrip policy set {0} <value>',
};
