/** Spanish: agents and their configuration. */
import type { Catalogue } from '../translate.ts';

export const AGENTS: Catalogue = {
  '{0}: {1}; it was left as it is': '{0}: {~1}; se dejó como está',
  'Correct the file, or take the entry out by hand.':
    'Corrija el archivo, o quite la entrada a mano.',
  'Quit Claude Desktop wholly and start it again.':
    'Salga por completo de Claude Desktop y vuelva a abrirlo.',
  'Start a new session of Claude Code; /mcp lists its servers.':
    'Empiece una sesión nueva de Claude Code; /mcp muestra sus servidores.',
  'Cursor sees the change by itself; its settings list the server under MCP.':
    'Cursor ve el cambio por sí solo; su configuración muestra el servidor en MCP.',
  'In VS Code run "MCP: List Servers" and start it.':
    'En VS Code ejecute "MCP: List Servers" e inícielo.',
  'Start Codex again; /mcp lists its servers.':
    'Vuelva a iniciar Codex; /mcp muestra sus servidores.',
  'the document is not an object': 'el documento no es un objeto',
  '"{0}" is not an object': '«{0}» no es un objeto',
  '"{0}" has another kind of "{1}" already': '«{0}» ya tiene otra clase de «{1}»',
  'there is more behind the end of the document': 'hay algo más detrás del final del documento',
  'a value is missing here': 'aquí falta un valor',
  'it is nested deeper than {0}': 'tiene más de {0} niveles de anidamiento',
  'a key stands there twice': 'una clave aparece dos veces',
  'a key in double quotes is missing here': 'aquí falta una clave entre comillas dobles',
  'a colon is missing here': 'aquí falta el signo de dos puntos',
  'a comma or {0} is missing here': 'aquí falta una coma o {0}',
  'a text is not closed, or holds what it may not':
    'un texto no está cerrado, o contiene lo que no puede contener',
  'there is a comment, which this file may not have':
    'hay un comentario, y este archivo no puede llevarlos',
  'a comment is not closed': 'un comentario no está cerrado',
  'line {0}: {1}': 'línea {0}: {~1}',
  '[{0}] stands there twice': '[{0}] aparece dos veces',
  '"{0}" is not written as a table of its own': '«{0}» no está escrito como una tabla aparte',
  '[{0}] is another kind of server already': '[{0}] ya es un servidor de otra clase',
  'the line goes on': 'la línea continúa',
  'an = is missing here': 'aquí falta un =',
  'a {0} is missing here': 'aquí falta {0}',
  'a key is missing here': 'aquí falta una clave',
  'a value is missing here, or is not closed': 'aquí falta un valor, o no está cerrado',
  'a text is not closed': 'un texto no está cerrado',
  'add the tool server to an agent’s configuration':
    'añade el servidor de herramientas a la configuración de un agente',
  'the server may pay from the wallet': 'el servidor puede pagar desde el monedero',
  'the server shows redemption codes': 'el servidor muestra los códigos de canje',
  'take it out of there again': 'lo quita de allí',
  'agent to set up': 'agente que se configura',
  'another file than the user’s own, in the form of that agent':
    'otro archivo en lugar del propio del usuario, con el formato de ese agente',
  'show the change and write nothing': 'muestra el cambio y no escribe nada',
  'do not ask': 'no pregunta',
  '{0} is for scrip mcp itself, not for {1}': '{0} es para el propio scrip mcp, no para {1}',
  'an agent that starts the server cannot hand over {0}':
    'un agente que inicia el servidor no puede entregar {0}',
  'Name a file with --passphrase-file.': 'Indique un archivo con --passphrase-file.',
  'nobody can be asked whether to write the file':
    'no se puede preguntar a nadie si se escribe el archivo',
  'Add --yes, or look at the change with --dry-run.': 'Añada --yes, o vea el cambio con --dry-run.',
  'Write this?': '¿Escribir esto?',
  'Take this out?': '¿Quitar esto?',
  'you declined; the file was left as it is': 'usted no aceptó; el archivo se dejó como estaba',
  Agent: 'Agente',
  File: 'Archivo',
  State: 'Estado',
  Backup: 'Copia',
  'The file was not there before; {0} reads it once it is installed.':
    'El archivo no existía; {0} lo lee en cuanto esté instalado.',
  'This program runs from a cache of npx that may be emptied: install it first.':
    'Este programa se ejecuta desde una caché de npx que puede vaciarse: instálelo primero.',
  'already installed': 'ya instalado',
  'not installed': 'no instalado',
  'would be installed': 'se instalaría',
  'would be taken out': 'se quitaría',
  'taken out': 'quitado',
  'offer payOrder: pays from the local wallet after you have said yes':
    'ofrece payOrder: paga desde el monedero local después de que usted diga que sí',
  'tell the agent the codes of what was bought': 'dice al agente los códigos de lo comprado',
  'serve Streamable HTTP on this machine instead of standard input and output':
    'sirve Streamable HTTP en esta máquina en lugar de la entrada y la salida estándar',
  'port for --http; 0 takes a free one (default: {0})':
    'puerto de --http; con 0 toma uno libre (por defecto: {0})',
  'take only clients of this User-Agent, and ask under it (default: any)':
    'acepta solo clientes con este User-Agent, y pregunta con él (por defecto: cualquiera)',
  'print the tools, their schemas and the prompt, and end':
    'muestra las herramientas, sus esquemas y el prompt, y termina',
  '--port is for --http': '--port es para --http',
  'Add --http.': 'Añada --http.',
  'This waits for an agent, which speaks MCP on standard input. Stop it with Ctrl-C.':
    'Esto espera a un agente que hable MCP por la entrada estándar. Deténgalo con Ctrl-C.',
  'The tool server is running': 'El servidor de herramientas está en marcha',
  Address: 'Dirección',
  Authorization: 'Authorization',
  'Stop it with Ctrl-C.': 'Deténgalo con Ctrl-C.',
};
