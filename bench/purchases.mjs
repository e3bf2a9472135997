// P9: purchases over x402 that a served sandbox is asked for, paid and settled, beside a bare shop
// (`bare-shop.mjs`) that the same buyers ask by the same requests.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { median, spread } from './measure.mjs';
import { startSandbox } from './reads.mjs';
import { loadSources } from './sources.mjs';

/** Each waits for a block of the chain, 0.4 s: 128 of them could buy no more than 320 a second, whatever the shop does. */
const CALLERS = 256;
/** A blockhash is good for a minute. */
const BLOCKHASH_MS = 5_000;
/** Of one pair: so many purchases of the shop beside so many of the bare shop. */
const PURCHASES = 2_048;
/** Made first and not counted, until the engine has compiled what a purchase needs. */
const WARM = 1_000;
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const SOURCES = `export { buildTransfer, PAYER_SIGNATURE } from './src/rails/solana/transfer.ts';
  export { sealPayment } from './src/rails/solana/seal.ts';
  export { signerFromSeed } from './src/rails/solana/ed25519.ts';
  export { addressBytes } from './src/rails/solana/address.ts';`;

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
      resolve({ status: response.statusCode, headers: response.headers, answer });
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
async function buyMany(
  { url, sources, signers, product, blockhash, nextNonce, samples },
  count,
  { beforePaying, times = [] } = {},
) {
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
    const startedAt = performance.now();
    const asked = await post(`${url}/v1/orders`, body, {}, agent);
    const [accepted] = asked.answer.accepts ?? [];
    if (accepted === undefined) throw new Error(`no 402: ${JSON.stringify(asked.answer)}`);
    const { payTo, amount, network, extra } = accepted;
    const { transaction } = await signed(sources, {
      ...{ signer, nonce: nextNonce(), feePayer: extra.feePayer, payTo, amount },
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
    times.push(performance.now() - startedAt);
    samples.asked ??= asked;
    samples.paid ??= paid;
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
  const samples = {};
  let nonce = 0;
  // The bare shop has one address: two payments of a wallet must differ.
  const nextNonce = () => {
    nonce += 1;
    return nonce;
  };
  const parts = { url, sources, signers, product, blockhash, nextNonce, samples };
  const buy = (count, more) => buyMany(parts, count, more);
  return {
    buy,
    /** What was answered to one purchase, once something was bought. */
    samples: () => ({ ...samples, products }),
    /** Writes the wallet's key where a program takes it from. */
    saveKey(file) {
      const bytes = [...seed, ...sources.addressBytes(signer.address)];
      writeFileSync(file, JSON.stringify(bytes), { mode: 0o600 });
    },
  };
}

/** A bare shop that answers as the sandbox did in these samples. */
function startBareShop(folder, samples) {
  mkdirSync(folder, { recursive: true });
  const child = fork(at('bare-shop.mjs'), [folder]);
  child.send(samples);
  return new Promise((resolve, reject) => {
    child.once('close', (status) => reject(new Error(`the bare shop ended with ${status}`)));
    child.once('message', (url) => resolve({ url, child }));
  });
}

/** Purchases a second, what each took, and time on the processor, of a shop that is warm. */
async function measured({ child, buy }) {
  const before = cpuMsOf(child.pid);
  const times = [];
  const perSecond = await buy(PURCHASES, { times });
  return { perSecond, times, cpuMs: (cpuMsOf(child.pid) - before) / PURCHASES };
}

/** @param tell told of the figure: purchases a second of it and of the floor, ratios, budget */
export async function measurePurchases({ folder, pairs, tell }) {
  const shops = [await startSandbox(join(folder, 'purchases'))];
  try {
    const [served] = shops;
    const { buy, samples } = await buyer(served.url);
    await buy(WARM);
    const bare = await startBareShop(join(folder, 'purchases-floor'), samples());
    shops.push(bare);
    const { buy: buyBare } = await buyer(bare.url);
    await buyBare(WARM);
    const runs = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      runs.push([await measured({ ...served, buy }), await measured({ ...bare, buy: buyBare })]);
    }
    tell(
      `purchases paid and settled, ${CALLERS} callers`,
      {
        figure: median(runs.map(([one]) => one.perSecond)),
        floor: median(runs.map(([, other]) => other.perSecond)),
        ratio: median(runs.map(([one, other]) => one.perSecond / other.perSecond)),
        cpu: median(runs.map(([one, other]) => other.cpuMs / one.cpuMs)),
        ...spread(runs.flatMap(([one]) => one.times)),
      },
      0.5,
    );
  } finally {
    for (const { child } of shops) child.kill();
  }
}
