import { InvalidArgumentError, Option } from 'commander';

/** What a command prints: a list, the objects that it has written, or a result of its own. */
export type OutputOf = 'list' | 'objects' | 'result';

const PROGRAMS: readonly string[] = ['json', 'yaml', 'jsonpath='];
const FORMS: Readonly<Record<OutputOf, { readonly forms: readonly string[]; readonly help: string }>> = {
  list: { forms: ['wide', 'name', ...PROGRAMS, 'custom-columns='], help: 'wide, or for programs' },
  objects: { forms: ['name', ...PROGRAMS], help: 'print what it has written, for programs' },
  result: { forms: PROGRAMS, help: 'print for programs, not people' },
};

/** `-o`, as kubectl has it. */
export function outputOption(of: OutputOf): Option {
  const { forms, help } = FORMS[of];
  return new Option('-o, --output <format>', help).choices(forms).argParser((text: string) => {
    const isKnown = forms.some((form) => (form.endsWith('=') ? text.startsWith(form) : text === form));
    if (!isKnown) throw new InvalidArgumentError(`Allowed choices are ${forms.join(', ')}.`);
    return text;
  });
}

const DRY_RUN = 'client: send no write; server: have the server check it; nothing is stored';

/** `--dry-run=client` or `server`, as kubectl has it; the flag alone is `client`. */
export function dryRunOption(): Option {
  return new Option('--dry-run [how]', DRY_RUN).choices(['client', 'server']).preset('client');
}
