import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, discoverResources, loadKubeconfig, systemClock } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import type { Command } from 'commander';
import { findResource } from '../../discover/find-resource.ts';
import { DEFAULT_KUBECONFIG } from '../../run/kubeconfig-file.ts';
import type { Terminal } from '../../terminal.ts';
import { connect } from '../connect.ts';
import { LIVE_FLAGS, type LiveArguments, liveArguments } from './live-arguments.ts';

/** Who presses a key does not wait longer. */
const MAX_WAIT_MS = 3_000;
/** Nobody chooses from more. */
const MAX_NAMES = 1_000;

/**
 * What scripts of completion call as `kubewright __complete WORDS…`: prints what the last word may be, of what only a cluster and
 * the kubeconfig know: names, namespaces and contexts. Where there is no cluster, or no right, it prints nothing.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const late = new AbortController();
  const cancel = systemClock.after(MAX_WAIT_MS, () => late.abort());
  const signal = AbortSignal.any([terminal.signal, late.signal]);
  const found = await candidates(program, words, { ...terminal, signal })
    .catch(() => [])
    .finally(cancel);
  const current = words.at(-1) ?? '';
  for (const one of found) if (one.startsWith(current)) terminal.out(`${one}\n`);
}

/** A command line as far as it is typed. */
type Typed = {
  readonly verb: readonly string[];
  readonly args: readonly string[];
  /** Values by flag. */
  readonly flags: ReadonlyMap<string, string>;
  /** The flag whose value is typed now. */
  readonly open: string | undefined;
};

async function candidates(
  program: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<readonly string[]> {
  const typed = readWords(words.slice(0, -1), program);
  const kind = LIVE_FLAGS.get(typed.open ?? '');
  if (kind === 'contexts') return contextsOf(typed, terminal);
  if (kind === 'namespaces') return namesOf(typed, terminal, ['namespaces', '']);
  const live = typed.open === undefined ? liveArguments(typed.verb) : undefined;
  const wanted = live === undefined ? undefined : wantedNames(typed.args, words.at(-1) ?? '', live);
  return wanted === undefined ? [] : namesOf(typed, terminal, wanted);
}

function readWords(words: readonly string[], program: Command): Typed {
  const [verb, args, flags] = [[] as string[], [] as string[], new Map<string, string>()];
  let command = program;
  let open: string | undefined;
  for (const word of words) {
    const below = args.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (open !== undefined) {
      flags.set(open, word);
      open = undefined;
    } else if (word.startsWith('-')) {
      open = takesValue(command, word) ? word : undefined;
      const [name = '', value] = word.split(/=(.*)/s);
      if (value !== undefined) flags.set(name, value);
    } else if (below === undefined) args.push(word);
    else {
      verb.push(word);
      command = below;
    }
  }
  return { verb, args, flags, open };
}

function takesValue({ options }: Command, word: string): boolean {
  const option = options.find(({ short, long }) => short === word || long === word);
  return option !== undefined && (option.required || option.optional);
}

/** A type, and what precedes each of its names: `TYPE/` where that is in the same word. */
function wantedNames(
  args: readonly string[],
  current: string,
  { types: [type], anyKind }: LiveArguments,
): readonly [type: string, prefix: string] | undefined {
  const [before, ...more] = args;
  if (more.length > 0) return undefined;
  if (before !== undefined) return anyKind && !before.includes('/') ? [before, ''] : undefined;
  const slash = current.indexOf('/');
  if (slash > 0) return [current.slice(0, slash), current.slice(0, slash + 1)];
  return type === undefined ? undefined : [type, ''];
}

async function contextsOf({ flags }: Typed, { env, cwd, signal }: Terminal): Promise<readonly string[]> {
  const local = join(cwd, DEFAULT_KUBECONFIG);
  const isLocal = (env['KUBECONFIG'] ?? '') === '' && existsSync(local);
  const file = flags.get('--kubeconfig') ?? (isLocal ? local : undefined);
  return [...(await loadKubeconfig(file, env, signal)).contexts.keys()];
}

async function namesOf(
  { flags }: Typed,
  terminal: Terminal,
  [type, prefix]: readonly [string, string],
): Promise<readonly string[]> {
  const [kubeconfig, context] = [flags.get('--kubeconfig'), flags.get('--context')];
  const { transport, namespace } = await connect({ kubeconfig, context }, terminal);
  try {
    const given = flags.get('--namespace') ?? flags.get('-n') ?? namespace;
    return await listNames(transport, type, given, terminal.signal).then((names) =>
      names.map((name) => `${prefix}${name}`),
    );
  } finally {
    await transport.close();
  }
}

async function listNames(
  transport: Transport,
  type: string,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const client = createClient(transport);
  const ref =
    type === 'namespaces'
      ? corev1.namespaces
      : findResource(type, await discoverResources(transport, signal));
  const where = ref.namespaced ? { namespace } : {};
  const { items } = await client.list(ref, { ...where, limit: MAX_NAMES, signal });
  return items.flatMap(({ metadata: { name } }) => name ?? []);
}
