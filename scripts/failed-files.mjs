// Prints the failed test files, one per line, from vitest's JSON report.
import { readFileSync } from 'node:fs';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { name, status } of testResults) if (status !== 'passed') console.log(name);
