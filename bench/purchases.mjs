// P9: purchases over x402 that a served sandbox is asked for, paid and settled, beside a bare script that
// verifies, executes and records as many payments: `purchases.mjs floor <folder>`.
import { spawnSync } from 'node:child_process';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';
import { startSandbox } from './reads.mjs';
import { loadSources } from './sources.mjs';

/** Each waits for a block of the chain most of the time: with few of them the shop would rest. */
const CALLERS = 128;
/** A blockhash is good for a minute. */
const BLOCKHASH_MS = 5_000;
/** Of one pair: so many purchases beside so many payments of the floor. */
const PURCHASES = 640;
/** Made first and not counted, until the engine has compiled what a purchase needs. */
const WARM = 1_000;
const DOLLARS = '25500000';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const SOURCES = `export { buildTransfer, PAYER_SIGNATURE } from './src/rails/solana/transfer.ts';
  export { sealPayment } from './src/rails/solana/seal.ts';
  export { signerFromSeed } from './src/rails/solana/ed25519.ts';
  export { decodeTransaction, encodeWire, withSignature } from './src/rails/solana/message.ts';
  export { addressBytes, associatedTokenAddress, TOKEN_PROGRAM, SYSTEM_PROGRAM } from './src/rails/solana/address.ts';
  export { encodeBase58 } from './src/rails/solana/base58.ts';
  export { loadVm } from './src/sandbox/chain/vm.ts';
  export { encodeMint, encodeTokenAccount } from './src/sandbox/chain/token.ts';`;

/** A signed transfer, as a wallet makes it. */
async function signed(sources, { signer, nonce, feePayer, payTo, amount, blockhash }) {
  const { buildTransfer, PAYER_SIGNATURE, sealPayment } = sources;
  const unsigned = await buildTransfer({
    ...{ payer: signer.address, feePayer, payTo, mint: MINT },
    ...{ amountAtomic: BigInt(amount), blockhash, nonce },
  });
  const signature = await signer.sign(unsigned.message);
  return sealPayment(signer.address, { ...unsigned, position: PAYER_SIGNATURE }, signature);
}

/** @param agent false for a connection of its own: one that was kept may just be closing */
function post(url, body, headers, agent) {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        ...headers,
      },
    });
    outgoing.once('error', (error) => {
      // The server closed a kept connection while it was taken up again; the same question may be asked twice.
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      if (isStale) post(url, body, headers, agent).then(resolve, reject);
      else reject(error);
    });
    outgoing.once('response', async (response) => {
      const answer = JSON.parse(Buffer.concat(await response.toArray()).toString());
      resolve({ status: response.statusCode, answer });
    });
    outgoing.end(text);
  });
}

async function rpc(url, method, params) {
  const { answer } = await post(`${url}/rpc`, { jsonrpc: '2.0', id: 1, method, params }, {}, false);
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

/** Buys until so many are paid, each caller from a wallet of its own; gives how many a second. */
async function buyMany({ url, sources, signers, product, blockhash }, count, beforePaying) {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const body = {
    items: [
      {
        product_id: product.product_id,
        beneficiary_account: 'friend@example.com',
      },
    ],
    email: 'buyer@example.com',
  };
  let left = count;
  const buy = async (signer) => {
    const asked = await post(`${url}/v1/orders`, body, {}, agent);
    const [accepted] = asked.answer.accepts ?? [];
    if (accepted === undefined) throw new Error(`no 402: ${JSON.stringify(asked.answer)}`);
    const { payTo, amount, network, extra } = accepted;
    const { transaction } = await signed(sources, {
      ...{ signer, nonce: left, feePayer: extra.feePayer, payTo, amount },
      blockhash: await blockhash(),
    });
    beforePaying?.();
    const payload = {
      x402Version: 2,
      scheme: 'exact',
      network,
      accepted,
      payload: { transaction },
    };
    const paid = await post(
      `${url}/v1/orders`,
      body,
      {
        'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payload)).toString('base64'),
        'X-Session-Id': extra.sessionId,
      },
      agent,
    );
    if (paid.status !== 200) throw new Error(`not paid: ${JSON.stringify(paid.answer)}`);
  };
  const started = performance.now();
  const work = async (signer) => {
    while (left > 0) {
      left -= 1;
      await buy(signer);
    }
  };
  await Promise.all(signers.map(work));
  const perSecond = count / ((performance.now() - started) / 1_000);
  agent.destroy();
  return perSecond;
}

/** Time on the processor that another process has taken so far, in milliseconds; undefined off Linux. */
function cpuMsOf(pid) {
  try {
    const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = rest.split(' ').slice(11, 13).map(Number);
    return (user + system) * 10;
  } catch {
    return undefined;
  }
}

function floorOf(folder) {
  mkdirSync(folder, { recursive: true });
  const words = [at('purchases.mjs'), 'floor', folder];
  const { stdout, status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the bare script ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * A bare script: signatures, the VM, and four commits of what must outlive a crash, which are the session, the claim,
 * the chain's ledger, and the outcome with the goods.
 */
async function bareScript(folder) {
  const sources = await loadSources(SOURCES);
  const { signerFromSeed, loadVm, encodeWire, decodeTransaction, withSignature } = sources;
  const Database = createRequire(import.meta.url)('libsql');
  const db = new Database(join(folder, 'floor.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.exec('create table rows (id text primary key, body text)');
  const insert = db.prepare('insert into rows values (?, ?)');
  const record = (id, count, body) => {
    db.exec('begin immediate');
    for (let row = 0; row < count; row += 1) insert.run(`${id} ${row}`, body);
    db.exec('commit');
  };
  const [payer, feePayer, merchant] = [1, 2, 3].map((byte) =>
    signerFromSeed(Buffer.alloc(32, byte)),
  );
  const blockhash = sources.encodeBase58(Buffer.alloc(32, 9));
  const accounts = bareAccounts(sources, { payer, feePayer, merchant });
  const x = Buffer.from(sources.addressBytes(payer.address)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const payments = [];
  for (let nonce = 0; nonce < WARM + PURCHASES; nonce += 1) {
    const of = { signer: payer, nonce, feePayer: feePayer.address, payTo: merchant.address };
    payments.push((await signed(sources, { ...of, amount: DOLLARS, blockhash })).transaction);
  }
  const vm = loadVm();
  const body = 'x'.repeat(1_000);
  const one = async (transaction, index) => {
    record(`session ${index}`, 1, body);
    const decoded = decodeTransaction(Buffer.from(transaction, 'base64'));
    const isSigned = verify(null, decoded.message, key, decoded.signatures[1]);
    if (!isSigned) throw new Error('a signature is wrong');
    const wire = withSignature(decoded.wire, 0, await feePayer.sign(decoded.message));
    record(`claim ${index}`, 3, body);
    const keys = decoded.accountKeys;
    const given = new Map(
      keys.flatMap((name) => (accounts.has(name) ? [[name, accounts.get(name)]] : [])),
    );
    const ran = vm.run({ wire, keys, accounts: given, slot: 100, atMs: 1e12, mustBeSigned: true });
    if (ran.error !== null) throw new Error(`refused: ${JSON.stringify(ran.error)}`);
    record(`ledger ${index}`, 3, encodeWire(wire));
    record(`outcome ${index}`, 2, body);
  };
  for (const [index, payment] of payments.slice(0, WARM).entries())
    await one(payment, `warm ${index}`);
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (const [index, payment] of payments.slice(WARM).entries()) await one(payment, index);
  const { user, system } = process.cpuUsage(cpu);
  const perSecond = PURCHASES / ((performance.now() - started) / 1_000);
  const cpuMs = (user + system) / 1_000 / PURCHASES;
  process.stdout.write(JSON.stringify({ perSecond, cpuMs }));
}

function bareAccounts(sources, { payer, feePayer, merchant }) {
  const { associatedTokenAddress, encodeMint, encodeTokenAccount } = sources;
  const { TOKEN_PROGRAM, SYSTEM_PROGRAM } = sources;
  const account = (owner, data) => ({ lamports: 10n ** 10n, owner, data, isExecutable: false });
  const mint = { mintAuthority: null, supply: 10n ** 15n, decimals: 6, freezeAuthority: null };
  const tokens = ({ address: owner }, amount) => [
    associatedTokenAddress(owner, MINT),
    account(TOKEN_PROGRAM, encodeTokenAccount({ mint: MINT, owner, amount })),
  ];
  return new Map([
    [MINT, account(TOKEN_PROGRAM, encodeMint(mint))],
    [feePayer.address, account(SYSTEM_PROGRAM, new Uint8Array())],
    [payer.address, account(SYSTEM_PROGRAM, new Uint8Array())],
    tokens(payer, 10n ** 14n),
    tokens(merchant, 0n),
  ]);
}

/** Buys from a served sandbox with wallets of its own: `buy` buys so many. */
export async function buyer(url) {
  const sources = await loadSources(SOURCES);
  const seeds = Array.from({ length: CALLERS }, () => randomBytes(32));
  const signers = seeds.map((seed) => sources.signerFromSeed(seed));
  for (const { address } of signers)
    await rpc(url, 'sandboxFaucet', [address, { usdc: '1000000000000', lamports: '0' }]);
  const [seed] = seeds;
  const [signer] = signers;
  const products = await (await fetch(`${url}/v1/catalog?country_code=us`)).json();
  const product = products.find((one) => one.brand_name === 'Amazon.com' && !one.is_range);
  let known = { atMs: -BLOCKHASH_MS, blockhash: '' };
  // A wallet asks for each; what is measured is the shop.
  const blockhash = async () => {
    if (performance.now() - known.atMs > BLOCKHASH_MS) {
      const { value } = await rpc(url, 'getLatestBlockhash', []);
      known = { atMs: performance.now(), blockhash: value.blockhash };
    }
    return known.blockhash;
  };
  const buy = (count, beforePaying) =>
    buyMany({ url, sources, signers, product, blockhash }, count, beforePaying);
  return {
    buy,
    /** Writes the wallet's key where a program takes it from. */
    saveKey(file) {
      const bytes = [...seed, ...sources.addressBytes(signer.address)];
      writeFileSync(file, JSON.stringify(bytes), { mode: 0o600 });
    },
  };
}

/** @param tell told of the figure: purchases a second of it and of the floor, ratios, budget */
export async function measurePurchases({ folder, pairs, tell }) {
  const served = await startSandbox(join(folder, 'purchases'));
  try {
    const { buy } = await buyer(served.url);
    await buy(WARM);
    const runs = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const before = cpuMsOf(served.child.pid);
      const perSecond = await buy(PURCHASES);
      const cpuMs = (cpuMsOf(served.child.pid) - before) / PURCHASES;
      runs.push([{ perSecond, cpuMs }, floorOf(join(folder, `purchases-floor-${pair}`))]);
    }
    tell(
      `purchases paid and settled, ${CALLERS} callers`,
      {
        figure: median(runs.map(([one]) => one.perSecond)),
        floor: median(runs.map(([, other]) => other.perSecond)),
        ratio: median(runs.map(([one, other]) => one.perSecond / other.perSecond)),
        cpu: median(runs.map(([one, other]) => other.cpuMs / one.cpuMs)),
      },
      0.5,
    );
  } finally {
    served.child.kill();
  }
}

if (process.argv[2] === 'floor') await bareScript(process.argv[3]);
