import { corev1, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { ANNOTATIONS, LABELS } from '../api/annotations.ts';
import { SNAPSHOT_CONTENTS } from '../api/snapshots.ts';
import { adoptArtifact } from './adopt-artifact.ts';
import { requestManifests } from './capture-namespace.ts';
import { requestSnapshot } from './capture-pvc.ts';
import { durationText, keepIn } from './create-ttl-keeper.ts';
import { keepFor } from './keep-checkpoint.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;

/**
 * `kubewright capture application NAMESPACE`: its volumes and its manifests, by the requests that there are for each. All
 * are made before one of them is waited for. If one fails, all has failed: what the others took goes with them.
 */
export async function captureApplication(
  { args: [name], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = keepIn(options);
  const stage = await connect();
  const { client, out } = stage;
  const namespace = name ?? stage.namespace;
  const claims = await boundClaims(stage, namespace);
  const [manifests, ...snapshots] = await settled([
    async () => (await requestManifests(stage, namespace)).status?.checkpointName ?? '',
    ...claims.map((claim) => async () => {
      const patience = options['untilDeadline'] === undefined ? {} : UNTIL_DEADLINE;
      const { status } = await requestSnapshot(stage, { namespace, name: claim.metadata.name, ...patience });
      return status?.data?.artifactRef.name ?? '';
    }),
  ]);
  if (stage.dryRun !== undefined) return;
  const checkpoint = manifests ?? '';
  for (const [index, snapshot] of snapshots.entries())
    await belongTo(stage, snapshot, { checkpoint, claim: claims[index]?.metadata.name ?? '' });
  if (ttl === undefined) out(GOES);
  else {
    for (const snapshot of snapshots) await keepSnapshot(stage, snapshot, ttl);
    out(await keepFor(client, checkpoint, ttl));
  }
  if (snapshots.length > 1)
    out(
      `The ${snapshots.length} snapshots are of moments one after another, and nothing was paused for them\n`,
    );
  out(printable(`Restore it: kubewright capture restore ${checkpoint} --volumes\n`));
}

const UNTIL_DEADLINE = { externalErrorPolicy: 'UntilDeadline' } as const;
const GOES =
  'All of it goes with its requests, 10 minutes after their end unless the operator has another REQUEST_TTL; --for and --keep keep it\n';

/** Nothing is captured of a claim without a volume. */
async function boundClaims(
  { client, signal, out }: CommandStage,
  namespace: string,
): Promise<readonly Claim[]> {
  const { items } = await client.list(corev1.persistentvolumeclaims, { namespace, signal });
  const isBound = ({ status }: Claim): boolean => status?.phase === 'Bound';
  for (const { metadata } of items.filter((claim) => !isBound(claim)))
    out(printable(`PersistentVolumeClaim ${metadata.name} has no volume yet: no snapshot is taken of it\n`));
  return items.filter(isBound);
}

/** All results, or the first error once all have ended: requests that were made go on. */
async function settled(calls: readonly (() => Promise<string>)[]): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled(calls.map((call) => call()));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** A restore finds the snapshots of a checkpoint by these. */
async function belongTo(
  { client }: CommandStage,
  name: string,
  { checkpoint, claim }: { readonly checkpoint: string; readonly claim: string },
): Promise<void> {
  const metadata = {
    labels: { [LABELS.checkpoint]: checkpoint },
    annotations: { [ANNOTATIONS.claim]: claim },
  };
  await client.patch(SNAPSHOT_CONTENTS, { name }, { type: 'merge', body: { metadata } });
}

async function keepSnapshot({ client, out }: CommandStage, name: string, ttl: string): Promise<void> {
  const content = await client.get(SNAPSHOT_CONTENTS, { name });
  const { metadata } = await adoptArtifact(client, SNAPSHOT_CONTENTS, content, ttl);
  out(`ObjectKeeper ${metadata.name} keeps VolumeSnapshotContent ${name} ${durationText(ttl)}\n`);
}
