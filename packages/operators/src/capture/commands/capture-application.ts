import { corev1, type Stored, systemRandom } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { inParallel } from '../../kit/in-parallel.ts';
import { printable } from '../../kit/paint.ts';
import { ANNOTATIONS, LABELS } from '../api/annotations.ts';
import { MANIFEST_CAPTURE_REQUESTS, type ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import { SNAPSHOT_CONTENTS, type StoredContent } from '../api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import { momentsOf } from '../restore/claim-source.ts';
import { adoptArtifact } from './adopt-artifact.ts';
import { createManifestRequest, manifestRequest } from './capture-namespace.ts';
import { createSnapshotRequest, followSnapshot, patienceIn } from './capture-pvc.ts';
import { durationText, keepIn } from './create-ttl-keeper.ts';
import { findRequest, resumeLine } from './find-request.ts';
import { followRequest } from './follow-request.ts';
import { keepFor } from './keep-checkpoint.ts';
import { requestBoard } from './request-board.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;

/** The requests of one capture. */
type Requests = {
  readonly manifests: ManifestCaptureRequest;
  readonly snapshots: readonly VolumeCaptureRequest[];
};
/** What it has taken. */
type Taken = {
  readonly checkpoint: string;
  readonly snapshots: readonly { readonly name: string; readonly claim: string }[];
};

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
  const namespace = name ?? stage.namespace;
  const { resume } = options;
  const requests =
    resume === undefined
      ? await makeRequests(stage, namespace, options)
      : await madeRequests(stage, namespace, resume);
  const taken = await follow(
    stage,
    requests,
    resumeLine(`application ${namespace}`, requests.manifests.metadata.name, options),
  );
  if (stage.dryRun === undefined) await settle(stage, taken, ttl);
}

/** All have one label; that for manifests comes last, so that where it is, all others are. */
async function makeRequests(
  stage: CommandStage,
  namespace: string,
  options: CommandCall['options'],
): Promise<Requests> {
  const claims = await boundClaims(stage, namespace);
  const { spec } = await manifestRequest(stage, namespace);
  const name = `application-${Math.floor(systemRandom() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')}`;
  const labels = { [LABELS.application]: name };
  const snapshots = await inParallel(claims, ({ metadata }) =>
    createSnapshotRequest(stage, { namespace, name: metadata.name, labels, ...patienceIn(options) }),
  );
  const manifests = await createManifestRequest(stage, { metadata: { namespace, name, labels }, spec });
  return { manifests, snapshots };
}

/** Those that an interrupted command has made. */
async function madeRequests({ client }: CommandStage, namespace: string, name: string): Promise<Requests> {
  const manifests = await findRequest(client, MANIFEST_CAPTURE_REQUESTS, { namespace, name });
  const labelSelector = `${LABELS.application}=${name}`;
  const { items: snapshots } = await client.list(VOLUME_CAPTURE_REQUESTS, { namespace, labelSelector });
  return { manifests, snapshots };
}

/** Rejects with the first error once all have ended: requests that were made go on. */
async function follow(
  stage: CommandStage,
  { manifests, snapshots }: Requests,
  resume: string,
): Promise<Taken> {
  const options = { board: requestBoard(stage, snapshots.length + 1), resume };
  const capture = followRequest(stage, MANIFEST_CAPTURE_REQUESTS, manifests, options);
  const outcomes = await Promise.allSettled([
    capture.then(() => undefined),
    ...snapshots.map((request) => followSnapshot(stage, request, options)),
  ]);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  const { checkpointName = '' } = (await capture).status ?? {};
  const taken = outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected' || outcome.value === undefined) return [];
    const { spec, status } = outcome.value;
    return [{ name: status?.data?.artifactRef.name ?? '', claim: spec.target?.name ?? '' }];
  });
  return { checkpoint: checkpointName, snapshots: taken };
}

/** What was taken belongs together from now on, and is kept for as long as it should be. */
async function settle(
  stage: CommandStage,
  { checkpoint, snapshots }: Taken,
  ttl: string | undefined,
): Promise<void> {
  const { client, out } = stage;
  const contents: StoredContent[] = [];
  for (const snapshot of snapshots) contents.push(await belongTo(stage, checkpoint, snapshot));
  if (ttl === undefined) out(GOES);
  else {
    for (const { name } of snapshots) await keepSnapshot(stage, name, ttl);
    out(await keepFor(client, checkpoint, ttl));
  }
  if (snapshots.length > 1)
    out(`The ${snapshots.length} snapshots are ${momentsOf(contents)}, and nothing was paused for them\n`);
  const volumes = snapshots.length === 0 ? '' : ' --volumes';
  out(printable(`Restore it: kubewright capture restore ${checkpoint}${volumes}\n`));
}

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

/** A restore finds the snapshots of a checkpoint by these. */
async function belongTo(
  { client }: CommandStage,
  checkpoint: string,
  { name, claim }: Taken['snapshots'][number],
): Promise<StoredContent> {
  const metadata = {
    labels: { [LABELS.checkpoint]: checkpoint },
    annotations: { [ANNOTATIONS.claim]: claim },
  };
  return client.patch(SNAPSHOT_CONTENTS, { name }, { type: 'merge', body: { metadata } });
}

async function keepSnapshot({ client, out }: CommandStage, name: string, ttl: string): Promise<void> {
  const content = await client.get(SNAPSHOT_CONTENTS, { name });
  const { metadata } = await adoptArtifact(client, SNAPSHOT_CONTENTS, content, ttl);
  out(`ObjectKeeper ${metadata.name} keeps VolumeSnapshotContent ${name} ${durationText(ttl)}\n`);
}
