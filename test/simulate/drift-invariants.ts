import type { History } from '@kubewright/cluster';
import type { corev1, KubeObject } from '@kubewright/kube';
import { DRIFT_ANNOTATIONS } from '@kubewright/operators';
import { SITE_CONTROLLER } from '../../packages/operators/src/drift/demo/site-controller.ts';
import { WEB, wronglyDenied } from './drift-controller.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';

const PREFIX = 'kausality.io/';
/** A person's annotation of both objects, which the controller copies. */
export const TICKET = 'kausality.io/trace-ticket';
export const OWN_TICKET = 'of-the-map';

type Seen = { readonly theme: string | undefined; readonly user: string; readonly isApproved: boolean };

/** What the ConfigMap became, write by write: who began it, and whether it was approved. */
function seen(history: History): readonly Seen[] {
  return history.of('configmaps', WEB.name).flatMap(({ object, type }) => {
    if (type === 'DELETED') return [];
    const { data } = object as corev1.ConfigMap;
    const trace = JSON.parse(annotationOf(object, DRIFT_ANNOTATIONS.trace) ?? '[]') as readonly {
      readonly user: string;
      readonly approval?: object;
    }[];
    const [first] = trace;
    const last = trace.at(-1);
    return [{ theme: data?.['theme'], user: first?.user ?? '', isApproved: last?.approval !== undefined }];
  });
}

function annotationOf(object: KubeObject, key: string): string | undefined {
  return annotationsOf(object)[key];
}

/** The second version got through because it was approved, and the third never. */
function unasked(history: History): string | undefined {
  const states = seen(history);
  if (states.some(({ theme }) => theme === 'light')) return 'the third version got through';
  const first = states.find(({ theme }) => theme === 'dark');
  return first === undefined || first.isApproved ? undefined : 'the second version got through unapproved';
}

function unexplained(history: History): string | undefined {
  const state = seen(history).find(
    ({ user, isApproved }) => [SITE_CONTROLLER.username, ''].includes(user) && !isApproved,
  );
  return state === undefined ? undefined : `nobody asked for a change that began with "${state.user}"`;
}

/** The states of an object, oldest first, without its deletion. */
function statesOf(history: History, resource: string): readonly KubeObject[] {
  return history.of(resource, WEB.name).flatMap(({ object, type }) => (type === 'DELETED' ? [] : [object]));
}

const KEPT_BY_CHILDREN: ReadonlySet<string> = new Set([
  DRIFT_ANNOTATIONS.trace,
  DRIFT_ANNOTATIONS.updaters,
  DRIFT_ANNOTATIONS.usedApprovals,
]);

/** What the controller copies from the Site does not count on the ConfigMap. */
function leaked(history: History): string | undefined {
  for (const map of statesOf(history, 'configmaps'))
    for (const [key, value] of Object.entries(annotationsOf(map))) {
      const isOwn = KEPT_BY_CHILDREN.has(key) || (key === TICKET && value === OWN_TICKET);
      if (key.startsWith(PREFIX) && !isOwn) return `the ConfigMap has ${key}: ${value}`;
    }
  return undefined;
}

/** What is recorded stays, and what a person wrote; an approval goes only when it has been used. */
function lost(history: History): string | undefined {
  const maps = statesOf(history, 'configmaps');
  const lasting: readonly (readonly [resource: string, key: string, value?: string])[] = [
    ['configmaps', DRIFT_ANNOTATIONS.trace],
    ['configmaps', DRIFT_ANNOTATIONS.updaters],
    ['configmaps', TICKET, OWN_TICKET],
    ['sites', DRIFT_ANNOTATIONS.phase, 'initialized'],
    ['sites', TICKET, 'of-the-site'],
  ];
  for (const [resource, key, value] of lasting) {
    const values = statesOf(history, resource).map((object) => annotationOf(object, key));
    const first = values.findIndex((one) => one !== undefined && one === (value ?? one));
    const isLost = values
      .slice(Math.max(first, 0))
      .some((one) => one === undefined || one !== (value ?? one));
    if (first >= 0 && isLost) return `${resource} lost ${key}`;
  }
  const untraced = maps.some((map) => annotationOf(map, DRIFT_ANNOTATIONS.trace) === undefined);
  return untraced ? 'a ConfigMap has no trace' : undefined;
}

export const driftInvariants = {
  'what somebody asked for is not denied': wronglyDenied,
  'what nobody asked for is denied': unasked,
  'each change has its reason': unexplained,
  'no annotation leaks from the parent to the child': leaked,
  'no annotation is lost': lost,
} as const;
