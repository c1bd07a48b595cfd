import type { appsv1, Stored } from '@kubewright/kube';
import { isTemplateOf } from '../../pods/template-revision.ts';
import { sourceOf } from '../source-of.ts';
import { type Context, fail, next, type Turn } from '../turn.ts';

/**
 * Keeps what another pod of that name is made from: there is a time without a pod, and the operator may crash in it. The template
 * is compared with the source before its UID is recorded, and its data cannot change: later it needs no other proof.
 */
export function keepTemplate({ observed, status }: Context): Turn {
  const { migration, template } = observed;
  const source = sourceOf(observed, status);
  if (source === undefined) return fail('SourceLost', 'the source pod is gone');
  if (template === undefined) return { type: 'act', action: { type: 'keepTemplate', migration, source } };
  return isTemplateOf(template, source) ? next({ templateUID: template.metadata.uid }) : remove(template);
}

/** The one that was recorded; undefined: somebody has deleted it. */
export function keptTemplate({
  observed: { template },
  status,
}: Context): Stored<appsv1.ControllerRevision> | undefined {
  return template?.metadata.uid === status.templateUID ? template : undefined;
}

/** Once another pod has the state, or the source goes on; undefined: there is none. */
export function removeTemplate({ observed: { template } }: Context): Turn | undefined {
  return template && remove(template);
}

function remove(template: Stored<appsv1.ControllerRevision>): Turn {
  return { type: 'act', action: { type: 'deleteTemplate', template } };
}
