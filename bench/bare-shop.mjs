// The floor of purchases: a shop written for nothing but the figure, over node:http and libsql. It does what one
// careful author could not leave out: it answers the two requests of a purchase with as many bytes as scrip,
// checks the buyer's signature, simulates the payment before the fee payer signs, runs it on the same VM, and is on
// disk before each step that cannot be taken back: the session, the claim before the transfer is sent, the chain's
// ledger, and the outcome with the goods. Left out: docs/inside/performance.md.
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadSources } from './sources.mjs';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const FUNDS = 10n ** 14n;
/** Headers that node:http writes itself. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'date', 'content-length']);

const SOURCES = `export { signerFromSeed } from './src/rails/solana/ed25519.ts';
  export { decodeTransaction, encodeWire, withSignature } from './src/rails/solana/message.ts';
  export { addressBytes, associatedTokenAddress, encodeBase58, TOKEN_PROGRAM, SYSTEM_PROGRAM } from './src/rails/solana/address.ts';
  export { loadVm } from './src/sandbox/chain/vm.ts';
  export { encodeMint, encodeTokenAccount } from './src/sandbox/chain/accounts.ts';`;

/** Durable rows, as many as a step needs, in one commit. */
function openRecords(folder) {
  const Database = createRequire(import.meta.url)('libsql');
  const db = new Database(join(folder, 'floor.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.exec('create table rows (id text primary key, body text)');
  const [begin, commit] = ['begin immediate', 'commit'].map((sql) => db.prepare(sql));
  const insert = db.prepare('insert into rows values (?, ?)');
  return (id, bodies) => {
    begin.run();
    for (const [row, body] of bodies.entries()) insert.run(`${id} ${row}`, body);
    commit.run();
  };
}

/** A chain of accounts in memory, run by the VM. */
function openChain(sources, [feePayer, merchant]) {
  const { associatedTokenAddress, encodeMint, encodeTokenAccount, loadVm } = sources;
  const { TOKEN_PROGRAM, SYSTEM_PROGRAM } = sources;
  const account = (owner, data) => ({ lamports: '10000000000', owner, data, executable: false });
  const mint = { mintAuthority: null, supply: 10n ** 17n, decimals: 6, freezeAuthority: null };
  const accounts = new Map();
  const open = (owner, amount) => {
    accounts.set(owner, account(SYSTEM_PROGRAM, new Uint8Array()));
    const data = encodeTokenAccount({ mint: MINT, owner, amount });
    accounts.set(associatedTokenAddress(owner, MINT), account(TOKEN_PROGRAM, data));
  };
  accounts.set(MINT, account(TOKEN_PROGRAM, encodeMint(mint)));
  accounts.set(feePayer.address, account(SYSTEM_PROGRAM, new Uint8Array()));
  open(merchant.address, 0n);
  const vm = loadVm();
  const run = (wire, { accountKeys: keys }, mustBeSigned) => {
    const given = new Map(
      keys.flatMap((name) => (accounts.has(name) ? [[name, accounts.get(name)]] : [])),
    );
    const ran = vm.run({ wire, keys, accounts: given, slot: 100, atMs: 1e12, mustBeSigned });
    if (ran.error !== null) throw new Error(`refused: ${JSON.stringify(ran.error)}`);
    const isChanged = (index) =>
      ran.before[index]?.lamports !== ran.after[index]?.lamports ||
      Buffer.compare(ran.before[index].data, ran.after[index].data) !== 0;
    return keys.flatMap((name, index) =>
      given.has(name) && isChanged(index) ? [[name, ran.after[index]]] : [],
    );
  };
  return {
    open,
    simulate: (decoded) => void run(decoded.wire, decoded, false),
    /** Returns the accounts that changed, as they are afterwards; `keep` takes them. */
    execute: (wire, decoded) => run(wire, decoded, true),
    keep: (changed) => {
      for (const [name, after] of changed) accounts.set(name, after);
    },
  };
}

/** The same bytes as scrip, but for session, address and order. */
function createReplies({ asked, paid }, { feePayer, merchant }) {
  const headersOf = ({ headers }) =>
    Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  const [askedHeaders, paidHeaders] = [asked, paid].map(headersOf);
  const [accepted] = asked.answer.accepts;
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64');
  const reply = (status, headers, body) => {
    const text = JSON.stringify(body);
    return { status, headers: [...headers, ['content-length', Buffer.byteLength(text)]], text };
  };
  const withHeader = (headers, name, value) =>
    headers.map((one) => (one[0] === name ? [name, value] : one));
  return {
    challenge: (sessionId) => {
      const extra = { ...accepted.extra, feePayer: feePayer.address, sessionId };
      const accepts = [{ ...accepted, payTo: merchant.address, extra }];
      const body = { ...asked.answer, accepts };
      const headers = withHeader(askedHeaders, 'payment-required', encode(body));
      return reply(402, withHeader(headers, 'x-session-id', sessionId), body);
    },
    receipt: (orderId, transaction) => {
      const result = { success: true, transaction, network: accepted.network };
      const headers = withHeader(paidHeaders, 'payment-response', encode(result));
      return reply(200, headers, { ...paid.answer, order_id: orderId });
    },
  };
}

function createShop(sources, { samples, record }) {
  const { signerFromSeed, decodeTransaction, encodeWire, withSignature, encodeBase58 } = sources;
  const [feePayer, merchant] = [2, 3].map((byte) => signerFromSeed(Buffer.alloc(32, byte)));
  const chain = openChain(sources, [feePayer, merchant]);
  const replies = createReplies(samples, { feePayer, merchant });
  const sessions = new Map();
  const payers = new Map();
  const keyOf = (address) => {
    const x = Buffer.from(sources.addressBytes(address)).toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  };
  const challenge = (text) => {
    JSON.parse(text);
    const sessionId = randomUUID();
    sessions.set(sessionId, text);
    const reply = replies.challenge(sessionId);
    record(`session ${sessionId}`, [text + reply.text]);
    return reply;
  };
  const pay = async (text, header, sessionId) => {
    if (sessions.get(sessionId) !== text) throw new Error('another order');
    const { payload, accepted } = JSON.parse(Buffer.from(header, 'base64').toString());
    if (accepted.payTo !== merchant.address) throw new Error('another recipient');
    const decoded = decodeTransaction(Buffer.from(payload.transaction, 'base64'));
    const [, payer] = decoded.accountKeys;
    if (!payers.has(payer)) payers.set(payer, keyOf(payer));
    const isSigned = verify(null, decoded.message, payers.get(payer), decoded.signatures[1]);
    if (!isSigned) throw new Error('a signature is wrong');
    chain.simulate(decoded);
    const signature = await feePayer.sign(decoded.message);
    const wire = encodeWire(withSignature(decoded.wire, 0, signature));
    const { messageHash } = decoded;
    record(`claim ${messageHash}`, [wire, header, text]);
    const changed = chain.execute(Buffer.from(wire, 'base64'), decoded);
    const balances = changed.map(([, { data }]) => Buffer.from(data).toString('base64'));
    record(`ledger ${messageHash}`, [wire, ...balances]);
    chain.keep(changed);
    const reply = replies.receipt(randomUUID(), encodeBase58(signature));
    record(`outcome ${messageHash}`, [reply.text, 'code']);
    sessions.delete(sessionId);
    return reply;
  };
  // Asked before anything is counted: money for the wallets, a blockhash, the catalog.
  const rpc = (text) => {
    const { method, params } = JSON.parse(text);
    if (method === 'sandboxFaucet') chain.open(params[0], FUNDS);
    const blockhash = encodeBase58(Buffer.alloc(32, 9));
    return ok({ jsonrpc: '2.0', id: 1, result: { value: { blockhash } } });
  };
  const ok = (value) => ({ status: 200, headers: [], text: JSON.stringify(value) });
  return ({ url, headers }, text) => {
    if (url === '/rpc') return rpc(text);
    if (url !== '/v1/orders') return ok(samples.products);
    const header = headers['payment-signature'];
    return header === undefined ? challenge(text) : pay(text, header, headers['x-session-id']);
  };
}

async function start(samples) {
  const sources = await loadSources(SOURCES);
  const answer = createShop(sources, { samples, record: openRecords(process.argv[2]) });
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', async () => {
      const { status, headers, text } = await answer(request, Buffer.concat(parts).toString());
      response.writeHead(status, headers);
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send(`http://127.0.0.1:${server.address().port}`);
  });
}

process.once('message', start);
process.once('disconnect', () => process.exit());
