/** A configuration in JSON: one object of servers by their name. Edited in place, as a text. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { type ConfigFormat, type EntryFields, isSameValue, SERVER_NAME } from './config-format.ts';
import { addMember, removeMember } from './json-edit.ts';
import { type JsonMember, type JsonNode, readJson } from './json-text.ts';

interface JsonConfig {
  /** Key of the object that holds the servers. */
  readonly container: string;
  /** Comments and trailing commas are allowed. */
  readonly hasComments: boolean;
  /** `type` is told of an entry. */
  readonly hasType: boolean;
}

export function jsonConfig({ container, hasComments, hasType }: JsonConfig): ConfigFormat {
  const locate = (text: string) => locateEntry(text, container, hasComments);
  const fields: ConfigFormat['fields'] = ({ command, args }) =>
    new Map<string, unknown>([...(hasType ? TYPE : []), ['command', command], ['args', args]]);
  return {
    blank: '{}\n',
    fields,
    read: (text) => readFields(locate(text).entry),
    put(text, entry) {
      const { root, servers, entry: present } = locate(text);
      const wanted = fields(entry);
      if (present) return setFields(text, wanted, (edited) => locate(edited).entry?.node ?? root);
      const value = Object.fromEntries(wanted);
      if (servers) return addMember(text, servers.node, SERVER_NAME, value);
      return addMember(text, root, container, { [SERVER_NAME]: value });
    },
    remove(text) {
      const { servers, entry } = locate(text);
      return servers && entry ? removeMember(text, servers.node, entry) : text;
    },
    frame: { open: `"${container}": { "${SERVER_NAME}": {`, close: '} }' },
    line: (name, value) => `"${name}": ${JSON.stringify(value)}`,
  };
}

const TYPE: readonly (readonly [string, unknown])[] = [['type', 'stdio']];

interface Found {
  readonly root: JsonNode;
  readonly servers?: JsonMember;
  readonly entry?: JsonMember;
}

function locateEntry(text: string, container: string, hasComments: boolean): Found {
  const root = readJson(text, { hasComments });
  if (!root.members) throw unexpected(t`the document is not an object`);
  const servers = root.members.find(({ key }) => key === container);
  if (!servers) return { root };
  if (!servers.node.members) throw unexpected(t`"${container}" is not an object`);
  const entry = servers.node.members.find(({ key }) => key === SERVER_NAME);
  if (!entry) return { root, servers };
  const isStarted = entry.node.members?.some(({ key }) => key === 'command') ?? false;
  if (!isStarted) throw unexpected(t`"${container}" has another kind of "${SERVER_NAME}" already`);
  return { root, servers, entry };
}

function unexpected(what: Message): ScripError {
  return new ScripError('AGENT_CONFIG_INVALID', what);
}

function readFields(entry: JsonMember | undefined): EntryFields | undefined {
  if (!entry) return undefined;
  return new Map(entry.node.members?.map(({ key, node }) => [key, node.value]));
}

/** Fields of the user's own, such as `env`, stay. Each is looked up anew: an edit moves the others. */
function setFields(text: string, wanted: EntryFields, locate: (text: string) => JsonNode): string {
  return [...wanted].reduce((edited, [name, value]) => {
    const entry = locate(edited);
    const member = entry.members?.find(({ key }) => key === name);
    if (!member) return addMember(edited, entry, name, value);
    if (isSameValue(member.node.value, value)) return edited;
    const { start, end } = member.node;
    return `${edited.slice(0, start)}${JSON.stringify(value)}${edited.slice(end)}`;
  }, text);
}
