import { defined } from '@kubewright/kube';
import { formatLabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import type { CommandCall, CommandStage, Stage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { MANIFEST_GROUP, VERSION } from '../api/annotations.ts';
import {
  type CaptureLabels,
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
} from '../api/manifest-capture-request.ts';
import { keepIn } from './create-ttl-keeper.ts';
import { findRequest, resumeLine } from './find-request.ts';
import { followRequest } from './follow-request.ts';
import { kindsOfNamespace } from './kinds-of-namespace.ts';
import { keepFor } from './keep-checkpoint.ts';
import { selectorObject } from './selector-object.ts';

/** `kubewright capture namespace NAME`. */
export async function captureNamespace(
  { args: [name], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const ttl = keepIn(options);
  const { selector, resume } = options;
  if (selector !== undefined && resume !== undefined)
    throw new OperatorError(
      'Usage',
      '--selector is of a new request, --resume of one that is there; choose one',
    );
  const labelSelector = selector === undefined ? undefined : selectorObject(selector);
  const stage = await connect();
  const namespace = name ?? stage.namespace;
  const request =
    resume === undefined
      ? await createManifestRequest(stage, await manifestRequest(stage, namespace, labelSelector))
      : await findRequest(stage.client, MANIFEST_CAPTURE_REQUESTS, { namespace, name: resume });
  const { status } = await followRequest(stage, MANIFEST_CAPTURE_REQUESTS, request, {
    resume: resumeLine(`namespace ${namespace}`, request.metadata.name, options),
  });
  if (stage.dryRun !== undefined) return;
  const { checkpointName = '' } = status ?? {};
  stage.out(
    ttl === undefined
      ? `It goes with its request, 10 minutes after the end unless the operator has another REQUEST_TTL; kubewright capture keep ${checkpointName} keeps it\n`
      : await keepFor(stage.client, checkpointName, ttl),
  );
  stage.out(`Look at it: kubewright capture show ${checkpointName}\n`);
}

type Writing = Stage & Pick<CommandStage, 'dryRun'>;
type NewRequest = Parameters<typeof createManifestRequest>[1];

/** Captures a namespace, and prints the progress. */
export async function requestManifests(stage: Writing, namespace: string): Promise<ManifestCaptureRequest> {
  const request = await createManifestRequest(stage, await manifestRequest(stage, namespace));
  return followRequest(stage, MANIFEST_CAPTURE_REQUESTS, request);
}

/** What of a namespace is captured. Rejects where that is nothing. */
export async function manifestRequest(
  { client, out, discover }: Writing,
  namespace: string,
  labelSelector?: CaptureLabels,
): Promise<NewRequest> {
  const text = labelSelector && formatLabelSelector(selectorFromLabelSelector(labelSelector));
  const kinds = await kindsOfNamespace(client, await discover(), { namespace, labelSelector: text });
  if (kinds.length === 0) {
    const message = `there is nothing to capture in namespace "${namespace}"; "kubectl get namespaces" lists others`;
    throw new OperatorError('NotFound', message);
  }
  const names = kinds.map(({ kind }) => kind).toSorted();
  out(printable(`Kinds of objects in namespace ${namespace}: ${names.join(', ')}\n`));
  out(
    'Events, Leases, snapshots and requests of captures are not captured; "capture show" lists what else is not\n',
  );
  return {
    metadata: { namespace, generateName: 'capture-' },
    spec: { selection: { kinds, ...defined({ labelSelector }) } },
  };
}

export function createManifestRequest(
  { client }: Writing,
  {
    metadata,
    spec,
  }: {
    readonly metadata: {
      readonly namespace: string;
      readonly name?: string;
      readonly generateName?: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly spec: Pick<ManifestCaptureRequest['spec'], 'selection'>;
  },
): Promise<ManifestCaptureRequest> {
  return client.create(MANIFEST_CAPTURE_REQUESTS, {
    apiVersion: `${MANIFEST_GROUP}/${VERSION}`,
    kind: MANIFEST_CAPTURE_REQUESTS.kind,
    metadata,
    spec,
  });
}
