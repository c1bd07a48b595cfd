import { isNotFound } from '@kubewright/client';
import { corev1, defined } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import { SNAPSHOT_CONTENTS } from '../api/snapshots.ts';
import { adoptArtifact } from './adopt-artifact.ts';
import { durationText, keepIn } from './create-ttl-keeper.ts';
import { findRequest, resumeLine } from './find-request.ts';
import { type Following, type FollowOptions, followRequest } from './follow-request.ts';

/** `kubewright capture pvc NAME`. */
export async function capturePvc(
  { args: [name = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = keepIn(options);
  const stage = await connect();
  const { namespace } = stage;
  const request =
    options['resume'] === undefined
      ? await createSnapshotRequest(stage, { namespace, name, ...patienceIn(options) })
      : await snapshotOfClaim(stage, name, options['resume']);
  const { status } = await followSnapshot(stage, request, {
    resume: resumeLine(`pvc ${name} -n ${namespace}`, request.metadata.name, options),
  });
  if (stage.dryRun !== undefined) return;
  const snapshot = status?.data?.artifactRef.name ?? '';
  stage.out(`The snapshot is volumesnapshotcontent/${snapshot}\n`);
  stage.out(
    ttl === undefined
      ? 'It goes with its request, 10 minutes after the end unless the operator has another REQUEST_TTL; --for and --keep keep it\n'
      : await keepSnapshot(stage, snapshot, ttl),
  );
}

async function snapshotOfClaim(
  { client, namespace }: CommandStage,
  claim: string,
  name: string,
): Promise<VolumeCaptureRequest> {
  const request = await findRequest(client, VOLUME_CAPTURE_REQUESTS, { namespace, name });
  const { target } = request.spec;
  if (target?.name === claim) return request;
  const message = `VolumeCaptureRequest "${name}" is of PersistentVolumeClaim "${target?.name ?? ''}", not of "${claim}"`;
  throw new OperatorError('Usage', message);
}

/** Of `--until-deadline`. */
export function patienceIn(options: CommandCall['options']): Pick<WantedSnapshot, 'externalErrorPolicy'> {
  return options['untilDeadline'] === undefined ? {} : { externalErrorPolicy: 'UntilDeadline' };
}

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
  /** Of the request. */
  readonly labels?: Readonly<Record<string, string>>;
};

/** Takes a snapshot of a claim's volume, and prints the progress. */
export async function requestSnapshot(
  stage: Following,
  wanted: WantedSnapshot,
): Promise<VolumeCaptureRequest> {
  return followSnapshot(stage, await createSnapshotRequest(stage, wanted));
}

export async function createSnapshotRequest(
  { client }: Following,
  { namespace, name, externalErrorPolicy, labels }: WantedSnapshot,
): Promise<VolumeCaptureRequest> {
  const claims = corev1.persistentvolumeclaims;
  const claim = await client.get(claims, { namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const message = `there is no PersistentVolumeClaim "${name}" in namespace ${namespace}; choose another with -n`;
    throw new OperatorError('NotFound', message);
  });
  const target = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid: claim.metadata.uid };
  return client.create(VOLUME_CAPTURE_REQUESTS, {
    apiVersion: `${VOLUME_GROUP}/${VERSION}`,
    kind: VOLUME_CAPTURE_REQUESTS.kind,
    metadata: {
      namespace,
      generateName: `${name.slice(0, LONGEST_PREFIX)}-`,
      ...defined({ labels }),
    },
    spec: { mode: 'Snapshot', target, ...defined({ externalErrorPolicy }) },
  });
}

export function followSnapshot(
  stage: Following,
  request: VolumeCaptureRequest,
  options: Pick<FollowOptions, 'board' | 'resume'> = {},
): Promise<VolumeCaptureRequest> {
  const isPatient = request.spec.externalErrorPolicy === 'UntilDeadline';
  return followRequest(stage, VOLUME_CAPTURE_REQUESTS, request, {
    ...options,
    ...(isPatient && { patienceMs: PATIENCE_MS }),
  });
}
