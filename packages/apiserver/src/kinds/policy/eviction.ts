import type { Declaration } from '../../model/declaration.ts';

/** `POST …/pods/NAME/eviction`. */
export const EVICTION: Declaration = {
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  resource: 'pods',
  strategy: {},
  rest: { verbs: ['create'], createOnly: true },
};
