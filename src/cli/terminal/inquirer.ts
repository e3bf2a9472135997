/** Only the prompts that this program uses. */
export { input, Separator, search } from '@inquirer/prompts';
