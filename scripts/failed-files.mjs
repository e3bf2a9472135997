// Prints the test files that failed, a line each, from the JSON that vitest writes.
import { readFileSync } from 'node:fs';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { name, status } of testResults) if (status !== 'passed') console.log(name);
