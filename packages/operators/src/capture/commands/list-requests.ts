import type { Ref } from '@kubewright/client';
import { type Condition, getCondition, type KubeObject, type Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { type Listing, runList } from '../../kit/run-list.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';

type Status = {
  readonly conditions?: readonly Condition[];
  readonly completionTimestamp?: string;
  readonly checkpointName?: string;
  readonly data?: { readonly artifactRef: { readonly name: string } };
  readonly pvcRef?: { readonly name: string };
  readonly progress?: { readonly message?: string };
};
type RequestObject = KubeObject & { readonly status?: Status };

function rowOf({ metadata, status = {} }: Stored<RequestObject>, shortName: string, resource: string) {
  const waits = { reason: 'Pending', message: status.progress?.message ?? '' };
  const { reason: state, message } = getCondition(status.conditions, 'Ready') ?? waits;
  const { name, namespace = '', creationTimestamp: created = null } = metadata;
  const { completionTimestamp: completed = null } = status;
  return {
    namespace,
    request: `${shortName}/${name}`,
    resource: `${resource}/${name}`,
    state,
    made: madeBy(status),
    created,
    completed,
    message,
  };
}
type Row = ReturnType<typeof rowOf>;

function madeBy({ checkpointName, data, pvcRef }: Status): string {
  return checkpointName ?? data?.artifactRef.name ?? pvcRef?.name ?? '';
}

async function rowsOf<T extends RequestObject>(
  { client }: CommandStage,
  namespace: string | undefined,
  ref: Ref<T>,
  shortName: string,
): Promise<readonly Row[]> {
  const { items } = await client.list(ref, namespace === undefined ? {} : { namespace });
  const resource = `${ref.kind.toLowerCase()}.${ref.group}`;
  return items.map((one) => rowOf(one, shortName, resource));
}

const LISTING: Listing<Row> = {
  columns: [
    { title: 'REQUEST', of: ({ request }) => request },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'MADE', of: ({ made }) => made },
    { title: 'CREATED', of: ({ created }) => created ?? '', isWide: true },
    { title: 'COMPLETED', of: ({ completed }) => completed ?? '', isWide: true },
    { title: 'MESSAGE', of: ({ message }) => message },
  ],
  nameOf: ({ resource }) => resource,
  none: (where) => `there are no requests in ${where}; "kubewright capture namespace" makes one`,
  read: async (stage, namespace) => [
    ...(await rowsOf(stage, namespace, MANIFEST_CAPTURE_REQUESTS, 'mcr')),
    ...(await rowsOf(stage, namespace, VOLUME_CAPTURE_REQUESTS, 'vcr')),
    ...(await rowsOf(stage, namespace, VOLUME_RESTORE_REQUESTS, 'vrr')),
  ],
  watched: [MANIFEST_CAPTURE_REQUESTS, VOLUME_CAPTURE_REQUESTS, VOLUME_RESTORE_REQUESTS],
};

/** `kubewright capture list`. */
export const listRequests = runList(LISTING);
