// Runs the inspector's command line for each list of words of its argument, one after the other in one
// process, and prints what each of them printed, as an array. MADE in a word is the id of the order that was
// made before. It ends as the first that fails does.
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
    const [, made = ''] = /"order_id": ?"([^"]+)"/.exec(printed.join()) ?? [];
    printed.push('');
    const filled = words.map((word) => word.replace('MADE', made));
    await runCli([process.execPath, 'mcp-inspector', ...filled]);
  }
  write(JSON.stringify(printed));
} catch (error) {
  write(JSON.stringify(printed), () => handleError(error));
}
