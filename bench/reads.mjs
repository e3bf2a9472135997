// P7 and P8: lists and prices of the served sandbox, beside node:http that answers the same bytes.
import { fork, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getText, openLoad } from './load.mjs';
import { median, spread } from './measure.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const SLICE_MS = 400;
/** Until the engine has compiled what is asked for often. */
const WARM_MS = 2_000;
const NAMED = { 'X-Cr-Application': 'bench' };
const BR = { 'Accept-Encoding': 'br' };
const GZIP = { 'Accept-Encoding': 'gzip' };

/** A sandbox on a port, with its process. */
export async function startSandbox(folder, words = []) {
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    [at('../bin/scrip.js'), 'sandbox', '--port', '0', '--json', ...words],
    { env: { PATH: process.env.PATH, HOME: folder }, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error(`the sandbox ended early: ${said}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found) resolve(found);
    });
  });
  return { url, child };
}

function read(url, headers) {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, headers: response.headers, body });
    }).on('error', reject);
  });
}

/** By group, of each figure: its name, budget, path and headers. */
async function figures(url) {
  const json = async (path) => JSON.parse((await read(url + path, NAMED)).body.toString());
  const us = '/v1/catalog?country_code=us';
  const fixed = (await json(us)).find(({ is_range }) => !is_range);
  const brand = encodeURIComponent(fixed.brand_name);
  const product = encodeURIComponent(fixed.product_id);
  const value = encodeURIComponent(fixed.denomination.split(' ')[0]);
  const price = `/v1/price?country_code=us&brand_name=${brand}&product_id=${product}`;
  const partnerPrice = `/v4/products/price?country_code=US&brand_name=${brand}&face_value=${value}&coin=USDC`;
  const list = (path, headers = {}) => ({ path, headers: { ...NAMED, ...headers } });
  const etagOf = async (path) => (await read(url + path, NAMED)).headers.etag;
  const known = { 'If-None-Match': await etagOf('/v1/brands?country_code=us') };
  const lists = [
    ['GET /v1/brands', 0.7, list('/v1/brands?country_code=us')],
    ['  304', 0.7, list('/v1/brands?country_code=us', known)],
    ['  gzip', 0.7, list('/v1/brands?country_code=us', GZIP)],
    ['  br', 0.7, list('/v1/brands?country_code=us', BR)],
    ['GET /v2/brands', 0.7, list('/v2/brands?country_code=us')],
    ['  br', 0.7, list('/v2/brands?country_code=us', BR)],
    ['GET /v1/catalog, a country', 0.7, list(us)],
    ['  br', 0.7, list(us, BR)],
  ];
  const prices = [
    ['GET /v1/price', 0.6, list(price)],
    ['GET /v4/products/price', 0.6, list(partnerPrice)],
  ];
  return { lists, prices };
}

/** @param group `lists` or `prices`; tell told of each figure: name, answers a second of it and of the floor, ratios, what an answer took, budget */
export async function measureReads({ group, folder, pairs, tell }) {
  const served = await startSandbox(folder);
  try {
    for (const [name, budget, { path, headers }] of (await figures(served.url))[group]) {
      await read(served.url + path, headers);
      const { status, headers: own, body } = await read(served.url + path, headers);
      const { date: _date, connection: _connection, 'keep-alive': _alive, ...same } = own;
      const file = join(folder, 'answers');
      writeFileSync(
        file,
        `${JSON.stringify({ path, status, headers: same, body: body.toString('base64') })}\n`,
      );
      const bare = fork(at('bare-host.mjs'), [file]);
      try {
        const { url: bareUrl } = await new Promise((resolve) => bare.once('message', resolve));
        const figure = await openLoad(served.url, { text: getText(served.url + path, headers) });
        const floor = await openLoad(bareUrl, { text: getText(bareUrl + path, headers) });
        tell(name, await compareLoads({ figure, floor, served, bare, pairs }), budget);
        figure.close();
        floor.close();
      } finally {
        bare.kill();
      }
    }
  } finally {
    served.child.kill();
  }
}

async function compareLoads({ figure, floor, served, bare, pairs }) {
  await figure.run(WARM_MS, served.child.pid);
  await floor.run(WARM_MS, bare.pid);
  const runs = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    runs.push([await figure.run(SLICE_MS, served.child.pid), await floor.run(SLICE_MS, bare.pid)]);
  }
  return {
    figure: median(runs.map(([one]) => one.perSecond)),
    floor: median(runs.map(([, other]) => other.perSecond)),
    ratio: median(runs.map(([one, other]) => one.perSecond / other.perSecond)),
    cpu: median(runs.map(([one, other]) => other.cpuUs / one.cpuUs)),
    ...spread(runs.flatMap(([one]) => one.times)),
  };
}
