import type { Declaration } from '../../model/declaration.ts';

const BINDING = {
  apiVersion: 'v1',
  kind: 'Binding',
  strategy: {},
  rest: { verbs: ['create'], createOnly: true },
};

/** `v1 Binding`: assigns a pod to a node. */
export const POD_BINDING: Declaration = { ...BINDING, resource: 'pods' };

/** By itself it is the older way to assign a pod. */
export const BINDINGS: Declaration = { ...BINDING, resource: 'bindings' };
