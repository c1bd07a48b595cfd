import { allVerbs, pathOf, quoted, recognised, type Verb } from './verb.ts';

/** A function that fills COMPREPLY. Where it knows no words, bash completes the names of files. */
export function bashCompletion(program: Verb): string {
  const verbs = allVerbs(program);
  return `# bash completion for kubewright; source <(kubewright completion bash)
_kubewright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" verb='' words='' live='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$verb \${COMP_WORDS[i]}" in
${verbs.slice(1).map(recognised).join('\n')}
    esac
  done
  case "$verb" in
${verbs.map(wordsAfter).join('\n')}
  esac
  case "$verb \${COMP_WORDS[COMP_CWORD - 1]}" in
${verbs.flatMap(valuesOf).join('\n')}
  esac
  if [[ -n $live && $current != -* ]]; then
    words="$words $("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  fi
  # Not mapfile: macOS has bash 3.
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kubewright kubewright
`;
}

/** Asked for only where they are typed: it takes a request to the cluster. */
const liveOf = ({ isLive }: Pick<Verb, 'isLive'>): string => ` live=${isLive ? '1' : ''}`;

function wordsAfter(verb: Verb): string {
  const below = verb.verbs.map(({ words }) => words.at(-1));
  const words = [...below, ...verb.choices, ...verb.flags.flatMap(({ names }) => names)];
  return `    ${quoted(pathOf(verb))}) words=${quoted(words.join(' '))}${liveOf(verb)} ;;`;
}

function valuesOf(verb: Verb): readonly string[] {
  return verb.flags
    .filter(({ takesValue }) => takesValue)
    .map((flag) => {
      const after = flag.names.map((name) => quoted(`${pathOf(verb)} ${name}`)).join(' | ');
      return `    ${after}) words=${quoted(flag.choices.join(' '))}${liveOf(flag)} ;;`;
    });
}
