import { isNotFound } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import type { CommandCall, CommandStage, Stage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import { followRequest } from './follow-request.ts';

/** `kubewright capture pvc NAME`. */
export async function capturePvc(
  { args: [name = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const { status } = await requestSnapshot(stage, stage.namespace, name);
  stage.out(`The snapshot is volumesnapshotcontent/${status?.data?.artifactRef.name ?? ''}\n`);
}

/** The API server appends a few characters to a generated name. */
const LONGEST_PREFIX = 200;

/** Takes a snapshot of a claim's volume, and prints the progress. */
export async function requestSnapshot(
  stage: Pick<Stage, 'client' | 'out' | 'signal'>,
  namespace: string,
  name: string,
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
    spec: { mode: 'Snapshot', target },
  });
  return followRequest(stage, VOLUME_CAPTURE_REQUESTS, request);
}
