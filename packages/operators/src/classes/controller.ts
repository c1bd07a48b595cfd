import {
  decisions,
  type Io,
  type Manager,
  type Reconciler,
  type Steps,
  updateStatus,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import type { Environment, OperatorParts } from '../kit/operator.ts';
import { act } from './act.ts';
import { classAlerts } from './alerts.ts';
import {
  CLASS_RUNTIMES,
  type ClassRuntime,
  type ClassRuntimeStatus,
  COMPONENT,
  type Dimension,
  GROUP,
} from './api.ts';
import { deploymentsPart } from './deployments/deployments-part.ts';
import { decideClass, decideRefused } from './decide/decide-class.ts';
import type { ClassAction, ObservedClass } from './decide/observed-class.ts';
import {
  addClassIndexes,
  AUTOSCALERS,
  classOfTarget,
  classesIn,
  DEPLOYMENTS,
  KNATIVE,
  observe,
  PODS,
  requestsOf,
  ROUTERS,
  SERVICES,
  STATEFUL_SETS,
} from './observe.ts';
import type { Loads } from './class-load.ts';
import { addGridController, type Grids } from './grid/grid-controller.ts';
import type { GridProbe } from './grid/grid-probe.ts';
import { addLoadController } from './load/load-controller.ts';
import type { MetricsSource } from './load/metrics-source.ts';
import { prometheus } from './load/prometheus.ts';
import { type ClassMetrics, createClassMetrics } from './class-metrics.ts';
import { createNfrMetrics } from './nfr-metrics.ts';
import { addPhaseMetrics } from './add-phase-metrics.ts';
import { type Settings, readSettings } from './settings.ts';
import { troubleChanged } from './trouble-changed.ts';
import { unreadSettings } from './unread-settings.ts';
import { classRenderer } from './templates/class-renderer.ts';
import { sourceOptions } from './load/source-options.ts';

const CONCURRENT_CLASSES = 8;
/** A rollout changes each workload of a class a few times: one look for what comes at once. */
const TOGETHER = { batchMs: 250 };
const CHILD_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

export const classesParts: OperatorParts = {
  resources: [CLASS_RUNTIMES],
  alerts: classAlerts,
  parts: [
    {
      account: 'classes',
      rules: [
        { apiGroups: [GROUP], resources: ['classruntimes'], verbs: ['get', 'list', 'watch', 'patch'] },
        { apiGroups: [GROUP], resources: ['classruntimes/status'], verbs: ['patch'] },
        { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: CHILD_VERBS },
        { apiGroups: [''], resources: ['services'], verbs: CHILD_VERBS },
        { apiGroups: ['serving.knative.dev'], resources: ['services'], verbs: CHILD_VERBS },
        { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
        {
          apiGroups: ['autoscaling'],
          resources: ['horizontalpodautoscalers'],
          verbs: ['get', 'list', 'watch', 'patch'],
        },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ],
      add(manager, env) {
        for (const unread of unreadSettings(env)) manager.log.warn('a setting has no effect', unread);
        addClasses(manager, env);
      },
    },
    deploymentsPart,
  ],
};

export type ClassSteps = Steps<ObservedClass, ClassAction, ClassRuntimeStatus, ClassRuntime>;

/** Replacements for a simulation. */
export type ClassTools = {
  /** Makes a broken variant of the operator, which the simulation must catch. */
  readonly change?: (steps: ClassSteps) => ClassSteps;
  /** Default: Prometheus at OPRC_CRM_PROM_URL, if that is set. */
  readonly source?: MetricsSource;
  /** Default: by gRPC, if OPRC_CRM_ODGM_HEALTH says so. */
  readonly probe?: GridProbe;
};

/** Adds the controller and, where there is a source of them, those that read the load of functions and the health of data grids. */
export function addClasses(manager: Manager, env: Environment, tools: ClassTools = {}): void {
  addClassIndexes(manager.cache);
  const settings = readSettings(env);
  const { source = sourceOf(settings, manager), probe = probeOf(settings) } = tools;
  const measured = source && addLoadController(manager, source, settings);
  const probed = probe && addGridController(manager, probe, settings);
  const known = { settings, loads: measured?.loads, grids: probed?.grids };
  manager.addController({
    name: 'classruntime',
    reconciler: reconcilerOf(manager, known, tools),
    sources: [
      watchKind(CLASS_RUNTIMES),
      watchMapped(DEPLOYMENTS, requestsOf, TOGETHER),
      watchMapped(STATEFUL_SETS, requestsOf, TOGETHER),
      watchMapped(SERVICES, requestsOf, TOGETHER),
      watchMapped(KNATIVE, requestsOf, TOGETHER),
      watchMapped(PODS, requestsOf, { ...TOGETHER, predicates: [troubleChanged] }),
      watchMapped(AUTOSCALERS, (autoscaler) => classOfTarget(manager.cache, autoscaler)),
      watchMapped(ROUTERS, (router) => classesIn(manager.cache, router)),
      ...[measured, probed].flatMap((added) => added?.changed ?? []),
    ],
    maxConcurrentReconciles: CONCURRENT_CLASSES,
  });
}

type Known = {
  readonly settings: Settings;
  readonly loads: Loads | undefined;
  readonly grids: Grids | undefined;
};

function reconcilerOf(manager: Manager, known: Known, { change }: ClassTools): Reconciler {
  const metrics = createClassMetrics(manager, known.loads);
  const steps = stepsOf(manager, known, metrics);
  const reconciler = decisions(manager, CLASS_RUNTIMES, change?.(steps) ?? steps, {
    component: COMPONENT,
    writeStatus: (object, status) => metrics.writes(updateStatus(manager, CLASS_RUNTIMES, object, status)),
  });
  return metrics.reconciles(reconciler);
}

function stepsOf(
  manager: Manager,
  { settings, loads = new Map(), grids }: Known,
  metrics: ClassMetrics,
): ClassSteps {
  const enforced = createNfrMetrics(manager);
  addPhaseMetrics(manager);
  const renderClass = classRenderer(settings);
  const resync = settings.resync > 0 ? { requeueAfter: settings.resync * 1000 } : {};
  return {
    observe: (request, io: Io) => observe(request, io, renderClass, loads, grids),
    decide(observed, now) {
      const decision = decideClass(observed, now);
      return decision.action === undefined ? { ...resync, ...decision } : decision;
    },
    act(action, io) {
      const dimension = dimensionOf(action);
      if (dimension !== undefined) return enforced.measure(dimension, () => act(action, io));
      return metrics.acts(action, () => act(action, io));
    },
    refused: decideRefused,
    subject: ({ runtime }) => runtime,
  };
}

/** Its libraries are loaded where it is used. */
function probeOf({ odgmHealth }: Settings): GridProbe | undefined {
  if (odgmHealth === 'workload') return undefined;
  const loaded = import('./grid/grpc-grid-probe.ts').then(({ grpcGridProbe }) => grpcGridProbe());
  return {
    ping: async (...call) => (await loaded).ping(...call),
    shards: async (...call) => (await loaded).shards(...call),
  };
}

function dimensionOf(action: ClassAction): Dimension | undefined {
  if (action.type === 'resize') return action.resource;
  return action.type === 'scale' ? 'replicas' : undefined;
}

function sourceOf(settings: Settings, { clock }: Manager): MetricsSource | undefined {
  const options = sourceOptions(settings);
  return options && prometheus({ ...options, clock });
}
