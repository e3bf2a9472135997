/** A real Chromium, from npm; it is built for Linux on x64 alone. */
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';

export const HAS_BROWSER = process.platform === 'linux' && process.arch === 'x64';

/** @param hosts names that the browser finds at other addresses, such as `shop.localhost` at `127.0.0.1:4020` */
export async function openBrowser(hosts: Readonly<Record<string, string>>): Promise<Browser> {
  const rules = Object.entries(hosts).map(([name, at]) => `MAP ${name} ${at}`);
  return driver.launch({
    executablePath: await chromium.executablePath(),
    // Containers have no user namespaces and little shared memory.
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      // A page of another origin may ask this machine without a question to the user.
      '--disable-features=LocalNetworkAccessChecks',
      `--host-resolver-rules=${rules.join(',')}`,
    ],
  });
}
