import type { KubeObject } from '@kubewright/kube';
import type { ClassRuntime, ClassSteps } from '@kubewright/operators';

type Details = NonNullable<NonNullable<ClassRuntime['status']>['nfr_details']>;

/** Operators that are broken on purpose. */
export const classesVariants: Readonly<Record<string, (steps: ClassSteps) => ClassSteps>> = {
  /** Leaves objects that nobody wants any more. */
  untidy: (steps) => ({
    ...steps,
    act: async (action, io) =>
      (action.type === 'delete' && isOfShop(action.object) ? undefined : await steps.act?.(action, io)) ??
      'done',
  }),
  /** Keeps in memory when it scaled what: a restart forgets the cooldown. */
  forgetful: (steps) => {
    const kept = new Map<string, Details[number]['enforcement']>();
    return {
      ...steps,
      decide(observed, now, done) {
        const { runtime } = observed;
        const key = (name: string): string => `${runtime.metadata.uid}/${name}`;
        const remembered = (runtime.status?.nfr_details ?? []).map(({ enforcement: _stored, ...detail }) => {
          const enforcement = kept.get(key(detail.function_key));
          return enforcement === undefined ? detail : { ...detail, enforcement };
        });
        const status = { ...runtime.status, nfr_details: remembered };
        const decision = steps.decide({ ...observed, runtime: { ...runtime, status } }, now, done);
        for (const { function_key, enforcement } of decision.status?.nfr_details ?? [])
          kept.set(key(function_key), enforcement);
        return decision;
      },
    };
  },
};

/** Not of the class that is deleted: its finalizer is removed only when its objects are gone. */
function isOfShop({ metadata }: KubeObject): boolean {
  return metadata.labels?.['oaas.io/owner'] === 'shop';
}
