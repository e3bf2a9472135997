// Runs the inspector's command line for each list of words of its argument, one after the other in one
// process, and prints what each of them printed, as an array. It ends as the first that fails does.
import { handleError, runCli } from '@modelcontextprotocol/inspector/clients/cli/build/index.js';

const printed = [];
const { stdout } = process;
const write = stdout.write.bind(stdout);
stdout.write = (text, ...rest) => {
  printed[printed.length - 1] += text;
  rest.findLast((one) => typeof one === 'function')?.();
  return true;
};
try {
  for (const words of JSON.parse(process.argv[2])) {
    printed.push('');
    await runCli([process.execPath, 'mcp-inspector', ...words]);
  }
} catch (error) {
  await handleError(error);
}
write(JSON.stringify(printed));
