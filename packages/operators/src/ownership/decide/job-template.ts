import { type KubeObject, parseApiVersion, type Status } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import type { MigrationPlan } from './plan.ts';

/**
 * Why moving ownership cannot make this removal happen: the field may never change. The server would take the rewrite
 * and still refuse the apply, so ownership is left alone.
 */
export function immutability(live: KubeObject, plan: MigrationPlan, refusal?: Status): string | undefined {
  const templates =
    plan.kind === 'rewrite' && isJob(live) ? plan.moves.filter(({ path }) => inTemplate(path)) : [];
  const [first] = templates;
  if (first !== undefined) {
    return `the pod template of a Job is immutable, so ${formatPath(first.path)} can only go with the Job itself`;
  }
  return refusal?.message?.includes('field is immutable') === true ? refusal.message : undefined;
}

function isJob({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'Job' && parseApiVersion(apiVersion).group === 'batch';
}

function inTemplate(path: readonly string[]): boolean {
  return path[0] === 'f:spec' && path[1] === 'f:template';
}
