import { defined, isConditionTrue } from '@kubewright/kube';
import { type ClassRuntime, LABELS } from '../api.ts';

/** One line about a class; `found` where nothing is known yet. */
export function summaryText({ metadata, status }: ClassRuntime): string {
  if (metadata.deletionTimestamp !== undefined) return 'deleting';
  if (status === undefined) return 'Pending';
  const { conditions = [], phase, message } = status;
  if (isConditionTrue(conditions, 'Available')) return 'Available';
  const degraded = conditions.find(({ type, status: is }) => type === 'Degraded' && is === 'True');
  if (degraded !== undefined) return `Degraded (${degraded.reason}): ${degraded.message}`;
  if (isConditionTrue(conditions, 'Progressing')) return 'Progressing';
  return phase ?? message ?? 'found';
}

type State = { readonly condition: string; readonly phase: string };

const RUNNING: State = { condition: 'RUNNING', phase: 'PHASE_RUNNING' };

/** A class that is degraded and serves on is running: the package manager must not move it elsewhere. */
function stateOf(runtime: ClassRuntime): State {
  const { metadata, status: { conditions } = {} } = runtime;
  const text = summaryText(runtime);
  if (metadata.deletionTimestamp !== undefined)
    return { condition: 'DELETED', phase: 'RESOURCE_PROVISIONING' };
  if (text === 'Available' || text === 'found') return RUNNING;
  if (text.startsWith('Degraded'))
    return isConditionTrue(conditions, 'Serving') ? RUNNING : { condition: 'DOWN', phase: 'FAILED' };
  return {
    condition: text === 'Progressing' ? 'DEPLOYING' : 'PENDING',
    phase: 'RESOURCE_PROVISIONING',
  };
}

/** `<package>.<class>` */
export function classKeyOf({ metadata, spec }: ClassRuntime): string {
  return spec.package_class_key ?? metadata.name;
}

/** `oaas.runtime.ClassRuntimeSummary` */
export function summaryOfClass(runtime: ClassRuntime): object {
  const { metadata, spec, status = {} } = runtime;
  const id = deploymentIdOf(runtime);
  const key = classKeyOf(runtime);
  const created = metadata.creationTimestamp ?? '';
  return {
    id,
    deployment_unit_id: id,
    package_name: packageOf(key),
    class_key: key,
    target_environment: metadata.namespace ?? '',
    cluster_name: metadata.namespace,
    status: {
      ...stateOf(runtime),
      message: summaryText(runtime),
      last_updated: status.last_updated ?? created,
      functions: (status.functions ?? []).map(({ lastTransitionTime, ...each }) =>
        defined({ ...each, last_transition_time: lastTransitionTime }),
      ),
    },
    resource_refs: refsOf(runtime),
    created_at: created,
    updated_at: status.last_updated ?? created,
    partition_count: spec.odgm_config?.partition_count ?? 1,
  };
}

export function packageOf(key: string): string {
  return key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : '';
}

export function deploymentIdOf({ metadata }: ClassRuntime): string {
  return metadata.labels?.[LABELS.deployment] ?? metadata.name;
}

/** The children of a class. Their uids are not known here. */
export function refsOf({ metadata: { namespace }, status }: ClassRuntime): readonly object[] {
  return (status?.resource_refs ?? []).map(({ kind, name }) => defined({ kind, name, namespace }));
}
