/** Whether an agent may see redemption codes: a flag asks for it, and the policy may forbid it. */

import { readPolicyFile } from '../../api/payment/spending.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { With } from '../context.ts';

/** Checks the policy. @throws {ScripError} POLICY_REFUSED if mcp.revealCodes is false; POLICY_INVALID */
export async function checkCodesMayBeTold({ parts }: With<'parts'>): Promise<void> {
  const { mcp } = await readPolicyFile(parts);
  if (mcp?.revealCodes !== false) return;
  throw new ScripError('POLICY_REFUSED', t`The policy does not allow agents to see codes`, {
    hint: t`Leave out --reveal-codes. To change the policy, run in a terminal: scrip policy set mcp.revealCodes true`,
    details: { rule: 'mcp.revealCodes' },
  });
}
