import { describe, expect, it } from 'vitest';
import { checkAskedFields, fieldsByCommand } from '../../../src/cli/schemas/table.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';

describe('the fields of a command', () => {
  it('are those that may be asked for, and no others', () => {
    for (const [path, fields] of fieldsByCommand()) {
      const isAccepted = (field: string): boolean =>
        (['checkout', 'partner'] as const).some((merchant) => {
          try {
            checkAskedFields({ path, merchant, fields: [field], template: undefined });
            return true;
          } catch (error) {
            if (error instanceof ScripError) return false;
            throw error;
          }
        });
      for (const field of fields) expect(isAccepted(field), `${path}: ${field}`).toBe(true);
    }
  });

  it('are told where a plain value is asked for fields of its own', () => {
    const asked = {
      path: 'brands',
      merchant: 'checkout' as const,
      fields: ['brand_name.x'],
      template: undefined,
    };
    const refused = expect(() => checkAskedFields(asked));
    refused.toThrow(
      expect.objectContaining({ hint: expect.stringContaining('brand_name, family') }),
    );
  });

  it('of brands have a name', () => {
    expect(fieldsByCommand().get('brands')).toContain('brand_name');
    expect(fieldsByCommand().get('wallet balance')).toEqual(
      expect.arrayContaining(['address', 'usdc']),
    );
  });
});
