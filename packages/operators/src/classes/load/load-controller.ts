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
import { type corev1, defined, errorText, type Stored } from '@kubewright/kube';
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
import { type LoadTarget, secondsOf } from './load-queries.ts';
import { PodsSeen } from './pods-seen.ts';
import { failedRead, readLoad } from './read-load.ts';

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
  const known = { read: new Map<string, Read>(), seen: new Map<string, Map<string, PodsSeen>>() };
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
  readonly seen: Map<string, Map<string, PodsSeen>>;
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
      const found = await readWorkload(reader, runtime, { workload, knative }, context.signal);
      if (found.load !== undefined) functions.set(name, withKnown(found.load, functions.get(name)));
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

/** With the time at which each signal was last known. */
function withKnown(load: FunctionLoad, before: FunctionLoad | undefined): FunctionLoad {
  const { rps, p99, at } = load;
  const rpsAt = rps === undefined ? before?.rpsAt : at;
  return { ...load, ...defined({ rpsAt, p99At: p99 === undefined && rps !== 0 ? before?.p99At : at }) };
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

type Workload = Pick<LoadTarget, 'knative'> & { readonly workload: string | undefined };

/** The load of a workload at the time of its newest sample. */
async function readWorkload(
  { manager, source, settings, seen }: Reader,
  runtime: ClassRuntime,
  { workload, knative }: Workload,
  signal: AbortSignal,
): Promise<{ readonly load?: FunctionLoad | undefined; readonly problem?: LoadProblem | undefined }> {
  const { namespace, name, generation = 0 } = runtime.metadata;
  if (workload === undefined) return {};
  const { promRange: range } = settings;
  const running = runningPods({ workload }, podsOf({ namespace, name }, manager));
  const now = manager.clock.monotonic();
  const known = entryOf(
    entryOf(seen, formatRequest(requestFor(runtime)), () => new Map<string, PodsSeen>()),
    workload,
    () => new PodsSeen(now),
  );
  const { pods, gone, isWhole } = known.see(running, now, 1000 * secondsOf(range));
  const {
    signals,
    age = 0,
    problem,
  } = await readLoad(source, { namespace, pods, gone, range, knative }, signal);
  if (signals === undefined) return { problem };
  const at = Math.floor(manager.clock.now() - 1000 * age);
  const isPartial = isWhole ? signals.isPartial : true;
  return { load: { ...signals, ...defined({ isPartial }), at, generation }, problem };
}

function entryOf<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key) ?? create();
  map.set(key, known);
  return known;
}

function runningPods(
  { workload }: Pick<RenderedFunction, 'workload'>,
  pods: readonly Stored<corev1.Pod>[],
): readonly string[] {
  return pods
    .filter(
      ({ metadata, status }) =>
        workload !== undefined &&
        metadata.labels?.['app'] === workload &&
        metadata.deletionTimestamp === undefined &&
        status?.phase === 'Running',
    )
    .map(({ metadata }) => metadata.name)
    .toSorted();
}
