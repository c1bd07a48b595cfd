import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { errorText } from '@kubewright/kube';
import { decodeYaml } from '@kubewright/kube/yaml';
import { readInput } from '../files/read-input.ts';
import { localError } from '../errors/api-error.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The kubeconfig as kubectl finds it: the file `path`; else those of `KUBECONFIG`, merged; else `~/.kube/config`.
 * `path` must exist; of the list, files may be missing, but not all. `signal` ends the wait for a pipe.
 */
export async function loadKubeconfig(
  path?: string,
  env: Environment = process.env,
  signal?: AbortSignal,
): Promise<Kubeconfig> {
  if (path !== undefined && path !== '') return parseKubeconfig(await read(path, signal), path);
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (files.length === 0) files.push(join(env['HOME'] ?? homedir(), '.kube', 'config'));
  const found: Kubeconfig[] = [];
  for (const file of files) {
    const source = await readIfPresent(file, signal);
    if (source !== undefined) found.push(parseKubeconfig(source, file));
  }
  if (found.length === 0)
    throw localError(
      'InvalidConfig',
      `no kubeconfig at ${files.join(', ')}: name another, or set KUBECONFIG`,
    );
  return mergeKubeconfigs(found);
}

/** The first file that has an entry wins; entries are not merged. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const merge = <T>(part: (config: Kubeconfig) => ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...configs].reverse().flatMap((config) => [...part(config)]));
  return {
    clusters: merge(({ clusters }) => clusters),
    users: merge(({ users }) => users),
    contexts: merge(({ contexts }) => contexts),
    files: configs.flatMap(({ files }) => files),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
  };
}

async function read(path: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return decodeYaml(await readInput(path, { signal }));
  } catch (error) {
    throw localError('InvalidConfig', `cannot read kubeconfig ${path}: ${errorText(error)}`, error);
  }
}

async function readIfPresent(path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return decodeYaml(await readInput(path, { signal }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw localError('InvalidConfig', `cannot read kubeconfig ${path}: ${errorText(error)}`, error);
  }
}
