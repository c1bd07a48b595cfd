import { formatTime, type KubeObject } from '@kubewright/kube';
import type { ClassRuntime, ClassSteps } from '@kubewright/operators';

type Status = NonNullable<ClassRuntime['status']>;
type Details = NonNullable<Status['nfr_details']>;

/** A load this old was not read when it should have been. */
const LATE_MS = 12_000;
const LOOK_MS = 5000;
/** Longer than the metrics are away. */
const BLIND_MS = 210_000;
const REPEAT_MS = 20_000;
/** How many looks; an even number, so that it ends as it was. */
const FICKLE = 6;

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
  /** For a while, takes the lack of a new load for none now, of all pods: what is old, or in part, takes no replicas away. */
  blind: (steps) => {
    let began: number | undefined;
    return {
      ...steps,
      decide(observed, now, done) {
        began ??= now.getTime();
        const { load } = observed;
        const isOver = now.getTime() > began + BLIND_MS;
        if (load === undefined || isOver || ageOf(observed, now) < LATE_MS)
          return steps.decide(observed, now, done);
        const none = { cpu: 0, at: now.getTime(), isPartial: undefined };
        const functions = [...load.functions].map(([key, known]) => [key, { ...known, ...none }] as const);
        const nothing = { ...load, functions: new Map(functions) };
        return { ...steps.decide({ ...observed, load: nothing }, now, done), requeueAfter: LOOK_MS };
      },
    };
  },
  /** Says in the status when it has looked. */
  restless: (steps) => ({
    ...steps,
    decide(observed, now, done) {
      const decision = steps.decide(observed, now, done);
      const { action, status = observed.runtime.status } = decision;
      if (action !== undefined || status?.phase !== 'available') return decision;
      return { ...decision, status: { ...status, last_updated: formatTime(now) }, requeueAfter: 60_000 };
    },
  }),
  /** Applies what it has applied once more. */
  stubborn: (steps) => {
    const repeated = new Set<string>();
    return {
      ...steps,
      decide(observed, now, done) {
        const decision = steps.decide(observed, now, done);
        const { metadata, status: stored = {} } = observed.runtime;
        const { action, status = stored } = decision;
        const { last_applied_at: at, last_applied_recommendations: all = [] } = status;
        if (action !== undefined || at === undefined) return decision;
        if (repeated.has(metadata.uid) || now.getTime() < Date.parse(at) + REPEAT_MS)
          return { ...decision, requeueAfter: LOOK_MS };
        repeated.add(metadata.uid);
        return {
          ...decision,
          status: { ...status, last_applied_recommendations: [...all, ...all.slice(-1)] },
        };
      },
    };
  },
  /** Of the first looks at a class that is available, each says the opposite of the one before. */
  fickle: (steps) => {
    const said = new Map<string, number>();
    return {
      ...steps,
      decide(observed, now, done) {
        const decision = steps.decide(observed, now, done);
        const { uid } = observed.runtime.metadata;
        const { action, status } = decision;
        const times = said.get(uid) ?? 0;
        if (action !== undefined || status?.phase !== 'available' || times === FICKLE) return decision;
        said.set(uid, times + 1);
        return { ...decision, status: withCondition(status, 'Serving', times % 2 === 0 ? 'False' : 'True') };
      },
    };
  },
  /** Takes for unobserved what this process has not read yet, so each restart changes a condition, and two processes do not agree. */
  oblivious: (steps) => ({
    ...steps,
    decide(observed, now, done) {
      const decision = steps.decide(observed, now, done);
      const { status } = decision;
      const isRead = (observed.load?.functions.size ?? 0) > 0;
      if (isRead || status === undefined) return decision;
      return { ...decision, status: withCondition(status, 'NfrObserved', 'False') };
    },
  }),
};

type Observed = NonNullable<Awaited<ReturnType<ClassSteps['observe']>>>;

/** Milliseconds since the oldest load of a function was read. */
function ageOf({ load }: Observed, now: Date): number {
  return Math.max(0, ...[...(load?.functions.values() ?? [])].map(({ at }) => now.getTime() - at));
}

function withCondition(status: Status, type: string, is: 'True' | 'False'): Status {
  const conditions = (status.conditions ?? []).map((each) =>
    each.type === type ? { ...each, status: is } : each,
  );
  return { ...status, conditions };
}

/** Not of the class that is deleted: its finalizer is removed only when its objects are gone. */
function isOfShop({ metadata }: KubeObject): boolean {
  return metadata.labels?.['oaas.io/owner'] === 'shop';
}
