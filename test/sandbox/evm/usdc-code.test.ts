/** The bytecode of the test money is what its source compiles to; `vitest -u` writes it anew. */
import { readFileSync } from 'node:fs';
import solc from 'solc';
import { expect, it } from 'vitest';

const SOURCE = 'src/sandbox/evm/usdc.sol';

it('usdc-code.json holds what usdc.sol compiles to', async () => {
  const input = {
    language: 'Solidity',
    sources: { [SOURCE]: { content: readFileSync(SOURCE, 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      metadata: { appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  expect(errors).toEqual([]);
  const code: string = contracts[SOURCE].TestUsdc.evm.deployedBytecode.object;
  const text = `${JSON.stringify({ code: `0x${code}` }, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../src/sandbox/evm/usdc-code.json');
});
