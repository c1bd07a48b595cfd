import { createProgram } from '../../packages/kubewright/src/cli/create-program.ts';
import { code, plain, section, table } from './markdown.ts';

type Command = ReturnType<typeof createProgram>;

const program: Command = createProgram({
  out: () => undefined,
  err: () => undefined,
  colour: false,
  env: {},
  cwd: '.',
  signal: new AbortController().signal,
});

/** Every command of `kubewright` with its arguments and flags. */
export function commandLinePage(): string {
  const all = leaves(program, '');
  return [
    '# kubewright: reference of the command line',
    'Every command, its arguments and its flags: what `kubewright COMMAND --help` prints. For how to use them, read [the command line](../../packages/kubewright/README.md).',
    ...all.map(([name]) => commandSection(name, '##')),
  ].join('\n\n');
}

/** One command, by its words. */
export function commandSection(name: string, heading = '###'): string | undefined {
  const [, command] = leaves(program, '').find(([each]) => each === name) ?? [];
  if (command === undefined) return undefined;
  const usage = `kubewright ${name} ${command.usage()}`.trim();
  return section(
    `${heading} kubewright ${name}`,
    sentence(plain(command.description())),
    ['```', usage, '```'].join('\n'),
    table(
      ['argument or flag', 'meaning', 'default'],
      [
        ...command.registeredArguments.map((each) => [code(each.name()), plain(each.description), '']),
        ...command.options
          .filter(({ hidden }) => !hidden)
          .map((each) => [code(each.flags), plain(each.description), defaultOf(each.defaultValue)]),
      ],
    ),
  );
}

function leaves(command: Command, name: string): readonly (readonly [name: string, command: Command])[] {
  return command.commands.flatMap((each) => {
    const full = `${name} ${each.name()}`.trim();
    // `owners` is a command and a group.
    const isCommand = each.commands.length === 0 || each.registeredArguments.length > 0;
    return [...(isCommand ? [[full, each] as const] : []), ...leaves(each, full)];
  });
}

function defaultOf(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return code(Array.isArray(value) ? value.join(',') : JSON.stringify(value).replaceAll('"', ''));
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
