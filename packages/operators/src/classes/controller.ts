import { decisions, type Io, type Manager, type Steps, watchKind, watchMapped } from '@kubewright/runtime';
import type { Environment, OperatorParts } from '../kit/operator.ts';
import { act } from './act.ts';
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
} from './observe.ts';
import type { Loads } from './class-load.ts';
import { addLoadController } from './load/load-controller.ts';
import type { MetricsSource } from './load/metrics-source.ts';
import { prometheus } from './load/prometheus.ts';
import { createNfrMetrics } from './nfr-metrics.ts';
import { type Settings, readSettings } from './settings.ts';

import { addPhaseMetrics } from './phase-metrics.ts';
const CONCURRENT_CLASSES = 8;
const CHILD_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

export const classesParts: OperatorParts = {
  resources: [CLASS_RUNTIMES],
  parts: [
    {
      account: 'classes',
      rules: [
        { apiGroups: [GROUP], resources: ['classruntimes'], verbs: ['get', 'list', 'watch', 'patch'] },
        { apiGroups: [GROUP], resources: ['classruntimes/status'], verbs: ['patch'] },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: CHILD_VERBS },
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
      add: (manager, env) => addClasses(manager, env),
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
};

/** Adds the controller and, where there is a metrics source, the one that reads the load of functions. */
export function addClasses(manager: Manager, env: Environment, tools: ClassTools = {}): void {
  addClassIndexes(manager.cache);
  const settings = readSettings(env);
  const { change = (steps: ClassSteps) => steps, source = sourceOf(settings, manager) } = tools;
  const measured = source === undefined ? undefined : addLoadController(manager, source, settings);
  const loads = measured?.loads ?? new Map<string, never>();
  const steps = change(stepsOf(manager, settings, loads));
  manager.addController({
    name: 'classruntime',
    reconciler: decisions(manager, CLASS_RUNTIMES, steps, { component: COMPONENT }),
    sources: [
      watchKind(CLASS_RUNTIMES),
      watchMapped(DEPLOYMENTS, requestsOf),
      watchMapped(SERVICES, requestsOf),
      watchMapped(KNATIVE, requestsOf),
      watchMapped(PODS, requestsOf),
      watchMapped(AUTOSCALERS, (autoscaler) => classOfTarget(manager.cache, autoscaler)),
      watchMapped(ROUTERS, (router) => classesIn(manager.cache, router)),
      ...(measured === undefined ? [] : [measured.changed]),
    ],
    maxConcurrentReconciles: CONCURRENT_CLASSES,
  });
}

function stepsOf(manager: Manager, settings: Settings, loads: Loads): ClassSteps {
  const metrics = createNfrMetrics(manager);
  const resync = settings.resync > 0 ? { requeueAfter: settings.resync * 1000 } : {};
  return {
    observe: (request, io: Io) => observe(request, io, settings, loads),
    decide(observed, now) {
      const decision = decideClass(observed, now);
      return decision.action === undefined ? { ...resync, ...decision } : decision;
    },
  addPhaseMetrics(manager);
    act(action, io) {
      const dimension = dimensionOf(action);
      return dimension === undefined ? act(action, io) : metrics.measure(dimension, () => act(action, io));
    },
    refused: decideRefused,
    subject: ({ runtime }) => runtime,
  };
}

function dimensionOf(action: ClassAction): Dimension | undefined {
  if (action.type === 'resize') return action.resource;
  return action.type === 'scale' ? 'replicas' : undefined;
}

function sourceOf({ promUrl, promTimeout }: Settings, { clock }: Manager): MetricsSource | undefined {
  if (promUrl === undefined || promUrl === '') return undefined;
  return prometheus({ url: promUrl, timeoutMs: promTimeout * 1000, clock });
}
