import { type Client, withDryRun } from '@kubewright/client';
import type { Json, KubeObject, Status, Stored } from '@kubewright/kube';
import { applyJsonPatch, applyMergePatch } from '@kubewright/kube/patch';
import { OperatorError } from '../operator-error.ts';
import type { DryRun } from './operator.ts';

const DELETED: Status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 200 };

/** A client that stores nothing. */
export function dryRunClient(client: Client, how: DryRun | undefined): Client {
  if (how === undefined) return client;
  return how === 'server' ? withDryRun(client) : withoutWrites(client);
}

/** It sends no write, and returns what it would have sent: of a patch, the live object with it. */
function withoutWrites(client: Client): Client {
  const sent = async <T>(object: unknown): Promise<T> => {
    const { metadata, ...rest } = object as KubeObject;
    return { ...rest, metadata: { name: '', uid: '', resourceVersion: '', ...metadata } } as T;
  };
  return {
    ...client,
    create: async (_ref, object) => sent(object),
    update: async (_ref, object) => sent(object),
    apply: async (_ref, object) => sent(object),
    async patch<T extends KubeObject>(...[ref, key, { type, body }]: Parameters<Client['patch']>) {
      const live = (await client.get(ref, key)) as Json;
      if (type === 'strategic')
        throw new OperatorError('Usage', 'only the server can do this patch: use --dry-run=server');
      return sent<Stored<T>>(type === 'json' ? applyJsonPatch(live, body) : applyMergePatch(live, body));
    },
    delete: async () => DELETED,
    deleteAll: async () => undefined,
  };
}
