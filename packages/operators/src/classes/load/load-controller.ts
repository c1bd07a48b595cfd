import {
  anyOf,
  type ChannelSource,
  createChannelSource,
  formatRequest,
  generationChanged,
  type Manager,
  type ReconcileContext,
  type Request,
  requestFor,
  type Result,
  watchKind,
} from '@kubewright/runtime';
import { compareText, type corev1, defined, errorText, type Stored } from '@kubewright/kube';
import { CLASS_RUNTIMES, type ClassRuntime, type Phase } from '../api.ts';
import { enforcementMode } from '../enforcement-mode.ts';
import { hasKnative, podsOf } from '../observe.ts';
import { phaseChanged } from '../phase-changed.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { hasOdgm } from '../templates/has-odgm.ts';
import { render } from '../templates/render.ts';
import type { RenderedFunction } from '../templates/rendering.ts';
import { odgmNames } from '../templates/safe-name.ts';
import type { ClassLoad, FunctionLoad, LoadProblem, Loads } from '../class-load.ts';
import type { MetricsSource } from './metrics-source.ts';
import type { LoadTarget } from './load-queries.ts';
import { failedRead } from './read-load.ts';
import { nothingSeen, workloadLoad, type WorkloadSeen } from './workload-load.ts';

/** Classes whose load is read concurrently. */
const CONCURRENT = 4;
const MEASURED: readonly (Phase | undefined)[] = ['progressing', 'available', 'degraded'];

/** The measured loads, and the source of reconcile requests for classes whose load was read again. */
export type LoadController = { readonly loads: Loads; readonly changed: ChannelSource };

/**
 * Adds a controller that reads the load of each class in intervals. It writes nothing. It is separate from the deciding
 * controller, so that a slow Prometheus delays nothing.
 */
export function addLoadController(
  manager: Manager,
  source: MetricsSource,
  settings: Settings,
): LoadController {
  const loads = new Map<string, ClassLoad>();
  const changed = createChannelSource('loads of classes');
  const known = { read: new Map<string, Read>(), seen: new Map<string, Map<string, WorkloadSeen>>() };
  const reader = { manager, source, settings, loads, changed, ...known };
  manager.addController({
    name: 'classload',
    reconciler: {
      reconcile: (request, context) => look(reader, request, context),
    },
    sources: [watchKind(CLASS_RUNTIMES, { predicates: [anyOf(generationChanged, phaseChanged)] })],
    maxConcurrentReconciles: CONCURRENT,
  });
  return { loads, changed };
}

/** When a class's load was last read, for which generation, and whether the read failed. */
type Read = { readonly at: number; readonly generation: number; readonly failed: boolean };

type Reader = {
  readonly manager: Manager;
  readonly source: MetricsSource;
  readonly settings: Settings;
  readonly loads: Map<string, ClassLoad>;
  readonly read: Map<string, Read>;
  /** By class, and by workload. */
  readonly seen: Map<string, Map<string, WorkloadSeen>>;
  readonly changed: ChannelSource;
};

async function look(reader: Reader, request: Request, context: ReconcileContext): Promise<Result> {
  const { manager, loads, read, seen, settings } = reader;
  const key = formatRequest(request);
  const runtime = manager.cache.get(CLASS_RUNTIMES, request);
  if (runtime === undefined || !isMeasured(runtime)) {
    loads.delete(key);
    read.delete(key);
    seen.delete(key);
    return {};
  }
  const interval = settingsFor(settings, runtime).analyzerInterval * 1000;
  const { generation = 0 } = runtime.metadata;
  const last = read.get(key);
  const due = last?.generation === generation ? last.at + interval - manager.clock.monotonic() : 0;
  if (due > 0) return { requeueAfter: due };
  const failed = await readClass(reader, runtime, context);
  read.set(key, { at: manager.clock.monotonic(), generation, failed });
  reader.changed.send(request);
  return { requeueAfter: Math.max(interval, 1) };
}

function isMeasured(runtime: ClassRuntime): boolean {
  const { deletionTimestamp } = runtime.metadata;
  const isAtWork = deletionTimestamp === undefined && MEASURED.includes(runtime.status?.phase);
  return isAtWork && enforcementMode(runtime) !== 'off';
}

/**
 * Returns whether a query failed. Earlier measurements then stay, and age; the remaining functions are skipped, because
 * each query could take its whole timeout.
 */
async function readClass(reader: Reader, runtime: ClassRuntime, context: ReconcileContext): Promise<boolean> {
  const { loads, settings, read, manager } = reader;
  const { uid } = runtime.metadata;
  const key = formatRequest(requestFor(runtime));
  const rendered = render(runtime, settings, { hasKnative: hasKnative(manager.cache) });
  if ('error' in rendered) return false;
  const before = knownOf(loads.get(key), uid);
  const functions = new Map(before.functions);
  const problems: LoadProblem[] = [];
  const keep = (grid = before.grid): void => {
    const [first] = problems;
    const since = before.problem?.since ?? manager.clock.now();
    loads.set(key, defined({ uid, functions, grid, problem: first && { ...first, since } }));
  };
  try {
    for (const { key: name, workload, service } of rendered.functions) {
      const knative = rendered.template === 'knative' ? { service, dialect: settings.dialect } : undefined;
      const found = await readWorkload(
        reader,
        runtime,
        { workload, knative, before: functions.get(name) },
        context.signal,
      );
      if (found.load !== undefined) functions.set(name, found.load);
      if (found.problem !== undefined) problems.push(inFunction(name, found.problem));
    }
    keep(await readGrid(reader, runtime, context.signal));
    return false;
  } catch (error) {
    problems.unshift(failedRead(error));
    keep();
    if (read.get(key)?.failed !== true)
      context.log.warn('cannot read the load of a class', { error: errorText(error) });
    return true;
  }
}

function inFunction(key: string, { reason, message }: LoadProblem): LoadProblem {
  return { reason, message: `${key}: ${message}` };
}

/** What is known of another class with the same name does not count. */
function knownOf(load: ClassLoad | undefined, uid: string): ClassLoad {
  return load?.uid === uid ? load : { uid, functions: new Map() };
}

async function readGrid(
  reader: Reader,
  runtime: ClassRuntime,
  signal: AbortSignal,
): Promise<FunctionLoad | undefined> {
  if (!hasOdgm(runtime, reader.settings)) return undefined;
  const workload = odgmNames(runtime.metadata.name).deployment;
  return (await readWorkload(reader, runtime, { workload }, signal)).load;
}

type Workload = Pick<LoadTarget, 'knative'> & {
  readonly workload: string | undefined;
  readonly before?: FunctionLoad | undefined;
};

async function readWorkload(
  { manager, source, settings, seen }: Reader,
  runtime: ClassRuntime,
  { workload, knative, before }: Workload,
  signal: AbortSignal,
): Promise<{ readonly load?: FunctionLoad; readonly problem?: LoadProblem | undefined }> {
  const { namespace, name, generation = 0 } = runtime.metadata;
  if (workload === undefined) return {};
  const { clock } = manager;
  const running = runningPods({ workload }, podsOf({ namespace, name }, manager), clock.now());
  const ofClass = entryOf(seen, formatRequest(requestFor(runtime)), () => new Map<string, WorkloadSeen>());
  const known = entryOf(ofClass, workload, () => nothingSeen(clock.monotonic()));
  const target = { namespace, pods: [...running.keys()], running, range: settings.promRange, knative };
  const { load, problem } = await workloadLoad({ source, clock, seen: known, before }, target, signal);
  return load === undefined ? { problem } : { load: { ...load, generation }, problem };
}

function entryOf<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key) ?? create();
  map.set(key, known);
  return known;
}

/** The running pods of a workload, sorted by name, each with the seconds for which it has run. */
function runningPods(
  { workload }: Pick<RenderedFunction, 'workload'>,
  pods: readonly Stored<corev1.Pod>[],
  now: number,
): ReadonlyMap<string, number> {
  const running = pods.filter(
    ({ metadata, status }) =>
      workload !== undefined &&
      metadata.labels?.['app'] === workload &&
      metadata.deletionTimestamp === undefined &&
      status?.phase === 'Running',
  );
  const times = running.map(({ metadata, status }): readonly [string, number] => {
    const started = status?.startTime ?? metadata.creationTimestamp ?? '';
    return [metadata.name, (now - Date.parse(started)) / 1000];
  });
  return new Map(times.toSorted(([a], [b]) => compareText(a, b)));
}
