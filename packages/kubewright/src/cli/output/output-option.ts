import { InvalidArgumentError, Option } from 'commander';

const OF_ALL = ['json', 'yaml', 'jsonpath='];
const OF_LISTS = ['wide', 'name', 'json', 'yaml', 'jsonpath=', 'custom-columns='];

/** `-o`, as kubectl has it: of a list also as names, with more columns, or with columns of one's own. */
export function outputOption(isList: boolean): Option {
  const forms = isList ? OF_LISTS : OF_ALL;
  return new Option(
    '-o, --output <format>',
    isList ? 'wide, or for programs' : 'print for programs, not people',
  )
    .choices(forms)
    .argParser((text: string) => {
      const isKnown = forms.some((form) => (form.endsWith('=') ? text.startsWith(form) : text === form));
      if (!isKnown) throw new InvalidArgumentError(`Allowed choices are ${forms.join(', ')}.`);
      return text;
    });
}
