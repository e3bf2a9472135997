import { describe, expect, it } from 'vitest';
import { createConnections } from '../../src/service/http/connections.ts';

interface Connection {
  readonly name: string;
}

function shop(connections: number, perAddress: number) {
  const held = createConnections<Connection>({ connections, perAddress });
  const enter = (name: string, address: string) => {
    const connection = { name };
    return { connection, closed: held.enter(connection, address)?.name };
  };
  return { held, enter };
}

describe('the connections of a server', () => {
  it('closes the one that has waited longest since its last answer, not the one opened first', () => {
    const { held, enter } = shop(10, 2);
    const { connection: first } = enter('first', 'a');
    enter('second', 'a');
    held.work(first);
    held.rest(first);
    expect(enter('third', 'a').closed).toBe('second');
  });

  it('keeps one busy until the last of its requests ends', () => {
    const { held, enter } = shop(10, 1);
    const { connection } = enter('first', 'a');
    held.work(connection);
    held.work(connection);
    held.rest(connection);
    expect(enter('second', 'a').closed).toBe('second');
    held.rest(connection);
    expect(enter('third', 'a').closed).toBe('first');
  });

  it('forgets one that left, busy or not', () => {
    const { held, enter } = shop(1, 1);
    const { connection } = enter('first', 'a');
    held.work(connection);
    held.leave(connection);
    held.rest(connection);
    expect(enter('second', 'b').closed).toBeUndefined();
  });
});
