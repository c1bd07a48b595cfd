import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Comparison, ComparisonRow } from '../comparison.ts';
import { goProgram } from '../go-program.ts';
import { median } from '../median.ts';
import { withKubeApiServer } from '../with-kube-apiserver.ts';
import { createPods } from './pods.ts';

const DEFAULT_PODS = 20_000;
const ROUNDS = 5;
const MOST_HEAP = 60;
const MB = 1024 * 1024;

/** What a process prints. Seconds, bytes. */
type Filled = {
  readonly objects: number;
  readonly syncSeconds: number;
  /** CPU time of the process meanwhile: more reliable on a busy machine. */
  readonly cpuSeconds: number;
  /** After a collection. */
  readonly rss: number;
  readonly highestRss: number;
  readonly heap: number;
};

/** What is measured: a name, and how its process is started; a kubeconfig follows the program. */
type Side = {
  readonly name: string;
  readonly command: (kubeconfig: string) => readonly [program: string, ...args: string[]];
};

const OURS: Side = {
  name: 'kubewright',
  command: (kubeconfig) => [
    process.execPath,
    '--expose-gc',
    fileURLToPath(new URL('kubewright-process.mjs', import.meta.url)),
    kubeconfig,
  ],
};

type Results = { readonly megabytes: number; readonly filled: ReadonlyMap<string, readonly Filled[]> };

/** Each side in turn, again and again, in processes of their own, on one server. */
async function measure(sides: readonly Side[], pods: number): Promise<Results> {
  return withKubeApiServer(async ({ kubeconfig, client }) => {
    console.error(`creating ${pods} pods`);
    const bytes = await createPods(client, pods);
    const filled = new Map(sides.map(({ name }) => [name, [] as Filled[]]));
    for (let round = 0; round < ROUNDS; round++)
      for (const { name, command } of sides) {
        const [program, ...args] = command(kubeconfig);
        const { stdout } = await promisify(execFile)(program, args);
        const answer = JSON.parse(stdout) as Filled;
        assert(answer.objects === pods, `${name} holds ${answer.objects} of ${pods} pods`);
        filled.get(name)?.push(answer);
      }
    return { megabytes: bytes / MB, filled };
  });
}

/**
 * A cache of many pods beside client-go's informers: how soon it is filled, and what it takes. All drop managedFields.
 */
export async function benchCache({ pods = DEFAULT_PODS }: { pods?: number }): Promise<Comparison> {
  const go = await goProgram('cache');
  const inGo = (form: string): Side[] =>
    go === undefined ? [] : [{ name: form, command: (kubeconfig) => [go, kubeconfig, form] }];
  const { megabytes, filled } = await measure([OURS, ...inGo('typed'), ...inGo('dynamic')], pods);
  const medians = (key: keyof Filled, scale = 1): ReadonlyMap<string, number> =>
    new Map([...filled].map(([name, all]) => [name, median(all.map((one) => one[key])) / scale]));
  const [seconds, rss, heap] = [medians('syncSeconds'), medians('rss', MB), medians('heap', MB)];
  const [cpu, highest] = [medians('cpuSeconds'), medians('highestRss', MB)];
  for (const name of filled.keys())
    console.error(
      `${name}: ${cpu.get(name)?.toFixed(1)} s on a core, at most ${highest.get(name)?.toFixed(0)} MB while it was filled`,
    );
  const beside = (
    side: string,
    values: ReadonlyMap<string, number>,
    { name, ...rest }: Pick<ComparisonRow, 'name' | 'target' | 'unit'>,
  ): ComparisonRow[] => {
    const [ours = 0, theirs] = [values.get(OURS.name), values.get(side)];
    if (theirs === undefined) return [];
    return [{ ...rest, name: `${name}, beside the ${side} informer`, ours, theirs, better: 'less' }];
  };
  return {
    title: `${pods} pods (${megabytes.toFixed(0)} MB of JSON) in a cache without managedFields`,
    sides: ['kubewright', 'theirs'],
    rows: [
      ...beside('typed', seconds, { name: 'filled', unit: 's', target: 1.6 }),
      ...beside('dynamic', seconds, { name: 'filled', unit: 's', target: 0.35 }),
      ...beside('typed', rss, { name: 'memory', unit: 'MB', target: 0.9 }),
      {
        name: 'heap, beside what it may',
        unit: 'MB',
        ours: heap.get(OURS.name) ?? 0,
        theirs: MOST_HEAP,
        target: 1,
        better: 'less',
      },
    ],
  };
}
