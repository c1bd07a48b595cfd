import type { Ref } from '@kubewright/client';
import { type Condition, getCondition, type KubeObject } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { textTable } from '../../kit/text-table.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';

type Row = {
  readonly request: string;
  readonly state: string;
  readonly made: string;
  readonly message: string;
};

type Status = {
  readonly conditions?: readonly Condition[];
  readonly checkpointName?: string;
  readonly data?: { readonly artifactRef: { readonly name: string } };
  readonly pvcRef?: { readonly name: string };
};

/** `kubewright capture list`. */
export async function listRequests(_call: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  const { client, namespace, print } = await connect();
  const rows = async <T extends KubeObject & { readonly status?: Status }>(
    ref: Ref<T>,
    shortName: string,
  ): Promise<readonly Row[]> => {
    const { items } = await client.list(ref, { namespace });
    return items.map(({ metadata, status }) => rowOf(`${shortName}/${metadata.name}`, status));
  };
  const all = [
    ...(await rows(MANIFEST_CAPTURE_REQUESTS, 'mcr')),
    ...(await rows(VOLUME_CAPTURE_REQUESTS, 'vcr')),
    ...(await rows(VOLUME_RESTORE_REQUESTS, 'vrr')),
  ];
  print({ json: all, text: () => tableOf(all, namespace) });
}

function rowOf(request: string, status: Status = {}): Row {
  const { reason: state = 'Pending', message = '' } = getCondition(status.conditions, 'Ready') ?? {};
  const made = status.checkpointName ?? status.data?.artifactRef.name ?? status.pvcRef?.name ?? '';
  return { request, state, made, message };
}

function tableOf(rows: readonly Row[], namespace: string): string {
  if (rows.length === 0)
    return `there are no requests in namespace ${namespace}; "kubewright capture namespace" makes one\n`;
  return textTable([
    ['REQUEST', 'STATE', 'MADE', 'MESSAGE'],
    ...rows.map(({ request, state, made, message }) => [request, state, made, message]),
  ]);
}
