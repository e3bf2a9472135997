/** The payment page's stylesheet and script; the page works without either. */

export const STYLE = `:root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--back:#f6f8fa;--card:#fff;--line:#d0d7de;--link:#0550ae;--button:#fff}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9da7b1;--back:#0d1117;--card:#161b22;--line:#444c56;--link:#6cb6ff;--button:#0d1117}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:0 auto;padding:1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
h1{margin:0;font-size:1.5rem;line-height:1.25}
p{margin:.5rem 0}
dl{margin:1rem 0 0}
dt{color:var(--soft);font-size:.875rem;margin-top:.75rem}
dd{margin:0;display:flex;gap:.5rem;align-items:baseline;justify-content:space-between;overflow-wrap:anywhere}
dd.large{font-size:1.75rem;font-weight:600}
code{font:inherit;font-family:ui-monospace,monospace;user-select:all}
img{display:block;width:14rem;max-width:100%;height:auto;margin:1rem auto;background:#fff;border-radius:.25rem}
a,button{font:inherit}
a{color:var(--link)}
a.pay,form button,#wallet button{display:block;width:100%;margin:1rem 0 0;padding:.75rem;text-align:center;background:var(--link);color:var(--button);border:0;border-radius:.375rem;text-decoration:none;cursor:pointer}
dd button{flex:none;font-size:.875rem;padding:.25rem .75rem;background:none;color:var(--link);border:1px solid var(--line);border-radius:.375rem;cursor:pointer}
.wrong{font-weight:600}
label{display:block;margin-top:.75rem}
input{display:block;width:100%;font:inherit;padding:.5rem;background:var(--back);color:var(--text);border:1px solid var(--line);border-radius:.375rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.soft{color:var(--soft);font-size:.875rem}
.shop{max-width:30rem;margin:0 auto .5rem;font-weight:600;overflow-wrap:anywhere}
.test{max-width:30rem;margin:0 auto 1rem;padding:.5rem 1rem;border:1px dashed var(--soft);border-radius:.375rem}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

/** A coin and an arrow: wallets show it while they ask for a payment. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#0550ae"/><circle cx="26" cy="32" r="14" fill="none" stroke="#fff" stroke-width="5"/><path d="M34 32h20m-8-9 9 9-9 9" fill="none" stroke="#fff" stroke-width="5"/></svg>`;

/** Reloads the page when the order changes, or every few seconds, and replaces what differs. */
export const SCRIPT = `'use strict';
(() => {
  const POLL_MS = 5000;
  const SLOW_POLL_MS = 60000;
  const news = document.getElementById('news');
  const main = () => document.querySelector('main');
  let stream;
  let hasEnded = false;
  let timer;
  const wallets = new Map();
  let [isAsking, fault] = [false, ''];
  function dress() {
    for (const button of document.querySelectorAll('button[data-copy]')) {
      button.hidden = false;
      button.onclick = async () => {
        const text = button.dataset.copy;
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          getSelection().selectAllChildren(button.previousElementSibling);
          return;
        }
        news.textContent = button.dataset.done;
      };
    }
    clock();
    offerWallets();
  }
  // EIP-6963: wallets name themselves when they are asked to; an older one is there without a name.
  function offerWallets() {
    const box = document.getElementById('wallet');
    if (!box) return;
    const found = [...wallets.values()];
    if (found.length === 0 && window.ethereum) found.push({ name: box.dataset.any, provider: window.ethereum });
    for (const button of box.querySelectorAll('button')) button.remove();
    for (const { name, provider } of found) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = box.dataset.pay.replace('{}', () => name);
      button.onclick = () => payBy(provider, box.dataset);
      box.append(button);
    }
    box.hidden = found.length === 0;
    tellOfWallet();
  }
  function tellOfWallet(now = { isAsking, fault }) {
    ({ isAsking, fault } = now);
    const box = document.getElementById('wallet');
    if (!box) return;
    box.querySelector('.wrong').textContent = fault;
    for (const button of box.querySelectorAll('button')) button.disabled = isAsking;
  }
  async function payBy(provider, { offer, sent, failed }) {
    const { at, requirement, typedData } = JSON.parse(offer);
    let fault = '';
    tellOfWallet({ isAsking: true, fault });
    try {
      const ask = (method, ...params) => provider.request({ method, params });
      const [from] = await ask('eth_requestAccounts');
      const chainId = '0x' + typedData.domain.chainId.toString(16);
      // A wallet that cannot be asked for its network refuses to sign for another one.
      await ask('wallet_switchEthereumChain', { chainId }).catch(() => {});
      const now = Math.floor(Date.now() / 1000);
      const validity = { validAfter: String(now - 600), validBefore: String(now + requirement.maxTimeoutSeconds) };
      const authorization = { ...typedData.message, from, ...validity };
      const signature = await ask('eth_signTypedData_v4', from, JSON.stringify({ ...typedData, message: authorization }));
      const body = JSON.stringify({ x402Version: 2, accepted: requirement, payload: { authorization, signature } });
      const reply = await fetch(at, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      if (!reply.ok) throw new Error((await reply.json()).message);
      news.textContent = sent;
    } catch (error) {
      fault = failed.replace('{}', () => (error && error.message) || '');
    }
    tellOfWallet({ isAsking: false, fault });
    refresh();
  }
  function clock() {
    const until = document.getElementById('until');
    if (!until) return;
    const at = new Date(until.dateTime);
    const minutes = Math.max(0, Math.ceil((at - Date.now()) / 60000));
    const time = at.toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit' });
    until.textContent = time + ' (' + until.dataset.left.replace('{}', minutes) + ')';
  }
  async function refresh() {
    clearTimeout(timer);
    try {
      const reply = await fetch(location.href, { cache: 'no-store' });
      if (reply.ok) swap(new DOMParser().parseFromString(await reply.text(), 'text/html'));
    } catch {}
    const isOver = main().hasAttribute('data-over');
    if (isOver && stream) stream.close();
    const isStreamed = stream && stream.readyState === EventSource.OPEN;
    if (!isOver) timer = setTimeout(refresh, isStreamed || hasEnded ? SLOW_POLL_MS : POLL_MS);
  }
  function swap(page) {
    const next = page.querySelector('main');
    if (!next || next.dataset.version === main().dataset.version) return;
    const hadFocus = main().contains(document.activeElement);
    main().replaceWith(document.adoptNode(next));
    document.title = page.title;
    news.textContent = main().querySelector('h1').textContent;
    if (hadFocus) main().querySelector('h1').focus();
    dress();
  }
  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const { info, provider } = detail;
    wallets.set(info.uuid, { name: info.name, provider });
    offerWallets();
  });
  dispatchEvent(new Event('eip6963:requestProvider'));
  dress();
  setInterval(clock, 15000);
  if (main().hasAttribute('data-over')) return;
  stream = new EventSource(location.pathname + '/events');
  stream.onmessage = refresh;
  stream.addEventListener('stop', () => { hasEnded = true; stream.close(); refresh(); });
  timer = setTimeout(refresh, POLL_MS);
})();
`;
