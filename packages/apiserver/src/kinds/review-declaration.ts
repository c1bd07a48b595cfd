import type { Declaration } from '../model/declaration.ts';

/** A review can only be created: the response holds its result, and nothing is stored. */
export function reviewDeclaration(apiVersion: string, kind: string): Declaration {
  return {
    apiVersion,
    kind,
    resource: `${kind.toLowerCase()}s`,
    namespaced: false,
    strategy: {},
    rest: { verbs: ['create'], createOnly: true },
  };
}
