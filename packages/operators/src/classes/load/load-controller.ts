import {
  anyOf,
  type ChannelSource,
  createChannelSource,
  formatRequest,
  generationChanged,
  type Manager,
  type ReconcileContext,
  requestFor,
  type Result,
  watchMapped,
} from '@kubewright/runtime';
import { defined, errorText } from '@kubewright/kube';
import { CLASS_RUNTIMES, type ClassRuntime, type Phase } from '../api.ts';
import type { ClassLoad, Loads } from '../class-load.ts';
import { enforcementMode } from '../enforcement-mode.ts';
import { phaseChanged } from '../phase-changed.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { type ClassToRead, readClasses } from './read-classes.ts';
import type { MetricsSource } from './metrics-source.ts';
import type { WorkloadSeen } from './workload-loads.ts';

/** Namespaces whose loads are read concurrently. */
const CONCURRENT = 4;
const MEASURED: readonly (Phase | undefined)[] = ['progressing', 'available', 'degraded'];
/** Classes are read along with others of their namespace once this share of their interval has passed. */
const JOINS_AFTER = 0.5;
/** The share of the shortest interval that passes between two reads of a namespace: classes that come at once are read at once. */
const APART = 0.1;

/** The measured loads, and the source of reconcile requests for classes whose load was read again. */
export type LoadController = { readonly loads: Loads; readonly changed: ChannelSource };

/**
 * Adds a controller that reads the load of the classes of a namespace in intervals, all with the same queries. It writes nothing.
 * It is separate from the deciding controller, so that a slow Prometheus delays nothing.
 */
export function addLoadController(
  manager: Manager,
  source: MetricsSource,
  settings: Settings,
): LoadController {
  const loads = new Map<string, ClassLoad>();
  const changed = createChannelSource('loads of classes');
  const reader = { manager, source, settings, loads, changed, namespaces: new Map<string, Known>() };
  manager.addController({
    name: 'classload',
    reconciler: {
      reconcile: (request, context) => look(reader, request.name, context),
    },
    sources: [
      watchMapped(CLASS_RUNTIMES, ({ metadata }) => [{ name: metadata.namespace ?? '' }], {
        predicates: [anyOf(generationChanged, phaseChanged)],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
  return { loads, changed };
}

/** What is known of a namespace. Times are milliseconds on a line that never goes back. */
type Known = {
  readAt: number;
  failed: boolean;
  /** By name. */
  readonly classes: Map<string, KnownClass>;
};

/** When a class's load was last read, for which generation, and what was seen of its workloads. */
type KnownClass = { at: number; generation: number; readonly workloads: Map<string, WorkloadSeen> };

type Reader = {
  readonly manager: Manager;
  readonly source: MetricsSource;
  readonly settings: Settings;
  readonly loads: Map<string, ClassLoad>;
  readonly namespaces: Map<string, Known>;
  readonly changed: ChannelSource;
};

async function look(reader: Reader, namespace: string, context: ReconcileContext): Promise<Result> {
  const { manager, namespaces } = reader;
  const measured = manager.cache.list(CLASS_RUNTIMES, { namespace }).filter((one) => isMeasured(one));
  forgetOthers(reader, namespace, measured);
  if (measured.length === 0) {
    namespaces.delete(namespace);
    return {};
  }
  const known = namespaces.get(namespace) ?? { readAt: -Infinity, failed: false, classes: new Map() };
  namespaces.set(namespace, known);
  const timed = measured.map((runtime) => timeOf(reader, known, runtime));
  const now = manager.clock.monotonic();
  const apart = known.readAt + APART * Math.min(...timed.map(({ interval }) => interval)) - now;
  const wait = Math.max(apart, Math.min(...timed.map(({ due }) => due)));
  if (wait > 0) return { requeueAfter: wait };
  const joined = timed.filter(({ due, interval }) => due <= JOINS_AFTER * interval);
  await readAll(reader, known, joined, context);
  const next = measured.map((runtime) => timeOf(reader, known, runtime).due);
  return { requeueAfter: Math.max(1, Math.min(...next)) };
}

function isMeasured(runtime: ClassRuntime): boolean {
  const { deletionTimestamp } = runtime.metadata;
  const isAtWork = deletionTimestamp === undefined && MEASURED.includes(runtime.status?.phase);
  return isAtWork && enforcementMode(runtime) !== 'off';
}

function forgetOthers(
  { namespaces, loads }: Reader,
  namespace: string,
  measured: readonly ClassRuntime[],
): void {
  const names = new Set(measured.map(({ metadata }) => metadata.name));
  const { classes } = namespaces.get(namespace) ?? { classes: new Map<string, KnownClass>() };
  for (const name of [...classes.keys()].filter((one) => !names.has(one))) {
    classes.delete(name);
    loads.delete(formatRequest({ namespace, name }));
  }
}

/** Milliseconds. */
type Timed = { readonly runtime: ClassRuntime; readonly interval: number; readonly due: number };

function timeOf({ manager, settings }: Reader, { classes }: Known, runtime: ClassRuntime): Timed {
  const interval = settingsFor(settings, runtime).analyzerInterval * 1000;
  const { name, generation = 0 } = runtime.metadata;
  const last = classes.get(name);
  const due = last?.generation === generation ? last.at + interval - manager.clock.monotonic() : 0;
  return { runtime, interval, due };
}

/** Where a query failed, earlier measurements stay, and age. */
async function readAll(
  reader: Reader,
  known: Known,
  joined: readonly Timed[],
  { signal, log }: ReconcileContext,
): Promise<void> {
  const { manager, loads, changed } = reader;
  const classes = joined.map(({ runtime }): ClassToRead => {
    const { name, generation = 0 } = runtime.metadata;
    const { workloads } = known.classes.get(name) ?? { workloads: new Map<string, WorkloadSeen>() };
    known.classes.set(name, { at: 0, generation, workloads });
    return { runtime, workloads, before: loads.get(formatRequest(requestFor(runtime))) };
  });
  const { read, error } = await readClasses(reader, classes, signal);
  known.readAt = manager.clock.monotonic();
  for (const { runtime, load } of read) {
    const { name } = runtime.metadata;
    Object.assign(known.classes.get(name) ?? {}, { at: known.readAt });
    if (load !== undefined) loads.set(formatRequest(requestFor(runtime)), load);
    changed.send(requestFor(runtime));
  }
  if (error !== undefined && !known.failed)
    log.warn('cannot read the load of classes', defined({ error: errorText(error) }));
  known.failed = error !== undefined;
}
