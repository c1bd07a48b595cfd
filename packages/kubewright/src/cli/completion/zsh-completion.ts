import { allVerbs, pathOf, quoted, recognised, type Verb } from './verb.ts';

/** A completion function with the help of each word beside it. */
export function zshCompletion(program: Verb): string {
  const verbs = allVerbs(program);
  return `#compdef kubewright
# zsh completion for kubewright; source <(kubewright completion zsh)
_kubewright() {
  local verb='' live='' i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    case "$verb \${words[i]}" in
${verbs.slice(1).map(recognised).join('\n')}
    esac
  done
  case "$verb" in
${verbs.map(wordsAfter).join('\n')}
  esac
  case "$verb \${words[CURRENT - 1]}" in
${verbs.flatMap(valuesOf).join('\n')}
  esac
  if [[ -n $live && \${words[CURRENT]} != -* ]]; then
    local -a found=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
    choices+=("\${(@)found//:/\\\\:}")
  fi
  if ((\${#choices})); then _describe kubewright choices; else _files; fi
}
compdef _kubewright kubewright
`;
}

const liveOf = ({ isLive }: Pick<Verb, 'isLive'>): string => ` live=${isLive ? '1' : ''}`;

function wordsAfter(verb: Verb): string {
  const below = verb.verbs.map(({ words, summary }) => described(words.at(-1) ?? '', summary));
  const flags = verb.flags.flatMap(({ names, summary }) => names.map((name) => described(name, summary)));
  return `    ${quoted(pathOf(verb))}) choices=(${[...below, ...verb.choices, ...flags].join(' ')})${liveOf(verb)} ;;`;
}

/** What stands before the first colon is the word. */
function described(word: string, summary: string): string {
  return quoted(`${word}:${summary}`);
}

function valuesOf(verb: Verb): readonly string[] {
  return verb.flags
    .filter(({ takesValue }) => takesValue)
    .map((flag) => {
      const after = flag.names.map((name) => quoted(`${pathOf(verb)} ${name}`)).join(' | ');
      return `    ${after}) choices=(${flag.choices.join(' ')})${liveOf(flag)} ;;`;
    });
}
