import { allVerbs, type Flag, type Verb } from './verb.ts';

/** What only a cluster and the kubeconfig know; fish evaluates it when it is needed. */
const LIVE = '(kubewright __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)';

/** One \`complete\` line for each word. */
export function fishCompletion(program: Verb): string {
  const lines = allVerbs(program).flatMap((verb) => {
    const when = quoted(conditionOf(verb));
    const below = verb.verbs.map(
      ({ words, summary }) => `-f -n ${when} -a ${words.at(-1)} -d ${quoted(summary)}`,
    );
    const choices = verb.choices.length === 0 ? [] : [`-f -n ${when} -a ${quoted(verb.choices.join(' '))}`];
    const live = verb.isLive ? [`-f -n ${when} -a ${quoted(LIVE)}`] : [];
    return [...below, ...choices, ...live, ...verb.flags.map((flag) => `-n ${when} ${flagLine(flag)}`)];
  });
  const complete = lines.map((line) => `complete -c kubewright ${line}\n`).join('');
  return `# fish completion for kubewright; kubewright completion fish | source\n${complete}`;
}

/** True where this verb has been typed, and none of those below it. */
function conditionOf({ words, verbs }: Verb): string {
  const below = verbs.map((verb) => verb.words.at(-1)).join(' ');
  const typed = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const notBelow = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`];
  return [...typed, ...notBelow].join('; and ');
}

function flagLine({ names, summary, takesValue, choices, isLive }: Flag): string {
  const parts = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const values = isLive
    ? `-x -a ${quoted(LIVE)}`
    : choices.length === 0
      ? '-r'
      : `-x -a ${quoted(choices.join(' '))}`;
  return [...parts, ...(takesValue ? [values] : []), `-d ${quoted(summary)}`].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
