/** The questions that this program puts, and none of the others that the library has. */
export { input, Separator, search } from '@inquirer/prompts';
