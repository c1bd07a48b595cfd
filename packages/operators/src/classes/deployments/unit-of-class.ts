import { defined, parseTime } from '@kubewright/kube';
import type { ClassRuntime } from '../api.ts';
import type { Timestamp } from './messages.ts';
import { classKeyOf, deploymentIdOf, packageOf } from './summary-of-class.ts';

type Odgm = NonNullable<ClassRuntime['spec']['odgm_config']>;

/** `oaas.deployment.DeploymentUnit`: what a class was deployed from, as far as the class has it. */
export function unitOfClass(runtime: ClassRuntime): object {
  const { metadata, spec } = runtime;
  const key = classKeyOf(runtime);
  const package_name = packageOf(key);
  return defined({
    id: deploymentIdOf(runtime),
    package_name,
    class_key: package_name === '' ? key : key.slice(package_name.length + 1),
    functions: spec.functions.map(({ qos_requirement: _unused, ...each }) => each),
    target_env: metadata.namespace ?? '',
    created_at: timestampOf(parseTime(metadata.creationTimestamp ?? '')),
    odgm_config: spec.odgm_config === undefined ? undefined : odgmUnitOf(spec.odgm_config),
    selected_template: spec.selected_template,
    telemetry: spec.telemetry,
    class_requirements: spec.nfr_requirements,
    class_enforcement: spec.enforcement,
  });
}

export function timestampOf(time: Date | undefined): Timestamp | undefined {
  if (time === undefined) return undefined;
  const ms = time.getTime();
  return { seconds: String(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
}

function odgmUnitOf({ env_node_ids, node_id, collection_assignments, ...rest }: Odgm): object {
  const text = (ids: readonly (number | bigint)[] = []): readonly string[] => ids.map(String);
  return defined({
    ...rest,
    odgm_node_id: node_id === undefined ? undefined : String(node_id),
    env_node_ids: entriesOf(env_node_ids, (ids) => ({ ids: text(ids) })),
    collection_assignments: entriesOf(collection_assignments, (list) => ({
      assignments: list.map(({ primary, replica, shard_ids }) =>
        defined({
          primary: primary === undefined ? undefined : String(primary),
          replica: text(replica),
          shard_ids: text(shard_ids),
        }),
      ),
    })),
  });
}

function entriesOf<A>(record: Readonly<Record<string, A>> = {}, of: (value: A) => object): object {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value)]));
}
