import { decisions, type Io, type Manager, type Steps, watchKind, watchMapped } from '@kubewright/runtime';
import type { Environment, OperatorParts } from '../kit/operator.ts';
import { act } from './act.ts';
import { CLASS_RUNTIMES, type ClassRuntime, type ClassRuntimeStatus, COMPONENT, GROUP } from './api.ts';
import { decideClass, decideRefused } from './decide/decide-class.ts';
import type { ClassAction, ObservedClass } from './decide/observed-class.ts';
import { addClassIndexes, DEPLOYMENTS, observeClass, PODS, requestsOf, SERVICES } from './observe.ts';
import { classSettings } from './settings.ts';

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
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ],
      add: (manager, env) => addClasses(manager, env),
    },
  ],
};

export type ClassSteps = Steps<ObservedClass, ClassAction, ClassRuntimeStatus, ClassRuntime>;

/** Adds the controller. `change` makes it another one only where a simulation shows that it notices bad ones. */
export function addClasses(
  manager: Manager,
  env: Environment,
  change: (steps: ClassSteps) => ClassSteps = (steps) => steps,
): void {
  addClassIndexes(manager.cache);
  const settings = classSettings(env);
  const steps = change({
    observe: (request, io: Io) => observeClass(request, io, settings),
    decide: decideClass,
    act,
    refused: decideRefused,
    subject: ({ runtime }) => runtime,
  });
  manager.addController({
    name: 'classruntime',
    reconciler: decisions(manager, CLASS_RUNTIMES, steps, { component: COMPONENT }),
    sources: [
      watchKind(CLASS_RUNTIMES),
      watchMapped(DEPLOYMENTS, requestsOf),
      watchMapped(SERVICES, requestsOf),
      watchMapped(PODS, requestsOf),
    ],
    maxConcurrentReconciles: CONCURRENT_CLASSES,
  });
}
