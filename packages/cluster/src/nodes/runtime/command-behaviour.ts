import type { corev1 } from '@kubewright/kube';
import type { Behaviour } from './behaviour.ts';

/**
 * What a simulated container makes of its command. It is no shell; these are understood, alone or in a row divided by `;`
 * or `&&`, also as the script of `sh -c`:
 *
 * `true` · `false` · `exit N` · `sleep N` · `sleep infinity` · `echo TEXT`
 *
 * Any other command, and that of an image, runs until it is stopped, as a server does. That of an init container, which
 * others wait for, ends well after a second.
 */
export function commandBehaviour({ command = [], args = [] }: corev1.Container, isInit = false): Behaviour {
  const words = [...command, ...args];
  const isShell = SHELLS.has(words[0] ?? '') && words[1] === '-c';
  const lines = isShell ? (words[2] ?? '').split(/;|&&|\n/) : [words.join(' ')];
  const unknown = isInit ? A_SECOND : FOR_EVER;
  if (words.length === 0) return play([''], unknown);
  return play(
    lines.map((line) => line.trim()).filter((line) => line !== ''),
    unknown,
  );
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', '/bin/sh', '/bin/bash']);
/** Commands beyond these are not played. */
const MOST = 100;

/** What one command does. `ms` is how long it takes; the shell goes on unless it `ends`. */
type Step = { readonly ms: number; readonly code: number; readonly log?: string; readonly ends?: boolean };

const FOR_EVER: Step = { ms: Number.POSITIVE_INFINITY, code: 0 };
const A_SECOND: Step = { ms: 1000, code: 0 };

type Verb = (rest: string, last: number) => Step;

/** By the first word: what the rest of the line, and the exit code of the command before, make of it. */
const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['true', () => ({ ms: 0, code: 0 })],
  ['false', () => ({ ms: 0, code: 1 })],
  ['echo', (rest) => ({ ms: 0, code: 0, log: rest.replaceAll(/^["']|["']$/g, '') })],
  ['sleep', (rest) => (/^\d{1,9}(\.\d{1,3})?$/.test(rest) ? { ms: Number(rest) * 1000, code: 0 } : FOR_EVER)],
  ['exit', (rest, last) => ({ ms: 0, code: /^\d{1,9}$/.test(rest) ? Number(rest) % 256 : last, ends: true })],
]);

function play(lines: readonly string[], unknown: Step): Behaviour {
  const steps: Step[] = [];
  for (const line of lines.slice(0, MOST)) {
    const step = stepOf(line, steps.at(-1)?.code ?? 0, unknown);
    steps.push(step);
    if (step.ends === true || step === FOR_EVER) break;
  }
  const logs = steps.flatMap(({ log }) => (log === undefined ? [] : [log]));
  const said = logs.length === 0 ? {} : { logs };
  const exitAfterMs = steps.reduce((sum, { ms }) => sum + ms, 0);
  if (exitAfterMs === FOR_EVER.ms) return said;
  return { exitAfterMs, exitCode: steps.at(-1)?.code ?? 0, ...said };
}

function stepOf(line: string, last: number, unknown: Step): Step {
  const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  return VERBS.get(verb)?.(rest, last) ?? unknown;
}
