import { errorText, jsonEqual } from '@kubewright/kube';
import {
  anyOf,
  callWithin,
  type ChannelSource,
  createChannelSource,
  formatRequest,
  generationChanged,
  type Manager,
  type ReconcileContext,
  type Request,
  type Result,
  watchKind,
} from '@kubewright/runtime';
import { CLASS_RUNTIMES, type ClassRuntime, type Phase } from '../api.ts';
import { phaseChanged } from '../phase-changed.ts';
import type { Settings } from '../settings.ts';
import { hasOdgm } from '../templates/has-odgm.ts';
import { odgmNames } from '../templates/safe-name.ts';
import { expectedPartitions } from './expected-partitions.ts';
import { type GridHealth, gridHealth, SILENT } from './grid-health.ts';
import type { GridProbe } from './grid-probe.ts';

/** Data grids that are probed concurrently. */
const CONCURRENT = 4;
const PING_MS = 15_000;
/** Data grids count all objects for a list of shards. */
const SHARDS_MS = 300_000;
const TIMEOUT_MS = 5000;
const PROBED: readonly (Phase | undefined)[] = ['progressing', 'available', 'degraded'];

/** By class, `namespace/name`: what was last found of its data grid, and of which class. */
export type Grids = ReadonlyMap<string, { readonly uid: string; readonly health: GridHealth }>;

/** The health of data grids, and the source of reconcile requests for classes where it changed. */
export type GridController = { readonly grids: Grids; readonly changed: ChannelSource };

type Seen = { readonly uid: string; readonly health: GridHealth; readonly listedAt: number };
type Reader = {
  readonly manager: Manager;
  readonly probe: GridProbe;
  readonly settings: Settings;
  readonly seen: Map<string, Seen>;
  readonly changed: ChannelSource;
};

/**
 * Adds a controller that calls the data grid of each class in intervals. It writes nothing. It is separate from the deciding
 * controller, so that a slow data grid delays nothing.
 */
export function addGridController(manager: Manager, probe: GridProbe, settings: Settings): GridController {
  const seen = new Map<string, Seen>();
  const changed = createChannelSource('health of data grids');
  const reader: Reader = { manager, probe, settings, seen, changed };
  manager.addController({
    name: 'classgrid',
    reconciler: { reconcile: (request, context) => look(reader, request, context) },
    sources: [watchKind(CLASS_RUNTIMES, { predicates: [anyOf(generationChanged, phaseChanged)] })],
    maxConcurrentReconciles: CONCURRENT,
  });
  return { grids: seen, changed };
}

async function look(reader: Reader, request: Request, context: ReconcileContext): Promise<Result> {
  const { manager, settings, seen } = reader;
  const key = formatRequest(request);
  const runtime = manager.cache.get(CLASS_RUNTIMES, request);
  if (runtime === undefined || !isProbed(runtime, settings)) {
    seen.delete(key);
    return {};
  }
  const { uid } = runtime.metadata;
  const before = seen.get(key)?.uid === uid ? seen.get(key) : undefined;
  const after = await probed(reader, runtime, before, context);
  seen.set(key, { uid, ...after });
  if (!jsonEqual(before?.health, after.health)) reader.changed.send(request);
  return { requeueAfter: PING_MS };
}

function isProbed(runtime: ClassRuntime, settings: Settings): boolean {
  const isAtWork = runtime.metadata.deletionTimestamp === undefined && PROBED.includes(runtime.status?.phase);
  return isAtWork && hasOdgm(runtime, settings);
}

/** What a data grid responds to; why it does not respond is logged once. */
async function probed(
  reader: Reader,
  runtime: ClassRuntime,
  before: Seen | undefined,
  { signal, log }: ReconcileContext,
): Promise<Pick<Seen, 'health' | 'listedAt'>> {
  const { manager, probe, settings } = reader;
  const { name, namespace } = runtime.metadata;
  const address = `${odgmNames(name).service}.${namespace}.svc.cluster.local:80`;
  const call: Call = (calling) => callWithin(manager.clock, TIMEOUT_MS, signal, calling);
  const now = manager.clock.monotonic();
  try {
    await call((ended) => probe.ping(address, ended));
    if (settings.odgmHealth === 'ping') return { health: { ready: true }, listedAt: now };
    if (before !== undefined && !isDue(runtime, before, now)) return before;
    return { health: await listed(probe, runtime, address, call), listedAt: now };
  } catch (error) {
    if (before?.health.reason !== SILENT.reason)
      log.warn('a data grid does not respond', { error: errorText(error) });
    return { health: SILENT, listedAt: now };
  }
}

type Call = <T>(calling: (ended: AbortSignal) => Promise<T>) => Promise<T>;

/** Shards are listed while the class progresses, after the data grid was silent or lacked some, and seldom otherwise. */
function isDue({ status }: ClassRuntime, { health, listedAt }: Seen, now: number): boolean {
  return status?.phase === 'progressing' || !health.ready || now - listedAt >= SHARDS_MS;
}

async function listed(
  probe: GridProbe,
  { spec: { odgm_config } }: ClassRuntime,
  address: string,
  call: Call,
): Promise<GridHealth> {
  const shards = await call((ended) => probe.shards(address, ended));
  const collections = odgm_config?.collections ?? [];
  const alive = await (probe.alive && call(async (ended) => probe.alive?.(collections, ended)));
  return gridHealth(expectedPartitions(odgm_config), shards, alive);
}
