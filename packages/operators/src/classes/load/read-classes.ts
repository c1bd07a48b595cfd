import type { Manager } from '@kubewright/runtime';
import { defined } from '@kubewright/kube';
import type { ClassRuntime } from '../api.ts';
import type { ClassLoad, FunctionLoad, LoadProblem } from '../class-load.ts';
import { hasKnative, podsOf } from '../observe.ts';
import type { Settings } from '../settings.ts';
import { hasOdgm } from '../templates/has-odgm.ts';
import { render } from '../templates/render.ts';
import { odgmNames } from '../templates/safe-name.ts';
import { type FunctionTarget, functionTargets, type Running, targetOf } from './function-targets.ts';
import type { MetricsSource } from './metrics-source.ts';
import { failedRead } from './read-load.ts';
import {
  type MeasuredWorkload,
  nothingSeen,
  type WorkloadOutcome,
  workloadLoads,
  type WorkloadSeen,
} from './workload-loads.ts';

/** A class whose load to read. */
export type ClassToRead = {
  readonly runtime: ClassRuntime;
  /** What was seen of its workloads; those that are seen first are added. */
  readonly workloads: Map<string, WorkloadSeen>;
  readonly before: ClassLoad | undefined;
};

/** `load`: absent where the class cannot be rendered. */
type ReadClass = { readonly runtime: ClassRuntime; readonly load: ClassLoad | undefined };

type Reader = {
  readonly manager: Pick<Manager, 'cache' | 'clock'>;
  readonly source: MetricsSource;
  readonly settings: Settings;
};

/** A function, or the data grid, whose key is undefined. */
type Part = MeasuredWorkload & { readonly of: ClassToRead; readonly key: string | undefined };

/** Reads the loads of all functions and data grids of classes together. `error`: the first that a query ended with. */
export async function readClasses(
  reader: Reader,
  classes: readonly ClassToRead[],
  signal: AbortSignal,
): Promise<{ readonly read: readonly ReadClass[]; readonly error?: unknown }> {
  const rendered = classes.map((one) => ({ one, parts: partsOf(reader, one) }));
  const parts = rendered.flatMap((each) => each.parts ?? []);
  const { source, manager } = reader;
  const outcomes = await workloadLoads({ source, clock: manager.clock }, parts, signal);
  const found = new Map(parts.map((part, index) => [part, outcomes[index] ?? {}]));
  const read = rendered.map(({ one, parts: its }) => ({
    runtime: one.runtime,
    load: its && loadOf(one, its, found, manager.clock.now()),
  }));
  const failed = outcomes.find((outcome) => 'error' in outcome);
  return failed === undefined ? { read } : { read, error: failed.error };
}

function partsOf(reader: Reader, one: ClassToRead): readonly Part[] | undefined {
  const { manager, settings } = reader;
  const { runtime } = one;
  const rendered = render(runtime, settings, { hasKnative: hasKnative(manager.cache) });
  if ('error' in rendered) return undefined;
  const { namespace, name } = runtime.metadata;
  const before = knownOf(one);
  const pods = podsOf({ namespace, name }, manager);
  const running: Running = { namespace, pods, settings, now: manager.clock.now() };
  const partOf = (key: string | undefined, workload: string, target: FunctionTarget['target']): Part => {
    const last = key === undefined ? before.grid : before.functions.get(key);
    return { of: one, key, seen: seenOf(reader, one, workload), before: last, running: target };
  };
  const functions = functionTargets(rendered, running).map(({ key, workload, target }) =>
    partOf(key, workload, target),
  );
  if (!hasOdgm(runtime, settings)) return functions;
  const { deployment } = odgmNames(name);
  return [...functions, partOf(undefined, deployment, targetOf(deployment, running))];
}

function seenOf({ manager }: Reader, { workloads }: ClassToRead, workload: string): WorkloadSeen {
  const known = workloads.get(workload) ?? nothingSeen(manager.clock.monotonic());
  workloads.set(workload, known);
  return known;
}

/** What is known of another class with the same name does not count. */
function knownOf({ runtime: { metadata }, before }: ClassToRead): ClassLoad {
  return before?.uid === metadata.uid ? before : { uid: metadata.uid, functions: new Map() };
}

/** What was known stays where nothing was read. */
function loadOf(
  one: ClassToRead,
  parts: readonly Part[],
  found: ReadonlyMap<Part, WorkloadOutcome>,
  now: number,
): ClassLoad {
  const { uid, generation = 0 } = one.runtime.metadata;
  const before = knownOf(one);
  const loaded = new Map(
    parts.flatMap((part): readonly (readonly [string | undefined, FunctionLoad])[] => {
      const outcome = found.get(part) ?? {};
      const load = 'error' in outcome ? undefined : outcome.load;
      return load === undefined ? [] : [[part.key, { ...load, generation }]];
    }),
  );
  const functions = new Map(before.functions);
  for (const [key, load] of loaded) if (key !== undefined) functions.set(key, load);
  for (const part of parts) notePods(functions, part);
  const grid = loaded.get(undefined) ?? before.grid;
  const [problem] = parts.flatMap((part) => problemOf(part, found.get(part) ?? {}) ?? []);
  const since = before.problem?.since ?? now;
  return defined({ uid, functions, grid, problem: problem && { ...problem, since } });
}

/** Says of a load whether anything has it now. */
function notePods(functions: Map<string, FunctionLoad>, { key = '', running }: Part): void {
  const load = functions.get(key);
  const hasNoPods = running.pods.length === 0 ? true : undefined;
  if (load !== undefined) functions.set(key, defined({ ...load, hasNoPods }));
}

/** Nothing is decided by the load of a data grid. */
function problemOf({ key }: Part, outcome: WorkloadOutcome): LoadProblem | undefined {
  if ('error' in outcome) return failedRead(outcome.error);
  if (key === undefined || outcome.problem === undefined) return undefined;
  const { reason, message } = outcome.problem;
  return { reason, message: `${key}: ${message}` };
}
