/** The questions that this program puts, and none of the others that the library has. */
export { confirm, input, Separator, search } from '@inquirer/prompts';
