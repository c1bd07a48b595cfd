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
import { type corev1, errorText, type Stored } from '@kubewright/kube';
import { CLASS_RUNTIMES, type ClassRuntime, type Phase } from '../api.ts';
import { enforcementMode } from '../enforcement-mode.ts';
import { hasKnative, podsOf } from '../observe.ts';
import { phaseChanged } from '../phase-changed.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { hasOdgm } from '../templates/has-odgm.ts';
import { render } from '../templates/render.ts';
import type { RenderedFunction } from '../templates/rendering.ts';
import { odgmNames } from '../templates/safe-name.ts';
import type { ClassLoad, FunctionLoad, Loads } from '../class-load.ts';
import type { MetricsSource } from './metrics-source.ts';
import { readLoad } from './read-load.ts';

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
  const reader = { manager, source, settings, loads, changed, read: new Map<string, Read>() };
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
  readonly changed: ChannelSource;
};

async function look(reader: Reader, request: Request, context: ReconcileContext): Promise<Result> {
  const { manager, loads, read, settings } = reader;
  const key = formatRequest(request);
  const runtime = manager.cache.get(CLASS_RUNTIMES, request);
  if (runtime === undefined || !isMeasured(runtime)) {
    loads.delete(key);
    read.delete(key);
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
  loads.set(key, { ...before, functions });
  try {
    for (const each of rendered.functions) {
      const load = await readFunction(
        reader,
        runtime,
        { ...each, template: rendered.template },
        context.signal,
      );
      if (load !== undefined) functions.set(each.key, load);
    }
    const grid = await readGrid(reader, runtime, context.signal);
    if (grid !== undefined) loads.set(key, { uid, functions, grid });
    return false;
  } catch (error) {
    if (read.get(key)?.failed !== true)
      context.log.warn('cannot read the load of a class', { error: errorText(error) });
    return true;
  }
}

/** What is known of another class with the same name does not count. */
function knownOf(load: ClassLoad | undefined, uid: string): ClassLoad {
  return load?.uid === uid ? load : { uid, functions: new Map() };
}

async function readGrid(
  { manager, source, settings }: Reader,
  runtime: ClassRuntime,
  signal: AbortSignal,
): Promise<FunctionLoad | undefined> {
  if (!hasOdgm(runtime, settings)) return undefined;
  const { namespace, name, generation = 0 } = runtime.metadata;
  const workload = odgmNames(name).deployment;
  const pods = runningPods({ workload }, podsOf({ namespace, name }, manager));
  const signals = await readLoad(source, { namespace, pods, range: settings.promRange }, signal);
  return signals && { ...signals, at: manager.clock.now(), generation };
}

async function readFunction(
  { manager, source, settings }: Reader,
  { metadata: { namespace, name, generation = 0 } }: ClassRuntime,
  each: RenderedFunction & { readonly template: string },
  signal: AbortSignal,
): Promise<FunctionLoad | undefined> {
  const pods = runningPods(each, podsOf({ namespace, name }, manager));
  const { promRange: range, dialect } = settings;
  const knative = each.template === 'knative' ? { service: each.service, dialect } : undefined;
  const signals = await readLoad(source, { namespace, pods, range, knative }, signal);
  return signals && { ...signals, at: manager.clock.now(), generation };
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
