/** The guided purchase over HTTP, on the embedded sandbox. */
import { afterAll, describe, expect, it } from 'vitest';
import { AGENT_USER_AGENT, elicitationResponse } from '../../../src/contract/agent.ts';
import { ANSWER_KEYS } from '../../../src/domain/wizard/wizard-step.ts';
import { jsonOf, partnerSandbox } from '../../support/partner-sandbox.ts';
import {
  answerAll,
  beginPurchase,
  elicitOnce,
  GIFT_ANSWERS,
  sendElicitation,
} from '../../support/wizard-caller.ts';

const MINUTE_MS = 60_000;
const host = await partnerSandbox();
afterAll(() => host.close());
const current = () => host.current();

const orderIdIn = (nextStep: string | undefined): string =>
  /GET \/v5\/orders\/([0-9a-f-]{36})/.exec(nextStep ?? '')?.[1] ?? '';
const asAgent = { 'X-Cr-Application': 'agent' };

it('a whole purchase ends in an order that is paid and delivered', async () => {
  const first = await elicitOnce(current(), {});
  expect(first).toMatchObject({
    status: 'continue',
    options: ['giftcard', 'mobile_topup'],
    previous_answers: {},
  });
  const token = first.session_token ?? '';
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  for (const [index, answer] of GIFT_ANSWERS.entries()) {
    const reply = await elicitOnce(current(), { session_token: token, answer });
    expect(reply.status).toBe('continue');
    expect(Object.keys(reply.previous_answers ?? {})).toEqual(ANSWER_KEYS.slice(0, index + 1));
  }
  const recap = await elicitOnce(current(), { session_token: token });
  expect(recap.question).toBe(
    'Gift card: Amazon.com, 25 USD, for US. Sent to friend@example.com. ' +
      'Paid with 25.25 USDC on Solana, ordered by buyer@example.com. Is everything right?',
  );
  const done = await elicitOnce(current(), { session_token: token, answer: 'yes' });
  expect(done).toMatchObject({
    status: 'complete',
    payment_details: { coinSymbol: 'USDC', coinAmount: '25.25', network: 'Solana' },
  });
  expect('session_token' in done).toBe(false);
  const orderId = orderIdIn(done.next_step);
  await host.transfer(done.payment_details?.walletAddress ?? '', 25_250_000n);
  await host.pass(30_000);
  const order = await jsonOf(await host.get(`/v5/orders/${orderId}`, asAgent));
  expect(order).toMatchObject({ order_state: 'Done', payment_state: 'PaymentReceived' });
});

describe('a confirmation', () => {
  it('that is repeated gives the same order, also after a restart and after the idle time', async () => {
    const token = await beginPurchase(current());
    const done = await answerAll(current(), token, [...GIFT_ANSWERS, 'yes']);
    const yes = { session_token: token, answer: 'yes' } as const;
    expect(await elicitOnce(current(), yes)).toEqual(done);
    await host.restart();
    expect(await elicitOnce(current(), yes)).toEqual(done);
    host.clock.advance(11 * MINUTE_MS);
    expect(await elicitOnce(current(), yes)).toEqual(done);
    expect(await elicitOnce(current(), { session_token: token, action: 'back' })).toEqual(done);
  });

  it('given twice at once, at two processes, makes one order', async () => {
    const token = await beginPurchase(current());
    await answerAll(current(), token, GIFT_ANSWERS);
    const beside = await host.beside();
    const yes = { session_token: token, answer: 'yes' } as const;
    const both = await Promise.all([elicitOnce(current(), yes), elicitOnce(beside, yes)]);
    await beside.close();
    expect(both[0].status).toBe('complete');
    expect(both[1]).toEqual(both[0]);
  });

  it('of an order with problems names them, and the session goes on', async () => {
    const token = await beginPurchase(current());
    const answers: string[] = [...GIFT_ANSWERS];
    answers[3] = '2000';
    await answerAll(current(), token, answers);
    const reply = await elicitOnce(current(), { session_token: token, answer: 'yes' });
    expect(reply).toMatchObject({ status: 'error', session_token: token });
    expect(reply.error).toMatch(/LIMIT_EXCEEDED|MAXIMUM_AMOUNT|KYC_MISSING/);
    expect(reply.fix).toMatch(/back/);
    const back = await elicitOnce(current(), { session_token: token, action: 'back' });
    expect(back).toMatchObject({ status: 'continue' });
  });

  it('is not asked for while the supplier is away, and the session stands where it stood', async () => {
    const token = await beginPurchase(current());
    const answers: string[] = GIFT_ANSWERS.slice(0, -1);
    answers[4] = 'friend+unreachable@example.com';
    const last = await answerAll(current(), token, answers);
    const body = JSON.stringify({ session_token: token, answer: 'buyer@example.com' });
    const response = await sendElicitation(current(), body);
    expect(response.status).toBe(502);
    expect(elicitationResponse().parse(await response.json()).status).toBe('error');
    expect(await elicitOnce(current(), { session_token: token })).toEqual(last);
  });
});

describe('an answer', () => {
  it('that is wrong leaves the same question, with a fix and suggestions', async () => {
    const token = await beginPurchase(current());
    await answerAll(current(), token, ['giftcard']);
    const asked = await elicitOnce(current(), { session_token: token });
    const reply = await elicitOnce(current(), { session_token: token, answer: 'United' });
    expect(reply).toMatchObject({ status: 'error', question: asked.question });
    expect(reply.suggestions).toContain('United Kingdom');
    expect(reply.previous_answers).toEqual({ product_type: 'giftcard' });
    const taken = await elicitOnce(current(), { session_token: token, answer: 'gb' });
    expect(taken.previous_answers).toEqual({ product_type: 'giftcard', country: 'GB' });
  });

  it('given twice at once is taken once', async () => {
    const token = await beginPurchase(current());
    const body = { session_token: token, answer: 'giftcard' } as const;
    const beside = await host.beside();
    const both = await Promise.all([elicitOnce(current(), body), elicitOnce(beside, body)]);
    await beside.close();
    expect(both.filter(({ status }) => status === 'continue')).toHaveLength(1);
    const now = await elicitOnce(current(), { session_token: token });
    expect(now.previous_answers).toEqual({ product_type: 'giftcard' });
  });
});

describe('a session', () => {
  it('ends when nothing was answered for ten minutes; each answer begins them anew', async () => {
    const token = await beginPurchase(current());
    host.clock.advance(10 * MINUTE_MS - 1);
    await answerAll(current(), token, ['giftcard']);
    host.clock.advance(10 * MINUTE_MS - 1);
    await answerAll(current(), token, ['us']);
    host.clock.advance(10 * MINUTE_MS);
    const reply = await elicitOnce(current(), { session_token: token, answer: 'amazon' });
    expect(reply).toMatchObject({ status: 'error', fix: 'Start again: send an empty object.' });
    expect(reply.error).toContain('expired');
  });

  it('that nobody has opened, or that another client has, does not exist', async () => {
    const unknown = await elicitOnce(current(), { session_token: 'guess', answer: 'giftcard' });
    const mine = { caller: { address: '192.0.2.1' } };
    const token = await beginPurchase(current(), mine);
    const body = { session_token: token, answer: 'giftcard' };
    const others = await elicitOnce(current(), body, { caller: { address: '192.0.2.2' } });
    expect(unknown).toMatchObject({
      status: 'error',
      error: 'This session_token is unknown.',
    });
    expect(others).toEqual(unknown);
    expect((await elicitOnce(current(), body, mine)).status).toBe('continue');
  });

  it('is one of at most twenty of a client', async () => {
    const here = { caller: { address: '198.51.100.7' } };
    for (let count = 0; count < 20; count += 1) await beginPurchase(current(), here);
    const refused = await sendElicitation(current(), '{}', here);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '600']);
    expect(elicitationResponse().parse(await refused.json()).status).toBe('error');
    await beginPurchase(current(), { caller: { address: '198.51.100.8' } });
    host.clock.advance(10 * MINUTE_MS);
    await beginPurchase(current(), here);
  });

  it('keeps the hash of its token, and not the token', async () => {
    const token = await beginPurchase(current());
    const { wizardSessions } = current().store.tables;
    expect(await wizardSessions.byToken(token)).toBeUndefined();
  });

  it('belongs to the partner that opens it, and so does its order', async () => {
    const headers = { 'X-Cr-Application': 'shop-9' };
    const token = await beginPurchase(current(), { headers });
    const done = await answerAll(current(), token, [...GIFT_ANSWERS, 'yes']);
    const path = `/v5/orders/${orderIdIn(done.next_step)}`;
    expect((await host.get(path, headers)).status).toBe(200);
    expect((await host.get(path, asAgent)).status).toBe(404);
  });
});

describe('a request', () => {
  it.each([
    ['no token', { answer: 'giftcard' }, /session_token is missing/],
    [
      'an answer and back',
      { session_token: '*', answer: 'us', action: 'back' },
      /both an answer and an action/,
    ],
  ])('with %s is told what to send', async (_name, body, error) => {
    const token = await beginPurchase(current());
    const filled = 'session_token' in body ? { ...body, session_token: token } : body;
    const response = await sendElicitation(current(), JSON.stringify(filled));
    expect(response.status).toBe(200);
    const reply = elicitationResponse().parse(await response.json());
    expect(reply.status).toBe('error');
    expect(reply.error).toMatch(error);
  });

  it.each([
    ['is not JSON', 'nothing', 400],
    ['is an array', '[]', 400],
    ['has another action', '{"action":"next"}', 400],
    ['has an endless answer', JSON.stringify({ answer: 'a'.repeat(501) }), 400],
    ['is too large', JSON.stringify({ answer: 'a'.repeat(70_000) }), 413],
  ])('whose body %s is refused in the wizard’s own words', async (_name, body, status) => {
    const response = await sendElicitation(current(), body);
    expect(response.status).toBe(status);
    expect(elicitationResponse().parse(await response.json()).status).toBe('error');
  });

  it.each(['curl/8.0', `${AGENT_USER_AGENT}.1`, ''])(
    'of the agent "%s" is taken',
    async (agent) => {
      const response = await sendElicitation(current(), '{}', { headers: { 'User-Agent': agent } });
      expect(response.status).toBe(200);
    },
  );

  it('is measured by the User-Agent that the operator chose', async () => {
    const headers = { 'User-Agent': 'our-agents/7' };
    const other = await partnerSandbox({ agentUserAgent: 'our-agents/7' });
    const usual = await sendElicitation(other.current(), '{}');
    const chosen = await sendElicitation(other.current(), '{}', { headers });
    await other.close();
    expect([usual.status, chosen.status]).toEqual([403, 200]);
    expect(await usual.json()).toMatchObject({ fix: 'Send the header User-Agent: our-agents/7' });
  });

  it.each<[string, unknown]>([
    ['a body in a body', { body: { lang: 'pt_BR' } }],
    [
      'null for what is left out',
      { session_token: null, answer: null, action: null, lang: 'pt-BR' },
    ],
  ])('with %s is read', async (_name, sent) => {
    const response = await sendElicitation(current(), JSON.stringify(sent));
    expect(elicitationResponse().parse(await response.json())).toMatchObject({
      status: 'continue',
      previous_answers: { lang: 'pt-BR' },
    });
  });

  it('by another method is told the one there is', async () => {
    const response = await host.get('/mcp/purchase_elicitation');
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
  });
});
