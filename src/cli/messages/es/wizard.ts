/** Spanish: the guided purchase. */
import type { Catalogue } from '../translate.ts';

export const WIZARD: Catalogue = {
  'giftcard (and all that is sent by e-mail) or mobile_topup':
    'giftcard (y todo lo que se envía por correo) o mobile_topup',
  'code or name, such as us': 'código o nombre, como us',
  'face value, or the name of a fixed product': 'valor nominal, o el nombre de un producto fijo',
  'coin to pay in': 'moneda en la que se paga',
  'network to pay on': 'red en la que se paga',
  'your own address, for the merchant to reach you':
    'su propia dirección, para que el comerciante le contacte',
  'go on with the answers that were kept': 'continúa con las respuestas guardadas',
  'lines only: for screen readers, and for answers from standard input':
    'solo líneas: para lectores de pantalla y para respuestas desde la entrada estándar',
  'pay at most this; without it, the price and 0.5 %':
    'paga como máximo esto; sin ello, el precio y un 0,5 %',
  'do not ask at the recap; off a terminal needed, with --max-amount':
    'no pregunta en el resumen; fuera de un terminal hace falta, con --max-amount',
  'how long to wait for delivery': 'cuánto se espera la entrega',
  'over x402 by the checkout host, from your wallet':
    'por x402 con el host de pago, desde su monedero',
  'by the partner API, from your wallet': 'con la API de socios, desde su monedero',
  'by you, from another wallet: address and QR code follow':
    'por usted, desde otro monedero: a continuación, dirección y código QR',
  'gift cards, eSIMs and the like': 'tarjetas regalo, eSIM y similares',
  'credit or data for a phone': 'saldo o datos para un teléfono',
  'Top-up': 'Recarga',
  Gift: 'Regalo',
  Country: 'País',
  'Your e-mail': 'Su correo',
  ' on {0}': ' en {0}',
  'it has a field that is not known': 'tiene un campo desconocido',
  'it is of another version': 'es de otra versión',
  'it answers a question that is not asked': 'responde a una pregunta que no se hace',
  'an answer is not text': 'una respuesta no es texto',
  'an answer is too long': 'una respuesta es demasiado larga',
  'it is not JSON': 'no es JSON',
  'the kept answers cannot be read: {0}': 'las respuestas guardadas no se pueden leer: {~0}',
  'stopped; order {0} is made': 'detenido; el pedido {0} está hecho',
  'To go on waiting: scrip track {0}': 'Para seguir esperando: scrip track {0}',
  'Waiting for the payment. Ctrl-C stops waiting; the order stays.':
    'Esperando el pago. Ctrl-C deja de esperar; el pedido se mantiene.',
  '{0}. Here is the new price.': '{~0}. Este es el precio nuevo.',
  'There is no wallet, and no wallet from outside can pay in the embedded sandbox':
    'No hay monedero, y ninguno de fuera puede pagar en el sandbox integrado',
  'Run: scrip wallet new && scrip wallet fund': 'Ejecute: scrip wallet new && scrip wallet fund',
  'There is no wallet yet. Make one with play money?':
    'Todavía no hay monedero. ¿Hacer uno con dinero de prueba?',
  'you declined; nothing was made': 'usted dijo que no; no se hizo nada',
  'The wallet {0} has {1} USDC of play money.': 'El monedero {0} tiene {1} USDC de prueba.',
  '--resume goes on with the answers that were kept':
    '--resume continúa con las respuestas guardadas',
  'Leave the other answers out, or leave --resume out to begin afresh.':
    'Quite las demás respuestas, o quite --resume para empezar de nuevo.',
  'the wizard asks, and nobody can be asked here':
    'el asistente pregunta, y aquí no se puede preguntar a nadie',
  'Add --plain: it reads the answers from standard input, one on a line.':
    'Añada --plain: lee las respuestas de la entrada estándar, una por línea.',
  'There are kept answers: scrip wizard --resume goes on with them.':
    'Hay respuestas guardadas: scrip wizard --resume continúa con ellas.',
  'no unfinished purchase is kept': 'no hay ninguna compra sin terminar guardada',
  ' Such as: {0}': ' Por ejemplo: {0}',
  'The kept answer is not taken any more': 'La respuesta guardada ya no se admite',
  '{0} is not taken': '{0} no se admite',
  'stopped; nothing was bought': 'detenido; no se compró nada',
  'Your answers are kept. Go on with: {0}': 'Sus respuestas están guardadas. Continúe con: {0}',
  '{0} Then: {1}': '{~0} Después: {1}',
  '{0} {1} costs about {2}.': '{0} {1} cuesta unos {2}.',
  'the answers end before question {0} of {1}: {2}':
    'las respuestas terminan antes de la pregunta {0} de {1}: {~2}',
  ', or back': ', o atrás',
  'Is everything right?': '¿Está todo bien?',
  'Question {0} of {1}:': 'Pregunta {0} de {1}:',
  'Answer:': 'Respuesta:',
  '{0} more are taken by name.': '{0} más se admiten por su nombre.',
  'Not taken:': 'No se admite:',
  ' (or back)': ' (o atrás)',
  ' · "back" goes back': ' · «atrás» vuelve atrás',
  'Type to filter · ↑↓ move · Enter takes it':
    'Escriba para filtrar · ↑↓ para moverse · Intro para elegir',
  '{0} to choose from: type a part of the name': '{0} para elegir: escriba una parte del nombre',
  'place the order': 'hacer el pedido',
  'buy it': 'comprarlo',
  'Is everything right? Type yes to {0}': '¿Está todo bien? Escriba sí para {~0}',
  'It cannot be bought like this. Type again to check again':
    'Así no se puede comprar. Escriba otra vez para comprobarlo de nuevo',
  '{0} is not sold': '{0} no se vende',
  'Type back': 'Escriba atrás',
  'type back': 'escriba atrás',
  'Such as: {0}': 'Por ejemplo: {0}',
  'one of {0}': 'uno de {0}',
  'nothing is sold under {0}': 'nada se vende como {0}',
  '{0} {1} is the value of {2} products': '{0} {1} es el valor de {2} productos',
  'Answer with the name of one of them.': 'Responda con el nombre de uno de ellos.',
  '{0} is not on the step': '{0} no respeta el incremento',
  'Send the action back and choose another brand.': 'Escriba atrás y elija otra marca.',
  'Answer with an amount that is sold: {0}.': 'Responda con un importe que se venda: {~0}.',
  '{0} is no amount': '{0} no es un importe',
  'this brand is sold in {0}, not in {1}': 'esta marca se vende en {0}, y no en {1}',
  '{0} could be {1} of the choices{2}': '{0} podría ser {1} de las opciones{~2}',
  'Name the {0} in full.': 'Escriba el nombre completo ({~0}).',
  '{0} is no {1}{2}': '{0} no corresponde a ninguna opción: {~1}{~2}',
  'Send the action back and answer the question before differently.':
    'Escriba atrás y responda de otro modo a la pregunta anterior.',
  'Answer with one of the suggestions, or with another {0}.':
    'Responda con una de las sugerencias, o con otro nombre ({~0}).',
  'Mobile top-up': 'Recarga móvil',
  'Gift card': 'Tarjeta regalo',
  '{0}: {1}, {2}, for {3}.': '{~0}: {1}, {2}, para {3}.',
  'Sent to {0}.': 'Se envía a {0}.',
  'Paid with {0}, ordered by {1}.': 'Se paga con {~0}, pedido por {1}.',
  'What do you want to buy?': '¿Qué quiere comprar?',
  'giftcard (gift cards, eSIMs and all else that is sent by e-mail) or mobile_topup':
    'giftcard (tarjetas regalo, eSIM y todo lo que se envía por correo) o mobile_topup',
  'product type': 'tipo de producto',
  'In which country is it to be used?': '¿En qué país se va a usar?',
  'two-letter country code such as US, or the name of the country':
    'código de país de dos letras, como US, o el nombre del país',
  'no {0} is sold in {1}': 'en {1} no se vende ningún {0}',
  'Name another country, or send the action back and choose another product type.':
    'Indique otro país, o escriba atrás y elija otro tipo de producto.',
  'country where anything is sold': 'país donde se venda algo',
  'Answer with a two-letter country code, or with the name of the country in full.':
    'Responda con un código de país de dos letras, o con el nombre completo del país.',
  'Which brand do you want to buy in {0}?': '¿Qué marca quiere comprar en {0}?',
  'name of a brand; the options are some of them':
    'nombre de una marca; las opciones son algunas de ellas',
  ' in {0}': ' en {0}',
  brand: 'marca',
  '{0} is out of stock': '{0} está agotada',
  'Choose another brand, or come back later.': 'Elija otra marca, o vuelva más tarde.',
  'Which amount of {0}?': '¿Qué importe de {0}?',
  'Which phone number is to be topped up?': '¿Qué número de teléfono se recarga?',
  'To which e-mail address is it to be sent?': '¿A qué correo se envía?',
  'phone number: + and country code, such as +14155550123, or as it is dialled in the country':
    'número de teléfono: + y código de país, como +14155550123, o como se marca en el país',
  'e-mail address, such as name@example.com': 'correo, como nombre@example.com',
  'Which coin do you pay with? USDC on Solana is recommended: lowest fees, fastest settlement.':
    '¿Con qué moneda paga? Se recomienda USDC en Solana: las comisiones más bajas y la liquidación más rápida.',
  'Which coin do you pay with?': '¿Con qué moneda paga?',
  'ticker of a coin, such as USDC': 'símbolo de una moneda, como USDC',
  coin: 'moneda',
  'On which network do you send {0}?': '¿En qué red envía {0}?',
  'name of a network, as in the options': 'nombre de una red, como en las opciones',
  network: 'red',
  'What is your own e-mail address, for the order?': '¿Cuál es su propio correo, para el pedido?',
  'yes to place the order; the action back changes the last answer':
    'sí para hacer el pedido; atrás cambia la última respuesta',
  '{0} does not confirm the order': '{0} no confirma el pedido',
  'Answer yes to place the order, or send the action back to change the last answer.':
    'Responda sí para hacer el pedido, o escriba atrás para cambiar la última respuesta.',
  'the {0} {1} is suspended for now': 'la {~0} {1} está suspendida por ahora',
  'Choose another {0}.': 'Elija otra {~0}.',
};
