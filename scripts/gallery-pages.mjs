/** Photographs the payment page for docs/gallery.md, on a telephone, with a clock of its own. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync, inflateSync } from 'node:zlib';
import { build } from 'esbuild';

const SHOP = 'https://shop.example';
const PHONE = { width: 360, height: 640 };
/** Repositories keep each version of a picture. */
const MOST_BYTES = 40_000;

/** Situations of a page, with the orders that have them. */
const PAGES = ({ PAGED_ORDERS, via }) => {
  const made = Object.fromEntries(PAGED_ORDERS);
  return {
    waiting: (host) => host.create({ payment: via('USDC', 'Solana') }),
    partly: made.partial,
    delivered: made.delivered,
    late: made.late,
    expired: made.expired,
    refunded: made.refunded,
  };
};
/** Photographed dark too. */
const DARK = ['waiting', 'delivered'];

export async function shootPages(root) {
  const parts = await loadParts(root);
  const host = await parts.partnerSandbox({ baseUrl: SHOP });
  const browser = await parts.openBrowser({});
  try {
    for (const [name, make] of Object.entries(PAGES(parts))) {
      const { checkout_url } = await make(host);
      for (const colorScheme of DARK.includes(name) ? ['light', 'dark'] : ['light']) {
        const file = join(root, `docs/pictures/page-${name}-${colorScheme}.png`);
        writeFileSync(file, await photograph(browser, host, { url: checkout_url, colorScheme }));
      }
    }
  } finally {
    await browser.close();
    await host.close();
  }
}

async function photograph(browser, host, { url, colorScheme }) {
  const context = await browser.newContext({
    ...{ viewport: PHONE, colorScheme, locale: 'en-GB', timezoneId: 'UTC' },
  });
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(host.clock.now());
    await page.route(`${SHOP}/**`, async (route) => {
      const reply = await host.current().handle(new Request(route.request().url()));
      await route.fulfill({
        status: reply.status,
        headers: Object.fromEntries(reply.headers),
        body: Buffer.from(await reply.arrayBuffer()),
      });
    });
    await page.route('**/events', (route) => route.abort());
    await page.goto(url);
    const picture = withPalette(await page.screenshot({ fullPage: true }));
    if (picture.length > MOST_BYTES) throw new Error(`${url} has ${picture.length} bytes`);
    return picture;
  } finally {
    await context.close();
  }
}

/** The test's sandbox, its orders and its browser, from TypeScript. */
async function loadParts(root) {
  const folder = join(root, 'node_modules/.cache/scrip-gallery');
  const file = join(folder, 'parts.mjs');
  mkdirSync(folder, { recursive: true });
  await build({
    stdin: {
      contents: `
        export { openBrowser } from './test/support/browser.ts';
        export { PAGED_ORDERS } from './test/support/paid-orders.ts';
        export { partnerSandbox, via } from './test/support/partner-sandbox.ts';`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile: file,
    ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', target: 'node20' },
  });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a PNG of 8-bit colours anew with the 256 colours that it has most (W3C PNG). */
function withPalette(png) {
  const { width, height, pixels, channels } = decode(png);
  const counts = new Map();
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at += 1) {
    const [red, green, blue] = pixels.subarray(at * channels);
    const colour = (red << 16) | (green << 8) | blue;
    colours[at] = colour;
    counts.set(colour, { red, green, blue, count: (counts.get(colour)?.count ?? 0) + 1 });
  }
  const known = [...counts].sort(([, one], [, other]) => other.count - one.count).slice(0, 256);
  const indexes = new Map(known.map(([colour], index) => [colour, index]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < colours.length; at += 1) {
    const place = at + Math.floor(at / width) + 1;
    lines[place] = indexes.get(colours[at]) ?? nearest(known, counts.get(colours[at]));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from(known.flatMap(([, { red, green, blue }]) => [red, green, blue]));
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(known, { red, green, blue }) {
  const distances = known.map(
    ([, one]) => (one.red - red) ** 2 + (one.green - green) ** 2 + (one.blue - blue) ** 2,
  );
  return distances.indexOf(Math.min(...distances));
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Colours of 8 bits without interlacing, as browsers write them. */
function decode(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue;
    parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const filtered = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = filtered[row * (stride + 1)];
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column;
      const left = column < channels ? 0 : pixels[at - channels];
      const above = row === 0 ? 0 : pixels[at - stride];
      const corner = row === 0 || column < channels ? 0 : pixels[at - stride - channels];
      const added = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      pixels[at] = filtered[row * (stride + 1) + 1 + column] + added;
    }
  }
  return { width, height, pixels, channels };
}

function paeth(left, above, corner) {
  const [a, b, c] = [
    Math.abs(above - corner),
    Math.abs(left - corner),
    Math.abs(left + above - 2 * corner),
  ];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}
