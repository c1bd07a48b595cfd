import { canonicalJson, corev1, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { sha256 } from '../requests/names.ts';
import { linkOwners, RESTORE_FIELD_MANAGER } from '../restore/link-owners.ts';
import { RESTORE_ORDER, type RestoreOrder } from '../restore/order-of.ts';
import type { RestoreStep } from '../restore/plan-restore.ts';
import { type RestoreTarget, retargeted } from '../restore/retargeted.ts';
import { withProgress } from './with-progress.ts';

/** Calls under way. */
export const AT_ONCE = 16;

/** Reads the captured objects from their beginning: they are not held. */
export type ReadSource = () => AsyncIterable<JsonObject>;

export type RestorePlan = {
  readonly target: RestoreTarget;
  /** Whether the namespace does not exist, and is not among the captured objects. */
  readonly createsNamespace: boolean;
  /** One for each object, in the order in which they were captured. */
  readonly steps: readonly RestoreStep[];
};

/**
 * Creates what the plan says, in the order of {@link RESTORE_ORDER}, and links what was created to its owners. Resolves
 * with how many objects were created. A restore that was interrupted continues when it is run again.
 */
export async function createPlanned(
  stage: CommandStage,
  read: ReadSource,
  { target, createsNamespace, steps }: RestorePlan,
): Promise<number> {
  let count = 0;
  if (createsNamespace) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: target.to } };
    await stage.client.create<KubeObject>(corev1.namespaces, namespace);
    count++;
  }
  for (const order of RESTORE_ORDER) {
    if (!steps.some(({ create }) => create?.order === order)) continue;
    const created = createThose(stage, read, { target, steps }, order);
    for await (const done of withProgress(created, stage, 'created')) if (done) count++;
  }
  const owned = steps.flatMap((step) => step.owned ?? []);
  const linked = readAhead(owned, AT_ONCE, (each) => linkOwners(stage.client, each));
  for await (const _link of withProgress(linked, stage, 'linked to their owners'));
  return count;
}

/** Creates what the plan says of the objects of this order, which are read again. */
async function* createThose(
  { client }: CommandStage,
  read: ReadSource,
  { target, steps }: Pick<RestorePlan, 'target' | 'steps'>,
  order: RestoreOrder,
): AsyncGenerator<boolean, void> {
  let index = 0;
  yield* readAhead(read(), AT_ONCE, async (captured) => {
    const { create } = steps[index++] ?? {};
    if (create?.order !== order) return false;
    const object = retargeted(captured, target);
    if (object === undefined || sha256(canonicalJson(object)) !== create.sha256)
      throw new OperatorError('Failed', 'the captured objects have changed while they were restored');
    await client.create(create.ref, object, { fieldManager: RESTORE_FIELD_MANAGER });
    return true;
  });
}
