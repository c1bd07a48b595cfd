import type { Declaration } from '../../model/declaration.ts';
import { priorityClass } from './priority-class.ts';
import { runtimeClass } from './runtime-class.ts';

/** What Pods name that decides where and how they run: `scheduling.k8s.io/v1` and `node.k8s.io/v1`. */
export const SCHEDULING_RESOURCES: readonly Declaration[] = [
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    resource: 'runtimeclasses',
    namespaced: false,
    strategy: runtimeClass,
    rest: { unconditionalUpdate: false },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    resource: 'priorityclasses',
    namespaced: false,
    short: ['pc'],
    strategy: priorityClass,
  },
];
