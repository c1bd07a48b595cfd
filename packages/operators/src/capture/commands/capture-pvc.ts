import { isNotFound } from '@kubewright/client';
import { corev1, defined } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import { SNAPSHOT_CONTENTS } from '../api/snapshots.ts';
import { adoptArtifact } from './adopt-artifact.ts';
import { durationText, keepIn } from './create-ttl-keeper.ts';
import { followRequest } from './follow-request.ts';

/** `kubewright capture pvc NAME`. */
export async function capturePvc(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = keepIn(options);
  const stage = await connect();
  const patience = options['untilDeadline'] === undefined ? {} : UNTIL_DEADLINE;
  const { status } = await requestSnapshot(stage, { namespace: stage.namespace, name, ...patience });
  if (stage.dryRun !== undefined) return;
  const snapshot = status?.data?.artifactRef.name ?? '';
  stage.out(`The snapshot is volumesnapshotcontent/${snapshot}\n`);
  stage.out(
    ttl === undefined
      ? 'It goes with its request, 10 minutes after the end unless the operator has another REQUEST_TTL; --for and --keep keep it\n'
      : await keepSnapshot(stage, snapshot, ttl),
  );
}

const UNTIL_DEADLINE = { externalErrorPolicy: 'UntilDeadline' } as const;
/** Longer than the deadline, by default ten minutes, so that the request ends first. */
const PATIENCE_MS = 660_000;

async function keepSnapshot({ client }: CommandStage, name: string, ttl: string): Promise<string> {
  const content = await client.get(SNAPSHOT_CONTENTS, { name });
  const { metadata } = await adoptArtifact(client, SNAPSHOT_CONTENTS, content, ttl);
  return `ObjectKeeper ${metadata.name} keeps it ${durationText(ttl)}\n`;
}

/** The API server appends a few characters to a generated name. */
const LONGEST_PREFIX = 200;

type WantedSnapshot = {
  readonly namespace: string;
  /** Of the claim. */
  readonly name: string;
  /** Default: an error of the storage system ends the request. */
  readonly externalErrorPolicy?: 'UntilDeadline';
};

/** Takes a snapshot of a claim's volume, and prints the progress. */
export async function requestSnapshot(
  stage: Pick<CommandStage, 'client' | 'out' | 'signal' | 'dryRun'>,
  { namespace, name, externalErrorPolicy }: WantedSnapshot,
): Promise<VolumeCaptureRequest> {
  const { client } = stage;
  const claims = corev1.persistentvolumeclaims;
  const claim = await client.get(claims, { namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const message = `there is no PersistentVolumeClaim "${name}" in namespace ${namespace}; choose another with -n`;
    throw new OperatorError('NotFound', message);
  });
  const target = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid: claim.metadata.uid };
  const request = await client.create(VOLUME_CAPTURE_REQUESTS, {
    apiVersion: `${VOLUME_GROUP}/${VERSION}`,
    kind: VOLUME_CAPTURE_REQUESTS.kind,
    metadata: { namespace, generateName: `${name.slice(0, LONGEST_PREFIX)}-` },
    spec: { mode: 'Snapshot', target, ...defined({ externalErrorPolicy }) },
  });
  const patience = externalErrorPolicy === undefined ? {} : { patienceMs: PATIENCE_MS };
  return followRequest(stage, VOLUME_CAPTURE_REQUESTS, request, patience);
}
