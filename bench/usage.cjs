// Preloaded into a program to be weighed: the most memory it held, told on its way out.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.BENCH_USAGE, String(process.resourceUsage().maxRSS * 1024));
});
