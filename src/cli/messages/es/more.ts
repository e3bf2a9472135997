/** Spanish: everything else. */
import type { Catalogue } from '../translate.ts';

export const MORE: Catalogue = {
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
  '{0} of {1} webhooks came in time': '{0} de {1} webhooks llegaron a tiempo',
};
