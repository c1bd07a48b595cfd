import { ignoreNotFound } from '@kubewright/client';
import { corev1, defined, isJsonObject, type JsonObject } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { readAhead } from '../../kit/read-ahead.ts';
import { OperatorError } from '../../operator-error.ts';
import { knownNames } from '../restore/absent-references.ts';
import type { ClaimSources } from '../restore/claim-source.ts';
import { liveDigests } from '../restore/live-digests.ts';
import { type ExistingPolicy, planRestore, type RestoreStep } from '../restore/plan-restore.ts';
import type { RestoreProfiles } from '../restore/restore-profiles.ts';
import { settleRejections } from '../restore/settle-rejections.ts';
import { textIn } from '../restore/text-in.ts';
import { AT_ONCE, HELD, type ReadSource, type RestorePlan } from './create-planned.ts';
import { withProgress } from './with-progress.ts';

export type WantedRestore = {
  readonly to: string | undefined;
  readonly profiles: RestoreProfiles;
  readonly existing: ExistingPolicy;
  /** Whether the server is asked about each write. */
  readonly isChecked: boolean;
  /** See {@link RestoreTarget}. */
  readonly storageClasses?: ReadonlyMap<string, string>;
  readonly snapshots?: ClaimSources;
};

/** Compares all captured objects with the cluster. Nothing is changed. */
export async function planAll(
  { client, ...terminal }: CommandStage,
  read: ReadSource,
  { to, profiles, existing, isChecked, storageClasses, snapshots }: WantedRestore,
): Promise<RestorePlan> {
  const from = await namespaceOf(read());
  const target = { from, to: to ?? from, profiles, ...defined({ storageClasses, snapshots }) };
  const name = target.to;
  const exists = (await ignoreNotFound(client.get(corev1.namespaces, { name }))) !== undefined;
  const seen = isChecked ? 'dryRun' : 'read';
  const known = knownNames(client);
  const live = liveDigests(client, name);
  const options = { check: exists ? seen : 'none', existing, known, live } as const;
  const plan = (object: JsonObject): Promise<RestoreStep> => planRestore(client, object, target, options);
  const planned = readAhead(read(), AT_ONCE, plan, HELD);
  const steps: RestoreStep[] = [];
  for await (const step of withProgress(planned, terminal, 'compared')) steps.push(step);
  const isCaptured = steps.some(({ title }) => title === `Namespace/${name}`);
  const absent = isCaptured ? 'captured' : 'missing';
  return { target, steps: settleRejections(steps), namespace: exists ? 'exists' : absent };
}

/** A checkpoint is of one namespace. */
async function namespaceOf(objects: AsyncIterable<JsonObject>): Promise<string> {
  for await (const { metadata } of objects) {
    const namespace = isJsonObject(metadata) ? textIn(metadata, 'namespace') : '';
    if (namespace !== '') return namespace;
  }
  throw new OperatorError('Failed', 'there is nothing to restore: no captured object has a namespace');
}
