import type { CommandCall, CommandStage, Stage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { MANIFEST_GROUP, VERSION } from '../api/annotations.ts';
import { MANIFEST_CAPTURE_REQUESTS, type ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import { followRequest } from './follow-request.ts';
import { targetsOfNamespace } from './targets-of-namespace.ts';

/** `kubewright capture namespace NAME`. */
export async function captureNamespace(
  { args: [name] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const { status } = await requestManifests(stage, name ?? stage.namespace);
  stage.out(`Look at it: kubewright capture show ${status?.checkpointName ?? ''}\n`);
}

/** Captures a namespace, and prints the progress. */
export async function requestManifests(stage: Stage, namespace: string): Promise<ManifestCaptureRequest> {
  const { client, out, discover } = stage;
  const targets = await targetsOfNamespace(client, await discover(), namespace);
  if (targets.length === 0) {
    const message = `there is nothing to capture in namespace "${namespace}"; "kubectl get namespaces" lists others`;
    throw new OperatorError('NotFound', message);
  }
  const kinds = new Set(targets.map(({ kind }) => kind));
  out(`${targets.length} objects of ${kinds.size} kinds in namespace ${namespace}\n`);
  const request = await client.create(MANIFEST_CAPTURE_REQUESTS, {
    apiVersion: `${MANIFEST_GROUP}/${VERSION}`,
    kind: MANIFEST_CAPTURE_REQUESTS.kind,
    metadata: { namespace, generateName: 'capture-' },
    spec: { targets },
  });
  return followRequest(stage, MANIFEST_CAPTURE_REQUESTS, request);
}
